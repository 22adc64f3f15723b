/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TEXT_PAGE_H
#define PTOP_UI_TEXT_PAGE_H
#include "ui/state.h"

void text_page_show(struct ui *ui, const char *title, const char *text); /* may hold anything */

/* Shows a page that waits for its text, the engine's answer of this type.  @title is static. */
void text_page_ask(struct ui *ui, enum engine_msg_type type, const char *title);

#endif
