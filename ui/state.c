/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/state.h"

#include "base/clock.h"

enum { STATUS_S = 6 };

bool
ui_is_stale(const struct ui *ui)
{
	return ui->snap == NULL || ui->snap->query.seq < ui->need_seq;
}

bool
ui_has_nodes(const struct ui *ui)
{
	return !ui_is_stale(ui) && ui->snap->node_count > 0;
}

const struct row *
ui_selected(struct ui *ui)
{
	const struct nav_place *p = nav_place(&ui->nav);

	if (ui_is_stale(ui) || p->index >= ui->snap->row_count)
		return NULL;
	return &ui->snap->rows[p->index];
}

void
ui_touch(struct ui *ui)
{
	if (!ui->dirty)
		ui->dirty_ns = clock_mono_ns();
	ui->dirty = true;
}

void
ui_say(struct ui *ui, bool is_error, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&text, fmt, ap);
	va_end(ap);
	buf_reset(&ui->status.text);
	canvas_add_safe(&ui->canvas, &ui->status.text, buf_str(&text));
	ui->status.is_error = is_error;
	ui->status.is_cut = false;
	ui->status.until_ns = clock_mono_ns() + STATUS_S * NSEC_PER_SEC;
	buf_release(&text);
	ui_touch(ui);
}
