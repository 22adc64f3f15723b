/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source file by line: what all functions of the dso have in the address table. */
#include "profile/report/code_report.h"

#include <stdlib.h>
#include <string.h>

static int
compare_lines(const void *a, const void *b)
{
	const struct snapshot_line *x = a, *y = b;

	return code_report_compare(x->line, x->event, y->line, y->event);
}

static size_t
merge_lines(struct snapshot_line *lines, size_t len)
{
	size_t kept = 0;

	if (len > 0)
		qsort(lines, len, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < len; i++) {
		struct snapshot_line *to = kept > 0 ? &lines[kept - 1] : NULL;

		if (to == NULL || compare_lines(to, &lines[i]) != 0) {
			lines[kept++] = lines[i];
			continue;
		}
		code_report_add(&to->cost, lines[i].cost.samples, lines[i].cost.period);
		if (lines[i].at_period > to->at_period) {
			to->at = lines[i].at;
			to->at_period = lines[i].at_period;
		}
	}
	return kept;
}

struct lines {
	struct snapshot_line *items;
	size_t len, cap;
	struct cost *told; /* by event: all of them together */
};

static void
add_line(struct lines *l, uint32_t line, uint32_t event, uint64_t at, struct cost cost)
{
	code_report_add(&l->told[event], cost.samples, cost.period);
	VEC_ADD(l->items, l->len, l->cap) = (struct snapshot_line){
		.line = line, .event = event, .at = at, .at_period = cost.period, .cost = cost };
}

/* What the flight recorder tells of all functions of the dso. */
static void
add_recounted(struct code_report *c, uint32_t path, struct lines *l)
{
	const struct profile *p = c->r->src->profile;
	const uint32_t dso = c->code->dso_id;
	const uint64_t since_ns = profile_dso_told_since(p, dso, c->by_cpu);
	const struct recount_sample *s;
	uint32_t line;

	code_report_tell_since(c, 0, since_ns);
	for (size_t i = 0; (s = code_report_recounted(c, 0, since_ns, &i)) != NULL;) {
		line = srclines_line_in(&p->lines, &p->model->strs, path, dso, s->offset);
		if (line != 0)
			add_line(l, line, s->event, s->offset, (struct cost){ 1, s->period });
	}
}

void
report_fill_file(struct code_report *c)
{
	const struct profile *p = c->r->src->profile;
	const struct tables *t = &p->tables;
	struct arena *a = &c->r->out->arena;
	struct snapshot_file *file = arena_alloc(a, sizeof(*file));
	struct lines lines = { .told = arena_alloc(a, (p->event_count + 1) * sizeof(*lines.told)) };
	uint32_t path = strs_add_str(&p->model->strs, c->r->query->source_file), line;
	struct snapshot_line *kept;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_ADDRESS].len; id++) {
		const struct address_key *key = &t->addresses[id];

		if (key->dso != c->code->dso_id)
			continue;
		line = srclines_line_in(&p->lines, &p->model->strs, path, key->dso, key->offset);
		if (line == 0 || !code_report_counts(c, key, 0))
			continue;
		profile_window(p, &t->cells[TABLE_ADDRESS].items[id], &samples, &period);
		if (samples == 0)
			continue;
		add_line(&lines, line, key->event, key->offset, (struct cost){ samples, period });
	}
	add_recounted(c, path, &lines);
	lines.len = merge_lines(lines.items, lines.len);
	kept = arena_alloc(a, (lines.len + 1) * sizeof(*kept));
	if (lines.len > 0)
		memcpy(kept, lines.items, lines.len * sizeof(*kept));
	free(lines.items);
	*file = (struct snapshot_file){ .path = arena_strdup(a, c->r->query->source_file),
					.lines = kept, .count = lines.len, .told = lines.told };
	c->code->file = file;
}
