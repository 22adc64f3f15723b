/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/share_past.h"

#include <math.h>

#include "profile/count/past.h"
#include "profile/report/report.h"
#include "view/column.h"
#include "view/difference.h"

enum { FUNCTION_BYTES = 64, FIRST_PID = 100, MINUTE_S = 60, BUDGET = 24 << 20 };

void
share_past_open(struct share_past *p, size_t functions, size_t processes, double correlation,
		double deviation)
{
	p->processes = processes;
	world_begin(&p->world, 5, functions, correlation, deviation);
	bench_open(&p->b, BUDGET);
	p->b.profile->keeps_past = true;
	p->b.profile->refresh_ns = NSEC_PER_SEC;
	dsos_file(&p->b.model->dsos, "/bin/x", 8, 1, 42, 0);
	locations_learn_image(&p->b.locations, DSO_ID_FIRST_FILE,
			      make_image((uint32_t)functions, FUNCTION_BYTES), "", "");
	for (size_t i = 0; i < processes; i++)
		bench_exec(&p->b, FIRST_PID + (int)i, (uint32_t)i % COMMS);
	bench_interval(&p->b, MINUTE_S * NSEC_PER_SEC - p->b.now_ns);
}

static void
count(struct share_past *p, size_t function, uint32_t samples)
{
	const int pid = FIRST_PID + (int)(function % p->processes);
	const uint64_t offset = function * FUNCTION_BYTES, period = 1001001;
	struct profile_sample s = {
		.who = model_who(p->b.model, model_task(p->b.model, pid, pid)),
		.leaf = locations_find(&p->b.locations, DSO_ID_FIRST_FILE, offset),
		.dso = DSO_ID_FIRST_FILE, .offset = offset, .period = period,
	};
	struct profile_ids ids;

	if (samples == 0)
		return;
	ids = profile_add(p->b.profile, &s);
	if (samples > 1)
		profile_add_again(p->b.profile, &ids, 0, samples - 1, (samples - 1) * period);
}

void
share_past_run(struct share_past *p, unsigned seconds)
{
	double of[WORLD_FUNCTIONS_MAX];

	for (; seconds > 0; seconds--) {
		world_draw(&p->world, of);
		for (size_t i = 0; i < p->world.functions; i++)
			count(p, i, (uint32_t)of[i]);
		p->b.now_ns += NSEC_PER_SEC;
		profile_close_interval(p->b.profile, p->b.now_ns);
		past_keep(p->b.profile, p->b.now_ns);
	}
}

void
share_past_close(struct share_past *p)
{
	bench_close(&p->b);
}

static struct snapshot *
picture(struct share_past *p, enum view_id view, unsigned ago_s, unsigned window_s)
{
	struct report_source src = { .profile = p->b.profile, .mono_ns = p->b.now_ns };
	struct snapshot *s = snapshot_new();
	struct query q = { .view = view, .by_view = true, .trends = true, .end_ns = 1, .sums = true,
			   .sort = COLUMN_SHARE, .key_count = view_defs[view].key_count };

	memcpy(q.keys, view_defs[view].keys, sizeof(q.keys));
	s->query = q;
	profile_set_end(p->b.profile, p->b.now_ns - ago_s * NSEC_PER_SEC);
	profile_set_window(p->b.profile, window_s * NSEC_PER_SEC);
	report_fill(s, &src, &q);
	return s;
}

/* The row of the first function. */
static const struct row *
first_row(const struct snapshot *s)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (strcmp(s->rows[i].symbol, "f0") == 0)
			return &s->rows[i];
	return NULL;
}

struct share_past_tally
share_past_covered(struct share_past *p, unsigned from_ago_s, unsigned to_ago_s, unsigned window_s)
{
	struct share_past_tally t = { 0 };

	for (unsigned ago_s = to_ago_s; ago_s + window_s <= from_ago_s; ago_s += window_s, t.tries++) {
		struct snapshot *s = picture(p, VIEW_FUNCTIONS, ago_s, window_s);
		const struct row *row = first_row(s);
		double error = row != NULL && row->sums != NULL ? share_error(row->sums) : NAN;

		t.known += !isnan(error);
		t.right += !isnan(error) && fabs(share_of(row->sums) - p->world.share[0]) <= error;
		snapshot_put(s);
	}
	return t;
}

static struct snapshot *
difference(struct share_past *p, enum view_id view, unsigned now_ago_s, unsigned now_s,
	   unsigned then_ago_s, unsigned then_s)
{
	struct snapshot *now = picture(p, view, now_ago_s, now_s);
	struct snapshot *then = picture(p, view, then_ago_s, then_s);

	difference_make(now, then, "then", true);
	return now;
}

static bool
has_any(const struct snapshot *s)
{
	bool any = false;

	for (size_t i = 0; i < s->row_count; i++)
		any |= s->rows[i].difference != NULL &&
		       s->rows[i].difference->change.is_significant;
	return any;
}

struct share_past_tally
share_past_alarms(struct share_past *p, enum view_id view, unsigned from_ago_s, unsigned to_ago_s,
		  unsigned window_s)
{
	struct share_past_tally t = { 0 };
	unsigned ago_s = to_ago_s;

	for (; ago_s + 2 * window_s <= from_ago_s; ago_s += 2 * window_s, t.tries++) {
		struct snapshot *s = difference(p, view, ago_s, window_s, ago_s + window_s, window_s);

		t.known += s->then.needs_s <= 0;
		t.right += has_any(s);
		snapshot_put(s);
	}
	return t;
}

struct difference
share_past_difference(struct share_past *p, unsigned now_ago_s, unsigned now_s, unsigned then_ago_s,
		      unsigned then_s, bool *any)
{
	struct snapshot *s = difference(p, VIEW_FUNCTIONS, now_ago_s, now_s, then_ago_s, then_s);
	struct difference d = *first_row(s)->difference;

	*any = has_any(s);
	snapshot_put(s);
	return d;
}
