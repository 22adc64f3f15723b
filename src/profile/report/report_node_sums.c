/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much the shares of a call tree's nodes vary, callees included: what each has in each second of
 * the window.  Of merged seconds the most that may be, as of rows.
 */
#include "profile/report/forest.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 10 << 20 }; /* nodes times intervals */

struct summing {
	struct forest *f;
	struct report_second *seconds; /* by node of the call tree, of the second that is summed */
	struct share_sums *sums; /* by node that is shown, see shown[] */
	uint32_t *shown;         /* their nodes of the call tree */
	size_t shown_len;
	uint64_t length_ns;
};

static void
add_interval(struct summing *s, const struct interval *iv)
{
	const struct interval_log *log = &s->f->r->src->profile->log;
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next(log, iv, &pos, &d))
		if (d.table == TABLE_TREE && d.id < s->f->ends_len && s->f->ends[d.id] != 0)
			report_second_add(&s->seconds[s->f->ends[d.id] - 1], iv, &d);
	s->length_ns += iv->end_ns - iv->start_ns;
}

/* A caller has what its callees have. */
static void
add_to_callers(struct summing *s)
{
	const struct call_tree *t = &s->f->all;

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
	double all;

	add_to_callers(s);
	all = s->seconds[0].gain;
	for (size_t i = 0; i < s->shown_len; i++)
		report_second_end(&s->seconds[s->shown[i]], &s->sums[i].window, seconds, all);
	memset(s->seconds, 0, s->f->all.len * sizeof(*s->seconds));
	s->length_ns = 0;
}

/* Hours of large trees would take seconds. */
static bool
is_too_much(const struct summing *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct profile *p = s->f->r->src->profile;
	struct log_walk w;
	size_t work = 0;

	log_walk_begin(&w, &p->log, s->f->event, from_ns, to_ns);
	while (report_next_whole(&w) != NULL)
		work += s->f->all.len;
	return work > WORK_MAX;
}

static void
add_window(struct summing *s)
{
	const struct profile *p = s->f->r->src->profile;
	const struct interval *iv;
	uint64_t from_ns, to_ns;
	struct log_walk w;

	report_window_of(p, s->f->event, &from_ns, &to_ns);
	if (is_too_much(s, from_ns, to_ns))
		return;
	log_walk_begin(&w, &p->log, s->f->event, from_ns, to_ns);
	while ((iv = report_next_whole(&w)) != NULL) {
		add_interval(s, iv);
		if (s->length_ns >= REPORT_UNIT_NS)
			end_seconds(s, MAX(iv->seconds, 1));
	}
}

void
forest_find_sums(struct forest *f, size_t begin)
{
	struct summing s = {
		.f = f, .seconds = mem_calloc(f->all.len + 1, sizeof(*s.seconds)),
		.sums = arena_alloc(&f->r->out->arena, (f->len - begin + 1) * sizeof(*s.sums)),
		.shown = mem_calloc(f->len - begin + 1, sizeof(*s.shown)),
	};
	double samples = (double)f->all.nodes[0].total.samples;

	memset(s.sums, 0, (f->len - begin + 1) * sizeof(*s.sums));
	for (size_t i = begin; i < f->len; i++) {
		if (f->shown[i] == 0)
			continue;
		s.sums[s.shown_len].samples = samples;
		s.sums[s.shown_len].unit_s = s.sums[s.shown_len].spread_unit_s = 1;
		f->nodes[i].sums = &s.sums[s.shown_len];
		s.shown[s.shown_len++] = f->shown[i] - 1;
	}
	add_window(&s);
	free(s.seconds);
	free(s.shown);
}
