/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_CALLS_FUNCTION_ENDS_H
#define PTOP_ENGINE_CALLS_FUNCTION_ENDS_H
/*
 * From the listing of a function to the instructions that are to be probed: where it begins, its
 * returns, and its jumps to other functions.  Pure.
 */
#include "live/calls/call_point.h"
#include "view/listing.h"

enum { FUNCTION_PARTS_MAX = 4 };

/* The function, and what the compiler has put elsewhere of it ("f.cold"). */
struct function_code {
	const struct listing *parts[FUNCTION_PARTS_MAX]; /* the function itself first */
	size_t count;
};

/*
 * Fills @points, of CALL_POINTS_MAX, and *@count: 1 is the begin alone, and why.  The sentence is
 * constant or the listing's; "": all ends are there.
 */
const char *function_ends(const struct function_code *code, struct call_point *points,
			  size_t *count);

/*
 * The offset of a part of the function that is elsewhere and not among @code's yet; 0: there is
 * none.
 */
uint64_t function_part(const struct function_code *code);

#endif
