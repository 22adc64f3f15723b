/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_UI_H
#define PTOP_UI_UI_H
/* The screen.  It runs in the main thread, and talks to the engine only by engine/engine.h. */
#include "app/app.h"

/*
 * Starts the engine, shows the screen until the user leaves, and puts the terminal back.
 * 0, or -1 with @err: sampling or the screen could not be started.
 */
int ui_run(const struct config *config, struct err *err);

/* Words of the screen: its keys, names of what they do, and what the header has. */
void ui_words(app_word_fn *take, void *self);

#endif
