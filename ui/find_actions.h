/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_FIND_ACTIONS_H
#define PTOP_UI_FIND_ACTIONS_H

struct ui;

/* The rows that were on their way when the text was typed may have come: searches them then. */
void find_late(struct ui *ui);

#endif
