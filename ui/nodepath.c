/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/nodetext.h"

#include <stdlib.h>

void
nodepath_set(struct nodepath *p, const struct snapshot *s, uint32_t node)
{
	p->len = s->nodes[node].depth + 1;
	vec_reserve(&p->steps, &p->cap, p->len, sizeof(*p->steps));
	for (size_t i = p->len; i-- > 0; node = s->nodes[node].parent)
		p->steps[i] = (struct nodepath_step){ s->nodes[node].id, s->nodes[node].place };
}

void
nodepath_release(struct nodepath *p)
{
	free(p->steps);
	*p = (struct nodepath){ 0 };
}

static bool
is_step(const struct nodepath_step *step, const struct snapshot_node *n)
{
	return n->id == step->id || (n->place != 0 && n->place == step->place);
}

uint32_t
nodepath_find(struct nodepath *p, const struct snapshot *s)
{
	uint32_t best = 0;
	size_t found = 0;

	for (uint32_t i = 0; i < s->node_count && found < p->len;) {
		const struct snapshot_node *n = &s->nodes[i];

		if (n->depth < found)
			break; /* behind all that is below the nearest one so far */
		/* Its parent is the one found last: all else is passed over. */
		if (!is_step(&p->steps[n->depth], n)) {
			i = n->end;
			continue;
		}
		p->steps[n->depth].id = n->id;
		p->steps[n->depth].place = n->place;
		best = i++;
		found = n->depth + 1;
	}
	return best;
}
