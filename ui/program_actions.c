/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/settings.h"
#include "ui/term.h"

static void
redraw(struct ui *ui)
{
	(void)ui;
	term_redraw();
}

/* The key reaches us as a signal, as a rule; as a key when the terminal does not make one of it. */
static void
suspend(struct ui *ui)
{
	ui_touch(ui);
	term_suspend();
}

static void
quit(struct ui *ui)
{
	ui->quit = true;
}

const struct action program_actions[] = {
	{ "redraw", "^L", "draw the whole screen again", IN_ANY, redraw },
	{ "write-config", "W", "write what was changed to the configuration", IN_VIEWS, settings_write },
	{ "suspend", "^Z", "stop; the shell's fg continues", IN_ANY, suspend },
	{ "quit", "q F10 ^C", "leave ptop", IN_FULL | IN_MENU | IN_SETUP, quit, AT_ONCE },
	{ NULL },
};
