/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_KEYS_H
#define PTOP_UI_KEYS_H
/* Keys and their names.  No curses here. */
#include "base/buf.h"

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
	KEYCODE_RIGHT_CLICK,
	KEYCODE_RELEASE, /* the button is let go: no key can be bound to it */
	KEYCODE_HOVER, /* the mouse is moved: no key can be bound to it */
	KEYCODE_WHEEL_UP,
	KEYCODE_WHEEL_DOWN,
	KEYCODE_OTHER, /* a key that has no name here */
};

/* "q", "F10", "Shift-Tab", "^L", "Space": its key, 0 if there is none of this name. */
int key_parse(const char *name);
void key_put_name(struct buf *b, int key);

/* Takes the next name off the list *@names, blanks between them.  false: there is none left. */
bool key_next_name(const char **names, char *name, size_t size);
bool keys_hold(const char *names, int key); /* it is one of the list */

#endif
