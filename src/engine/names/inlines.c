/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is inlined at the places in call trees, with --inline: asked of the symbol service when
 * trees are shown or written, of each place once.
 */
#include "engine/engine_impl.h"

#include <stdlib.h>

/* Exact places that are kept: 20 MB of them. */
enum { PLACES_MAX = 1 << 18 };

void
engine_want_inlines(struct engine *e)
{
	e->locations.inlined.max = e->config->inlines && !e->feed.no_chains ? PLACES_MAX : 0;
}

static bool
shows_trees(const struct query *q)
{
	return q->stacks || q->trees || query_wants_nodes(q);
}

bool
engine_ask_inlines(struct engine *e, const struct query *q)
{
	struct inlined_ask *asks;
	uint64_t addrs[INLINES_ASK_MAX];
	size_t count;

	if (e->locations.inlined.max == 0 || !shows_trees(q))
		return false;
	asks = inlined_take(&e->locations, &count);
	for (size_t i = 0; i < count;) {
		uint32_t dso = asks[i].dso, n = 0;

		for (; i < count && n < INLINES_ASK_MAX && asks[i].dso == dso; i++)
			addrs[n++] = asks[i].offset;
		if (!engine_ask_inlines_of(e, dso, addrs, n))
			e->locations.inlined.lost += n;
	}
	free(asks);
	return count > 0;
}

bool
engine_awaits_inlines(struct engine *e, const struct query *q)
{
	engine_ask_inlines(e, q);
	return e->locations.inlined.max > 0 && shows_trees(q) && e->asked_lines > 0;
}

void
engine_take_inlines(struct engine *e, const struct symbol_lines_msg *m)
{
	if (m->is_lost)
		e->locations.inlined.lost += m->count;
	for (uint32_t i = 0; i < m->count; i++)
		inlined_learn(&e->locations, m->dso, m->lines[i].addr, m->lines[i].inlined,
			      m->lines[i].inlined_count);
}

const char *
engine_inlines_notice(const struct engine *e, struct arena *arena)
{
	const struct inlined *in = &e->locations.inlined;

	if (in->missed > 0)
		return arena_printf(arena, "there are more than %zu places in call trees: what is "
				    "inlined is not told at all of them", in->max);
	if (in->max > 0 && e->config->batch && e->asked_lines > 0 && shows_trees(&e->query))
		return "what is inlined was not all told in time: a recording is waited for";
	if (in->lost > 0)
		return arena_printf(arena, "what is inlined is not known at %llu places: their "
				    "files could not be read", (unsigned long long)in->lost);
	return NULL;
}
