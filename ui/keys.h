/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_KEYS_H
#define PTOP_UI_KEYS_H
/*
 * Keys, their names, and which action each is bound to.  Dispatcher, help screen, footer and man
 * page are all fed from these tables.  No curses here.
 */
#include "base/buf.h"
#include "ui/actions.h"

/* A key is a code point, or one of these. */
enum keycode {
	KEYCODE_UP = 0x200000,
	KEYCODE_DOWN,
	KEYCODE_LEFT,
	KEYCODE_RIGHT,
	KEYCODE_PAGE_UP,
	KEYCODE_PAGE_DOWN,
	KEYCODE_HOME,
	KEYCODE_END,
	KEYCODE_ENTER,
	KEYCODE_ESCAPE,
	KEYCODE_TAB,
	KEYCODE_BACK_TAB,
	KEYCODE_BACKSPACE,
	KEYCODE_INSERT,
	KEYCODE_DELETE,
	KEYCODE_F1, /* up to F12 follow */
	KEYCODE_F12 = KEYCODE_F1 + 11,
	KEYCODE_CLICK,
	KEYCODE_HOVER, /* the mouse is moved: no key can be bound to it */
	KEYCODE_WHEEL_UP,
	KEYCODE_WHEEL_DOWN,
	KEYCODE_OTHER, /* a key that has no name here */
};

struct key_binding {
	const char *key; /* as key_parse() reads it */
	enum action_id action;
};

extern const struct key_binding default_keys[];
extern const size_t default_key_count;

/* "q", "F10", "Shift-Tab", "^L", "Space": its key, 0 if there is none of this name. */
int key_parse(const char *name);
void key_put_name(struct buf *b, int key);

/* The action bound to @key in a place of @where (enum action_where), ACTION_COUNT: none. */
enum action_id key_action(int key, unsigned where);

/* The name of the first key bound to @action, "" when there is none. */
const char *key_of_action(enum action_id action);

/* The keys as help text (of @where) and as lines of the man page. */
void keys_put_help(struct buf *b, unsigned where);
void keys_put_roff(struct buf *b);

#endif
