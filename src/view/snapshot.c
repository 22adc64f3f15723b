/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/snapshot.h"

#include "view/call_row.h"

#include <math.h>
#include <stdlib.h>

const char *const node_kind_names[NODE_KIND_COUNT] = {
	[NODE_ALL] = "all", [NODE_COMM] = "comm", [NODE_OWN] = "program",
	[NODE_LIBRARY] = "library", [NODE_KERNEL] = "kernel", [NODE_JIT] = "jit",
	[NODE_WAITS] = "waits", [NODE_UNKNOWN] = "unknown", [NODE_CUT] = "cut", [NODE_REST] = "rest",
};

const char *const stack_kind_names[STACK_KIND_COUNT] = {
	[STACK_UNKNOWN] = "unknown", [STACK_KERNEL] = "kernel", [STACK_PROGRAM] = "program",
	[STACK_LIBRARY] = "library", [STACK_JIT] = "jit", [STACK_WAITS] = "waits", [STACK_CUT] = "cut",
};

const struct snapshot_event *
snapshot_shown(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i].shown)
			return &s->events[i];
	return NULL;
}

uint32_t
snapshot_shown_id(const struct snapshot *s)
{
	const struct snapshot_event *e = snapshot_shown(s);

	return e != NULL ? (uint32_t)(e - s->events) : 0;
}

bool
snapshot_compares_nodes(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->node_count; i = s->nodes[i].end)
		if (s->nodes[i].difference != NULL)
			return true;
	return false;
}

bool
snapshot_counts_calls(const struct snapshot *s, uint32_t location)
{
	for (size_t i = 0; i < s->call_count && location != 0; i++)
		if (s->calls[i]->is_on && s->calls[i]->location == location)
			return true;
	return false;
}

double
snapshot_per_second(const struct snapshot_event *e, uint64_t n)
{
	return e != NULL && e->window_s > 0 ? (double)n / e->window_s : NAN;
}

double
snapshot_period_per_second(const struct snapshot_event *e, uint64_t period)
{
	double n = snapshot_per_second(e, period);

	return e != NULL && e->counts_time ? n * 1e3 / (double)NSEC_PER_SEC : n;
}

double
snapshot_share(const struct snapshot *s, const struct snapshot_event *e, uint64_t period)
{
	if (s->query.shares == SHARES_PER_SECOND)
		return snapshot_period_per_second(e, period);
	return e->base > 0 ? (double)period * 100 / (double)e->base : 0;
}

const char *
snapshot_share_unit(const struct snapshot *s, const struct snapshot_event *e)
{
	return s->query.shares != SHARES_PER_SECOND ? "%" : e->counts_time ? " ms/s" : "/s";
}

struct snapshot *
snapshot_new(void)
{
	struct snapshot *s = mem_calloc(1, sizeof(*s));

	s->refs = 1;
	return s;
}

struct snapshot *
snapshot_get(struct snapshot *s)
{
	__atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
	return s;
}

static void
release_code(struct snapshot_code *code)
{
	if (code == NULL)
		return;
	for (size_t i = 0; code->lines != NULL && i < code->lines->file_count; i++)
		listing_source_put(code->sources[i]);
	if (code->file != NULL)
		listing_source_put(code->file->text);
	listing_lines_put(code->lines);
	listing_put(code->listing);
}

void
snapshot_put(struct snapshot *s)
{
	/* Acquire and release: what others read of it is over before the memory is given back. */
	if (s == NULL || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	snapshot_put(s->then_owner);
	release_code(s->code);
	arena_release(&s->arena);
	free(s->own_rows);
	free(s);
}
