/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_CALLTREE_H
#define PTOP_UI_CALLTREE_H
/*
 * Call trees as lines that open and close.  What was opened or closed stays so while nodes come and
 * go; what nobody touched is open if it was heavy when it was first seen.  Zero-initialise to begin.
 */
#include "base/index.h"
#include "ui/nodepath.h"
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

void calltree_draw_titles(const struct snapshot *s, struct canvas *c, int y, const char *right);
void calltree_draw(struct calltree *t, struct canvas *c, const struct snapshot *s,
		   const struct nodefound *found, int y, int rows);

/* The selected node; UINT32_MAX: there is none. */
uint32_t calltree_selected(const struct calltree *t);

/* What was left out, as one line at @y. */
void calltree_draw_sum(struct canvas *c, const struct row *sum, int y);

void calltree_move(struct calltree *t, const struct snapshot *s, long delta);
void calltree_home(struct calltree *t, const struct snapshot *s);
bool calltree_click(struct calltree *t, const struct snapshot *s, int line); /* false: no line */

/* Opens all above @node and selects it. */
void calltree_reveal(struct calltree *t, const struct snapshot *s, uint32_t node);

/* Opens or closes the selected line. */
void calltree_toggle(struct calltree *t, const struct snapshot *s);
void calltree_set(struct calltree *t, const struct snapshot *s, bool open);

/* Opens it, or goes to its first child; closes it, or goes to its parent. */
void calltree_in(struct calltree *t, const struct snapshot *s);
void calltree_out(struct calltree *t, const struct snapshot *s);
void calltree_release(struct calltree *t);

#endif
