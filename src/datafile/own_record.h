/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_OWN_RECORD_H
#define PTOP_DATAFILE_OWN_RECORD_H
/* Records that perf itself wrote between those of the kernel: types of 64 and above. */
#include "datafile/lane.h"

/*
 * Takes the content of the record, which is at offset @at of @lane.  Bytes behind it that are no
 * record are left out.  True: it ends a round (FINISHED_ROUND).
 */
bool own_record_apply(struct lane *lane, struct contents *c, struct bytes record, uint64_t at);

#endif
