/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads were seen to do last.  Looks tell it some time later, and on a busy machine none may have
 * told in the last refresh: then what the thread did when it was told of last is what it does.
 */
#include "profile/report/report_impl.h"

#include <stdlib.h>

enum {
	BACK_MS = 10000,    /* of what was told before nothing is said, */
	LATE_TIMES = 4,     /* nor if it is older than so many times what was told at once */
	STUCK_PERCENT = 80, /* of a stretch of time, */
	STUCK_LEAST_MS = 1000, /* and of so long at least, was one wait: all of it was */
};

/* Of a task. */
struct last {
	uint64_t at_ns;  /* the end of the newest interval that has it, 0: none has */
	uint64_t period; /* in that interval */
};

struct walk {
	const struct report *r;
	struct last *lasts;    /* by task */
	uint64_t *newest;      /* by hot entry: its period in the newest interval of its task, */
	uint64_t *periods;     /* and in all so far */
	struct report_last out;
	uint64_t end_ns;       /* of the newest interval */
};

static uint32_t
task_of(const struct report *r, uint32_t id)
{
	const struct profile *p = r->src->profile;

	return p->model->whos[p->tables.hot[id].who].task;
}

/* Nearly all of @span_ns, or more: what was told at once can have begun before. */
static bool
is_stuck(uint64_t period, uint64_t span_ns)
{
	return period / STUCK_PERCENT >= MAX(span_ns, STUCK_LEAST_MS * NSEC_PER_MSEC) / 100;
}

/* Looks that are far apart find who takes turns at a lock where it was, too. */
static bool
may_be_stuck(const struct report *r, uint32_t id)
{
	const struct profile *p = r->src->profile;

	return !p->labels.items[p->tables.hot[id].label].has_run;
}

/* Intervals come newest first: whatever the stretch is that ends with the newest one that has the task. */
static void
add_delta(struct walk *w, const struct interval *iv, const struct delta *d)
{
	struct last *last = &w->lasts[task_of(w->r, d->id)];

	if (d->period == 0)
		return;
	if (last->at_ns == 0)
		last->at_ns = iv->end_ns;
	if (last->at_ns == iv->end_ns) {
		last->period += d->period;
		w->newest[d->id] += d->period;
	}
	w->periods[d->id] += d->period;
	if (may_be_stuck(w->r, d->id) && is_stuck(w->periods[d->id], last->at_ns - iv->start_ns))
		w->out.is_stuck[d->id] = true;
	if (d->goes_on && last->at_ns == iv->end_ns)
		VEC_ADD(w->out.waits, w->out.wait_len, w->out.wait_cap) = d->id;
}

static void
walk_back(struct walk *w)
{
	const struct profile *p = w->r->src->profile;
	const struct interval_log *log = &p->log;

	for (uint64_t s = log_end(log); s > log_first(log); s--) {
		const struct interval *iv = log_at(log, s - 1);
		struct log_pos pos = { 0 };
		struct delta d;

		if (iv->event != w->r->src->shown_event || report_is_later(p, iv))
			continue;
		w->end_ns = MAX(w->end_ns, iv->end_ns);
		if (iv->end_ns <= p->events[iv->event].zero_ns ||
		    w->end_ns - iv->end_ns > BACK_MS * NSEC_PER_MSEC)
			break;
		while (log_next_hot(log, iv, &pos, &d))
			add_delta(w, iv, &d);
	}
}

enum told { TOLD_LONG_AGO, TOLD_LATE, TOLD_NOW };

/* When its thread was told of last: late is not long ago, for what was told then. */
static enum told
told_of(const struct walk *w, uint32_t id)
{
	const struct last *last = &w->lasts[task_of(w->r, id)];
	uint64_t age_ns = w->end_ns - last->at_ns;

	if (age_ns < MAX(w->r->src->profile->step_ns / 10 * 9, 1))
		return TOLD_NOW;
	return age_ns <= LATE_TIMES * last->period ? TOLD_LATE : TOLD_LONG_AGO;
}

/* Of what was told late it is what the thread did most. */
static bool
is_done_now(const struct walk *w, uint32_t id)
{
	enum told told = told_of(w, id);

	return told == TOLD_NOW ? w->newest[id] > 0 :
	       told == TOLD_LATE && w->newest[id] > w->lasts[task_of(w->r, id)].period / 2;
}

static void
keep_done_now(struct walk *w, size_t count)
{
	size_t kept = 0;

	for (uint32_t id = 1; id < count; id++)
		w->out.is_stuck[id] &= is_done_now(w, id);
	for (size_t i = 0; i < w->out.wait_len; i++)
		if (told_of(w, w->out.waits[i]) != TOLD_LONG_AGO)
			w->out.waits[kept++] = w->out.waits[i];
	w->out.wait_len = kept;
}

struct report_last
report_find_last(const struct report *r)
{
	const struct profile *p = r->src->profile;
	size_t count = p->tables.cells[TABLE_HOT].len;
	struct walk w = {
		.r = r, .lasts = mem_calloc(p->model->task_len, sizeof(*w.lasts)),
		.newest = mem_calloc(count, sizeof(*w.newest)),
		.periods = mem_calloc(count, sizeof(*w.periods)),
		.out.is_stuck = mem_calloc(count, sizeof(*w.out.is_stuck)),
	};

	walk_back(&w);
	keep_done_now(&w, count);
	free(w.lasts);
	free(w.newest);
	free(w.periods);
	return w.out;
}

void
report_free_last(struct report_last *last)
{
	free(last->is_stuck);
	free(last->waits);
}
