/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is inlined at the places in call trees, with --inline: asked of the symbol service when
 * trees are shown or written, of each place once.
 */
#include "engine/names/names_impl.h"

#include <stdlib.h>

#include "view/query.h"

enum {
	PLACES_MAX = 1 << 18, /* exact places that are kept: 20 MB of them */
	THRIFTY_PLACES = 64,  /* asked about with a refresh, where there is little time for it */
};

void
names_begin(struct names *nm)
{
	bool wants = nm->env->config->inlines && !nm->env->feed->no_chains;

	nm->env->locations->inlined.max = wants ? PLACES_MAX : 0;
}

static bool
shows_trees(const struct query *q)
{
	return q->stacks || q->trees || q->row_stacks > 0 || query_wants_nodes(q);
}

static bool
shows_lines(const struct query *q)
{
	for (size_t i = 0; i < q->key_count && !q->by_view; i++)
		if (q->keys[i] == KEY_SRCLINE)
			return true;
	return false;
}

bool
names_ask_inlines(struct names *nm, const struct query *q)
{
	size_t most = names_are_spared(nm) ? THRIFTY_PLACES : SIZE_MAX;
	struct inlined_ask *asks;
	uint64_t addrs[INLINES_ASK_MAX];
	size_t count;

	nm->shows_trees = shows_trees(q);
	nm->shows_lines = shows_lines(q);
	if (nm->env->locations->inlined.max == 0 || !nm->shows_trees)
		return false;
	asks = inlined_take(nm->env->locations, most, &count);
	for (size_t i = 0; i < count;) {
		uint32_t dso = asks[i].dso, n = 0;

		for (; i < count && n < INLINES_ASK_MAX && asks[i].dso == dso; i++)
			addrs[n++] = asks[i].offset;
		if (!files_ask_lines(nm, dso, addrs, n, true))
			nm->env->locations->inlined.lost += n;
	}
	free(asks);
	return count > 0;
}

bool
names_await_inlines(struct names *nm, const struct query *q)
{
	names_ask_inlines(nm, q);
	return nm->env->locations->inlined.max > 0 && nm->shows_trees && nm->asked_lines > 0;
}

void
inlines_learn(struct names *nm, const struct symbol_lines_msg *m)
{
	if (m->is_lost)
		nm->env->locations->inlined.lost += m->count;
	for (uint32_t i = 0; i < m->count; i++)
		inlined_learn(nm->env->locations, m->dso, m->lines[i].addr, m->lines[i].inlined,
			      m->lines[i].inlined_count);
}

const char *
inlines_notice(const struct names *nm, struct arena *arena)
{
	const struct inlined *in = &nm->env->locations->inlined;

	if (in->missed > 0)
		return arena_printf(arena, "call trees have more than %zu places: inlined functions are "
				    "missing at the others", in->max);
	if (in->max > 0 && !nm->env->config->is_watched && nm->asked_lines > 0 && nm->shows_trees)
		return "some inlined functions were not found in time: of a recording (-i) all are "
		       "waited for";
	if (in->lost > 0)
		return arena_printf(arena, "inlined functions are missing at %llu places, whose files "
				    "could not be read", (unsigned long long)in->lost);
	return NULL;
}
