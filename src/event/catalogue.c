/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/catalogue.h"

#include "base/arena.h"
#include "event/event_table.h"
#include "event/pair.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

const char *const event_class_names[EVENT_CLASSES] = {
	[EVENT_PRESET] = "preset",
	[EVENT_TIME] = "time",
	[EVENT_SOFTWARE] = "software",
	[EVENT_HARDWARE] = "hardware",
	[EVENT_CACHE] = "cache",
	[EVENT_PMU] = "pmu",
	[EVENT_TRACEPOINT] = "tracepoint",
};

/* A catalogue that is being made. */
struct builder {
	struct catalogue *c;
	size_t cap;
};

static void
add(struct builder *b, enum event_class class, const char *name, const char *help)
{
	struct catalogue *c = b->c;

	VEC_ADD(c->items, c->len, b->cap) = (struct catalogue_event){
		.name = name, .help = help, .class = class, .state = EVENT_UNKNOWN, .reason = "",
		.remedy = "",
	};
}

static void
add_tracepoint(void *self, const char *group, const char *name)
{
	struct builder *b = self;
	struct arena *arena = b->c->arena;

	add(b, EVENT_TRACEPOINT, arena_printf(arena, "%s:%s", group, name),
	    tracepoint_help(arena, group, name));
}

/* The PMU's own events: "uncore_imc_0/cas_count_read/". */
static void
add_pmu(struct builder *b, const struct pmu *pmu)
{
	struct arena *arena = b->c->arena;
	struct names names = { 0 };
	struct buf text = { 0 };

	pmu_files(pmu, "events", &names);
	for (size_t i = 0; i < names.len; i++) {
		const char *name = names.items[i];

		buf_reset(&text);
		if (pmu_alias(pmu, name, strlen(name), &text))
			add(b, EVENT_PMU, arena_printf(arena, "%s/%s/", pmu->name, name),
			    arena_printf(arena, "%s of PMU %s: %s", name, pmu->name,
					 buf_str(&text)));
	}
	buf_release(&text);
	names_release(&names);
}

static void
add_pmus(struct builder *b, const struct event_env *env)
{
	struct names names = { 0 };

	pmu_names(env, &names);
	for (size_t i = 0; i < names.len; i++) {
		struct pmu pmu;

		if (!pmu_open(env, names.items[i], strlen(names.items[i]), &pmu))
			continue;
		add_pmu(b, &pmu);
		pmu_release(&pmu);
	}
	names_release(&names);
}

static enum event_class
class_of(const struct event_row *row)
{
	if (row->looks != EVENT_LOOKS_NONE)
		return EVENT_TIME;
	if (row->type == PERF_TYPE_SOFTWARE)
		return EVENT_SOFTWARE;
	return row->type == PERF_TYPE_HARDWARE ? EVENT_HARDWARE : EVENT_CACHE;
}

static void
add_pairs(struct builder *b)
{
	size_t count;
	const struct event_pair *pairs = event_pairs(&count);

	for (size_t i = 0; i < count; i++)
		add(b, EVENT_TIME, pairs[i].name, pairs[i].help);
}

static const char *
help_of(struct arena *arena, const struct event_row *row)
{
	if (row->alias == NULL)
		return row->help;
	return arena_printf(arena, "%s (also %s)", row->help, row->alias);
}

static int
compare(const void *a, const void *b)
{
	const struct catalogue_event *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct catalogue *
catalogue_new(const struct event_env *env)
{
	struct catalogue *c = mem_calloc(1, sizeof(*c));
	struct builder b = { .c = c };
	struct buf dir = { 0 };
	size_t count;
	const struct event_row *rows = event_table(&count);

	c->refs = 1;
	c->arena = mem_calloc(1, sizeof(*c->arena));
	for (size_t i = 0; i < count; i++)
		add(&b, class_of(&rows[i]), rows[i].name, help_of(c->arena, &rows[i]));
	add(&b, EVENT_TIME, "off-cpu/exact/", "the same by each switch: how long, and who ended it");
	add_pmus(&b, env);
	if (tracepoint_dir(env, &dir, &c->no_tracepoints) == 0) {
		add_pairs(&b);
		tracepoint_list(dir.data, add_tracepoint, &b);
	}
	buf_release(&dir);
	qsort(c->items, c->len, sizeof(*c->items), compare);
	return c;
}

struct catalogue *
catalogue_get(struct catalogue *c)
{
	__atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void
catalogue_put(struct catalogue *c)
{
	if (c == NULL || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	arena_release(c->arena);
	free(c->arena);
	free(c->items);
	free(c);
}
