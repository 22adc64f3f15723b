/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_COLUMN_WIDTH_H
#define PTOP_UI_COLUMN_WIDTH_H
/* How wide columns of the view that we are in are, and other widths for them. */
#include "view/column.h"

struct ui;

/* As it is on the screen, where it is there; else as it would be, 0: it takes the rest. */
int column_width_now(const struct ui *ui, enum column_id id);

bool column_width_is_chosen(const struct ui *ui, enum column_id id);

/* Wider by so many cells, or narrower; as far as it can be read, and to a bound. */
void column_width_step(struct ui *ui, enum column_id id, int by);

void column_width_reset(struct ui *ui, enum column_id id); /* as it is by itself */

#endif
