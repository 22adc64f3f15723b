/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_CALL_TREE_H
#define PTOP_PROFILE_REPORT_CALL_TREE_H
/*
 * A call tree of functions and their costs, and the trees derived from it: callers of a function,
 * its callees, bottom up.  Functions are numbers.  Engine thread only; zero-initialise to begin.
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

void call_tree_root(struct call_tree *t, uint32_t fn); /* gives an empty tree its root */
void call_tree_release(struct call_tree *t);

/* The node of @fn below @parent, made if it is not there. */
uint32_t call_tree_child(struct call_tree *t, uint32_t parent, uint32_t fn);

/* Sums up total from self. */
void call_tree_sum(struct call_tree *t);

/*
 * Trees that are derived from one.  @goes_to, if it is not NULL, a cleared array by node of @from:
 * the node of @to, plus one, that has what this one has itself; so have all above that one.
 *
 * The callees of @fn, and its callers up to the children of the root.  A stack counts once, from
 * the outermost call of @fn on.  Callers with less than @least_share of it are left out, with those
 * above them.  @to is empty; its root is @fn.
 */
void call_tree_callees(const struct call_tree *from, uint32_t fn, struct call_tree *to,
		       uint32_t *goes_to);
void call_tree_callers(const struct call_tree *from, uint32_t fn, double least_share,
		       struct call_tree *to, uint32_t *goes_to);

/* Below the root the functions that ran, below them their callers; smaller ones are left out. */
void call_tree_bottom_up(const struct call_tree *from, double least_share, struct call_tree *to,
			 uint32_t *goes_to);

/*
 * By function, the cost with callees (each stack counted once) to @costs, that of itself to @selfs.
 * Both are cleared arrays.
 */
void call_tree_costs(const struct call_tree *t, struct cost *costs, struct cost *selfs);

/* What stacks with a function that @is_chosen says are together, each counted once. */
struct cost call_tree_sum_of(const struct call_tree *t, const bool *is_chosen);

static inline void
cost_add(struct cost *to, const struct cost *c)
{
	to->samples += c->samples;
	to->period += c->period;
}

#endif
