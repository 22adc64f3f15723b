/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/counter_past.h"

#include "view/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_LEAST_NS (NSEC_PER_SEC * 9 / 10) /* a refresh each second is one, whatever it wavers */

struct counter_second {
	uint64_t begin_ns, end_ns;
	double counts[]; /* by event, NAN: not known */
};

void
counter_past_release(struct counter_past *p)
{
	for (size_t i = 0; i < p->len; i++)
		free(p->units[i]);
	p->len = 0;
}

static struct counter_second *
add_unit(struct counter_past *p, uint64_t begin_ns)
{
	struct counter_second *u = mem_calloc(1, sizeof(*u) + p->event_count * sizeof(u->counts[0]));

	if (p->len == COUNTER_PAST_UNITS) {
		free(p->units[0]);
		memmove(p->units, p->units + 1, --p->len * sizeof(*p->units));
	}
	u->begin_ns = u->end_ns = begin_ns;
	p->units[p->len++] = u;
	return u;
}

void
counter_past_add(struct counter_past *p, const struct counting_part *before,
		 const struct counting_part *now, size_t event_count)
{
	struct counter_second *u = p->len > 0 ? p->units[p->len - 1] : NULL;

	p->event_count = event_count;
	if (u == NULL || u->end_ns - u->begin_ns >= UNIT_LEAST_NS)
		u = add_unit(p, before->time_ns);
	for (size_t i = 0; i < event_count; i++) {
		bool is_scaled;
		uint64_t n;

		u->counts[i] += counter_between(&before->values[i], &now->values[i], &n, &is_scaled)
					? (double)n : NAN;
	}
	u->end_ns = now->time_ns;
}

static double
length_s(const struct counter_second *u)
{
	return (double)(u->end_ns - u->begin_ns) / 1e9;
}

/* A unit belongs to the stretch that its middle lies in. */
static bool
is_in(const struct counter_second *u, const struct counter_stretch *s)
{
	uint64_t middle_ns = u->begin_ns + (u->end_ns - u->begin_ns) / 2;

	return middle_ns > s->from_ns && middle_ns <= s->to_ns;
}

static double
count_in(const struct counter_second *u, int event)
{
	return event == COUNTER_PAST_TIME ? length_s(u) : u->counts[event];
}

/* false: it cannot be told of that time. */
static bool
ratio_in(const struct counter_second *u, int part, int whole, double *ratio)
{
	double all = count_in(u, whole);

	*ratio = count_in(u, part) / all;
	return all > 0 && !isnan(*ratio);
}

uint64_t
counter_past_begin_ns(const struct counter_past *p)
{
	return p->units[0]->begin_ns;
}

double
counter_past_known_s(const struct counter_past *p, const struct counter_stretch *s)
{
	double sum = 0;

	for (size_t i = 0; i < p->len; i++)
		sum += is_in(p->units[i], s) ? length_s(p->units[i]) : 0;
	return sum;
}

static double
add_stretch(const struct counter_past *p, int part, int whole, const struct counter_stretch *s,
	    double scale, struct share_moments *m)
{
	double ratio, seconds = 0;

	for (size_t i = 0; i < p->len; i++) {
		if (!is_in(p->units[i], s) || !ratio_in(p->units[i], part, whole, &ratio))
			continue;
		share_add(m, count_in(p->units[i], part), count_in(p->units[i], whole) * scale);
		seconds += length_s(p->units[i]);
	}
	return m->units > 0 ? seconds / m->units : 1;
}

/* So many events, if each came by itself, would be as vague as these. */
static struct share_sums
sums_of(const struct counter_past *p, int part, int whole, const struct counter_stretch *s,
	double scale)
{
	const struct counter_stretch more = {
		s->to_ns - MIN(s->to_ns, SHARE_SPREAD_S * NSEC_PER_SEC), s->to_ns };
	struct share_sums sums = { .merged = { .units = 0 } };

	sums.unit_s = add_stretch(p, part, whole, s, scale, &sums.window);
	sums.spread_unit_s = add_stretch(p, part, whole, &more, scale, &sums.spread);
	sums.samples = sums.window.all;
	return sums;
}

void
counter_past_compare(const struct counter_past *p, int part, int whole,
		     const struct counter_stretch *now, const struct counter_stretch *then,
		     struct difference *d)
{
	struct share_sums a, b;
	double ratio;

	*d = (struct difference){ .now_per_s = NAN, .then_per_s = NAN };
	for (size_t i = 0; i < p->len; i++)
		if (ratio_in(p->units[i], part, whole, &ratio))
			d->scale = MAX(d->scale, ratio);
	a = sums_of(p, part, whole, now, MAX(d->scale, 1e-9));
	b = sums_of(p, part, whole, then, MAX(d->scale, 1e-9));
	share_compare(&d->change, &a, &b);
	if (a.window.units == 0)
		d->change.now = d->change.delta = NAN;
	if (b.window.units == 0)
		d->change.then = d->change.delta = NAN;
}
