/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ACTION_TABLE_H
#define PTOP_UI_ACTION_TABLE_H
/*
 * What keys do.  An action is one row, in the file of its theme (ui/NAME_actions.c) or of the page
 * that alone has it; key bindings, help screen, footer and man page all come from these rows.
 */
#include "base/buf.h"
#include "ui/page.h"
#include "view/view.h"

/* When it is carried out if we have just gone to another place, whose rows are on their way. */
enum action_when {
	AS_TYPED,   /* now, but after the keys that wait */
	WITH_ROWS, /* when the rows are there, */
	ON_SEEN_ROWS, /* not at all: it acts on what was seen when the key was pressed */
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
	bool of_hosts;        /* so it does with --hosts, where others that a recording lacks do not */
	bool acts;            /* on processes: not with --read-only, nor without the broker */
	enum view_id opens;   /* where it leads, if that is a view that some places cannot show */
	void (*step)(struct ui *ui, int by); /* in place of run(), of two that differ by @by alone */
	int by;
};

/* The keys that actions have: those of their rows, but for these changes. */
struct keymap {
	struct key_change {
		const struct action *action;
		char *keys; /* as action.keys; "": none */
	} *changes;
	size_t len, cap;
};

/* One table a theme. */
extern const struct action help_actions[], view_actions[], move_actions[], find_actions[];
extern const struct action filter_actions[], sampling_actions[], time_actions[], file_actions[];
extern const struct action program_actions[], row_actions[], process_actions[];

/* All tables, also those of pages, in the order of the help screen; NULL: there is none behind. */
const struct action *action_table(size_t i);

const struct action *action_find(const char *name); /* NULL: none has this name */

const char *action_keys(const struct keymap *m, const struct action *action);

/* The action that @key (ui/keys.h) has in a place of @where, NULL: none. */
const struct action *action_of_key(const struct keymap *m, int key, unsigned where);

void action_run(struct ui *ui, const struct action *action);

/*
 * Adds a line for each action of @where, by theme: its keys, and what they do.  Those that can do
 * nothing here (ui/refusal.h) come last, below the reason.
 */
void action_put_help(struct buf *b, struct ui *ui, unsigned where);

#endif
