/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/pages.h"
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

void
program_set_theme(struct ui *ui, enum theme_id theme)
{
	ui->theme = theme;
	term_set_theme(theme == THEME_OWN ? &ui->own_theme.theme : &theme_table[theme]);
	ui_touch(ui);
}

/* One of one's own is there only if it is described. */
static void
next_theme(struct ui *ui)
{
	enum theme_id next = (enum theme_id)((ui->theme + 1) % THEME_COUNT);

	if (next == THEME_OWN && !ui->own_theme.is_told)
		next = THEME_DEFAULT;
	program_set_theme(ui, next);
	ui_say(ui, false, "theme %s: %s; W keeps it", theme_defs[next].name, theme_defs[next].help);
}

static void
take_theme(struct ui *ui, int theme)
{
	program_set_theme(ui, (enum theme_id)theme);
}

void
program_choose_theme(struct ui *ui)
{
	menu_open(ui, "Theme", take_theme);
	for (int i = 0; i < THEME_COUNT; i++)
		if (i != THEME_OWN || ui->own_theme.is_told)
			menu_add(ui, theme_defs[i].name, theme_defs[i].help, i, i == (int)ui->theme);
}

static void
quit(struct ui *ui)
{
	ui->quit = true;
}

const struct action program_actions[] = {
	{ "redraw", "^L", "draw the whole screen again", IN_ANY, redraw },
	{ "theme-next", "^N", "the next theme: other colours", IN_FULL, next_theme },
	{ "write-config", "W", "write what was changed to the configuration", IN_VIEWS, settings_write },
	{ "suspend", "^Z", "stop; the shell's fg continues", IN_ANY, suspend },
	{ "quit", "q F10 ^C", "leave ptop", IN_FULL | IN_MENU | IN_SETUP, quit, AT_ONCE },
	{ NULL },
};
