/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_COLUMNS_H
#define PTOP_UI_COLUMNS_H
/* The columns that the user chose for views, as files have them: "threads = tid evt hottest:40". */
#include "view/column.h"

struct rcfile;

enum { COLUMN_WIDTH_MAX = 200 };

/* Those of one view, left to right. */
struct column_choice {
	unsigned char ids[CHOICE_MAX]; /* enum column_id */
	size_t count;                  /* 0: the view's own */
	unsigned char widths[COLUMN_COUNT]; /* in cells, by enum column_id; 0: the column's own */
};

/* Of fewer cells nothing can be read: numbers are not cut. */
int column_least_width(enum column_id id);

/* Takes the lines of the section "columns", for each view in @choices; faults are @rc's. */
void columns_read(struct column_choice choices[VIEW_COUNT], struct rcfile *rc);

/* Names the view's own columns, if there are no others, so that one of them can be changed. */
void columns_spell_out(struct column_choice *c, enum view_id view);

/* Where it is the view's own columns: so they follow what a later ptop shows. */
void columns_settle(struct column_choice *c, enum view_id view);

size_t columns_place(const struct column_choice *c, enum column_id id); /* @count: it is not there */

void columns_take_out(struct column_choice *c, enum column_id id);
void columns_move(struct column_choice *c, enum column_id id, size_t to); /* one that is there */

/* Nothing of what is the view's own. */
void columns_put(const struct column_choice *c, enum view_id view, struct buf *b);
bool columns_are_equal(const struct column_choice *a, const struct column_choice *b);

#endif
