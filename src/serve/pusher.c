/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/pusher.h"

#include "base/clock.h"
#include "export/format.h"
#include "serve/answer.h"

void
pusher_begin(struct pusher *p, struct push *push, uint64_t every_ns)
{
	*p = (struct pusher){ .push = push, .every_ns = every_ns, .from_ns = clock_mono_ns(),
			      .from_real_ns = clock_real_ns() };
	p->due_ns = p->from_ns + every_ns;
}

void
pusher_finish(struct pusher *p)
{
	p->is_last = true;
	p->due_ns = 0;
}

/* One that comes late puts off the others: they do not come all at once. */
static uint64_t
next_due_ns(const struct pusher *p, uint64_t now_ns)
{
	if (p->is_last)
		return UINT64_MAX;
	return p->due_ns + p->every_ns > now_ns ? p->due_ns + p->every_ns : now_ns + p->every_ns;
}

void
pusher_query(struct pusher *p, const struct query *base, struct query *q)
{
	*q = *base;
	format_set_query(FORMAT_PPROF, q);
	q->hide_addresses = false; /* a store is not whoever asks */
	p->asked_ns = clock_mono_ns();
	p->about = (struct push_about){ .from_ns = p->from_real_ns, .until_ns = clock_real_ns() };
	q->window_ns = p->asked_ns - p->from_ns;
	p->due_ns = next_due_ns(p, p->asked_ns);
}

void
pusher_take(struct pusher *p, const struct snapshot *s)
{
	struct err err = { 0 };
	int fd;

	/* One that was asked for before it was to be the last has not all. */
	p->is_done = p->is_last && p->due_ns == UINT64_MAX;
	p->from_ns = p->asked_ns;
	p->from_real_ns = p->about.until_ns;
	/* Stores refuse profiles without samples. */
	if (s->stacks == NULL || s->stacks->node_count <= 1)
		return;
	p->about.rate = s->head.is_freq ? s->head.rate : 0;
	fd = push_is_otlp(p->push) ? answer_make_otlp(s, &err) : answer_make_profile(s, &err);
	push_add(p->push, fd, &p->about, err.text);
}

void
pusher_miss(struct pusher *p)
{
	if (p->is_last)
		p->due_ns = 0;
}
