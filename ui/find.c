/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/state.h"

#include <string.h>

static bool
row_holds(struct ui *ui, const struct column_list *list, const struct row *row, struct buf *b)
{
	buf_reset(b);
	table_put_text(b, list, row, ui->canvas.ascii);
	return strcasestr(buf_str(b), ui->find) != NULL;
}

bool
ui_find(struct ui *ui, size_t from, int step)
{
	struct nav_place *p = nav_place(&ui->nav);
	struct buf b = { 0 };
	size_t n = ui->snap->row_count, i = from;
	struct column_list list;
	bool found = false;

	if (n == 0)
		return false;
	ui_columns(ui, &list);
	for (size_t tried = 0; tried < n && !found; tried++) {
		i = (i + n) % n;
		found = row_holds(ui, &list, &ui->snap->rows[i], &b);
		if (!found)
			i += step > 0 ? 1 : n - 1;
	}
	if (found)
		nav_to(p, ui->snap, i % n);
	buf_release(&b);
	return found;
}
