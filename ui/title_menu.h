/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TITLE_MENU_H
#define PTOP_UI_TITLE_MENU_H
/* What can be done with a column: the menu of its title. */
#include "view/column.h"

struct ui;

void title_menu_open(struct ui *ui, enum column_id id);

/* Of the @i-th entry the help, and in @name what it is called; NULL: there is none behind. */
const char *title_menu_help(size_t i, const char **name);

#endif
