/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_METER_H
#define PTOP_TESTS_BENCH_METER_H
/* What a process holds, from /proc.  One thread. */
#include <sys/types.h>

struct meter {
	double peak_mib;  /* of resident memory, so far */
	double anon_mib;  /* resident memory that is of no file */
	int descriptors; /* but for those of symbols, which have a bound of their own */
	int threads;
};

/* All 0 if there is no such process. */
void meter_read(struct meter *m, pid_t pid);

/* Prints how many descriptors of each kind it has: links of a kind differ in numbers alone. */
void meter_print_descriptors(pid_t pid);

/* The number in the environment's @name, else @otherwise. */
int meter_setting(const char *name, int otherwise);

#endif
