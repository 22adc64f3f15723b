/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of text that tell about keys, and about what could not be measured. */
#include "ui/action_table.h"
#include "ui/pages.h"

static void
show_help(struct ui *ui)
{
	enum page_id id = page_front(ui);
	struct buf b = { 0 };

	action_put_help(&b, ui, page_where(id));
	buf_add_str(&b, "\nWith the mouse: a click selects, a double click goes in, the wheel\n"
			"moves, a click on a column's title sorts by it, a right click opens\n"
			"its menu; on a process what can be done to that.\n");
	if (pages[id]->help != NULL)
		buf_add_str(&b, pages[id]->help);
	if (pages[id]->put_help != NULL)
		pages[id]->put_help(ui, &b);
	text_page_show(ui, "Help (Esc leaves)", b.data);
	buf_release(&b);
}

static void
show_messages(struct ui *ui)
{
	text_page_ask(ui, ENGINE_MSG_MESSAGES, "Messages (Esc leaves)");
	engine_ask_messages(ui->engine);
}

static void
show_changes(struct ui *ui)
{
	text_page_ask(ui, ENGINE_MSG_CHANGES, "What changed (Esc leaves)");
	engine_ask_changes(ui->engine);
}

const struct action help_actions[] = {
	{ "help", "F1 h ?", "this help: every key that works here", IN_FULL, show_help },
	{ "messages", "!", "what could not be measured, and why", IN_VIEWS, show_messages },
	{ "changes", "C", "what has changed, and when", IN_VIEWS, show_changes },
	{ NULL },
};
