/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PICKER_H
#define PTOP_UI_PICKER_H
/*
 * The list of all events, narrowed by typing.  It only reads the catalogue: moving in it opens
 * nothing.  Zero-initialise to begin.
 */
#include "engine/engine.h"
#include "ui/canvas.h"
#include "ui/prompt.h"

struct picker {
	struct catalogue *catalogue; /* NULL: on its way */
	struct prompt prompt;
	size_t *matches;             /* items that hold all words typed */
	size_t match_count, match_cap;
	size_t selected, top, page;  /* among matches */
	int list_y;
};

void picker_open(struct picker *p);
void picker_take(struct picker *p, struct catalogue *c); /* takes the reference */
void picker_edit(struct picker *p, int key);
void picker_move(struct picker *p, long delta);
bool picker_click(struct picker *p, int y); /* selects what is there; false: nothing is */

/* NULL: nothing matches. */
const struct catalogue_event *picker_selected(const struct picker *p);

/* What was typed, when nothing matches: the text of an event.  NULL: something does. */
const char *picker_typed(const struct picker *p);

void picker_draw(struct picker *p, struct canvas *c, int height);
void picker_release(struct picker *p);

#endif
