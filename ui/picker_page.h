/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PICKER_PAGE_H
#define PTOP_UI_PICKER_PAGE_H
/*
 * The list of all events, narrowed by typing.  It only reads the catalogue: moving in it opens
 * nothing.
 */
#include "ui/state.h"

void picker_page_show(struct ui *ui);

#endif
