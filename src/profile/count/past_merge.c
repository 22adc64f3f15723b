/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intervals of one tier become one of the next. */
#include "profile/count/past_impl.h"

#include <stdlib.h>

#include "profile/count/window.h"

/* Out of the window with what is merged, and in with the new one if that is most of it. */
static bool
leave_windows(struct merge *m, uint64_t *start_ns, uint64_t *end_ns)
{
	uint64_t shown_ns = 0, ns = 0;
	bool is_any = false;

	*end_ns = 0;
	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = past_source(m, n);

		if (iv == NULL)
			continue;
		*start_ns = *end_ns == 0 ? iv->start_ns : *start_ns;
		*end_ns = iv->end_ns;
		ns += iv->end_ns - iv->start_ns;
		if (!window_leave(m->p, m->tier, m->p->log.tiers[m->tier].first + n, iv))
			continue;
		shown_ns += iv->end_ns - iv->start_ns;
		is_any = true;
	}
	/* What waited until its event was closed has no length. */
	return shown_ns > ns / 2 || (ns == 0 && is_any);
}

static struct interval *
append(struct merge *m)
{
	struct delta *deltas = mem_calloc(m->sum_len + 1, sizeof(*deltas));
	uint64_t samples = 0;
	double usual;
	struct interval *iv;

	for (size_t i = 0; i < m->sum_len; i++)
		samples += m->sums[i].table == TABLE_HOT ? m->sums[i].samples : 0;
	usual = samples > 0 ? (double)(m->period / samples) : 0;
	for (size_t i = 0; i < m->sum_len; i++) {
		const struct sum *s = &m->sums[i];

		deltas[i] = (struct delta){ .table = s->table, .id = s->id,
					     .samples = s->samples, .period = s->period };
		past_set_moments(m, &deltas[i], s, usual);
	}
	iv = log_append_merged(&m->p->log, m->tier + 1, m->event, m->seconds, deltas, m->sum_len);
	free(deltas);
	return iv;
}

void
past_merge(struct profile *p, enum log_tier tier, size_t len, uint32_t event)
{
	struct merge m = { .p = p, .tier = tier, .len = len, .event = event };
	uint64_t start_ns = 0, end_ns;
	struct interval *iv;
	bool is_shown = leave_windows(&m, &start_ns, &end_ns);

	if (end_ns == 0)
		return;
	past_weigh(&m);
	past_place(&m);
	past_add_up(&m);
	iv = append(&m);
	log_place(&p->log, tier + 1, start_ns, end_ns);
	if (is_shown)
		window_enter(p, iv);
	for (int t = 0; t < TABLE_COUNT; t++) {
		free(m.met[t].items);
		free(m.met[t].at);
	}
	free(m.sums);
	free(m.parts);
}
