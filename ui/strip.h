/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STRIP_H
#define PTOP_UI_STRIP_H
/*
 * A line of time: a cell for each step, or for several, of which the highest is shown.  Cells of the
 * window that is shown are selected if it lies in the past; marks are told by their looks.
 */
#include "ui/canvas.h"
#include "view/snapshot.h"

/* Where one was drawn last: from its cells to times.  cells 0: none was. */
struct strip {
	int x, y, cells;
	double from_s, cell_s; /* since the beginning */
};

enum strip_of { STRIP_ALL, STRIP_MINE };

/*
 * Draws the newest of the steps of row @tier that @cells have room for, @per of them in a cell; if the
 * window begins before those, the ones around it.
 */
struct strip strip_draw(struct canvas *c, int x, int y, int cells, const struct snapshot *s, int tier,
			size_t per, enum strip_of of);

/* The finest tier of which @cells have the window. */
int strip_tier(const struct snapshot *s, int cells);

/* The time that a column stands for: where its cell begins.  false: it is none of the strip's. */
bool strip_at(const struct strip *strip, int x, int y, double *at_s);

/* What the cells show: the machine's load, or the event's rate in parts of its highest. */
bool strip_shows_load(const struct snapshot *s);

/* Of a row's step @i, 0..1; below 0: not known. */
double strip_value(const struct snapshot *s, int tier, size_t i, enum strip_of of, double most);
double strip_most(const struct snapshot *s, int tier, enum strip_of of);

#endif
