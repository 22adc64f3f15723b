/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_CHANGE_ROWS_H
#define PTOP_ENGINE_VIEWER_CHANGE_ROWS_H
/*
 * Programs and functions whose changes are looked for.  In a second there may be thousands: all of them
 * are summed, and at its end the heaviest have each of their last seconds kept, of all others the mean
 * alone.  What then rises has that for what was usual.  To be zero-initialised.  Engine thread only.
 */
#include "base/index.h"
#include "view/cusum.h"

enum { CHANGE_ROWS_MAX = 512 }; /* so many have their seconds kept */

struct changing {
	uint32_t comm, name;  /* strings; name 0: all of the program */
	uint32_t location;    /* of a function: where it had samples last */
	double gain;          /* in the second that is being summed */
	struct cusum *cusum;  /* NULL: it is too light, and has had */
	double mean;          /* that share in the last so many: */
	unsigned have;
};

struct change_rows {
	struct changing *items;
	size_t len, cap;
	struct index index; /* of items, counted from 1 */
	unsigned seconds;   /* that have ended */
};

/*
 * That of a program or a function, made if it is new: a program has had nothing before; a function
 * learns first what is usual, as its name may have come late.  NULL: there are too many.
 */
struct changing *change_rows_find(struct change_rows *r, uint32_t comm, uint32_t name);

/* Ends a second that has @all: the heaviest have their cusum, to which it is to be added. */
void change_rows_settle(struct change_rows *r, double all);

void change_rows_begin_second(struct change_rows *r);
size_t change_rows_bytes(const struct change_rows *r);
void change_rows_release(struct change_rows *r); /* empty, as at the beginning */

#endif
