/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ACTION_TABLE_H
#define PTOP_UI_ACTION_TABLE_H
/*
 * What keys do.  An action is one row, in the file of its theme (ui/NAME_actions.c); key bindings,
 * help screen, footer and man page all come from these rows.
 */
#include "base/buf.h"

struct ui;

enum action_where {
	IN_TABLE = 1 << 0,
	IN_TEXT = 1 << 1,   /* help, messages, explanations */
	IN_PICKER = 1 << 2,
	IN_MENU = 1 << 3,
	IN_OUTPUT = 1 << 4, /* what COMMAND wrote */
	IN_TREE = 1 << 5,   /* call tree, callers and callees */
	IN_FLAME = 1 << 6,
	IN_STACKS = IN_TREE | IN_FLAME,
	IN_SAMPLES = IN_TABLE | IN_STACKS,
	IN_LISTS = IN_SAMPLES | IN_PICKER | IN_MENU, /* Enter takes what is selected */
	IN_VIEWS = IN_SAMPLES | IN_OUTPUT,
	IN_ANY = IN_VIEWS | IN_TEXT | IN_PICKER | IN_MENU,
};

/* When it is carried out if we have just gone to another place, whose rows are on their way. */
enum action_when {
	IN_TURN,   /* now, but after the keys that wait */
	WITH_ROWS, /* when the rows are there */
	AT_ONCE,
};

struct action {
	const char *name; /* for key bindings: "view-next"; NULL ends a table */
	const char *keys; /* "F1 h ?", each as key_parse() reads it; the footer shows the first */
	const char *help; /* help screen and man page */
	unsigned where;   /* enum action_where */
	void (*run)(struct ui *ui);
	enum action_when when;
	const char *recorded; /* what a recording says instead of it; NULL: it works there too */
};

/* One table a theme. */
extern const struct action help_actions[], view_actions[], move_actions[], find_actions[];
extern const struct action table_actions[], stack_actions[], filter_actions[], event_actions[];
extern const struct action time_actions[], file_actions[], process_actions[], program_actions[];

/* All of them, in the order of the help screen; NULL: there are fewer than @i + 1. */
const struct action *action_at(size_t i);

const struct action *action_find(const char *name); /* NULL: none has this name */

/* The action that @key (ui/keys.h) has in a place of @where, NULL: none. */
const struct action *action_of_key(int key, unsigned where);

void action_run(struct ui *ui, const struct action *action);

/* Adds a line for each action that works in @where: its keys, and what they do. */
void action_put_help(struct buf *b, unsigned where);

#endif
