/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TEXT_OPS_H
#define PTOP_UI_TEXT_OPS_H
/*
 * Operations of pages that are one text, which page_ops.text tells: drawing, moving, search.  Of
 * the page that fills the screen.
 */
#include "base/util.h"

struct ui;

void text_ops_draw(struct ui *ui);
void text_ops_move(struct ui *ui, long delta);
size_t text_ops_selected(struct ui *ui);
void text_ops_select(struct ui *ui, size_t line);
size_t text_ops_count(const struct ui *ui);
bool text_ops_holds(const struct ui *ui, size_t line);

#endif
