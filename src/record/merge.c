/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/merge.h"

#include <stdlib.h>

struct head {
	uint64_t time_ns;
	struct bytes bytes;
	const struct merge_stream *stream;
};

/* heads is a binary min-heap by time, then by place among the streams. */
struct merge {
	const struct record_layout *layout;
	uint64_t now_ns;
	struct head *heads;
	size_t count, cap;
	bool handed_out;
};

struct merge *
merge_new(void)
{
	return mem_calloc(1, sizeof(struct merge));
}

void
merge_free(struct merge *m)
{
	if (m == NULL)
		return;
	free(m->heads);
	free(m);
}

static bool
is_before(const struct head *a, const struct head *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->stream < b->stream);
}

static void
sift_down(struct merge *m, size_t at)
{
	struct head moved = m->heads[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->count)
			break;
		if (child + 1 < m->count && is_before(&m->heads[child + 1], &m->heads[child]))
			child++;
		if (!is_before(&m->heads[child], &moved))
			break;
		m->heads[at] = m->heads[child];
		at = child;
	}
	m->heads[at] = moved;
}

static bool
head_fill(struct merge *m, struct head *h)
{
	if (h->stream->peek(h->stream->self, &h->bytes) == 0)
		return false;
	h->time_ns = record_time(m->layout, h->bytes);
	if (h->time_ns > m->now_ns)
		h->time_ns = 0;
	return true;
}

void
merge_begin(struct merge *m, const struct record_layout *layout,
	    const struct merge_stream *streams, size_t count, uint64_t now_ns)
{
	m->layout = layout;
	m->now_ns = now_ns;
	m->count = 0;
	m->handed_out = false;
	vec_reserve(&m->heads, &m->cap, count, sizeof(*m->heads));
	for (size_t i = 0; i < count; i++) {
		struct head *h = &m->heads[m->count];

		h->stream = &streams[i];
		if (head_fill(m, h))
			m->count++;
	}
	for (size_t i = m->count / 2; i-- > 0;)
		sift_down(m, i);
}

/* Passes the record that was handed out last. */
static void
pass(struct merge *m)
{
	struct head *h = &m->heads[0];

	h->stream->advance(h->stream->self);
	if (!head_fill(m, h))
		*h = m->heads[--m->count];
	if (m->count > 0)
		sift_down(m, 0);
	m->handed_out = false;
}

int
merge_next(struct merge *m, uint64_t limit_ns, struct bytes *out, uint64_t *time_ns)
{
	if (m->handed_out)
		pass(m);
	if (m->count == 0 || m->heads[0].time_ns >= limit_ns)
		return 0;
	*out = m->heads[0].bytes;
	*time_ns = m->heads[0].time_ns;
	m->handed_out = true;
	return 1;
}
