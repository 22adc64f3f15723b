/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/feed_stacks.h"

#include <stdlib.h>

static void
copy_places(struct feed_stacks *f, const struct row_callers *c)
{
	f->places = mem_calloc(c->place_count + 1, sizeof(*f->places));
	for (size_t i = 0; i < c->place_count; i++) {
		const struct caller_place *p = &c->places[i];

		f->places[i] = (struct hostfeed_place){
			.dso = p->dso, .symbol = p->is_cut ? HOSTFEED_CUT : p->symbol,
			.flags = (p->is_kernel ? HOSTFEED_KERNEL : 0) |
				 (p->is_unnamed ? HOSTFEED_UNNAMED : 0),
			.reason = p->reason, .remedy = p->remedy,
		};
	}
}

static void
copy_nodes(struct feed_stacks *f, const struct row_callers *c)
{
	f->nodes = mem_calloc(c->node_count + 1, sizeof(*f->nodes));
	for (size_t i = 0; i < c->node_count; i++)
		f->nodes[i] = (struct hostfeed_node){ c->nodes[i].parent, c->nodes[i].place,
						      c->nodes[i].depth };
}

void
feed_stacks_add(struct feed_stacks *f, struct hostfeed_encoder *e, const struct row_callers *c,
		const uint32_t *numbers)
{
	copy_places(f, c);
	copy_nodes(f, c);
	hostfeed_set_callers(e, &(struct hostfeed_callers){ f->places, f->nodes, c->place_count,
							    c->node_count });
	for (size_t i = 0; i < c->stack_count; i++) {
		const struct row_stack *s = &c->stacks[i];

		hostfeed_add_stack(e, numbers[s->row], s->callers, s->samples, s->period);
	}
}

void
feed_stacks_release(struct feed_stacks *f)
{
	free(f->places);
	free(f->nodes);
}
