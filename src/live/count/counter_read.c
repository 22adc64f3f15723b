/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From descriptors to counts: the layouts of read_format, summed over places. */
#include "live/count/counter_impl.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* What one descriptor tells of one event. */
struct part {
	bool is_seen;
	uint64_t value, enabled_ns, running_ns, lost;
};

/* The descriptors of one place under way. */
struct place_read {
	const struct counters *c;
	size_t place;
	struct part *parts; /* by slot */
	uint64_t *words;
	size_t room;
};

static size_t
slot_of(const struct place_read *r, uint64_t id)
{
	for (size_t s = 0; s < r->c->slot_count; s++) {
		const struct counter_fd *f = counters_fd(r->c, r->place, s);

		if (f->fd >= 0 && f->id == id)
			return s;
	}
	return SIZE_MAX;
}

/* { nr, enabled, running, { value, id[, lost] } * nr } */
static void
read_group(struct place_read *r, size_t len)
{
	const uint64_t *b = r->words;
	bool has_lost = r->c->format & ABI_FORMAT_LOST;
	size_t words = has_lost ? 3 : 2;

	if (len < 3 || b[0] > r->c->slot_count || len < 3 + b[0] * words)
		return;
	for (size_t i = 0; i < b[0]; i++) {
		const uint64_t *v = b + 3 + i * words;
		size_t slot = slot_of(r, v[1]);

		if (slot != SIZE_MAX)
			r->parts[slot] = (struct part){ true, v[0], b[1], b[2],
							has_lost ? v[2] : 0 };
	}
}

/* { value, enabled, running, id[, lost] } */
static void
read_single(struct place_read *r, size_t slot, size_t len)
{
	const uint64_t *b = r->words;
	bool has_lost = r->c->format & ABI_FORMAT_LOST;

	if (len >= (has_lost ? 5 : 4))
		r->parts[slot] = (struct part){ true, b[0], b[1], b[2], has_lost ? b[4] : 0 };
}

static void
read_fds(struct place_read *r)
{
	const struct counters *c = r->c;
	bool is_grouped = c->format & PERF_FORMAT_GROUP;

	for (size_t s = 0; s < c->slot_count; s++) {
		const struct counter_fd *f = counters_fd(c, r->place, s);
		int n;

		if (f->fd < 0 || (is_grouped && !f->leads))
			continue;
		n = c->sys->read(c->sys, f->fd, r->words, r->room);
		if (n < 0)
			continue;
		if (is_grouped)
			read_group(r, (size_t)n / sizeof(*r->words));
		else
			read_single(r, s, (size_t)n / sizeof(*r->words));
	}
}

/* Never waits for hardware. */
static bool
is_always_running(const struct counter_slot *s)
{
	return s->plan.attr.type == PERF_TYPE_SOFTWARE || s->plan.attr.type == PERF_TYPE_TRACEPOINT;
}

/*
 * An event of a task on one CPU is enabled while the task runs on another one, too.  How long it
 * ran here, an event that always runs knows.
 */
static void
mend_times(struct place_read *r)
{
	const struct counter_place *at = &r->c->places[r->place];
	const struct part *known = NULL;

	if (at->tid < 0 || at->cpu < 0)
		return;
	for (size_t s = 0; s < r->c->slot_count && known == NULL; s++)
		if (r->parts[s].is_seen && is_always_running(&r->c->slots[s]))
			known = &r->parts[s];
	for (size_t s = 0; s < r->c->slot_count; s++) {
		struct part *p = &r->parts[s];

		if (known != NULL)
			p->enabled_ns = MIN(p->enabled_ns, MAX(known->running_ns, p->running_ns));
		else
			p->is_seen = p->running_ns == p->enabled_ns;
	}
}

/* An event with a descriptor here that gave no value is unread. */
static void
sum_up(const struct place_read *r, struct counter_value *sums)
{
	for (size_t s = 0; s < r->c->slot_count; s++) {
		const struct part *p = &r->parts[s];

		sums[s].is_unread |= counters_fd(r->c, r->place, s)->fd >= 0 && !p->is_seen;
		sums[s].raw += p->value;
		sums[s].lost += p->lost;
		sums[s].enabled_ns += p->enabled_ns;
		sums[s].running_ns += p->running_ns;
	}
}

/*
 * The core PMUs of a hybrid machine share an event's time: each runs while the others do not.  Its
 * sites all run.
 */
static void
add_slot(struct counter_value *v, const struct counter_value *sum, bool is_site)
{
	v->raw += sum->raw;
	v->lost += sum->lost;
	v->running_ns += sum->running_ns;
	v->enabled_ns = is_site ? v->enabled_ns + sum->enabled_ns
				: MAX(v->enabled_ns, sum->enabled_ns);
	v->is_unread |= sum->is_unread;
}

static void
begin(struct place_read *r, const struct counters *c)
{
	*r = (struct place_read){ .c = c, .room = 3 + 3 * (c->slot_count + 1) };
	r->parts = mem_calloc(c->slot_count + 1, sizeof(*r->parts));
	r->words = mem_calloc(r->room, sizeof(*r->words));
}

static void
read_place(struct place_read *r, size_t place, struct counter_value *sums)
{
	r->place = place;
	memset(r->parts, 0, r->c->slot_count * sizeof(*r->parts));
	read_fds(r);
	mend_times(r);
	sum_up(r, sums);
}

static void
end(struct place_read *r)
{
	free(r->words);
	free(r->parts);
}

void
counters_read_place(const struct counters *c, size_t place, struct counter_value *sums)
{
	struct place_read r;

	begin(&r, c);
	read_place(&r, place, sums);
	end(&r);
}

uint64_t
counters_sum(const struct counters *c, struct counter_value *values)
{
	struct counter_value *sums = mem_calloc(c->slot_count + 1, sizeof(*sums));
	uint64_t now = clock_mono_ns();
	struct place_read r;

	memcpy(sums, c->ended, c->slot_count * sizeof(*sums));
	begin(&r, c);
	for (size_t p = 0; p < c->place_count; p++)
		read_place(&r, p, sums);
	end(&r);
	memset(values, 0, c->event_count * sizeof(*values));
	for (size_t s = 0; s < c->slot_count; s++)
		add_slot(&values[c->slots[s].event], &sums[s], c->slots[s].site != SIZE_MAX);
	for (size_t i = 0; i < c->event_count; i++)
		values[i].is_refused = c->events[i].is_refused;
	free(sums);
	return now;
}

bool
counter_between(const struct counter_value *before, const struct counter_value *now,
		uint64_t *count, bool *is_scaled)
{
	static const struct counter_value none;
	const struct counter_value *from = before != NULL ? before : &none;
	uint64_t raw = now->raw - from->raw;
	uint64_t enabled_ns = now->enabled_ns - from->enabled_ns;
	uint64_t running_ns = now->running_ns - from->running_ns;

	*is_scaled = running_ns < enabled_ns;
	*count = raw;
	if (now->is_refused || now->is_unread || from->is_unread || now->raw < from->raw)
		return false;
	if (!*is_scaled)
		return true;
	/* It never ran while it should have: a task that sleeps is not enabled, and counts 0. */
	if (running_ns == 0)
		return false;
	*count = (uint64_t)((long double)raw * (long double)enabled_ns /
			    (long double)running_ns);
	return true;
}
