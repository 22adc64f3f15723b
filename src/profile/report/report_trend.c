/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For screens: the rates of each row in the last refreshes. */
#include "profile/report/report_impl.h"

#include <math.h>
#include <stdlib.h>

/* Consecutive intervals of the shown event: about as long as a refresh. */
struct step {
	uint64_t first, end; /* serials */
	uint64_t length_ns;
};

static uint64_t
length_ns(const struct interval *iv)
{
	return iv->end_ns - iv->start_ns;
}

/* The last steps, newest first; how many.  Intervals may be shorter than steps. */
static size_t
last_steps(const struct report *r, struct step steps[TREND_LEN])
{
	const struct profile *p = r->src->profile;
	uint64_t first = log_first(&p->log), end = log_end(&p->log);
	size_t n = 0;
	bool is_full = true;

	if (r->src->shown_event == UINT32_MAX)
		return 0;
	/* Of the past those are shown that lead to it, while they are of a second. */
	if (p->end_ns != 0)
		end = first + log_count_before(&p->log, LOG_NEWEST, r->src->shown_event, p->end_ns);
	for (uint64_t s = end; s > first; s--) {
		const struct interval *iv = log_at(&p->log, s - 1);

		if (iv->event != r->src->shown_event || report_is_later(p, iv))
			continue;
		if (iv->end_ns <= p->events[iv->event].zero_ns)
			break;
		/* In a recording, time without records: its rate is none of what came before or after. */
		is_full |= length_ns(iv) > 2 * p->step_ns;
		if (is_full && n == TREND_LEN)
			break;
		if (is_full)
			steps[n++] = (struct step){ .end = s };
		steps[n - 1].first = s - 1;
		steps[n - 1].length_ns += length_ns(iv);
		/* A refresh may be a little early. */
		is_full = steps[n - 1].length_ns >= p->step_ns / 10 * 9;
	}
	return n;
}

/* Adds the period of each group in the interval. */
static void
add_gains(const struct report *r, const struct interval *iv, double *gains)
{
	const struct interval_log *log = &r->src->profile->log;
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next_hot(log, iv, &pos, &d)) {
		uint32_t group = r->entry_group[d.id];

		if (group != 0)
			gains[(group - 1) * TREND_LEN] += (double)d.period;
	}
}

/* The rate of each group in the last steps, scaled to its own maximum. */
void
report_find_trends(struct report *r)
{
	const struct interval_log *log = &r->src->profile->log;
	double *rates = mem_calloc(r->groups.len * TREND_LEN + 1, sizeof(*rates));
	struct step steps[TREND_LEN];
	size_t n = last_steps(r, steps);

	for (size_t i = 0; i < n; i++)
		for (uint64_t s = steps[i].first; s < steps[i].end; s++)
			if (log_at(log, s)->event == r->src->shown_event)
				add_gains(r, log_at(log, s), rates + TREND_LEN - 1 - i);
	report_add_up(r, rates, TREND_LEN);
	for (size_t g = 0; g < r->groups.len; g++)
		for (size_t i = 0; i < n; i++)
			rates[(g + 1) * TREND_LEN - 1 - i] /= (double)MAX(steps[i].length_ns, 1);
	for (size_t g = 0; g < r->groups.len; g++) {
		const double *rate = rates + g * TREND_LEN;
		double most = 0;

		for (int i = 0; i < TREND_LEN; i++)
			most = MAX(most, rate[i]);
		for (int i = 0; i < TREND_LEN && most > 0; i++)
			r->rows[g].trend[i] = (uint8_t)ceil(rate[i] / most * 8);
	}
	free(rates);
}
