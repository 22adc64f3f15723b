/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_FOREST_H
#define PTOP_PROFILE_REPORT_FOREST_H
/*
 * The call tree of an event while a view of stacks is made: report_tree.c builds it from the
 * tables, report_nodes.c derives the trees of the view and puts them in order.  Engine thread only.
 */
#include "profile/report/call_tree.h"
#include "profile/report/report_impl.h"

/* A function, by dso and name as a reader tells them apart. */
struct tree_fn {
	uint32_t dso;  /* its name: string; 0: no code */
	uint64_t what; /* its name: string; or a location without a name */
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
	uint32_t event;
	struct call_tree all;   /* of the event */
	struct snapshot_node *nodes;
	size_t len, cap;
	const char **names;     /* by function, NULL: not asked for yet */
	size_t name_cap;
	/* If sums are wanted: */
	uint32_t *ends;         /* by entry of the tree table: the node of @all plus one, 0: none */
	size_t ends_len;
	uint32_t *shown;        /* by node of @nodes: the one of its tree plus one; 0: none */
	size_t shown_cap;
	size_t sum_work;        /* what these have taken so far */
	bool is_of_all;         /* shares are; else of the stacks that are shown */
};

/* Stays the same from snapshot to snapshot. */
static inline uint64_t
tree_fn_hash(const struct tree_fn *fn)
{
	return hash_mix(fn->dso, fn->what);
}

/* tree_fn.what of the root: no string has this number. */
#define FOREST_ALL UINT64_MAX

/* The function, made if it is new: its number. */
uint32_t forest_fn(struct forest *f, struct tree_fn fn);
uint32_t forest_place(struct forest *f, uint32_t location); /* the same by location */

/* Names of functions, but for FOREST_ALL. */
const char *forest_name(struct forest *f, uint32_t fn);
const char *forest_dso(const struct forest *f, const struct tree_fn *fn);

/* report_nodes.c: appends the trees of @f->all that the query asks for. */
void forest_put(struct forest *f);

/* report_nodes.c: whether callers or callees of all functions list it, see report_filters_functions(). */
bool forest_lists(struct forest *f, const struct tree_fn *fn);

/*
 * report_node_sums.c: how much the shares of nodes from @begin on vary, which show @t.  @goes_to: where
 * nodes of @f->all go to in it, see call_tree.h; NULL: it is that one.  Where that is too much work
 * they have no sums.
 */
void forest_find_sums(struct forest *f, size_t begin, const struct call_tree *t,
		      const uint32_t *goes_to);

#endif
