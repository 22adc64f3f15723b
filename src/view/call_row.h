/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_CALL_ROW_H
#define PTOP_VIEW_CALL_ROW_H
/*
 * A function whose calls are counted, as it stands.  Immutable, in the snapshot's arena.
 */
#include "base/util.h"

enum { CALL_ROW_OCTAVES = 48 }; /* of nanoseconds: up to three days */

struct call_row {
	uint32_t id;          /* to end it by */
	const char *function; /* as it was asked for */
	int pid;              /* counted in it alone, and in what it starts; -1: in several */
	const char *state;    /* "timed", "entry only", "closed", ... */
	bool is_on;           /* something is probed */
	bool is_refused;      /* nothing can be: note says why */
	bool is_timed;        /* calls have been timed, so that there are times */
	uint32_t location;    /* of the function in the tables, 0: not known */
	const char *shown;    /* the function, of which process where that is to be told */
	const char *event;    /* its begin as an event: samples of it are its calls */
	uint64_t calls;       /* begun since it is on: exact */
	double per_second;    /* of the last second */
	uint64_t timed;       /* calls whose begin and end were seen */
	uint64_t lost;        /* calls whose end was not: left by an exception or longjmp, or no
				 room for the hit */
	uint64_t running;     /* begun, not ended yet */
	uint64_t recursive;   /* begun while another call of the thread was going on */
	uint64_t min_ns, p50_ns, p95_ns, p99_ns, max_ns; /* the time inside, of timed ones */
	const uint64_t *octaves; /* timed calls of 2^i to 2^(i+1) ns, CALL_ROW_OCTAVES of them */
	double seconds;       /* that it has been on */
	double cost_percent;  /* of CPU time of who is probed; <0: not known */
	const char *note;     /* what is not as it was asked for; "" */
};

#endif
