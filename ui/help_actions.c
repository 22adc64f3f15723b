/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of text that tell about keys, and about what could not be measured. */
#include "ui/action_table.h"
#include "ui/state.h"

static void
show_help(struct ui *ui)
{
	ui_open_help(ui);
}

static void
show_messages(struct ui *ui)
{
	ui_open_text(ui, TEXT_MESSAGES, "Messages (Esc leaves)", "asking...\n");
	engine_ask_messages(ui->engine);
}

const struct action help_actions[] = {
	{ "help", "F1 h ?", "this help: every key that works here",
	  IN_SAMPLES | IN_TEXT | IN_OUTPUT, show_help },
	{ "messages", "!", "what could not be measured, and why", IN_VIEWS, show_messages },
	{ NULL },
};
