/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_NAMED_H
#define PTOP_TESTS_NAMED_H
/*
 * How many samples of a recording have which name, told by perf script and by ptop, and where the
 * two differ.  For tests only: everything asserts.
 */
#include <stdbool.h>
#include <stddef.h>

/* Samples of one thread in one file under one name; name "" is: without one. */
struct named_row {
	char comm[20], dso[96];
	unsigned tid;
	char *name;
	size_t count;
};

struct named {
	struct named_row *rows; /* sorted by comm, tid, dso, name; each once */
	size_t len, cap;
	size_t samples;
};

/* With @raw, names as the linker has them, else demangled. */
void named_by_perf(struct named *n, const char *recording, bool raw);
void named_by_ptop(struct named *n, const char *recording, bool raw);
void named_release(struct named *n);

/* Samples of @tid in @dso whose name is like @pattern, as fnmatch(3) has it. */
size_t named_count(const struct named *n, unsigned tid, const char *dso, const char *pattern);

/* Changes each name in place, to none longer; rows that become the same are added up. */
void named_change(struct named *n, void (*change)(char *name));

struct named_difference {
	size_t placed; /* samples of the same thread in the same file */
	size_t both;   /* of these, have a name on both sides */
	size_t agree;  /* have the same one */
	size_t perf_unnamed, ptop_unnamed;
};

/* Prints at most @lines of what differs. */
struct named_difference named_compare(const struct named *perf, const struct named *ptop,
				      unsigned lines);

/* Calls @call for each dso with the samples that have no name in it. */
void named_each_dso(const struct named *perf, const struct named *ptop,
		    void (*call)(void *self, const char *dso, size_t perf, size_t ptop), void *self);

#endif
