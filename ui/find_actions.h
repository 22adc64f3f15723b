/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_FIND_ACTIONS_H
#define PTOP_UI_FIND_ACTIONS_H
#include "ui/state.h"

/* There is another ui->snap: searches it too; it may be what a search waits for. */
void find_in_new_rows(struct ui *ui);

#endif
