/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"

#include "ui/output.h"
#include "ui/text_ops.h"
#include "ui/textview.h"

struct output_page {
	struct output output;
	struct textview text;
	bool ended; /* COMMAND, or sampling */
};

static struct textview *
text(const struct ui *ui)
{
	return &ui->output_page->text;
}

static void
release(struct ui *ui)
{
	output_release(&ui->output_page->output);
	textview_release(&ui->output_page->text);
}

void
output_page_show(struct ui *ui)
{
	ui->output_page->output.fresh = true;
	page_show(ui, PAGE_OUTPUT);
}

bool
output_page_read(struct ui *ui, int fd)
{
	struct output_page *p = ui->output_page;

	if (p->output.written == 0)
		p->text.follow = true;
	output_read(&p->output, fd);
	if (ui->page == PAGE_OUTPUT)
		ui_touch(ui);
	return !p->output.closed;
}

static void
take_message(struct ui *ui, const struct msg *m)
{
	ui->output_page->ended |= m->type == ENGINE_MSG_ENDED;
}

static void
draw(struct ui *ui)
{
	struct output_page *p = ui->output_page;
	struct buf b = { 0 };

	if (p->output.fresh) {
		output_take(&p->output, &b);
		textview_set(&p->text, &ui->canvas,
			     p->ended ? "Output of the command, which has ended"
				      : "Output of the command",
			     buf_str(&b), b.len);
		buf_release(&b);
	}
	text_ops_draw(ui);
}

static void
end(struct ui *ui)
{
	textview_end(&ui->output_page->text);
}

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "view-next", "View" }, { "out", "Back" }, { "quit", "Quit" }, { NULL },
};

const struct page_ops output_page = {
	.name = "output", .kinds = IN_VIEWS | IN_FULL, .footer = footer,
	.state_size = sizeof(struct output_page), .release = release,
	.draw = draw, .move = text_ops_move, .end = end, .take_message = take_message,
	.text = text, .finds = "line", .selected = text_ops_selected, .select = text_ops_select,
	.count = text_ops_count, .holds = text_ops_holds,
};
