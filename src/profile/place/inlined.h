/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_INLINED_H
#define PTOP_PROFILE_PLACE_INLINED_H
/*
 * Frames of functions that the compiler put in place of calls.  Where they are wanted, call trees
 * keep exact places (LOCATION_EXACT) in files, which stand for their function everywhere else; what
 * is inlined there is learned when it is to be shown.  An inlined function is a location of its
 * own, by dso and name, that nothing is counted in.  Zero-initialise to begin.  Engine thread only.
 */
#include "base/index.h"

struct locations;

enum { INLINED_FRAMES_MAX = 33 }; /* a function and what is inlined in it */

/* A function inlined in another: places share the outer part of their chains. */
struct inlined_link {
	uint32_t outer;    /* link, 0: it is in the function itself */
	uint32_t location;
};

struct inlined {
	size_t max, len;  /* exact places: no more than so many; max 0: none are kept */
	uint64_t missed;  /* times that there was no room for one: its function alone is shown */
	uint64_t lost;    /* exact places whose file could not be read */
	uint32_t asked;   /* locations below this one were handed out */
	struct inlined_link *links; /* [0] is not used */
	size_t link_len, link_cap;
	struct index index;         /* of links */
	uint32_t *innermost;        /* by location: link, 0: nothing is inlined there */
	size_t place_cap;
};

/* A place to ask about. */
struct inlined_ask {
	uint64_t offset;
	uint32_t dso;
};

void inlined_release(struct inlined *in);

/*
 * The exact place of @offset in @dso, which is in @location: made if it is new; @location itself
 * where none are kept.
 */
uint32_t inlined_place(struct locations *l, uint32_t location, uint32_t dso, uint64_t offset);

/*
 * @most of the places that are to be asked about, by rising dso and offset, each handed out once;
 * *@count is how many.  Free the array.  NULL: there are none.
 */
struct inlined_ask *inlined_take(struct locations *l, size_t most, size_t *count);

/* There are more files now: all places are to be asked about once more. */
void inlined_ask_again(struct inlined *in);

/* The answer, in place of one before it: @count names, the outermost first, each with its NUL. */
void inlined_learn(struct locations *l, uint32_t dso, uint64_t offset, const char *names,
		   uint32_t count);

/* The function at @location, then what is inlined there, the outermost first; returns how many. */
size_t inlined_frames(const struct locations *l, uint32_t location,
		      uint32_t frames[INLINED_FRAMES_MAX]);

#endif
