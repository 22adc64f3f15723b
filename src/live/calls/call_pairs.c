/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_pairs.h"

#include <stdlib.h>

enum {
	DEPTH_MAX = 1 << 14,  /* open calls of a thread: the outermost are forgotten beyond that, ... */
	FORGET_CALLS = DEPTH_MAX / 8, /* ... so many at a time: the others are moved for each */
	THREADS_MAX = 1 << 16,
};

/* What is further above than this is another stack, of a coroutine or of signals. */
#define STACK_BYTES_MAX (UINT64_C(64) << 20)

struct open_call {
	uint64_t sp, begin_ns;
	uint64_t inside_ns; /* what probes have taken in the calls made by it */
};

/* The open calls of a thread, innermost last. */
struct call_thread {
	uint32_t tid;
	struct open_call *calls;
	size_t count, cap;
};

void
call_pairs_init(struct call_pairs *p, const struct call_costs *costs)
{
	*p = (struct call_pairs){ .costs = *costs };
}

void
call_pairs_leave(struct call_pairs *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		free(p->threads[i].calls);
	p->thread_count = 0;
	index_clear(&p->by_tid);
}

void
call_pairs_release(struct call_pairs *p)
{
	call_pairs_leave(p);
	free(p->threads);
	index_release(&p->by_tid);
}

static struct call_thread *
find(const struct call_pairs *p, uint32_t tid)
{
	uint32_t pos, id;

	for (id = index_first(&p->by_tid, hash_mix(tid, 0), &pos); id != 0;
	     id = index_next(&p->by_tid, hash_mix(tid, 0), &pos))
		if (p->threads[id - 1].tid == tid)
			return &p->threads[id - 1];
	return NULL;
}

/* Ended threads are not told: all are forgotten when there are too many. */
static struct call_thread *
find_or_add(struct call_pairs *p, uint32_t tid)
{
	struct call_thread *t = find(p, tid);

	if (t != NULL)
		return t;
	if (p->thread_count == THREADS_MAX)
		call_pairs_forget(p);
	VEC_ADD(p->threads, p->thread_count, p->thread_cap) = (struct call_thread){ .tid = tid };
	index_add(&p->by_tid, hash_mix(tid, 0), (uint32_t)p->thread_count);
	return &p->threads[p->thread_count - 1];
}

void
call_pairs_forget(struct call_pairs *p)
{
	p->unreturned += call_pairs_open(p);
	call_pairs_leave(p);
}

uint64_t
call_pairs_open(const struct call_pairs *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->thread_count; i++)
		sum += p->threads[i].count;
	return sum;
}

/* The innermost call is over; @cost_ns of probes was in it and at its ends. */
static void
pop(struct call_thread *t, uint64_t cost_ns)
{
	t->count--;
	if (t->count > 0)
		t->calls[t->count - 1].inside_ns += cost_ns;
}

/* Those that are left behind: their frames are below @sp. */
static void
leave_below(struct call_pairs *p, struct call_thread *t, uint64_t sp)
{
	while (t->count > 0) {
		const struct open_call *c = &t->calls[t->count - 1];

		if (c->sp >= sp || sp - c->sp > STACK_BYTES_MAX)
			break;
		p->unreturned++;
		pop(t, p->costs.begin_ns + c->inside_ns);
	}
}

static void
forget_outermost(struct call_pairs *p, struct call_thread *t)
{
	p->unreturned += FORGET_CALLS;
	t->count -= FORGET_CALLS;
	memmove(t->calls, t->calls + FORGET_CALLS, t->count * sizeof(*t->calls));
}

void
call_pairs_begin(struct call_pairs *p, uint32_t tid, uint64_t sp, uint64_t time_ns)
{
	struct call_thread *t = find_or_add(p, tid);

	/* A frame at the same place is this one's, so that one has gone. */
	leave_below(p, t, sp + 1);
	if (t->count == DEPTH_MAX)
		forget_outermost(p, t);
	p->begins++;
	p->recursive += t->count > 0;
	VEC_ADD(t->calls, t->count, t->cap) = (struct open_call){ .sp = sp, .begin_ns = time_ns };
}

void
call_pairs_end(struct call_pairs *p, uint32_t tid, uint64_t sp, uint64_t time_ns)
{
	struct call_thread *t = find(p, tid);
	const struct open_call *c;
	uint64_t took, probes;

	if (t != NULL)
		leave_below(p, t, sp);
	c = t != NULL && t->count > 0 ? &t->calls[t->count - 1] : NULL;
	if (c == NULL || c->sp != sp) {
		p->endless++;
		return;
	}
	took = time_ns > c->begin_ns ? time_ns - c->begin_ns : 0;
	probes = p->costs.gap_ns + c->inside_ns;
	histogram_add(&p->times, took > probes ? took - probes : 0);
	pop(t, p->costs.begin_ns + p->costs.end_ns + c->inside_ns);
}
