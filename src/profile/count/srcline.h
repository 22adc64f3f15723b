/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_SRCLINE_H
#define PTOP_PROFILE_COUNT_SRCLINE_H
/*
 * The source lines of the places that were sampled, for grouping by them; the same for their
 * instructions.  What is wanted is only noted here: the engine asks the symbol service.
 * Zero-initialise to begin.  Engine thread only.
 */
#include "base/index.h"
#include "base/strs.h"

struct srcline {
	uint64_t offset;
	uint32_t dso;
	uint32_t text; /* string: "file.c:12", "pause"; 0: there is none, or it is on its way */
	uint32_t path; /* of lines: string of the file's whole path */
};

struct srclines {
	struct srcline *items; /* from 0 */
	size_t len, cap;
	size_t asked;       /* those from here on are to be asked for */
	struct index index; /* counted from 1 */
};

void srclines_release(struct srclines *l);

/* The line of @offset in @dso is wanted. */
void srclines_want(struct srclines *l, uint32_t dso, uint64_t offset);

/* The answer; one that nobody wanted is passed over. */
void srclines_learn(struct srclines *l, uint32_t dso, uint64_t offset, uint32_t text);

/* The file that the line is of. */
void srclines_learn_path(struct srclines *l, uint32_t dso, uint64_t offset, uint32_t path);

/*
 * The line of @offset there, a number, if it is of the file with that path; 0: it is not, or
 * not known.
 */
uint32_t srclines_line_in(const struct srclines *l, const struct strs *strs, uint32_t path,
			  uint32_t dso, uint64_t offset);

/* It is wanted, and there is no text yet. */
bool srclines_lack(const struct srclines *l, uint32_t dso, uint64_t offset);

/* Its text, 0: none is known. */
uint32_t srclines_find(const struct srclines *l, uint32_t dso, uint64_t offset);

/* There are more files now: lines that nobody knew are to be asked for once more. */
void srclines_ask_again(struct srclines *l);

/*
 * Those that are to be asked for, ordered by dso, each handed out once; *@count is how many.  Free
 * the array.  NULL: there are none.
 */
struct srcline *srclines_take(struct srclines *l, size_t *count);

#endif
