/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_ROW_ORDER_H
#define PTOP_PROFILE_REPORT_ROW_ORDER_H
/*
 * The order of rows, from one refresh of a screen to the next: where shares read the same any order is
 * right, and the one that can be followed with the eyes is that of before.  Engine thread only.
 */
#include "view/snapshot.h"

enum { ROW_ORDER_MAX = 256 }; /* first rows of the list: what is further down nobody sees at once */

/* Zero-initialise to begin. */
struct row_order {
	uint64_t ids[ROW_ORDER_MAX]; /* as they were last */
	size_t len;
};

/*
 * Of rows that are sorted by share, those with samples whose shares are the same as the column shows them
 * are put where they were at the call before, as far as that is among them.
 */
void row_order_keep(struct row_order *o, struct row *rows, size_t len);

#endif
