/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much the shares of a tree's nodes vary, those below them included: what each has in each second of
 * the window.  Of merged seconds the most that may be, as of rows.
 */
#include "profile/report/forest.h"

#include <stdlib.h>
#include <string.h>

/* Nodes times intervals, and bytes of these; what nobody waits for may take more. */
enum { WORK_MAX = 10 << 20, REPORT_WORK_MAX = 300 << 20 };

struct summing {
	struct forest *f;
	const struct call_tree *t; /* that is shown */
	const uint32_t *goes_to;   /* by node of all stacks' tree: that of @t plus one; NULL: it is @t */
	struct report_second *seconds; /* by node of @t, of the second that is summed */
	double all;                /* what shares are of, in it */
	struct share_sums *sums; /* by node that is shown, see shown[] */
	uint32_t *shown;         /* their nodes of @t */
	size_t shown_len;
	uint64_t length_ns;
};

static void
add_stack(struct summing *s, const struct interval *iv, const struct delta *d)
{
	uint32_t node = d->id < s->f->ends_len ? s->f->ends[d->id] : 0;

	if (node == 0)
		return;
	s->all += s->f->is_of_all ? 0 : (double)d->period;
	if (s->goes_to != NULL)
		node = s->goes_to[node - 1];
	if (node != 0)
		report_second_add(&s->seconds[node - 1], iv, d);
}

static void
add_interval(struct summing *s, const struct interval *iv)
{
	const struct interval_log *log = &s->f->r->src->profile->log;
	const struct hot_key *hot = s->f->r->src->profile->tables.hot;
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next(log, iv, &pos, &d)) {
		if (d.table == TABLE_TREE)
			add_stack(s, iv, &d);
		else if (d.table == TABLE_HOT && s->f->is_of_all && report_is_of_all(s->f->r, hot[d.id].who))
			s->all += (double)d.period;
	}
	s->length_ns += iv->end_ns - iv->start_ns;
}

/* A node has what those below it have. */
static void
add_to_parents(struct summing *s)
{
	const struct call_tree *t = s->t;

	for (size_t i = t->len; i-- > 1;) {
		struct report_second *to = &s->seconds[t->nodes[i].parent];

		to->gain += s->seconds[i].gain;
		to->deviation += s->seconds[i].deviation;
		to->squares += s->seconds[i].squares;
		to->lagged += s->seconds[i].lagged;
	}
}

static void
end_seconds(struct summing *s, unsigned seconds)
{
	add_to_parents(s);
	for (size_t i = 0; i < s->shown_len; i++)
		report_second_end(&s->seconds[s->shown[i]], &s->sums[i].window, seconds, s->all);
	memset(s->seconds, 0, s->t->len * sizeof(*s->seconds));
	s->all = 0;
	s->length_ns = 0;
}

/* false: it would be too much, hours of large trees take seconds.  Else it is taken. */
static bool
take_work(struct forest *f, const struct call_tree *t, uint64_t from_ns, uint64_t to_ns)
{
	const struct report *r = f->r;
	const struct interval *iv;
	struct log_walk w;
	size_t work = f->sum_work;

	log_walk_begin(&w, &r->src->profile->log, f->event, from_ns, to_ns);
	while ((iv = report_next_whole(&w)) != NULL)
		work += t->len + iv->len;
	if (work > (is_screen(r->query) ? WORK_MAX : REPORT_WORK_MAX))
		return false;
	f->sum_work = work;
	return true;
}

static void
add_window(struct summing *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct interval *iv;
	struct log_walk w;

	log_walk_begin(&w, &s->f->r->src->profile->log, s->f->event, from_ns, to_ns);
	while ((iv = report_next_whole(&w)) != NULL) {
		add_interval(s, iv);
		if (report_ends_unit(s->f->r->src, iv, s->length_ns, REPORT_UNIT_NS))
			end_seconds(s, MAX(iv->seconds, 1));
	}
}

void
forest_find_sums(struct forest *f, size_t begin, const struct call_tree *t, const uint32_t *goes_to)
{
	struct summing s = { .f = f, .t = t, .goes_to = goes_to };
	uint64_t from_ns, to_ns;
	double samples = f->is_of_all ? (double)f->r->total_samples[f->event]
					    : (double)f->all.nodes[0].total.samples;

	report_window_of(f->r->src->profile, f->event, &from_ns, &to_ns);
	if (!take_work(f, t, from_ns, to_ns))
		return;
	s.seconds = mem_calloc(t->len + 1, sizeof(*s.seconds));
	s.sums = arena_alloc(&f->r->out->arena, (f->len - begin + 1) * sizeof(*s.sums));
	s.shown = mem_calloc(f->len - begin + 1, sizeof(*s.shown));
	vec_reserve_zeroed(&f->shown, &f->shown_cap, f->len + 1, sizeof(*f->shown));
	for (size_t i = begin; i < f->len; i++) {
		if (f->shown[i] == 0)
			continue;
		s.sums[s.shown_len].samples = samples;
		s.sums[s.shown_len].unit_s = s.sums[s.shown_len].spread_unit_s = 1;
		f->nodes[i].sums = &s.sums[s.shown_len];
		s.shown[s.shown_len++] = f->shown[i] - 1;
	}
	add_window(&s, from_ns, to_ns);
	free(s.seconds);
	free(s.shown);
}
