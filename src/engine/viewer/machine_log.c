/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/machine_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const uint64_t machine_step_ns[MACHINE_TIERS] = {
	NSEC_PER_SEC, 10 * NSEC_PER_SEC, 60 * NSEC_PER_SEC,
};

const size_t machine_steps[MACHINE_TIERS] = { 120, 180, 24 * 60 };

/* The newest of them, in a ring; and what is to become the next. */
struct ring {
	struct machine_state *items;
	size_t room; /* for so many there is memory: it grows with the time that is kept */
	size_t cap, next, len;
	struct machine_state sum; /* each times its length */
	uint64_t since_ns;        /* 0: nothing yet */
};

struct machine_log {
	struct ring tiers[MACHINE_TIERS];
	uint64_t last_ns;
};

enum { VALUES = (sizeof(struct machine_state) - offsetof(struct machine_state, load)) / sizeof(float) };

static float *
values(struct machine_state *s)
{
	return s->load;
}

struct machine_log *
machine_log_new(void)
{
	struct machine_log *l = mem_calloc(1, sizeof(*l));

	/* Readings can come faster than each second. */
	for (int t = 0; t < MACHINE_TIERS; t++)
		l->tiers[t].cap = t == 0 ? 4 * machine_steps[t] : machine_steps[t] + 1;
	return l;
}

void
machine_log_free(struct machine_log *l)
{
	if (l == NULL)
		return;
	for (int t = 0; t < MACHINE_TIERS; t++)
		free(l->tiers[t].items);
	free(l);
}

static void
put(struct ring *r, const struct machine_state *s)
{
	if (r->len == r->room && r->room < r->cap) {
		r->room = MIN(MAX(2 * r->room, 16), r->cap);
		r->items = mem_realloc(r->items, r->room, sizeof(*r->items));
	}
	r->items[r->next] = *s;
	r->next = (r->next + 1) % r->cap;
	r->len = MIN(r->len + 1, r->cap);
}

/* The @n-th before the newest. */
static const struct machine_state *
before_newest(const struct ring *r, size_t n)
{
	return &r->items[(r->next + r->cap - 1 - n) % r->cap];
}

static void
add_weighed(struct machine_state *sum, const struct machine_state *s, double ns)
{
	struct machine_state copy = *s;

	for (int i = 0; i < VALUES; i++)
		values(sum)[i] += (float)((double)values(&copy)[i] * ns / 1e9);
}

static void
divide(struct machine_state *sum, double ns)
{
	for (int i = 0; i < VALUES; i++)
		values(sum)[i] = (float)((double)values(sum)[i] * 1e9 / ns);
}

/* A step is over with the first reading in the next: a mean is of whole readings. */
static void
add_to_step(struct ring *r, uint64_t step_ns, const struct machine_state *s)
{
	if (r->since_ns == 0)
		r->since_ns = s->from_ns;
	add_weighed(&r->sum, s, (double)(s->to_ns - s->from_ns));
	if (s->to_ns / step_ns == r->since_ns / step_ns)
		return;
	divide(&r->sum, (double)(s->to_ns - r->since_ns));
	r->sum.from_ns = r->since_ns;
	r->sum.to_ns = s->to_ns;
	put(r, &r->sum);
	r->sum = (struct machine_state){ 0 };
	r->since_ns = s->to_ns;
}

void
machine_log_add(struct machine_log *l, const struct proc_tick_msg *t)
{
	const struct proc_cpu *c = &t->all;
	struct machine_state s = {
		.from_ns = l->last_ns, .to_ns = t->clock_ns,
		.load = { (float)t->load[0], (float)t->load[1], (float)t->load[2] },
		.tasks = (float)t->tasks, .running = (float)t->running,
		.user = c->user / 100, .system = c->system / 100, .softirq = c->softirq / 100,
		.idle = c->idle / 100, .iowait = c->iowait / 100, .steal = c->steal / 100,
	};

	l->last_ns = t->clock_ns;
	/* The first one does not tell since when it is. */
	if (s.from_ns == 0 || s.to_ns <= s.from_ns)
		return;
	put(&l->tiers[0], &s);
	for (int tier = 1; tier < MACHINE_TIERS; tier++)
		add_to_step(&l->tiers[tier], machine_step_ns[tier], &s);
}

