/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PLACE_H
#define PTOP_UI_PLACE_H
/*
 * The place that is looked at (ui/nav.h: which view, of which process or thread) and the query that
 * asks the engine for its rows.
 */
#include "ui/state.h"
#include "view/column.h"

void place_init(struct ui *ui); /* the first query, by ui->config; after page_init() */

/* Sends the query anew.  @moved: to other rows; those shown are stale until it is answered. */
void place_ask(struct ui *ui, bool moved);

/* Whether the view cannot be shown here (ui/refusal.h); says why. */
bool place_refuses(struct ui *ui, enum view_id view);

void place_set_view(struct ui *ui, enum view_id view); /* of the same process or thread */
void place_choose_view(struct ui *ui, enum view_id view); /* with an event that has something for it */
void place_enter_view(struct ui *ui, enum view_id view); /* of stacks: Esc leads out of it */
void place_enter_list(struct ui *ui, enum view_id view); /* likewise; of locks with their event, too */
void place_out(struct ui *ui); /* to where we came from */
void place_leave_difference(struct ui *ui); /* where nothing is compared rows are in no order of it */
void place_set_sort(struct ui *ui, int column); /* by the same column again: turns it round */

void place_columns(const struct ui *ui, struct column_list *list); /* of what was asked last */
void place_shown_columns(const struct ui *ui, struct column_list *list); /* those that a row has */
bool place_is_by_option(const struct ui *ui, enum view_id view); /* here it has those of --by */

#endif
