/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_REWIND_H
#define PTOP_UI_REWIND_H
/*
 * The window in the past: a stretch of what was sampled, or of a recording, chosen and moved.  Each
 * changes the query and asks anew, or says why not.
 */
#include "ui/state.h"

/* Half a window earlier (-1) or later (1); later than the end is back to the usual window. */
void rewind_step(struct ui *ui, int direction);

/*
 * From a text, seconds since the beginning: "12-18", or "" for the usual window.  false: @fault
 * says what is wrong with it.
 */
bool rewind_choose(struct ui *ui, const char *text, const char **fault);

#endif