/* How much of the two is the same time. */
static uint64_t
overlap_ns(const struct machine_state *s, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = MAX(s->from_ns, from_ns), to = MIN(s->to_ns, to_ns);

	return to > from ? to - from : 0;
}

static uint64_t
sum_up(const struct ring *r, uint64_t from_ns, uint64_t to_ns, struct machine_state *out)
{
	uint64_t all_ns = 0;

	*out = (struct machine_state){ .from_ns = from_ns, .to_ns = to_ns };
	for (size_t n = 0; n < r->len; n++) {
		const struct machine_state *s = before_newest(r, n);
		uint64_t ns = overlap_ns(s, from_ns, to_ns);

		if (s->to_ns <= from_ns)
			break;
		add_weighed(out, s, (double)ns);
		all_ns += ns;
	}
	if (all_ns > 0)
		divide(out, (double)all_ns);
	return all_ns;
}

bool
machine_log_mean(const struct machine_log *l, uint64_t from_ns, uint64_t to_ns,
		 struct machine_state *out)
{
	struct machine_state s;
	uint64_t most_ns = 0;

	for (int t = 0; t < MACHINE_TIERS; t++) {
		uint64_t ns = sum_up(&l->tiers[t], from_ns, to_ns, &s);

		/* A coarser one is better only where it reaches further back. */
		if (ns > most_ns + (to_ns - from_ns) / 10) {
			most_ns = ns;
			*out = s;
		}
	}
	return most_ns > 0;
}

/* Its part of each of the steps from @begin_ns on that it lies in. */
static void
add_to_steps(const struct machine_state *s, uint64_t begin_ns, uint64_t step_ns, float *busy,
	     float *known, size_t len)
{
	size_t i = s->from_ns > begin_ns ? (size_t)((s->from_ns - begin_ns) / step_ns) : 0;

	for (; i < len && begin_ns + i * step_ns < s->to_ns; i++) {
		uint64_t ns = overlap_ns(s, begin_ns + i * step_ns, begin_ns + (i + 1) * step_ns);

		busy[i] += (1 - s->idle - s->iowait) * (float)ns;
		known[i] += (float)ns;
	}
}

void
machine_log_busy(const struct machine_log *l, int tier, uint64_t end_ns, float *busy, size_t len)
{
	const uint64_t step_ns = machine_step_ns[tier];
	uint64_t begin_ns = end_ns - MIN(end_ns, len * step_ns);
	const struct ring *r = &l->tiers[tier];
	float *known = mem_calloc(len + 1, sizeof(*known));

	memset(busy, 0, len * sizeof(*busy));
	for (size_t n = 0; n < r->len && before_newest(r, n)->to_ns > begin_ns; n++)
		add_to_steps(before_newest(r, n), begin_ns, step_ns, busy, known, len);
	/* What is not yet a step is known by its readings. */
	for (size_t n = 0; tier > 0 && n < l->tiers[0].len; n++) {
		const struct machine_state *s = before_newest(&l->tiers[0], n);

		if (s->from_ns < r->since_ns || r->since_ns == 0)
			break;
		add_to_steps(s, begin_ns, step_ns, busy, known, len);
	}
	for (size_t i = 0; i < len; i++)
		busy[i] = known[i] > 0 ? busy[i] / known[i] : NAN;
	free(known);
}

size_t
machine_log_bytes(const struct machine_log *l)
{
	size_t bytes = sizeof(*l);

	for (int t = 0; t < MACHINE_TIERS; t++)
		bytes += l->tiers[t].room * sizeof(*l->tiers[t].items);
	return bytes;
}

size_t
machine_log_bound(const struct machine_log *l)
{
	size_t bytes = sizeof(*l);

	for (int t = 0; t < MACHINE_TIERS; t++)
		bytes += l->tiers[t].cap * sizeof(*l->tiers[t].items);
	return bytes;
}
