/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/text_ops.h"

#include "ui/state.h"
#include "ui/textview.h"

static struct textview *
text(const struct ui *ui)
{
	return pages[page_full(ui)]->text(ui);
}

void
text_ops_draw(struct ui *ui)
{
	struct textview *v = text(ui);

	textview_draw(v, &ui->canvas, 0, layout_above_footer(&ui->layout));
	ui->rows[page_full(ui)] = v->page;
}

void
text_ops_move(struct ui *ui, long delta)
{
	textview_move(text(ui), delta);
}

size_t
text_ops_selected(struct ui *ui)
{
	const struct textview *v = text(ui);

	return v->found > 0 ? v->found - 1 : v->top;
}

void
text_ops_select(struct ui *ui, size_t line)
{
	textview_show(text(ui), line);
}

size_t
text_ops_count(const struct ui *ui)
{
	return text(ui)->line_count;
}

bool
text_ops_holds(const struct ui *ui, size_t line)
{
	return textview_holds(text(ui), line, ui->find);
}
