/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each line has, which have most, and what is at none. */
#include "view/annotate_impl.h"

#include <stdlib.h>

static void
add_cost(struct cost *sum, const struct cost *cost)
{
	sum->samples += cost->samples;
	sum->period += cost->period;
}

/*
 * Moves on to the instruction at @offset; offsets of counts rise as those of instructions do.
 * false: it is at none.
 */
static bool
find_instruction(const struct listing *l, uint64_t offset, uint32_t *at)
{
	while (*at < l->count && l->items[*at].offset + l->items[*at].len <= offset)
		++*at;
	return *at < l->count && l->items[*at].offset <= offset;
}

/* By event and instruction. */
static struct cost *
instruction_costs(const struct annotate *a)
{
	const struct listing *l = a->listing;
	struct cost *costs = mem_calloc(a->event_count * l->count + 1, sizeof(*costs));
	uint32_t at = 0;

	for (size_t i = 0; i < a->code->count_len; i++) {
		const struct snapshot_count *c = &a->code->counts[i];

		if (find_instruction(l, c->offset, &at) && c->event < a->event_count)
			add_cost(&costs[c->event * l->count + at], &c->cost);
	}
	return costs;
}

/* A line has what the instructions that it stands for have. */
static void
sum_lines(struct annotate *a, const struct cost *costs, struct cost *sums)
{
	uint32_t count = a->listing->count;
	struct cost *before = mem_calloc(count + 1, sizeof(*before));

	for (uint32_t i = 0; i < count; i++) {
		before[i + 1] = before[i];
		add_cost(&before[i + 1], &costs[i]);
		if (a->line_of != NULL && a->line_of[i] != LISTING_NONE)
			add_cost(&sums[a->line_of[i]], &costs[i]);
	}
	for (size_t i = 0; i < a->len && a->line_of == NULL; i++) {
		const struct annotate_line *l = &a->lines[i];

		sums[i].samples = before[l->end].samples - before[l->first].samples;
		sums[i].period = before[l->end].period - before[l->first].period;
	}
	free(before);
}

/* Both are in rising order of lines. */
static void
sum_file(struct annotate *a)
{
	const struct snapshot_file *f = a->code->file;
	size_t at = 0;

	for (size_t i = 0; f != NULL && i < f->count; i++) {
		while (at < a->len && a->lines[at].line < f->lines[i].line)
			at++;
		if (at < a->len && a->lines[at].line == f->lines[i].line &&
		    f->lines[i].event < a->event_count)
			add_cost(&a->sums[f->lines[i].event * a->len + at], &f->lines[i].cost);
	}
}

static void
find_most(struct annotate *a, uint32_t shown)
{
	a->most = (struct cost){ 0 };
	for (size_t i = 0; i < a->len && shown < a->event_count; i++) {
		const struct cost *c = annotate_cost(a, shown, i);

		if (a->lines[i].kind == ANNOTATE_INSTRUCTION || a->line_of != NULL ||
		    a->mode == ANNOTATE_FILE)
			if (c->period > a->most.period)
				a->most = *c;
	}
}

void
annotate_sum_up(struct annotate *a, const struct snapshot *s)
{
	struct cost *costs;

	a->event_count = s->event_count;
	free(a->sums);
	a->sums = mem_calloc(a->event_count * a->len + 1, sizeof(*a->sums));
	if (a->mode == ANNOTATE_FILE) {
		sum_file(a);
		find_most(a, snapshot_shown_id(s));
		return;
	}
	if (a->listing == NULL || a->listing->count == 0)
		return;
	costs = instruction_costs(a);
	for (size_t e = 0; e < a->event_count; e++)
		if (a->code->told[e].samples > 0)
			sum_lines(a, &costs[e * a->listing->count], &a->sums[e * a->len]);
	free(costs);
	find_most(a, snapshot_shown_id(s));
}

/* Whether the line is one that the hottest are looked for among. */
static bool
is_ranked(const struct annotate *a, const struct annotate_line *l)
{
	return l->kind == ANNOTATE_INSTRUCTION || l->is_folded || a->line_of != NULL ||
	       a->mode == ANNOTATE_FILE;
}

size_t
annotate_hottest(const struct annotate *a, uint32_t event, size_t n)
{
	uint64_t limit = UINT64_MAX;
	size_t limit_at = 0, best = a->len;

	if (event >= a->event_count)
		return a->len;
	/* The one below the last, n times: lines of the same cost from above. */
	for (size_t k = 0; k <= n; k++) {
		best = a->len;
		for (size_t i = 0; i < a->len; i++) {
			uint64_t period = annotate_cost(a, event, i)->period;
			bool is_after = period < limit || (period == limit && i > limit_at);

			if (is_ranked(a, &a->lines[i]) && period > 0 && is_after &&
			    (best == a->len || period > annotate_cost(a, event, best)->period))
				best = i;
		}
		if (best == a->len)
			break;
		limit = annotate_cost(a, event, best)->period;
		limit_at = best;
	}
	return best;
}

bool
annotate_line_at(const struct annotate *a, uint32_t event, size_t line, uint64_t *at)
{
	const struct snapshot_file *f = a->code->file;

	for (size_t i = 0; f != NULL && line < a->len && i < f->count; i++) {
		if (f->lines[i].line != a->lines[line].line || f->lines[i].event != event)
			continue;
		*at = f->lines[i].at;
		return true;
	}
	return false;
}

struct cost
annotate_elsewhere(const struct annotate *a, uint32_t event)
{
	const struct cost *told = &a->code->told[event];
	struct cost left = a->code->all[event];
	const struct listing *l = a->listing;
	uint32_t at = 0;

	if (l == NULL || l->count == 0) {
		left.samples -= MIN(left.samples, told->samples);
		left.period -= MIN(left.period, told->period);
		return left;
	}
	for (size_t i = 0; i < a->code->count_len; i++) {
		const struct snapshot_count *c = &a->code->counts[i];

		if (!find_instruction(l, c->offset, &at) || c->event != event)
			continue;
		left.samples -= MIN(left.samples, c->cost.samples);
		left.period -= MIN(left.period, c->cost.period);
	}
	return left;
}
