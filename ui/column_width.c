/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/column_width.h"

#include "ui/place.h"
#include "ui/table.h"

static const unsigned char *
chosen_widths(const struct ui *ui)
{
	return ui->columns[ui->query.view].widths;
}

/* From here on; 0: as it is by itself. */
static void
choose(struct ui *ui, enum column_id id, int width)
{
	ui->columns[ui->query.view].widths[id] = (unsigned char)width;
	ui_touch(ui);
}

/* 0: it is not on the screen. */
static int
drawn_width(const struct ui *ui, enum column_id id)
{
	struct column_list list;
	struct table t;

	place_shown_columns(ui, &list);
	table_fit(&t, &list, chosen_widths(ui), ui->snap != NULL ? snapshot_shown(ui->snap) : NULL,
		  ui->canvas.width);
	for (size_t i = 0; i < t.len; i++)
		if (t.columns[i].id == id)
			return t.columns[i].width;
	return 0;
}

bool
column_width_is_chosen(const struct ui *ui, enum column_id id)
{
	return chosen_widths(ui)[id] != 0;
}

int
column_width_now(const struct ui *ui, enum column_id id)
{
	int drawn = drawn_width(ui, id), chosen = chosen_widths(ui)[id];

	if (drawn > 0)
		return drawn;
	return chosen > 0 ? chosen : columns[id].width;
}

void
column_width_step(struct ui *ui, enum column_id id, int by)
{
	int drawn = drawn_width(ui, id), now = chosen_widths(ui)[id];

	if (now == 0 || (by < 0 && drawn > 0))
		now = drawn > 0 ? drawn : MAX(columns[id].width, columns[id].min_width);
	choose(ui, id, MAX(column_least_width(id), MIN(now + by, COLUMN_WIDTH_MAX)));
}

void
column_width_reset(struct ui *ui, enum column_id id)
{
	choose(ui, id, 0);
}
