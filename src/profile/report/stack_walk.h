/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_STACK_WALK_H
#define PTOP_PROFILE_REPORT_STACK_WALK_H
/*
 * Walks the stacks that a report shows: folded stacks, views of stacks and exports are all made by
 * it. Engine thread only.
 */
#include "profile/report/report_impl.h"

/* What makes something of them: nodes, which it numbers itself. */
struct stack_maker {
	/* The node that stacks of @who, sampled by @event, begin with. */
	uint32_t (*top)(void *self, uint32_t event, uint32_t who);
	/* The node of a place that is called from @parent, outermost places first. */
	uint32_t (*place)(void *self, uint32_t parent, uint32_t location);
	/* Adds the cost of stacks that end at @node. */
	void (*add)(void *self, uint32_t node, const struct cost *cost);
	/* Told which entry of the tree table it was that ends at @node; NULL: nobody is. */
	void (*entry)(void *self, uint32_t node, uint32_t id);
};

struct stack_walk {
	struct report *r;
	uint8_t *marks;            /* by node of the tree table */
	bool has_tree[EVENTS_MAX]; /* by event: it has call chains */
};

void stack_walk_init(struct stack_walk *w, struct report *r);
void stack_walk_release(struct stack_walk *w);

/* Walks all stacks of @event, or of all events.  Without call chains a stack is one place. */
enum { WALK_ALL = EVENTS_MAX };
void stack_walk(const struct stack_walk *w, uint32_t event, const struct stack_maker *maker,
		void *self);

#endif
