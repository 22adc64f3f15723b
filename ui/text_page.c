/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"

#include "ui/action_table.h"
#include "ui/text_ops.h"
#include "ui/textview.h"

#include <string.h>

struct text_page {
	struct textview text;
	const char *title;
	int awaited; /* enum engine_msg_type, 0: nothing */
	struct buf changes;   /* the last answer of that kind */
	uint64_t row;         /* that it tells of */
	struct row_tag maker; /* of its code, as of then */
	const char *no_maker; /* why there was none; NULL: there was */
};

static struct textview *
text(const struct ui *ui)
{
	return &ui->text_page->text;
}

static void
release(struct ui *ui)
{
	textview_release(&ui->text_page->text);
	buf_release(&ui->text_page->changes);
}

static void
set_text(struct ui *ui, const char *text)
{
	ui->text_page->text.hangs = true;
	textview_set(&ui->text_page->text, &ui->canvas, ui->text_page->title, text, strlen(text));
	ui->text_page->text.top = 0;
	ui_touch(ui);
}

void
text_page_show(struct ui *ui, const char *title, const char *text)
{
	ui->text_page->title = title;
	ui->text_page->awaited = 0;
	set_text(ui, text);
	page_show(ui, PAGE_TEXT);
}

void
text_page_ask(struct ui *ui, enum engine_msg_type type, const char *title)
{
	text_page_show(ui, title, "asking...\n");
	ui->text_page->awaited = (int)type;
	buf_reset(&ui->text_page->changes);
}

static void
ask_explanation(struct ui *ui, uint64_t row)
{
	struct text_page *p = ui->text_page;
	const char *why;

	text_page_ask(ui, ENGINE_MSG_EXPLAIN, "About this row (Esc leaves)");
	p->row = row;
	p->no_maker = acting_find_maker(ui, &p->maker, &why) ? NULL : why;
}

void
text_page_explain(struct ui *ui, uint64_t row)
{
	ask_explanation(ui, row);
	engine_ask_explain(ui->engine, &ui->query, row);
}

void
text_page_explain_line(struct ui *ui, uint32_t location, bool is_irq_on)
{
	ask_explanation(ui, 0);
	engine_ask_explain_place(ui->engine, location, is_irq_on);
}

bool
text_page_maker(struct ui *ui, struct row_tag *maker, const char **why)
{
	const struct text_page *p = ui->text_page;
	const struct row *selected = ui_selected(ui);

	if (p->awaited != ENGINE_MSG_EXPLAIN) {
		*why = "J names the code of a row: it works on the row, and on what i tells of it";
		return false;
	}
	/* Who made its code may be known since. */
	if (p->no_maker != NULL && selected != NULL && selected->id == p->row)
		return acting_find_maker(ui, maker, why);
	*maker = p->maker;
	*why = p->no_maker;
	return *why == NULL;
}

/* What is new comes in at the top: what is read further down stays where it is. */
static void
follow_changes(struct ui *ui, const char *text)
{
	struct text_page *p = ui->text_page;
	const size_t top = p->text.top, below = p->text.line_count - top;

	if (strcmp(buf_str(&p->changes), text) == 0)
		return;
	buf_reset(&p->changes);
	buf_add_str(&p->changes, text);
	set_text(ui, text);
	if (top > 0)
		p->text.top = p->text.line_count - MIN(below, p->text.line_count);
}

/* What has changed is asked for anew with each refresh; all else is of the moment of the key. */
static void
take_message(struct ui *ui, const struct msg *m)
{
	const char *text = ((const struct engine_text_msg *)m)->text;
	const int awaited = ui->text_page->awaited;

	if (ui->page != PAGE_TEXT)
		return;
	if (m->type == ENGINE_MSG_SNAPSHOT && awaited == ENGINE_MSG_CHANGES && !ui->query.frozen)
		engine_ask_changes(ui->engine);
	else if (m->type == ENGINE_MSG_CHANGES && m->type == awaited)
		follow_changes(ui, text);
	else if (m->type == awaited)
		set_text(ui, text);
}

/* The page that tells what has changed is one of these. */
static void
write_change(struct ui *ui)
{
	if (ui->text_page->awaited == ENGINE_MSG_CHANGES)
		file_record(ui, RECORD_CHANGE);
	else
		ui_say(ui, false, "w writes a file in views of samples, and in C, of what has changed");
}

static const struct action actions[] = {
	{ "record-change", "w", "in C: write a perf.data file of a minute before and after the first change there",
	  IN_TEXT, write_change, .recorded = "this is a recording already: copy its file" },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "out", "Back" }, { "find", "Find" }, { "page-down", "More" }, { "quit", "Quit" }, { NULL },
};

const struct page_ops text_page = {
	.name = "text", .kinds = IN_FULL, .actions = actions, .footer = footer,
	.state_size = sizeof(struct text_page), .release = release,
	.draw = text_ops_draw, .move = text_ops_move, .take_message = take_message,
	.text = text, .finds = "line", .selected = text_ops_selected, .select = text_ops_select,
	.count = text_ops_count, .holds = text_ops_holds,
};
