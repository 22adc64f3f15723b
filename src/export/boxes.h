/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_BOXES_H
#define PTOP_EXPORT_BOXES_H
/*
 * The boxes of a flame graph: functions of the same name and kind in the same box are one box;
 * boxes side by side are ordered by name.  Any thread.
 */
#include "base/strs.h"
#include "view/snapshot.h"

struct stack_box {
	uint32_t parent;          /* of a lower number; box 0 is all, and its own */
	uint32_t depth;           /* 0: all */
	uint32_t name, dso;       /* in strs, safe for a terminal; dso 0: no code */
	enum stack_kind kind;
	uint64_t samples, period; /* of all stacks through it */
	uint64_t then_samples, then_period; /* of a query that compares */
	uint64_t weight;          /* how wide it is */
	uint64_t left;            /* its left edge, by weight */
};

struct stack_boxes {
	struct stack_box *boxes;
	size_t len, cap;
	struct strs strs;
	struct index index;
	bool by_samples; /* weight is samples: periods of several events do not add up */
	uint32_t depth;  /* of the deepest */
};

/* @s is of a query that wants trees. */
void boxes_init(struct stack_boxes *f, const struct snapshot *s);
void boxes_release(struct stack_boxes *f);

/*
 * What the box has NOW and had THEN, in parts of all of each.  Where two are compared a box is as wide
 * as the larger of the two of each stack: what is gone has its place, too.
 */
double boxes_now(const struct stack_boxes *f, const struct stack_box *box);
double boxes_then(const struct stack_boxes *f, const struct stack_box *box);

#endif
