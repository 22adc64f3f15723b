/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_ROW_ORDER_H
#define PTOP_PROFILE_REPORT_ROW_ORDER_H
/*
 * The order of rows, from one refresh of a screen to the next: where shares read the same any order is
 * right, and the one that can be followed with the eyes is that of before.  Engine thread only.
 */
#include "view/snapshot.h"

enum { ROW_ORDER_MAX = 64 }; /* about a screen of them: who is on it goes by the shares alone */

/* Zero-initialise to begin. */
struct row_order {
	uint64_t list; /* what the rows are, see row_order_keep() */
	uint64_t ids[ROW_ORDER_MAX]; /* as they were last */
	size_t len;
};

/*
 * Of the first rows, sorted by share, those with samples whose shares are the same as the column shows
 * them, and not twice as large as each other, are put where they were at the call before, as far as that
 * is among them.  @list is another number for rows of another view, event or place.
 */
void row_order_keep(struct row_order *o, uint64_t list, struct row *rows, size_t len);

#endif
