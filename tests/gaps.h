/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_GAPS_H
#define PTOP_TESTS_GAPS_H
/* Recordings whose times jump. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples of one process, one each step. */
struct gaps_part {
	uint32_t pid;
	unsigned samples;
	uint64_t first_ns, step_ns;
	bool ends_round; /* what comes later need not be later */
	bool execs, ends; /* after its last sample: it is "qNUMBER" then; it is no more */
	uint64_t lost;    /* samples, at that time */
	const char *name; /* NULL: "pNUMBER" */
};

/* Writes the parts in this order to @path, over what is there. */
void gaps_write(const char *path, const struct gaps_part *parts, size_t count);

#endif
