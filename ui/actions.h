/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ACTIONS_H
#define PTOP_UI_ACTIONS_H
/*
 * What a key can do.  ui/dispatch.c has the function for each; ui/keys.c the keys.
 */
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
	IN_LISTS = IN_SAMPLES | IN_TEXT | IN_PICKER | IN_MENU | IN_OUTPUT,
	IN_VIEWS = IN_SAMPLES | IN_OUTPUT,
	IN_ANY = IN_LISTS,
};

enum action_id {
	ACTION_HELP,
	ACTION_EVENT_PICKER,
	ACTION_VIEW_NEXT,
	ACTION_VIEW_PREV,
	ACTION_VIEW_MENU,
	ACTION_IN,
	ACTION_OUT,
	ACTION_FIND,
	ACTION_FIND_NEXT,
	ACTION_FIND_PREV,
	ACTION_FILTER,
	ACTION_SORT_MENU,
	ACTION_LEFT,
	ACTION_RIGHT,
	ACTION_OPEN,
	ACTION_CLOSE,
	ACTION_SORT_LEFT,
	ACTION_SORT_RIGHT,
	ACTION_SORT_INVERT,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_HOME,
	ACTION_END,
	ACTION_EVENT_PREV,
	ACTION_EVENT_NEXT,
	ACTION_EVENT_FILTER,
	ACTION_FREQ_MORE,
	ACTION_FREQ_FEWER,
	ACTION_HIDE_KERNEL,
	ACTION_HIDE_USER,
	ACTION_THREADS,
	ACTION_IDLE,
	ACTION_FREEZE,
	ACTION_ZERO,
	ACTION_DELAY,
	ACTION_EARLIER,
	ACTION_LATER,
	ACTION_STRETCH,
	ACTION_MESSAGES,
	ACTION_EXPLAIN,
	ACTION_RECORD,
	ACTION_EXPORT,
	ACTION_ATTACH,
	ACTION_DETACH,
	ACTION_DOWNLOADS,
	ACTION_REDRAW,
	ACTION_SUSPEND,
	ACTION_QUIT,
	ACTION_CALLERS,
	ACTION_FLAME,
	ACTION_TREE,
	ACTION_COUNT,
};

struct action {
	const char *name;  /* in key bindings */
	const char *help;  /* help screen and man page */
	const char *label; /* footer; NULL: not there */
	unsigned where;    /* enum action_where */
};

extern const struct action actions[ACTION_COUNT];

#endif
