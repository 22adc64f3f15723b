/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_KEYMAP_H
#define PTOP_UI_KEYMAP_H
/* The keys that the configuration gives to actions. */
#include "ui/action_table.h"

struct rcfile;

/* Takes the lines of the section "keys", "quit = q F10"; what is wrong is a fault of @rc. */
void keymap_read(struct keymap *m, struct rcfile *rc);
void keymap_release(struct keymap *m);

#endif
