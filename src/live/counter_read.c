/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From descriptors to counts: the layouts of read_format, summed over places. */
#include "live/counter_impl.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* What one descriptor tells of one event. */
struct part {
	uint64_t value, enabled_ns, running_ns, id, lost;
};

static void
add_part(struct counter_value *sum, const struct part *p)
{
	sum->raw += p->value;
	sum->lost += p->lost;
	sum->enabled_ns += p->enabled_ns;
	sum->running_ns += p->running_ns;
}

static size_t
slot_of(const struct counters *c, size_t place, uint64_t id)
{
	for (size_t s = 0; s < c->slot_count; s++) {
		const struct counter_fd *f = counters_fd(c, place, s);

		if (f->fd >= 0 && f->id == id)
			return s;
	}
	return SIZE_MAX;
}

static size_t
words_of(uint64_t format)
{
	return format & ABI_FORMAT_LOST ? 3 : 2;
}

/* { nr, enabled, running, { value, id[, lost] } * nr }; false: it is not that. */
static bool
take_group(const struct counters *c, size_t place, const uint64_t *b, size_t len,
	   struct counter_value *sums, bool *seen)
{
	size_t words = words_of(c->format);

	if (len < 3 || b[0] > c->slot_count || len < 3 + b[0] * words)
		return false;
	for (size_t i = 0; i < b[0]; i++) {
		const uint64_t *v = b + 3 + i * words;
		size_t slot = slot_of(c, place, v[1]);

		if (slot == SIZE_MAX)
			return false;
		seen[slot] = true;
		add_part(&sums[slot], &(struct part){ v[0], b[1], b[2], v[1],
						      words > 2 ? v[2] : 0 });
	}
	return true;
}

/* { value, enabled, running, id[, lost] } */
static bool
take_single(const struct counters *c, size_t slot, const uint64_t *b, size_t len,
	    struct counter_value *sums, bool *seen)
{
	if (len < 2 + words_of(c->format))
		return false;
	seen[slot] = true;
	add_part(&sums[slot], &(struct part){ b[0], b[1], b[2], b[3],
					      c->format & ABI_FORMAT_LOST ? b[4] : 0 });
	return true;
}

/* Sums up what the descriptors of a place tell; an event that none of them tells of is unread. */
static void
read_place(const struct counters *c, size_t place, uint64_t *b, size_t room,
	   struct counter_value *sums, bool *seen)
{
	bool is_grouped = c->format & PERF_FORMAT_GROUP;

	memset(seen, 0, c->slot_count * sizeof(*seen));
	for (size_t s = 0; s < c->slot_count; s++) {
		const struct counter_fd *f = counters_fd(c, place, s);
		int n;

		if (f->fd < 0 || (is_grouped && !f->leads))
			continue;
		n = c->sys->read(c->sys, f->fd, b, room);
		if (n < 0)
			continue;
		if (is_grouped)
			take_group(c, place, b, (size_t)n / sizeof(*b), sums, seen);
		else
			take_single(c, s, b, (size_t)n / sizeof(*b), sums, seen);
	}
	for (size_t s = 0; s < c->slot_count; s++)
		sums[s].is_unread |= counters_fd(c, place, s)->fd >= 0 && !seen[s];
}

/* The core PMUs of a hybrid machine share an event's time: each runs while the others do not. */
static void
add_slot(struct counter_value *v, const struct counter_value *sum)
{
	v->raw += sum->raw;
	v->lost += sum->lost;
	v->running_ns += sum->running_ns;
	v->enabled_ns = MAX(v->enabled_ns, sum->enabled_ns);
	v->is_unread |= sum->is_unread;
}

uint64_t
counters_read(struct counters *c, struct counter_value *values)
{
	size_t room = 3 + 3 * (c->slot_count + 1);
	struct counter_value *sums = mem_calloc(c->slot_count + 1, sizeof(*sums));
	bool *seen = mem_calloc(c->slot_count + 1, sizeof(*seen));
	uint64_t *b = mem_calloc(room, sizeof(*b));
	uint64_t now = clock_mono_ns();

	for (size_t p = 0; p < c->place_count; p++)
		read_place(c, p, b, room, sums, seen);
	memset(values, 0, c->event_count * sizeof(*values));
	for (size_t s = 0; s < c->slot_count; s++)
		add_slot(&values[c->slots[s].event], &sums[s]);
	for (size_t i = 0; i < c->event_count; i++)
		values[i].is_refused = c->events[i].is_refused;
	free(b);
	free(seen);
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
	/* It never ran while it should have; a task that sleeps is not enabled either: it counts 0. */
	if (running_ns == 0)
		return false;
	*count = (uint64_t)((long double)raw * (long double)enabled_ns / (long double)running_ns);
	return true;
}
