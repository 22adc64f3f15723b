/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_STACK_LOCATIONS_H
#define PTOP_EXPORT_STACK_LOCATIONS_H
/*
 * The stacks of a snapshot as formats have them in which an inlined function is no location, but a
 * line of one: each place has a number, each chain of functions inlined into one another, too.
 */
#include "base/index.h"
#include "view/export_stacks.h"

/* A function that is inlined into the location @outer: together a location of more than one line. */
struct inlined_frame {
	uint64_t outer;
	uint32_t place;
};

/*
 * Places are 1 to place_count; then comes the one of stacks that were folded into their thread, which
 * have no places; then those with inlined functions, in the order in which they are found.
 */
struct stack_locations {
	const struct stacks *st;
	uint64_t *by_node;
	struct inlined_frame *inlined;
	size_t inlined_len, inlined_cap;
	struct index index;  /* of inlined, counted from 1 */
	uint64_t *path;      /* of the node that was asked for last */
	size_t path_cap;
};

void stack_locations_init(struct stack_locations *l, const struct stacks *st);
void stack_locations_release(struct stack_locations *l);

uint64_t stack_locations_folded(const struct stack_locations *l);
uint64_t stack_locations_first_inlined(const struct stack_locations *l);

/* Fills path with the stack that ends in the node, innermost first; whose stack it is. */
const struct stack_top *stack_locations_path(struct stack_locations *l, uint32_t node, size_t *len);

#endif
