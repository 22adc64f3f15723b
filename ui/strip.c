/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/strip.h"

#include <math.h>

bool
strip_shows_load(const struct snapshot *s)
{
	const struct snapshot_event *e = snapshot_shown(s);

	return s->head.recording == NULL && (e == NULL || !(e->counts_things || e->is_looks || e->is_elapsed));
}

static const float *
values_of(const struct snapshot *s, int tier, enum strip_of of)
{
	const struct timeline_row *row = &s->timeline[tier];

	if (of == STRIP_MINE)
		return row->mine;
	return strip_shows_load(s) ? row->busy : row->rate;
}

double
strip_most(const struct snapshot *s, int tier, enum strip_of of)
{
	const float *values = values_of(s, tier, of);
	double most = 0;

	if (of == STRIP_ALL && strip_shows_load(s))
		return 1;
	for (size_t i = 0; values != NULL && i < s->timeline[tier].len; i++)
		if (!isnan(values[i]))
			most = MAX(most, (double)values[i]);
	return most;
}

double
strip_value(const struct snapshot *s, int tier, size_t i, enum strip_of of, double most)
{
	const float *values = values_of(s, tier, of);

	if (values == NULL || i >= s->timeline[tier].len || isnan(values[i]))
		return -1;
	return most > 0 ? MIN((double)values[i] / most, 1) : 0;
}

int
strip_tier(const struct snapshot *s, int cells)
{
	double end_s = s->head.window_end_s, begin_s = end_s - s->head.window_s;

	for (int t = 0; t < TIMELINE_ROWS - 1 && end_s > 0; t++) {
		const struct timeline_row *row = &s->timeline[t];
		double first_s = row->from_s + row->step_s * ((double)row->len - cells);

		if (begin_s >= first_s)
			return t;
	}
	return end_s > 0 ? TIMELINE_ROWS - 1 : 0;
}

/* The first of the steps that are shown. */
static long
first_step(const struct snapshot *s, const struct timeline_row *row, long steps)
{
	double end_s = s->head.window_end_s, middle_s = end_s - MAX(s->head.window_s, 0) / 2;
	long first = (long)row->len - steps;

	if (end_s > 0 && end_s - s->head.window_s < row->from_s + row->step_s * (double)first)
		first = (long)((middle_s - row->from_s) / row->step_s) - steps / 2;
	return MIN(first, (long)row->len - steps);
}

static bool
has_mark(const struct snapshot *s, double from_s, double to_s)
{
	for (size_t i = 0; i < s->mark_count; i++)
		if (s->marks[i].at_s >= from_s && s->marks[i].at_s < to_s)
			return true;
	return false;
}

static void
draw_cell(struct canvas *c, const struct strip *strip, int i, double value, bool is_marked)
{
	struct cell *cell = &c->cells[(size_t)strip->y * (size_t)c->width + (size_t)(strip->x + i)];

	canvas_put_bar(c, strip->x + i, strip->y, value);
	if (is_marked && value <= 0)
		canvas_put_char(c, strip->x + i, strip->y, STYLE_NOTICE, '|');
	else if (is_marked)
		cell->style = STYLE_NOTICE;
}

struct strip
strip_draw(struct canvas *c, int x, int y, int cells, const struct snapshot *s, int tier, size_t per,
	   enum strip_of of)
{
	const struct timeline_row *row = &s->timeline[tier];
	long first = first_step(s, row, (long)per * cells);
	double most = strip_most(s, tier, of), end_s = s->head.window_end_s;
	struct strip strip = { x, y, cells, row->from_s + row->step_s * (double)first,
			       row->step_s * (double)per };

	if (x < 0 || y < 0 || y >= c->height || x + cells > c->width || row->len == 0)
		return (struct strip){ 0 };
	for (int i = 0; i < cells; i++) {
		double value = -1, from_s = strip.from_s + strip.cell_s * i;

		for (size_t k = 0; k < per; k++) {
			long step = first + (long)per * i + (long)k;

			if (step >= 0)
				value = MAX(value, strip_value(s, tier, (size_t)step, of, most));
		}
		draw_cell(c, &strip, i, value,
			  of == STRIP_ALL && has_mark(s, from_s, from_s + strip.cell_s));
		if (end_s > 0 && from_s < end_s &&
		    from_s + strip.cell_s > end_s - MAX(s->head.window_s, 0))
			canvas_select(c, y, x + i, 1);
	}
	return strip;
}

bool
strip_at(const struct strip *strip, int x, int y, double *at_s)
{
	if (strip->cells == 0 || y != strip->y || x < strip->x || x >= strip->x + strip->cells)
		return false;
	*at_s = strip->from_s + strip->cell_s * (x - strip->x);
	return true;
}
