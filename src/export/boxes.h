/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_BOXES_H
#define PTOP_EXPORT_BOXES_H
/*
 * The stacks of a report as the boxes of a flame graph: what has the same name and kind below the
 * same box is one, boxes side by side are ordered by name.  Any thread.
 */
#include "base/strs.h"
#include "view/snapshot.h"

struct stack_box {
	uint32_t parent;          /* a box before it; of box 0, which is all, itself */
	uint32_t depth;           /* 0: all */
	uint32_t name, dso;       /* of boxes.strs: shown, safe; dso 0: it is no code */
	enum stack_kind kind;
	uint64_t samples, period; /* of all stacks that go through it */
	uint64_t left;            /* where it begins, by weight */
};

struct stack_boxes {
	struct stack_box *boxes;
	size_t len, cap;
	struct strs strs;
	struct index index;
	bool by_samples; /* periods of several events do not add up */
	uint32_t depth;  /* of the deepest */
};

void boxes_init(struct stack_boxes *f, const struct snapshot *s); /* @s is of a query that wants trees */
void boxes_release(struct stack_boxes *f);

static inline uint64_t
boxes_weight(const struct stack_boxes *f, const struct stack_box *box)
{
	return f->by_samples ? box->samples : box->period;
}

#endif
