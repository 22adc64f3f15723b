/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_DEBUG_OPENER_H
#define PTOP_SYMBOL_FIND_DEBUG_OPENER_H
/*
 * A debug_finder that looks in a process of its own, since the folders of debug files may be on a
 * file system that does not answer: what takes too long is left behind, and counts as not there.
 * One thread.
 */
#include "symbol/find/debug_find.h"
#include "symbol/find/open_process.h"

#include <stdatomic.h>

struct debug_opener {
	struct debug_finder finder; /* its dso is for whoever asks to set */
	const atomic_bool *stop;    /* while it is set nothing is found */
	uint64_t late_ns;
	struct open_process process;  /* started with the first question */
	atomic_ullong cpu_ns;         /* of these processes, so far: any thread */
	bool is_dead[DEBUG_WANTS];    /* the last look of that kind was given up */
	/* Since they were cleared, by whoever asks: */
	bool was_late;                /* a look was given up */
	bool was_asked;               /* something was looked for, found or not */
};

/* The strings are borrowed. */
void debug_opener_init(struct debug_opener *d, const char *debug_dir, const char *proc,
		       uint64_t late_ns, const atomic_bool *stop);
void debug_opener_release(struct debug_opener *d);

#endif
