/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/place.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_S = 6 };

void
ui_init(struct ui *ui, const struct config *config)
{
	memset(ui, 0, sizeof(*ui));
	ui->config = config;
	config_query(config, &ui->query);
	ui->query.seq = ui->need_seq = 1;
	ui->query.trends = true;
	ui->sort = ui->query.sort =
		(int)column_of_view((enum column_id)ui->query.sort, config->engine.input != NULL);
	ui->ascending = ui->query.ascending;
	ui->query.process = ui->query.thread = 0;
	ui->query.view = place_first_view(config);
	nav_init(&ui->nav, ui->query.view);
	stacks_put_query(ui, &ui->query);
	ui->output_page.follow = true;
	ui_touch(ui);
}

void
ui_release(struct ui *ui)
{
	snapshot_put(ui->snap);
	textview_release(&ui->text);
	textview_release(&ui->output_page);
	output_release(&ui->output);
	picker_release(&ui->picker);
	stacks_release(&ui->stacks);
	buf_release(&ui->status.text);
	canvas_release(&ui->canvas);
}

bool
ui_is_stale(const struct ui *ui)
{
	return ui->snap == NULL || ui->snap->query.seq < ui->need_seq;
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
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		die("out of memory");
	buf_reset(&ui->status.text);
	canvas_add_safe(&ui->canvas, &ui->status.text, text);
	ui->status.is_error = is_error;
	ui->status.until_ns = clock_mono_ns() + STATUS_S * NSEC_PER_SEC;
	free(text);
	ui_touch(ui);
}
