/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_CALL_FILTER_H
#define PTOP_BASE_CALL_FILTER_H
/* Which system calls are left to a process that gives up the others for good. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On machines of which the numbers of calls are known here. */
#if defined(__x86_64__) || defined(__aarch64__)
#define CALL_FILTER_WORKS 1
#else
#define CALL_FILTER_WORKS 0
#endif

enum { CALL_CONDITIONS = 2 };

/* Holds if the lower half of the argument, seen through the mask, is the value. */
struct call_condition {
	uint32_t mask, value; /* mask 0: no condition */
	unsigned arg;
};

/* A call that is left to those of @who, bits that the table's owner gives a meaning. */
struct call_rule {
	long nr;
	unsigned who;
	struct call_condition when[CALL_CONDITIONS]; /* all of them */
};

/*
 * From here on every call of this process for which @who has no rule fails with EPERM; it must have
 * one thread, and no new privileges or CAP_SYS_ADMIN.  false: there is no filter, errno says why; a
 * kernel or machine may have none.
 */
bool call_filter_enter(const struct call_rule *rules, size_t count, unsigned who);

#endif
