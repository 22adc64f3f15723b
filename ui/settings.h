/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_SETTINGS_H
#define PTOP_UI_SETTINGS_H
/*
 * What of the screen is kept: in the configuration, which the key W writes, and in what is remembered
 * of last time.
 */
#include "ui/state.h"

struct rcfile;

/* Of the @i-th setting its name, and its help, "" of an option; NULL: there is none behind. */
const char *setting_help(size_t i, const char **name);

/*
 * How the @i-th is now, in a page of @where (enum action_where), for the caller to free; NULL: it has
 * no value now, or cannot be changed there.
 */
char *setting_now(struct ui *ui, size_t i, unsigned where);

const struct action *setting_action(size_t i); /* that changes it; NULL: none does */

/* As its key does, or by asking for it. */
void setting_change(struct ui *ui, size_t i);

/* Takes the section "screen", after place_init(); what is wrong is a fault of @rc. */
void settings_read(struct ui *ui, struct rcfile *rc);

/* The rest of what is remembered: events that were used, keys that were told of. */
void settings_recall(struct ui *ui);
void settings_release(struct ui *ui);

/* Writes what is another than at the start, or was on the command line. */
void settings_write(struct ui *ui);

/* Keeps view, order and the like for the next start, unless that is switched off. */
void settings_remember(struct ui *ui);

#endif
