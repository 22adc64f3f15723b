/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ptop holds, part by part, for the page of messages: its bound, and what goes beyond that. */
#include "engine/engine_impl.h"

#include <stdio.h>

#include "base/text.h"

/* The bound of a part that has none. */
#define UNBOUNDED SIZE_MAX

enum { SIZE_TEXT_MAX = 32 };

static size_t
log_held(const struct engine *e)
{
	return e->profile->log.bytes;
}

static size_t
log_bound(const struct engine *e)
{
	return profile_log_share(e->profile);
}

static size_t
tree_held(const struct engine *e)
{
	return tables_bytes(&e->profile->tables, TABLE_TREE);
}

static size_t
tree_bound(const struct engine *e)
{
	return e->profile->budget_bytes / PROFILE_SHARES * PROFILE_TREE_SHARE;
}

static size_t
address_held(const struct engine *e)
{
	return tables_bytes(&e->profile->tables, TABLE_ADDRESS);
}

static size_t
address_bound(const struct engine *e)
{
	return e->profile->budget_bytes / PROFILE_SHARES * PROFILE_ADDRESS_SHARE;
}

static size_t
hot_held(const struct engine *e)
{
	return tables_bytes(&e->profile->tables, TABLE_HOT);
}

static size_t
images_held(const struct engine *e)
{
	return e->locations.image_bytes;
}

static size_t
images_bound(const struct engine *e)
{
	return e->locations.image_budget != 0 ? e->locations.image_budget : UNBOUNDED;
}

static size_t
rings_held(const struct engine *e)
{
	size_t count, bytes = 0;
	const struct session_ring *rings = session_rings(e->session, &count);

	for (size_t i = 0; i < count; i++)
		bytes += ring_size_bytes(rings[i].ring);
	return bytes;
}

static size_t
history_held(const struct engine *e)
{
	return e->record.history != NULL ? history_bytes(e->record.history) : 0;
}

static size_t
history_bound(const struct engine *e)
{
	return (size_t)e->config->history_bytes;
}

static size_t
waiting_held(const struct engine *e)
{
	return e->feed.held.len + e->feed.held_stacks.len + e->aside.len;
}

static size_t
waiting_bound(const struct engine *e)
{
	(void)e;
	return feed_held_max() + ASIDE_BYTES_MAX;
}

static size_t
caches_held(const struct engine *e)
{
	return cache_bytes(&e->feed.addresses) + cache_bytes(&e->feed.stacks);
}

static size_t
caches_bound(const struct engine *e)
{
	return cache_max_bytes(&e->feed.addresses) + cache_max_bytes(&e->feed.stacks);
}

static size_t
names_held(const struct engine *e)
{
	const struct locations *l = &e->locations;
	const struct strs *strs = &e->model->strs;

	return strs->arena.bytes + strs->cap * sizeof(*strs->items) + index_bytes(&strs->index) +
	       l->cap * sizeof(*l->items) + l->free_cap * sizeof(*l->free) +
	       index_bytes(&l->index);
}

static size_t
tasks_held(const struct engine *e)
{
	return e->model->task_cap * sizeof(*e->model->tasks);
}

static size_t
rules_held(const struct engine *e)
{
	return e->feed.unwinder.rules_bytes;
}

static size_t
no_bound(const struct engine *e)
{
	(void)e;
	return UNBOUNDED;
}

/* In the order in which they give way; the last have nothing to give. */
static const struct part {
	const char *name;
	size_t (*held)(const struct engine *e);
	size_t (*bound)(const struct engine *e);
	const char *beyond; /* what happens then, and the option that moves the bound */
} parts[] = {
	{ "log of intervals", log_held, log_bound, "the oldest are forgotten: --memory" },
	{ "call trees", tree_held, tree_bound,
	  "ended tasks become one of their name, then threads one of their process, then the "
	  "lightest stacks go to their callers: --memory" },
	{ "addresses", address_held, address_bound,
	  "the rarest of a file become one: --memory" },
	{ "flight recorder", history_held, history_bound, "the oldest go; its bound is of unpacked records: --history" },
	{ "symbols of files", images_held, images_bound,
	  "those not used for long are given back: --memory, a fourth of it" },
	{ "rings", rings_held, rings_held, "samples are lost, and counted: -m" },
	{ "samples that wait", waiting_held, waiting_bound,
	  "they are counted without names or callers" },
	{ "caches", caches_held, caches_bound, "what is older is looked for anew" },
	{ "hot table", hot_held, no_bound,
	  "ended tasks become one of their name, then those of rare names one" },
	{ "names and places", names_held, no_bound,
	  "names are kept to the end, functions as long as something is counted in them" },
	{ "tasks", tasks_held, no_bound, "forgotten when nothing is counted for them" },
	{ "unwind rules", rules_held, no_bound, "kept to the end (-g dwarf)" },
};

static const char *
size_text(char text[SIZE_TEXT_MAX], size_t bytes)
{
	struct buf b = { 0 };

	if (bytes == UNBOUNDED)
		buf_add_char(&b, '-');
	else
		text_add_bytes(&b, bytes);
	snprintf(text, SIZE_TEXT_MAX, "%s", buf_str(&b));
	buf_release(&b);
	return text;
}

void
engine_put_memory(const struct engine *e, struct buf *b)
{
	char held[SIZE_TEXT_MAX], bound[SIZE_TEXT_MAX];

	buf_addf(b, "memory: %s resident in all; totals are exact whatever is folded\n",
		 size_text(held, e->self_bytes));
	buf_addf(b, "  %-18s %9s %9s  %s\n", "", "held", "at most", "beyond that");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		buf_addf(b, "  %-18s %9s %9s  %s\n", parts[i].name,
			 size_text(held, parts[i].held(e)), size_text(bound, parts[i].bound(e)),
			 parts[i].beyond);
}
