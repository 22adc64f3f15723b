/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_CALLTREE_H
#define PTOP_UI_CALLTREE_H
/*
 * Call trees as lines that open and close.  What was opened or closed stays so while nodes come and
 * go; what nobody touched is open if it was heavy when it was first seen.  Zero-initialise to begin.
 */
#include "base/index.h"
#include "ui/nodetext.h"

struct calltree_line {
	uint32_t node;
	uint32_t indent; /* only where it branches: chains of calls stay in one column */
};

struct calltree_state {
	uint64_t id;
	bool open;
};

struct calltree {
	struct nodepath selected;
	struct calltree_line *lines; /* of the snapshot seen last */
	size_t len, cap;
	size_t index, top, page;
	struct calltree_state *states; /* [0] is not used */
	size_t state_len, state_cap;
	struct index known;
};

void calltree_update(struct calltree *t, const struct snapshot *s); /* new nodes */

/* What stands before a name: '-' open, '+' closed, '|' it goes on with the only one below. */
const char *calltree_mark(const struct calltree *t, const struct snapshot *s, uint32_t node);

/* Moves the top so that the selected line is among the @rows on the screen. */
void calltree_scroll(struct calltree *t, size_t rows);

void calltree_move(struct calltree *t, const struct snapshot *s, long delta);
bool calltree_click(struct calltree *t, const struct snapshot *s, int line); /* false: no line */

/* Opens all above @node and selects it. */
void calltree_reveal(struct calltree *t, const struct snapshot *s, uint32_t node);

/* Opens or closes the selected line. */
void calltree_toggle(struct calltree *t, const struct snapshot *s);
void calltree_set(struct calltree *t, const struct snapshot *s, bool open);

/* @direction 1: opens it, or goes to its first child; -1: closes it, or goes to its parent. */
void calltree_side(struct calltree *t, const struct snapshot *s, int direction);

void calltree_release(struct calltree *t);

#endif
