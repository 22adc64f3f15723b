/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_CAPABILITIES_H
#define PTOP_LIVE_SYS_CAPABILITIES_H
/*
 * Which capabilities ptop keeps while it runs.  They belong to threads, and new threads inherit
 * them: so they are given up while there is one thread, and after COMMAND was forked, which is to
 * have all that the user has.
 */
#include "base/util.h"

/* What this run may want beyond what every run does. */
struct capability_needs {
	bool files;    /* recordings and reports, made or given their names while it runs */
	bool replaced; /* files that are there are replaced when a report is whole */
	bool waits;    /* threads are looked at that wait: in which functions of the kernel */
	bool code;     /* of BPF programs is shown */
	bool probes;   /* of programs, or breakpoints in the kernel: named, or may still be typed */
};

struct capability {
	int number; /* of capabilities(7) */
	const char *name;
	const char *why;
	/* Of a run with these needs that may have @permitted, as bits; NULL: always. */
	bool (*applies)(const struct capability_needs *needs, uint64_t permitted);
	bool is_for_writing; /* effective only while a file is written: own_rights_begin_to_write() */
};

/* The table of those that are kept. */
const struct capability *capability_table(size_t *count);

/*
 * Gives up all others, where there are any: permitted, effective, inheritable, ambient, and the
 * bounding set.  What needs none of them later is arranged before: see the .c file.
 */
void capabilities_reduce(const struct capability_needs *needs);

/* The same of all but @bits, by their numbers. */
void capabilities_keep(uint64_t bits);

/* Those of @bits that were kept are effective: a change of user has them rest. */
void capabilities_use(uint64_t bits);

/* No capability is effective in this thread from here on: for the one that draws and reads keys. */
void capabilities_rest(void);

/* The same, but for what writes files of who called sudo, if it was kept. */
void capabilities_for_files(void);

#endif
