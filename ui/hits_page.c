/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The newest records of the event shown, with all their fields; they follow until one moves down. */
#include "ui/action_table.h"
#include "ui/pages.h"
#include "ui/text_ops.h"
#include "ui/textview.h"

#include <string.h>

enum { NARROW = 40 };

struct hits_page {
	struct textview text;
	struct buf newest; /* taken while an older text is read */
};

static struct textview *
text(const struct ui *ui)
{
	return &ui->hits_page->text;
}

static void
release(struct ui *ui)
{
	textview_release(&ui->hits_page->text);
	buf_release(&ui->hits_page->newest);
}

/* On a small screen the heading would be most of it: there the records alone are. */
static const char *
records(const struct ui *ui)
{
	const char *all = buf_str(&ui->hits_page->newest), *end = strstr(all, "FIELDS\n");

	return ui->canvas.width < NARROW && end != NULL ? strchr(end, '\n') + 1 : all;
}

static void
set_text(struct ui *ui)
{
	struct hits_page *p = ui->hits_page;
	const bool is_narrow = ui->canvas.width < NARROW;
	const char *text = records(ui);
	struct buf title = { 0 };

	if (!is_narrow)
		buf_add_str(&title, "Newest records");
	if (ui->snap != NULL && ui->snap->head.event != NULL) {
		buf_add_str(&title, is_narrow ? "" : " of ");
		canvas_add_safe(&ui->canvas, &title, ui->snap->head.event);
	}
	buf_add_str(&title, " (Esc leaves; E filters in the kernel)");
	p->text.hangs = true;
	textview_set(&p->text, &ui->canvas, buf_str(&title), text, strlen(text));
	buf_release(&title);
	ui_touch(ui);
}

static void
show_hits(struct ui *ui)
{
	struct hits_page *p = ui->hits_page;

	buf_reset(&p->newest);
	buf_add_str(&p->newest, "asking...\n");
	p->text.top = 0;
	set_text(ui);
	page_show(ui, PAGE_HITS);
	engine_ask_hits(ui->engine);
}

/* Asked for anew with each refresh; what is read down the page stays. */
static void
take_message(struct ui *ui, const struct msg *m)
{
	struct hits_page *p = ui->hits_page;

	if (ui->page != PAGE_HITS)
		return;
	if (m->type == ENGINE_MSG_SNAPSHOT && !ui->query.frozen)
		engine_ask_hits(ui->engine);
	if (m->type != ENGINE_MSG_HITS)
		return;
	buf_reset(&p->newest);
	buf_add_str(&p->newest, ((const struct engine_text_msg *)m)->text);
	if (p->text.top == 0)
		set_text(ui);
}

static void
move(struct ui *ui, long delta)
{
	struct textview *v = &ui->hits_page->text;
	size_t before = v->top;

	textview_move(v, delta);
	if (v->top == 0 && before != 0)
		set_text(ui);
}

static const struct action actions[] = {
	{ "hits", "R", "the newest records of this event, with all that they carry", IN_VIEWS,
	  show_hits },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "out", "Back" }, { "find", "Find" }, { "event-filter", "Filter" },
	{ "quit", "Quit" }, { NULL },
};

const struct page_ops hits_page = {
	.name = "hits", .kinds = IN_FULL, .actions = actions, .footer = footer,
	.state_size = sizeof(struct hits_page), .release = release,
	.draw = text_ops_draw, .move = move, .take_message = take_message,
	.text = text, .finds = "line", .selected = text_ops_selected, .select = text_ops_select,
	.count = text_ops_count, .holds = text_ops_holds,
};
