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

/* Into @b, which is emptied. */
static void PRINTF_LIKE(3, 0)
put_safe(struct ui *ui, struct buf *b, const char *fmt, va_list ap)
{
	struct buf text = { 0 };

	buf_addv(&text, fmt, ap);
	buf_reset(b);
	canvas_add_safe(&ui->canvas, b, buf_str(&text));
	buf_release(&text);
}

/* An error may need the whole line. */
static void
show_status(struct ui *ui)
{
	struct status *s = &ui->status;

	if (s->hint.len > 0 && !s->is_error)
		buf_addf(&s->text, "%s%s", s->text.len > 0 ? "; " : "", s->hint.data);
	s->is_cut = false;
	s->since_ns = clock_mono_ns();
	s->until_ns = s->since_ns + STATUS_S * NSEC_PER_SEC;
	ui_touch(ui);
}

void
ui_say(struct ui *ui, bool is_error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_safe(ui, &ui->status.text, fmt, ap);
	va_end(ap);
	ui->status.is_error = is_error;
	ui->status.is_news = false;
	show_status(ui);
}

void
ui_news(struct ui *ui, const char *text)
{
	buf_reset(&ui->status.news);
	buf_add_str(&ui->status.news, text);
	if (ui->status.is_news)
		ui_unsay(ui);
	ui_touch(ui);
}

void
ui_show_news(struct ui *ui)
{
	if (ui->status.news.len == 0 || ui->status.text.len > 0)
		return;
	ui_say(ui, false, "%s", buf_str(&ui->status.news));
	ui->status.is_news = true;
	buf_reset(&ui->status.news);
}

void
ui_hint(struct ui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_safe(ui, &ui->status.hint, fmt, ap);
	va_end(ap);
	show_status(ui);
}

void
ui_unsay(struct ui *ui)
{
	buf_reset(&ui->status.text);
	buf_reset(&ui->status.hint);
	ui->status.is_error = false;
	ui->status.is_news = false;
}
