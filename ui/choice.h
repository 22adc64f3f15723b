/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_CHOICE_H
#define PTOP_UI_CHOICE_H
/*
 * A long list of which one line is chosen: which that is, and which lines are on the screen.
 * Zero-initialise to begin.
 */
#include "base/util.h"

struct choice {
	size_t selected, top, count;
	size_t rows; /* lines on the screen, from @y on */
	int y;
};

void choice_begin(struct choice *c, size_t count); /* another list: its first line is chosen */
void choice_move(struct choice *c, long delta);
void choice_place(struct choice *c, int y, int rows); /* where it is drawn: the chosen line too */
bool choice_hit(struct choice *c, int y); /* chooses the line at @y; false: there is none */

/* Whether each word of @words is in one of the texts, in any case of letters. */
bool words_are_in(const char *words, const char *const texts[], size_t count);

#endif
