/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each sum has in the seconds of the intervals that are merged, and how these differ. */
#include "profile/count/past_impl.h"

/* Of the new interval: a second, or what was merged before. */
struct part {
	size_t first; /* of the intervals that are merged */
	uint32_t seconds;
	double mean;  /* what all have in a second */
};

/*
 * How many of the pairs of seconds that follow each other are told by the part alone: those within,
 * and, where parts were merged before, the one with the part before it, of which no more is known.
 */
static double
pairs_of(const struct merge *m, size_t part)
{
	bool is_merged = m->tier != LOG_NEWEST;

	return m->parts[part].seconds - (is_merged && part > 0 ? 0 : 1);
}

/* What all have in the seconds next to it, where pairs with these are known. */
static double
next_to(const struct merge *m, size_t part)
{
	if (m->tier != LOG_NEWEST)
		return 0;
	return (part > 0 ? m->parts[part - 1].mean : 0) +
	       (part + 1 < m->part_len ? m->parts[part + 1].mean : 0);
}

/* The part that @s had something of last is over. */
static void
end_part(const struct merge *m, struct sum *s)
{
	const struct part *part;
	double mean, pairs;

	if (s->part == 0)
		return;
	part = &m->parts[s->part - 1];
	mean = s->now / part->seconds;
	pairs = pairs_of(m, s->part - 1);
	s->of_of += mean * s->now + s->squares;
	s->of_all += s->now * part->mean;
	s->of_of_next += pairs * mean * mean;
	s->of_of_next += part->seconds > 1 ? s->lagged * pairs / (part->seconds - 1) : 0;
	s->cross_next += mean * (2 * pairs * part->mean + next_to(m, s->part - 1));
	if (m->tier == LOG_NEWEST && s->before != 0 && s->before + 1 == s->part)
		s->of_of_next += s->before_mean * mean;
	s->before = s->part;
	s->before_mean = mean;
	s->now = s->squares = s->lagged = 0;
}

static void
add(const struct merge *m, struct sum *s, size_t part, const struct interval *iv,
    const struct delta *d)
{
	double squares, lagged;

	if (s->part != part) {
		end_part(m, s);
		s->part = (uint32_t)part;
	}
	s->samples += d->samples;
	s->period += d->period;
	s->now += (double)d->period;
	if (iv->seconds == 0)
		return;
	log_moments(iv, d, &squares, &lagged);
	s->squares += squares;
	s->lagged += lagged;
}

/*
 * Intervals can be shorter than a second, then several are a part; or longer: time in which nothing
 * was sampled; or of no length: samples that come late.  @part_ns: how long the last part is so far.
 */
static bool
begins_part(const struct merge *m, const struct interval *iv, uint64_t part_ns)
{
	if (m->part_len == 0 || iv->seconds > 0)
		return true;
	/* A refresh may be a little early. */
	return part_ns >= NSEC_PER_SEC / 10 * 9 && iv->end_ns > iv->start_ns;
}

static uint32_t
whole_seconds(uint64_t ns)
{
	return (uint32_t)MIN(MAX((ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC, 1), INT32_MAX);
}

static void
find_parts(struct merge *m)
{
	uint64_t part_ns = 0;

	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = past_source(m, n);
		struct part *part;

		if (iv == NULL)
			continue;
		if (begins_part(m, iv, part_ns)) {
			VEC_ADD(m->parts, m->part_len, m->part_cap) = (struct part){ n, 1, 0 };
			part_ns = 0;
		}
		part = &m->parts[m->part_len - 1];
		part_ns += iv->end_ns - iv->start_ns;
		part->mean += (double)iv->period;
		part->seconds = iv->seconds > 0 ? iv->seconds : whole_seconds(part_ns);
	}
	for (size_t i = 0; i < m->part_len; i++) {
		struct part *part = &m->parts[i];

		part->mean /= part->seconds;
		m->seconds = MIN(m->seconds + part->seconds, INT32_MAX);
		m->all_all += part->mean * part->mean * part->seconds;
		m->all_all_next += part->mean * part->mean * pairs_of(m, i);
		if (m->tier == LOG_NEWEST && i > 0)
			m->all_all_next += part->mean * part[-1].mean;
	}
}

void
past_add_up(struct merge *m)
{
	struct delta d;
	size_t part = 0;

	find_parts(m);
	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = past_source(m, n);
		struct log_pos pos = { 0 };

		if (iv == NULL)
			continue;
		part += part < m->part_len && m->parts[part].first == n;
		while (log_next(&m->p->log, iv, &pos, &d))
			add(m, &m->sums[past_meet(&m->met[d.table], d.id)->goes_to - 1], part, iv, &d);
	}
	for (size_t i = 0; i < m->sum_len; i++)
		end_part(m, &m->sums[i]);
}

/* What its seconds have more or less than its part of all; what is left of none is rounding. */
void
past_set_moments(const struct merge *m, struct delta *d, const struct sum *s, double usual)
{
	double p = m->period > 0 ? (double)s->period / (double)m->period : 0;
	double squares = s->of_of - 2 * p * s->of_all + p * p * m->all_all;
	double lagged = s->of_of_next - p * s->cross_next + p * p * m->all_all_next;

	log_set_moments(d, usual, squares > s->of_of * 1e-12 ? squares : 0, lagged);
}
