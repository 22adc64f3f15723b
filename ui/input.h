/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_INPUT_H
#define PTOP_UI_INPUT_H
/*
 * Keys and the mouse: the page in front takes them, or they are actions' keys.  A key that is about
 * rows which are on their way is held until they are there, and so are those behind it.
 */
#include "ui/state.h"
#include "ui/term.h"

enum { HELD_MAX = 32 };

/* Zero-initialise to begin. */
struct input {
	struct term_event held[HELD_MAX];
	size_t held_count;
	uint64_t held_until_ns; /* they are not held longer, CLOCK_MONOTONIC */
	uint64_t click_ns;      /* the last click, for the double click */
	int click_x, click_y;
};

void input_event(struct input *in, struct ui *ui, const struct term_event *ev);

/* Carries out what is held, if its rows are there or it was held for too long. */
void input_run_held(struct input *in, struct ui *ui);

#endif
