/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum {
	CHUNK_BYTES = 256 << 10,
	SEEN = 512,            /* a power of two */
	AGAIN_TYPE = INT32_MAX, /* no record has it: the kernel's and perf's own are small */
};

/* Stands for a sample that differs from the one at @at of its chunk by time and period alone. */
struct again {
	struct perf_event_header head;
	uint32_t at, unused;
	uint64_t time_ns, period;
};

struct history {
	const struct record_layout *layout;
	size_t max_bytes, bytes; /* of the sealed ones */
	struct history_chunk *first, *last, *open;
	uint32_t serial;         /* of the open chunk */
	void (*sealed)(void *self, struct history_chunk *c);
	void *self;
	struct seen {
		uint64_t tag;
		uint32_t at, serial;
	} seen[SEEN];            /* by the low bits of the tag */
};

struct history *
history_new(size_t max_bytes, const struct record_layout *layout)
{
	struct history *h = mem_calloc(1, sizeof(*h));

	h->layout = layout;
	h->max_bytes = max_bytes;
	h->serial = 1;
	return h;
}

struct history_chunk *
history_chunk_get(struct history_chunk *c)
{
	atomic_fetch_add(&c->refs, 1);
	return c;
}

void
history_chunk_put(struct history_chunk *c)
{
	if (c == NULL || atomic_fetch_sub(&c->refs, 1) > 1)
		return;
	free(c->data);
	free(c);
}

void
history_free(struct history *h)
{
	if (h == NULL)
		return;
	while (h->first != NULL) {
		struct history_chunk *next = h->first->next;

		history_chunk_put(h->first);
		h->first = next;
	}
	history_chunk_put(h->open);
	free(h);
}

static void
forget_oldest(struct history *h)
{
	struct history_chunk *c = h->first;

	h->bytes -= c->len;
	h->first = c->next;
	if (h->first == NULL)
		h->last = NULL;
	history_chunk_put(c);
}

static void
forget_excess(struct history *h, size_t max_bytes)
{
	while (h->first != NULL && h->bytes > max_bytes)
		forget_oldest(h);
}

void
history_seal(struct history *h)
{
	struct history_chunk *c = h->open;

	if (c == NULL)
		return;
	h->open = NULL;
	h->serial++;
	c->data = mem_realloc(c->data, c->len, 1);
	c->cap = c->len;
	if (h->sealed != NULL)
		h->sealed(h->self, c);
	if (h->last != NULL)
		h->last->next = c;
	else
		h->first = c;
	h->last = c;
	h->bytes += c->len;
	forget_excess(h, h->max_bytes);
}

void
history_set_sink(struct history *h, void (*sealed)(void *self, struct history_chunk *c), void *self)
{
	h->sealed = sealed;
	h->self = self;
}

/* Room for @len bytes in the open chunk. */
static uint8_t *
room(struct history *h, size_t len)
{
	struct history_chunk *c = h->open;

	if (c != NULL && c->cap - c->len < len) {
		history_seal(h);
		c = NULL;
	}
	if (c == NULL) {
		/* The chunk that is open counts as well. */
		forget_excess(h, h->max_bytes - MIN(h->max_bytes, CHUNK_BYTES));
		c = h->open = mem_calloc(1, sizeof(*c));
		c->refs = 1;
		c->cap = MAX(len, CHUNK_BYTES);
		c->data = mem_calloc(c->cap, 1);
	}
	c->len += len;
	return c->data + c->len - len;
}

void
history_add(struct history *h, struct bytes bytes)
{
	memcpy(room(h, bytes.len), bytes.data, bytes.len);
}

static void
note_sample(struct history_chunk *c, uint64_t time_ns)
{
	if (c->samples++ == 0)
		c->first_ns = time_ns;
	c->last_ns = time_ns;
}

void
history_add_sample(struct history *h, struct bytes bytes, uint64_t tag, uint64_t time_ns)
{
	struct seen *s = &h->seen[tag % SEEN];
	struct again again = {
		.head = { .type = AGAIN_TYPE, .size = sizeof(again) },
		.at = s->at, .time_ns = time_ns,
	};

	if (tag != 0 && s->tag == tag && s->serial == h->serial &&
	    h->open->cap - h->open->len >= sizeof(again)) {
		again.period = record_sample_period(h->layout, bytes);
		memcpy(room(h, sizeof(again)), &again, sizeof(again));
	} else {
		history_add(h, bytes);
		*s = (struct seen){ tag, (uint32_t)(h->open->len - bytes.len), h->serial };
	}
	note_sample(h->open, time_ns);
}

struct history_chunk *
history_first(const struct history *h)
{
	return h->first;
}

uint64_t
history_since(const struct history *h)
{
	for (const struct history_chunk *c = h->first; c != NULL; c = c->next)
		if (c->samples > 0)
			return c->first_ns;
	return h->open != NULL ? h->open->first_ns : 0;
}

size_t
history_bytes(const struct history *h)
{
	return h->bytes + (h->open != NULL ? h->open->len : 0);
}

void
history_chunk_expand(const struct history_chunk *c, const struct record_layout *layout, struct buf *out)
{
	for (size_t at = 0; at < c->len;) {
		struct perf_event_header head, first;
		struct again again;
		uint8_t *copy;

		memcpy(&head, c->data + at, sizeof(head));
		if (head.type != AGAIN_TYPE) {
			buf_add(out, c->data + at, head.size);
			at += head.size;
			continue;
		}
		memcpy(&again, c->data + at, sizeof(again));
		memcpy(&first, c->data + again.at, sizeof(first));
		buf_add(out, c->data + again.at, first.size);
		copy = (uint8_t *)out->data + out->len - first.size;
		memcpy(copy + layout->sample_time_at, &again.time_ns, 8);
		memcpy(copy + layout->sample_period_at, &again.period, 8);
		at += sizeof(again);
	}
}
