/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_PROCESS_CLOCK_H
#define PTOP_LIVE_WAIT_PROCESS_CLOCK_H
/*
 * The CPU time of a process: while it stays the same none of its threads runs, and nothing need be
 * read of them.  It costs the kernel up to 450 ns for each thread, so it is not read all the time.
 * Zero-initialise to begin.  One thread at a time; never blocks.
 */
#include <stdbool.h>
#include <stdint.h>

struct process_clock {
	uint64_t cpu_ns;   /* of all threads of the process, 0: not known; */
	uint64_t at_ns;    /* when it was read last */
	uint64_t next_ns;  /* not read again before */
	unsigned changes;  /* in a row it was another when it was read */
};

/* Reads it, if that is worth its price by now, for a process of about @threads threads. */
void process_clock_step(struct process_clock *c, int pid, unsigned threads, uint64_t now_ns);

#endif
