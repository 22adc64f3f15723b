/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_ROW_CALLERS_H
#define PTOP_VIEW_ROW_CALLERS_H
/*
 * Who called the functions of rows, along which paths: the heaviest of these.  Part of a snapshot:
 * immutable, in its arena.  Strings are raw bytes, never NULL.
 */
#include "base/util.h"

struct caller_place {
	const char *dso, *symbol; /* as rows show them, */
	const char *reason, *remedy; /* and why it has no name, "" if it has one or is no code */
	bool is_kernel;
	bool is_unnamed;          /* symbol is where it is */
	bool is_cut;              /* no code: stands for callers that a chain lacks */
};

/* What a node is below comes before it. */
struct caller_node {
	uint32_t parent; /* number of the node that called it, plus one; 0: nobody did */
	uint32_t place;
	uint32_t depth;  /* 1: nobody called it */
};

/* So much of a row was called along one path. */
struct row_stack {
	uint32_t row;
	uint32_t callers; /* number of a node plus one; 0: nobody */
	uint64_t samples, period;
};

struct row_callers {
	const struct caller_place *places;
	const struct caller_node *nodes;
	const struct row_stack *stacks; /* the heaviest first */
	size_t place_count, node_count, stack_count;
};

#endif
