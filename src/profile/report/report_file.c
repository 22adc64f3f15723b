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

/* Of functions that nobody looked at before it is not known whose their samples were. */
static void
fill_since(struct code_report *c)
{
	const struct watch *w = &c->r->src->profile->watch;
	uint64_t since = w->dso == c->code->dso_id ? w->dso_since_ns : UINT64_MAX;

	if (!c->by_who || w->all)
		return;
	if (c->by_cpu)
		since = MAX(since, w->cpu_since_ns);
	code_report_tell_since(c, since);
}

void
report_fill_file(struct code_report *c)
{
	const struct profile *p = c->r->src->profile;
	const struct tables *t = &p->tables;
	struct arena *a = &c->r->out->arena;
	struct snapshot_file *file = arena_alloc(a, sizeof(*file));
	struct cost *told = arena_alloc(a, (p->event_count + 1) * sizeof(*told));
	uint32_t path = strs_add_str(&p->model->strs, c->r->query->source_file), line;
	struct snapshot_line *lines = NULL, *kept;
	size_t len = 0, cap = 0;
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
		code_report_add(&told[key->event], samples, period);
		VEC_ADD(lines, len, cap) = (struct snapshot_line){
			.line = line, .event = key->event, .at = key->offset, .at_period = period,
			.cost = { samples, period } };
	}
	len = merge_lines(lines, len);
	kept = arena_alloc(a, (len + 1) * sizeof(*kept));
	if (len > 0)
		memcpy(kept, lines, len * sizeof(*kept));
	free(lines);
	fill_since(c);
	*file = (struct snapshot_file){ .path = arena_strdup(a, c->r->query->source_file),
					.lines = kept, .count = len, .told = told };
	c->code->file = file;
}
