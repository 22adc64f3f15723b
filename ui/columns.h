/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_COLUMNS_H
#define PTOP_UI_COLUMNS_H
/* The columns that the user chose for views, as files have them: "processes = pid cpu command". */
#include "base/buf.h"
#include "view/query.h"

struct rcfile;

/* Those of one view, left to right. */
struct column_choice {
	unsigned char ids[CHOICE_MAX]; /* enum column_id */
	size_t count;                  /* 0: the view's own */
};

/* Takes the lines of the section "columns", for each view in @choices; faults are @rc's. */
void columns_read(struct column_choice choices[VIEW_COUNT], struct rcfile *rc);

void columns_put(const struct column_choice *c, struct buf *b);
bool columns_are_equal(const struct column_choice *a, const struct column_choice *b);

#endif
