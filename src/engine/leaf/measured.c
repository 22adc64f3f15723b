/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/measured.h"

#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t
measured_add(struct measured *m, struct profile *profile, const struct event *spec)
{
	uint32_t n = profile_event(profile, spec->name);

	if (n == UINT32_MAX || n < m->event_count)
		return n;
	m->event_count = n + 1;
	m->events[n] = (struct engine_event){ .leader = n };
	event_copy(&m->events[n].spec, spec);
	return n;
}

struct engine_event *
measured_shown(struct measured *m)
{
	return m->shown < m->event_count ? &m->events[m->shown] : NULL;
}

uint32_t
measured_next_member(const struct measured *m, uint32_t n)
{
	uint32_t leader = m->events[n].leader;

	for (uint32_t i = n == leader ? 0 : n + 1; i < m->event_count; i++)
		if (i != leader && m->events[i].leader == leader)
			return i;
	return UINT32_MAX;
}

void
measured_ask(struct measured *m, uint32_t n, const char *text)
{
	for (; n != UINT32_MAX; n = measured_next_member(m, n)) {
		free(m->events[n].asked);
		m->events[n].asked = mem_strdup(text);
	}
}

const char *
measured_name(const struct engine_event *ev)
{
	return ev->opened != NULL ? ev->opened : ev->spec.name;
}

uint64_t
measured_rate(const struct engine_event *ev)
{
	return ev->live != NULL ? session_rate(ev->live) : ev->rate;
}

uint64_t
measured_lost(const struct engine_event *ev)
{
	return tallies_lost(&ev->closed) + ev->lost_now + ev->lost_copies;
}

uint64_t
measured_lost_all(const struct measured *m)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->event_count; i++)
		sum += measured_lost(&m->events[i]);
	return sum;
}

bool
measured_is_shared(const struct event *spec)
{
	return (spec->type == PERF_TYPE_SOFTWARE && !spec->is_clock &&
		spec->looks != EVENT_LOOKS_ALONE) || spec->is_tracepoint ||
	       spec->looks == EVENT_LOOKS_EXACT;
}

void
measured_add_notice(struct engine_event *ev, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (ev->notice_count < SESSION_NOTICES_MAX)
		ev->notices[ev->notice_count++] = mem_strdup(text);
}

void
measured_release(struct measured *m)
{
	for (uint32_t i = 0; i < m->event_count; i++) {
		struct engine_event *ev = &m->events[i];

		event_release(&ev->spec);
		free(ev->opened);
		free(ev->asked);
		tallies_release(&ev->closed);
		free(ev->pace.by_cpu);
		for (size_t n = 0; n < ev->notice_count; n++)
			free(ev->notices[n]);
	}
}
