/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_VIEW_H
#define PTOP_TESTS_BENCH_VIEW_H
/*
 * A program looked at in a pseudo-terminal of 160x50, with the times at which its bytes come.
 * One thread.
 *
 * The benchmark runs before every other program (SCHED_FIFO), so that what it waits for is the
 * program looked at and not its own turn; what it starts runs as usual.  The program's time is
 * counted from its execve(): the benchmark's program is run again in the terminal, notes the time,
 * and the CPU time that this took, and executes the other.
 */
#include "tests/pty.h"

enum { VIEW_WIDTH = 160, VIEW_HEIGHT = 50, VIEW_ARGS_MAX = 12 };

/* What happens first in main().  Does not return in the program that is run again. */
void view_init(int argc, char **argv);

struct view {
	struct pty *pty;
	uint64_t exec_ns, cpu_before_ns;
	uint64_t bytes;   /* seen so far */
	uint64_t last_ns; /* when the last of them came */
	int stamp_fd;
};

/*
 * Starts the command line @args (its end is NULL) with @env as pty_options has it.  The end of
 * the benchmark if it cannot be started.
 */
void view_open(struct view *v, const char *const args[], const char *const env[]);

/* Waits up to @ms for bytes and takes them all.  false: none came. */
bool view_step(struct view *v, int ms);

/* Takes bytes for @ms. */
void view_run(struct view *v, int ms);

/* The program's peak of resident memory so far in MiB, of /proc/PID/status. */
double view_peak_mib(const struct view *v);

/* The CPU time in ms that the program itself used so far, without its children. */
double view_cpu_ms(const struct view *v);

/* Types q, waits for the end; the CPU time in ms that the program used, its children included. */
double view_close(struct view *v);

#endif
