/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_FOREST_H
#define PTOP_PROFILE_REPORT_FOREST_H
/*
 * The inside of views of stacks, shared by report_tree.c and report_nodes.c alone.  Engine thread
 * only.
 */
#include "profile/report/call_tree.h"
#include "profile/report/report_impl.h"

/* A frame as a reader tells them apart. */
struct tree_fn {
	uint32_t dso;  /* its name: string; 0: no code */
	uint64_t what; /* name: string, or place without one */
	uint32_t location;
	uint32_t place; /* see snapshot_node */
	enum node_kind kind;
};

struct forest {
	struct report *r;
	struct tree_fn *fns;
	size_t fn_len, fn_cap;
	struct index index;
	uint32_t *by_location;  /* function plus one, 0: not asked for yet */
	struct call_tree all;   /* of one event */
	struct snapshot_node *nodes;
	size_t len, cap;
	const char **names;     /* by function, NULL: not asked for yet */
	size_t name_cap;
};

/* The same in each snapshot. */
static inline uint64_t
tree_fn_hash(const struct tree_fn *fn)
{
	return hash_mix(fn->dso, fn->what);
}

/* report_tree.c: the function at @location, made if it is new. */
uint32_t forest_place(struct forest *f, uint32_t location);

/* report_nodes.c: appends the nodes that the query wants of @f->all. */
void forest_put(struct forest *f);

#endif
