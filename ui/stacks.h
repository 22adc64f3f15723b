/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STACKS_H
#define PTOP_UI_STACKS_H
/*
 * The views of stacks on the screen: call tree, callers and callees, flame graph.  What is
 * selected, open, zoomed and searched for in each of them.
 */
#include "ui/calltree.h"
#include "ui/flame.h"
#include "ui/term.h"

struct ui;

struct stack_view {
	struct calltree tree, callers;
	struct flame flame;
	struct nodefound found; /* in the newest snapshot */
	struct nodepath find_from;
	uint32_t function;      /* query.function */
	bool bottom_up;
	bool hovers;            /* the mouse was moved last, to there, not a key pressed */
	int hover_x, hover_y;
};

void stacks_release(struct stack_view *st);

/* Whether we are in such a view; whether it has nodes of the place that we are in. */
bool stacks_is_view(const struct ui *ui);

void stacks_put_query(const struct ui *ui, struct query *q);
void stacks_take(struct ui *ui); /* a new snapshot, or other text to find */
void stacks_draw(struct ui *ui);

/* Keys and mouse.  All of them may come before there are nodes. */
void stacks_move(struct ui *ui, long delta);
void stacks_home(struct ui *ui);
void stacks_in(struct ui *ui);    /* Enter: opens or closes; zooms */
bool stacks_out(struct ui *ui);   /* Esc; false: to where we came from */
void stacks_side(struct ui *ui, int direction); /* Left, Right */
bool stacks_click(struct ui *ui, int x, int y);

/* Whether moves of the mouse are told; one.  Any key, click or turn of the wheel ends it. */
bool stacks_can_hover(const struct ui *ui);
void stacks_hover(struct ui *ui, int x, int y);
void stacks_hover_end(struct ui *ui);
long stacks_page(const struct ui *ui);

/* To the next node found, from the selected one or the one behind it on; false: there is none. */
bool stacks_find(struct ui *ui, int step, bool from_next);
void stacks_find_begin(struct ui *ui);
void stacks_find_leave(struct ui *ui); /* back to where the search began */

#endif
