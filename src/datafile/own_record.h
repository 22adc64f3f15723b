/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_OWN_RECORD_H
#define PTOP_DATAFILE_OWN_RECORD_H
/* Records that perf itself wrote between those of the kernel: types of 64 and above. */
#include "datafile/lane.h"

enum {
	KERNEL_TYPE_LAST = 22, /* PERF_RECORD_CALLCHAIN_DEFERRED */
	OWN_TYPE_LAST = 86,    /* PERF_RECORD_SCHEDSTAT_DOMAIN */
};

/*
 * Takes what the record, from offset @at of @lane, tells.  What follows it and is no record is left
 * out; true: it ends a round.
 */
bool own_record_take(struct lane *lane, struct contents *c, struct bytes record, uint64_t at);

/* Whether anybody knows records of that type, the kernel's among them. */
static inline bool
own_record_is_known(uint32_t type)
{
	return (type >= PERF_RECORD_MMAP && type <= KERNEL_TYPE_LAST) ||
	       (type >= RECORD_USER_TYPE_FIRST && type <= OWN_TYPE_LAST);
}

#endif
