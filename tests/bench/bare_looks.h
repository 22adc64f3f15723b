/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_BARE_LOOKS_H
#define PTOP_TESTS_BENCH_BARE_LOOKS_H
/*
 * What looks at threads cost here at least: the reads alone, in a tight loop, of files that stay
 * open.  Machines differ in that by a multiple; what ptop needs is told in such.
 */
#include <sys/types.h>

/* CPU time in us for each thread. */
struct bare_looks {
	double first; /* its files are opened, and read, */
	double look;  /* read: syscall, 8 KiB of stack, syscall again, schedstat, */
	double same;  /* schedstat alone */
};

/* Of the threads of @pid, as many as there are descriptors for.  All NAN: they cannot be read. */
struct bare_looks bare_looks(pid_t pid);

#endif
