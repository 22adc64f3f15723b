/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/intake/switches.h"

#include "base/index.h"

#include <stdlib.h>

struct switches {
	struct switch_wait *waits; /* [0] is none; data NULL: free */
	size_t len, cap;
	struct index by_tid;
	uint32_t *free;            /* a stack of those that are */
	size_t free_len, free_cap;
	struct switch_wait *over;  /* first in, first out: from over_at on */
	size_t over_at, over_len, over_cap;
	size_t settled;            /* those before it may be taken */
	size_t bytes;
	uint64_t unknown;
};

struct switches *
switches_new(void)
{
	struct switches *s = mem_calloc(1, sizeof(*s));

	VEC_ADD(s->waits, s->len, s->cap) = (struct switch_wait){ 0 };
	return s;
}

void
switches_free(struct switches *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->len; i++)
		free(s->waits[i].data);
	for (size_t i = s->over_at; i < s->over_len; i++)
		free(s->over[i].data);
	index_release(&s->by_tid);
	free(s->waits);
	free(s->free);
	free(s->over);
	free(s);
}

static uint64_t
tid_hash(uint32_t tid)
{
	return hash_mix(tid, 0);
}

/* 0: it does not wait. */
static uint32_t
find(const struct switches *s, uint32_t tid)
{
	uint64_t hash = tid_hash(tid);
	uint32_t n, pos;

	n = index_first(&s->by_tid, hash, &pos);
	while (n != 0 && s->waits[n].tid != tid)
		n = index_next(&s->by_tid, hash, &pos);
	return n;
}

/* Its data are the caller's from here on. */
static struct switch_wait
take(struct switches *s, uint32_t n)
{
	struct switch_wait w = s->waits[n];

	s->waits[n].data = NULL;
	VEC_ADD(s->free, s->free_len, s->free_cap) = n;
	index_remove(&s->by_tid, tid_hash(w.tid), n);
	return w;
}

static void
drop(struct switches *s, uint32_t n)
{
	struct switch_wait w = take(s, n);

	s->bytes -= w.len;
	free(w.data);
}

static uint32_t
new_slot(struct switches *s)
{
	if (s->free_len > 0)
		return s->free[--s->free_len];
	VEC_ADD(s->waits, s->len, s->cap) = (struct switch_wait){ 0 };
	return (uint32_t)s->len - 1;
}

void
switches_sample(struct switches *s, const struct switch_wait *w, struct bytes bytes)
{
	uint32_t n = find(s, w->tid);
	struct switch_wait *slot;

	/* It waits already: that it ran meanwhile was lost. */
	if (n != 0) {
		s->unknown += s->waits[n].has_begun;
		drop(s, n);
	}
	if (s->bytes + bytes.len > SWITCHES_BYTES_MAX) {
		s->unknown++;
		return;
	}
	n = new_slot(s);
	slot = &s->waits[n];
	*slot = (struct switch_wait){ .tid = w->tid, .state = w->state, .event = w->event,
				      .layout = w->layout, .len = bytes.len };
	slot->data = mem_calloc(1, bytes.len);
	memcpy(slot->data, bytes.data, bytes.len);
	s->bytes += bytes.len;
	index_add(&s->by_tid, tid_hash(w->tid), n);
}

void
switches_out(struct switches *s, uint32_t tid, uint64_t time_ns, bool is_preempted)
{
	uint32_t n = find(s, tid);
	struct switch_wait *w = &s->waits[n];

	if (n == 0 || w->has_begun)
		return;
	w->has_begun = true;
	w->since_ns = time_ns;
	if (is_preempted)
		w->state = 'R';
}

/* It may be woken while it is still about to wait: then it is only in the run queue. */
bool
switches_woken(struct switches *s, uint32_t tid, uint64_t time_ns, uint32_t waker)
{
	uint32_t n = find(s, tid);
	struct switch_wait *w = &s->waits[n];

	if (n == 0 || w->woken_ns != 0)
		return false;
	w->woken_ns = time_ns;
	w->waker = waker;
	return true;
}

void
switches_in(struct switches *s, uint32_t tid, uint64_t time_ns)
{
	uint32_t n = find(s, tid);
	struct switch_wait w;

	if (n == 0)
		return;
	w = take(s, n);
	if (!w.has_begun) {
		s->bytes -= w.len;
		s->unknown++;
		free(w.data);
		return;
	}
	w.over_ns = time_ns > w.since_ns ? time_ns : w.since_ns;
	VEC_ADD(s->over, s->over_len, s->over_cap) = w;
}

void
switches_end(struct switches *s, uint32_t tid)
{
	uint32_t n = find(s, tid);

	if (n != 0)
		drop(s, n);
}

/* Those that were over before stay, in their order. */
static void
lose_over(struct switches *s, uint64_t since_ns)
{
	size_t kept = s->over_at;

	for (size_t i = s->over_at; i < s->over_len; i++) {
		struct switch_wait *w = &s->over[i];

		if (w->over_ns <= since_ns) {
			s->over[kept++] = *w;
			continue;
		}
		s->bytes -= w->len;
		s->unknown++;
		free(w->data);
	}
	s->over_len = kept;
	s->settled = MIN(s->settled, kept);
}

void
switches_lose(struct switches *s, uint64_t since_ns)
{
	for (uint32_t n = 1; n < s->len; n++) {
		if (s->waits[n].data == NULL)
			continue;
		drop(s, n);
		s->unknown++;
	}
	lose_over(s, since_ns);
}

void
switches_settle(struct switches *s)
{
	s->settled = s->over_len;
}

bool
switches_take(struct switches *s, struct switch_wait *out)
{
	if (s->over_at == s->over_len)
		s->over_at = s->over_len = s->settled = 0;
	if (s->over_at == s->settled)
		return false;
	*out = s->over[s->over_at++];
	s->bytes -= out->len;
	return true;
}

struct switch_wait *
switches_next(struct switches *s, size_t *at)
{
	while (++*at < s->len)
		if (s->waits[*at].data != NULL && s->waits[*at].has_begun)
			return &s->waits[*at];
	return NULL;
}

uint64_t
switches_unknown(struct switches *s)
{
	uint64_t unknown = s->unknown;

	s->unknown = 0;
	return unknown;
}

size_t
switches_bytes(const struct switches *s)
{
	return s->bytes;
}
