/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/nodepath.h"

#include <stdlib.h>

void
nodepath_set(struct nodepath *p, const struct snapshot *s, uint32_t node)
{
	p->len = s->nodes[node].depth + 1;
	vec_reserve(&p->ids, &p->cap, p->len, sizeof(*p->ids));
	for (size_t i = p->len; i-- > 0; node = s->nodes[node].parent)
		p->ids[i] = s->nodes[node].id;
}

void
nodepath_copy(struct nodepath *to, const struct nodepath *from)
{
	vec_reserve(&to->ids, &to->cap, from->len + 1, sizeof(*to->ids));
	if (from->len > 0)
		memcpy(to->ids, from->ids, from->len * sizeof(*to->ids));
	to->len = from->len;
}

void
nodepath_release(struct nodepath *p)
{
	free(p->ids);
	*p = (struct nodepath){ 0 };
}

uint32_t
nodepath_find(const struct nodepath *p, const struct snapshot *s)
{
	uint32_t best = 0;
	size_t found = 0;

	for (uint32_t i = 0; i < s->node_count && found < p->len;) {
		const struct snapshot_node *n = &s->nodes[i];

		if (n->depth < found)
			break; /* behind all that is below the nearest one so far */
		if (n->id != p->ids[n->depth]) {
			i = n->end;
			continue;
		}
		best = i++;
		found = n->depth + 1;
	}
	return best;
}
