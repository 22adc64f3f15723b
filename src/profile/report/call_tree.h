/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_CALL_TREE_H
#define PTOP_PROFILE_REPORT_CALL_TREE_H
/*
 * A tree of functions with what was spent in them, and the trees that can be made of it: who calls
 * a function, what it calls, all from the innermost functions on.  Functions are numbers.  Engine
 * thread only; zero-initialise to begin.
 */
#include "base/index.h"
#include "view/snapshot.h"

/* A parent's number is below its children's: sums over subtrees are one pass. */
struct call_node {
	uint32_t parent; /* of the root, [0]: itself */
	uint32_t fn;
	struct cost self, total;
};

struct call_tree {
	struct call_node *nodes;
	size_t len, cap;
	struct index index; /* of call_tree_child() */
};

void call_tree_root(struct call_tree *t, uint32_t fn); /* makes an empty tree one of a root alone */
void call_tree_release(struct call_tree *t);

/* The node of @fn below @parent, made if it is not there. */
uint32_t call_tree_child(struct call_tree *t, uint32_t parent, uint32_t fn);

/* Makes the totals from what is spent in each node itself. */
void call_tree_sum(struct call_tree *t);

/*
 * Each stack that @fn is in counts once, from the outermost place on that it is at: with what it
 * calls below, and with who calls it above, up to the children of the root.  Callers with less of
 * it than @least_share are left out, with those above them.  @to is empty; its root is @fn.
 */
void call_tree_callees(const struct call_tree *from, uint32_t fn, struct call_tree *to);
void call_tree_callers(const struct call_tree *from, uint32_t fn, double least_share,
		       struct call_tree *to);

/* Below the root the innermost functions, then who calls them; those with less are left out. */
void call_tree_bottom_up(const struct call_tree *from, double least_share, struct call_tree *to);

/*
 * What was spent in each function with what it calls, each stack counted once; in itself.  @costs
 * and @selfs are by function, cleared.
 */
void call_tree_costs(const struct call_tree *t, struct cost *costs, struct cost *selfs);

static inline void
cost_add(struct cost *to, const struct cost *c)
{
	to->samples += c->samples;
	to->period += c->period;
}

#endif
