/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/losses.h"

#include <stdlib.h>

#include "base/text.h"

/* The kernel goes on at its next tick: a longer pair has missed the records between. */
#define THROTTLED_MAX_NS NSEC_PER_SEC

enum { CPUS_NAMED = 8 };

void
losses_release(struct losses *l)
{
	free(l->cpus);
}

static struct loss_cpu *
cpu_of(struct losses *l, unsigned cpu)
{
	if (cpu >= LOSS_CPUS_MAX)
		return NULL;
	vec_reserve(&l->cpus, &l->cpu_cap, (size_t)cpu + 1, sizeof(*l->cpus));
	while (l->cpu_len <= cpu)
		l->cpus[l->cpu_len++] = (struct loss_cpu){ 0 };
	return &l->cpus[cpu];
}

void
losses_lost(struct losses *l, unsigned cpu, uint64_t count)
{
	struct loss_cpu *c = cpu_of(l, cpu);

	if (c != NULL)
		c->lost += count;
}

void
losses_throttle(struct losses *l, unsigned cpu, uint64_t ns, bool begins)
{
	struct loss_cpu *c = cpu_of(l, cpu);

	if (c == NULL)
		return;
	if (begins) {
		c->throttled++;
		c->since_ns = ns;
		return;
	}
	if (c->since_ns != 0 && ns > c->since_ns && ns - c->since_ns < THROTTLED_MAX_NS) {
		c->throttled_ns += ns - c->since_ns;
		l->throttled_ns += ns - c->since_ns;
	}
	c->since_ns = 0;
}

uint64_t
losses_all(const struct losses *l, uint64_t counted)
{
	return MAX(counted + l->unmeasured, l->counts[LOSS_SAMPLES]) + l->skipped +
	       l->counts[LOSS_SIDEBAND];
}

static const struct loss_mark *
mark_at(const struct losses *l, uint64_t n)
{
	return &l->marks[n % LOSS_MARKS];
}

void
losses_mark(struct losses *l, uint64_t ns, uint64_t sum)
{
	const uint64_t since_ns = l->looked_ns;

	l->looked_ns = ns;
	if (sum == (l->mark_count > 0 ? mark_at(l, l->mark_count - 1)->sum : 0))
		return;
	l->marks[l->mark_count++ % LOSS_MARKS] = (struct loss_mark){ since_ns, ns, sum };
}

uint64_t
losses_between(const struct losses *l, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first = l->mark_count > LOSS_MARKS ? l->mark_count - LOSS_MARKS : 0;
	uint64_t before = 0, sum;

	/* What was lost before the oldest that is kept belongs to no part of the time. */
	if (first > 0)
		before = mark_at(l, first++)->sum;
	sum = before;
	for (uint64_t i = first; i < l->mark_count; i++) {
		const struct loss_mark *m = mark_at(l, i);

		if (m->ns <= from_ns)
			before = m->sum;
		if (m->since_ns >= to_ns)
			break;
		sum = m->sum;
		if (m->ns >= to_ns)
			break;
	}
	return sum > before ? sum - before : 0;
}

static uint64_t
lost_of(const struct loss_cpu *c)
{
	return c->lost;
}

static uint64_t
throttled_of(const struct loss_cpu *c)
{
	return c->throttled_ns;
}

static void
add_samples(struct buf *b, uint64_t n)
{
	text_add_count(b, (double)n);
}

static void
add_time(struct buf *b, uint64_t ns)
{
	buf_addf(b, "%.3f s", (double)ns / 1e9);
}

static void
put_most(const struct losses *l, struct buf *b, const char *what,
	 uint64_t (*value)(const struct loss_cpu *c), void (*add)(struct buf *b, uint64_t n))
{
	size_t most[CPUS_NAMED], n = 0;

	for (size_t i = 0; i < l->cpu_len; i++) {
		size_t at = n < CPUS_NAMED ? n : CPUS_NAMED - 1;

		if (value(&l->cpus[i]) == 0 ||
		    (n == CPUS_NAMED && value(&l->cpus[i]) <= value(&l->cpus[most[at]])))
			continue;
		for (; at > 0 && value(&l->cpus[most[at - 1]]) < value(&l->cpus[i]); at--)
			most[at] = most[at - 1];
		most[at] = i;
		n = MIN(n + 1, (size_t)CPUS_NAMED);
	}
	for (size_t i = 0; i < n; i++) {
		buf_addf(b, "%s%zu: ", i == 0 ? what : ", CPU ", most[i]);
		add(b, value(&l->cpus[most[i]]));
	}
	buf_add_str(b, n > 0 ? "\n" : "");
}

void
losses_put(const struct losses *l, struct buf *b)
{
	put_most(l, b, "most samples were lost on CPU ", lost_of, add_samples);
	put_most(l, b, "the kernel throttled sampling longest on CPU ", throttled_of, add_time);
}
