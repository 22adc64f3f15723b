/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_MENU_H
#define PTOP_UI_MENU_H
/* A box with a few things to choose from, over the table.  Zero-initialise to begin. */
#include "ui/canvas.h"

struct ui;

enum { MENU_MAX = 32 };

struct menu_item {
	const char *name; /* static */
	char help[96];
	int value;
};

struct menu {
	bool is_open;
	const char *title;
	void (*take)(struct ui *ui, int value);
	struct menu_item items[MENU_MAX];
	size_t len, selected, top, page;
	int x, y, width; /* where its items were drawn */
};

/* @take gets the value of the item that is chosen, after the menu was closed. */
void menu_open(struct menu *m, const char *title, void (*take)(struct ui *ui, int value));
void menu_add(struct menu *m, const char *name, const char *help, int value, bool selected);
void menu_move(struct menu *m, long delta);
void menu_draw(struct menu *m, struct canvas *c, int y, int height);

/* Selects the item at that place; false: there is none. */
bool menu_click(struct menu *m, int x, int y);

#endif
