/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_FLAME_H
#define PTOP_EXPORT_FLAME_H
/*
 * The stacks of a report as the boxes of a flame graph: what has the same name and kind below the
 * same box is one, boxes side by side are ordered by name.  Any thread.
 */
#include "base/strs.h"
#include "profile/snapshot.h"

struct flame_box {
	uint32_t parent;          /* a box before it; of box 0, which is all, itself */
	uint32_t depth;           /* 0: all */
	uint32_t name, dso;       /* of flame.strs: shown, safe; dso 0: it is no code */
	enum stack_kind kind;
	uint64_t samples, period; /* of all stacks that go through it */
	uint64_t left;            /* where it begins, by weight */
};

struct flame {
	struct flame_box *boxes;
	size_t len, cap;
	struct strs strs;
	struct index index;
	bool by_samples; /* periods of several events do not add up */
	uint32_t depth;  /* of the deepest */
};

void flame_init(struct flame *f, const struct snapshot *s); /* @s is of a query that wants trees */
void flame_release(struct flame *f);

static inline uint64_t
flame_weight(const struct flame *f, const struct flame_box *box)
{
	return f->by_samples ? box->samples : box->period;
}

#endif
