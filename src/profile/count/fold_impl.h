/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_FOLD_IMPL_H
#define PTOP_PROFILE_COUNT_FOLD_IMPL_H
/*
 * What the files of folding share.  fold_pass.c has the passes over tables that move counts from
 * entries to others; fold_light.c and forget.c choose what weighs nothing; fold.c says when.
 * Passes make ids void: the epoch changes.  Engine thread only.
 */
#include "profile/count/profile.h"

/* Samples as a weight: the heaviest there are all weigh the same. */
#define FOLD_WEIGHT_MAX UINT32_MAX

static inline uint32_t
fold_add_weight(uint32_t weight, uint64_t samples)
{
	return (uint32_t)MIN(weight + samples, FOLD_WEIGHT_MAX);
}

/* Whether @who stands for ended tasks that were merged by name. */
static inline bool
fold_is_ended_name(const struct model *m, uint32_t who)
{
	return m->whos[who].is_used && m->tasks[m->whos[who].task].tid == TASK_ENDED_TID;
}

/*
 * Entries that weigh less than @least samples become one of their who and dso.  @weights (taken)
 * may be NULL if @least is 0.  @whos: what each who becomes, NULL: itself.  How many entries did.
 */
size_t fold_hot(struct profile *p, const uint32_t *whos, uint32_t *weights, uint32_t least);

/*
 * Nodes whose stack and all below it weigh less than @least samples go into their parents; roots
 * stay.  @weights (taken) may be NULL if @least is 0.  @whos: what each who becomes, NULL: itself.
 * How many nodes went.
 */
size_t fold_tree(struct profile *p, const uint32_t *whos, uint32_t *weights, uint32_t least);

/*
 * Addresses that weigh less than @least become one for each file.  @weights (taken) may be NULL if
 * @least is 0.  @whos: what each who becomes, NULL: itself.  How many addresses did.
 */
size_t fold_addresses(struct profile *p, const uint32_t *whos, uint32_t *weights, uint32_t least);

/* Samples of each node and all below it, for the caller to free. */
uint32_t *fold_tree_weights(const struct profile *p);

/*
 * fold_light.c: folds the nodes, addresses and, of tasks that were merged by name, functions that
 * no window can show and that weigh nothing beside those that do.  Only if the log has all that a
 * window might be asked to show.
 */
void fold_light(struct profile *p);

/* forget.c: once there are many more locations, forgets those that nothing is counted in. */
void forget_locations(struct profile *p);

#endif
