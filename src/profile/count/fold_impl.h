/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_FOLD_IMPL_H
#define PTOP_PROFILE_COUNT_FOLD_IMPL_H
/*
 * What fold.c and thin.c share: passes over tables that move counts from entries to others.  All
 * of them make ids void: the epoch changes.  Engine thread only.
 */
#include "profile/count/profile.h"

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

/* Addresses that weigh less than @least become one for each file; how many did.  Takes @weights. */
size_t fold_addresses(struct profile *p, uint32_t *weights, uint32_t least);

/* Samples of each node and all below it, for the caller to free. */
uint32_t *tree_weights(const struct profile *p);

/*
 * thin.c: folds the nodes, addresses and, of tasks that were merged by name, functions that no
 * window can show and that weigh nothing beside those that do.  Only if the log has all that a window might be asked to show.
 */
void fold_light(struct profile *p);

/* forget.c: once there are many more locations, forgets those that nothing is counted in. */
void forget_locations(struct profile *p);

#endif
