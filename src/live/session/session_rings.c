/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rings of a session, and what becomes of descriptors that came, went or were opened anew. */
#include "live/session/session_impl.h"

#include "live/session/past_ring.h"
#include "live/session/rings_msg.h"

#include <stdlib.h>
#include <string.h>

struct session_ring *
session_rings(struct session *s, size_t *count)
{
	*count = s != NULL ? s->ring_count : 0;
	return s != NULL ? s->rings : NULL;
}

void
session_copy_past(const struct session *s, struct buf *out)
{
	const struct sys *sys = s->config.sys;

	for (size_t i = 0; i < s->ring_count; i++) {
		const struct session_ring *r = &s->rings[i];

		if (r->past == NULL)
			continue;
		sys->pause_output(sys, r->past_fd, true);
		past_ring_copy(r->past, out);
		sys->pause_output(sys, r->past_fd, false);
	}
}

size_t
session_past_bytes(const struct session *s)
{
	size_t sum = 0;

	for (size_t i = 0; s != NULL && i < s->ring_count; i++)
		sum += s->rings[i].past != NULL ? past_ring_bytes(s->rings[i].past) : 0;
	return sum;
}

/* On their way to be closed: what they have sampled is in the rings. */
static void
let_go(struct session *s, struct session_event *ev, struct event_fds *gone,
       struct session_rings_msg *m)
{
	event_fds_disable(gone, s->config.sys);
	event_fds_tally(gone, s->config.sys, ev->read_format, &ev->gone);
	m->closed = mem_realloc(m->closed, m->closed_count + gone->len + 1, sizeof(*m->closed));
	for (size_t i = 0; i < gone->len; i++)
		m->closed[m->closed_count++] = gone->items[i].id;
	closer_take(s->opener.closer, gone);
}

static void
begin(const struct session *s, const struct session_event *ev, const struct event_fds *fds)
{
	if (!ev->is_stopped)
		event_fds_enable(fds, s->config.sys);
}

void
session_begin(struct session *s, const struct session_opened_msg *m)
{
	if (m->begins)
		begin(s, m->event, &m->event->fds);
}

/* What stands in for the old descriptors begins when they have ended. */
static void
replace_fds(struct session *s, struct session_event *ev, struct rings_part *part,
	    struct session_rings_msg *m)
{
	if (part->fds.len == 0)
		return; /* it could not be opened anew: what there is is better than nothing */
	let_go(s, ev, &ev->fds, m);
	begin(s, ev, &part->fds);
	ev->rate = part->rate;
}

static void
take_ended(struct event_fds *fds, const struct tasks *ended, struct event_fds *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < fds->len; i++) {
		if (tasks_has(ended, fds->items[i].tid))
			event_fds_add(out, fds->items[i]);
		else
			fds->items[kept++] = fds->items[i];
	}
	fds->len = kept;
}

static void
adopt_part(struct session *s, struct rings_part *part, struct session_rings_msg *m)
{
	struct session_event *ev = part->event;
	struct event_fds gone = { 0 };

	if (ev->is_closed) {
		closer_take(s->opener.closer, &part->fds);
		return;
	}
	event_fds_take(&ev->fds, m->gone, m->gone_count, m->detached, &gone);
	take_ended(&ev->fds, &part->ended, &gone);
	if (gone.len > 0)
		let_go(s, ev, &gone, m);
	if (part->replaces)
		replace_fds(s, ev, part, m);
	if (part->begins)
		begin(s, ev, &part->fds);
	event_fds_append(&ev->fds, &part->fds);
}

static void
learn_cpus(struct session *s, struct session_rings_msg *m)
{
	s->cpus_known = m->cpus_known;
	free(s->missing);
	free(s->missing_remedy);
	s->missing = m->missing;
	s->missing_remedy = m->remedy;
	m->missing = m->remedy = NULL;
}

void
session_adopt_rings(struct session *s, struct session_rings_msg *m)
{
	struct rings_msg *full = (struct rings_msg *)m;

	if (m->tells_cpus)
		learn_cpus(s, m);

	/* Those of a group before their leader: without it they would be events of their own. */
	for (size_t i = full->part_count; i-- > 0;)
		adopt_part(s, &full->parts[i], m);
	for (size_t i = 0; i < s->ring_count; i++) {
		for (size_t j = 0; j < m->gone_count; j++)
			s->rings[i].is_closing |= s->rings[i].cpu == m->gone[j];
	}
	s->rings = mem_realloc(s->rings, s->ring_count + m->added_count + 1, sizeof(*s->rings));
	for (size_t i = 0; i < m->added_count; i++)
		s->rings[s->ring_count++] = m->added[i];
	m->added_count = 0;
}

void
session_drop_ring(struct session *s, size_t i)
{
	session_ring_close(&s->rings[i]);
	memmove(&s->rings[i], &s->rings[i + 1], (s->ring_count - i - 1) * sizeof(*s->rings));
	s->ring_count--;
}
