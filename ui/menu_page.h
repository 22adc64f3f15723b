/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_MENU_PAGE_H
#define PTOP_UI_MENU_PAGE_H
/* A box with a few things to choose from, over a page. */
#include "ui/state.h"

/* Opens it, empty.  @take gets the value of the item that is chosen, after the box has closed. */
void menu_open(struct ui *ui, const char *title, void (*take)(struct ui *ui, int value));

/* Adds an item; @title and @name are static. */
void menu_add(struct ui *ui, const char *name, const char *help, int value, bool selected);

#endif
