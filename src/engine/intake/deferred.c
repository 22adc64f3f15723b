/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/intake/deferred.h"

#include "base/index.h"

#include <stdlib.h>
#include <string.h>

/* Marker and cookie, as words of the chain. */
enum { SAMPLES_MAX = 4096, TAIL_WORDS = 2, RECORD_BYTES_MAX = UINT16_MAX & ~7 };

struct deferred {
	struct deferred_sample samples[SAMPLES_MAX]; /* data NULL: free */
	struct index by_cookie;                      /* of samples, counted from 1 */
	uint32_t free[SAMPLES_MAX];                  /* a stack of those that are */
	uint32_t free_len;
};

struct deferred *
deferred_new(void)
{
	struct deferred *d = mem_calloc(1, sizeof(*d));

	while (d->free_len < SAMPLES_MAX) {
		d->free[d->free_len] = SAMPLES_MAX - 1 - d->free_len;
		d->free_len++;
	}
	return d;
}

void
deferred_free(struct deferred *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < SAMPLES_MAX; i++)
		free(d->samples[i].data);
	index_release(&d->by_cookie);
	free(d);
}

static uint64_t
cookie_hash(uint64_t cookie)
{
	return hash_mix(cookie, 0);
}

/* Where the number of frames is, which is in front of them; 0: not in these bytes as they are. */
static size_t
find_chain(const struct record_sample *s, struct bytes bytes)
{
	const uint8_t *chain = (const uint8_t *)s->chain;
	uint64_t len;
	size_t at;

	if (chain < bytes.data + 8 || chain >= bytes.data + bytes.len)
		return 0;
	at = (size_t)(chain - bytes.data) - sizeof(len);
	memcpy(&len, bytes.data + at, sizeof(len));
	return len == s->chain_len ? at : 0;
}

bool
deferred_hold(struct deferred *d, const struct deferred_sample *s, const struct record *rec,
	      struct bytes bytes)
{
	size_t chain_at = find_chain(&rec->sample, bytes);
	struct deferred_sample *slot;
	uint32_t n;

	if (chain_at == 0 || d->free_len == 0)
		return false;
	n = d->free[--d->free_len];
	slot = &d->samples[n];
	*slot = *s;
	slot->cookie = rec->sample.chain[rec->sample.chain_len - 1];
	slot->time_ns = rec->id.time_ns;
	slot->period = rec->sample.period;
	slot->chain_at = chain_at;
	slot->len = bytes.len;
	slot->data = mem_calloc(1, bytes.len);
	memcpy(slot->data, bytes.data, bytes.len);
	index_add(&d->by_cookie, cookie_hash(slot->cookie), n + 1);
	return true;
}

static void
take(struct deferred *d, uint32_t n, struct deferred_sample *out)
{
	*out = d->samples[n];
	d->samples[n].data = NULL;
	d->free[d->free_len++] = n;
	index_remove(&d->by_cookie, cookie_hash(out->cookie), n + 1);
}

bool
deferred_take(struct deferred *d, uint64_t cookie, struct deferred_sample *out)
{
	uint64_t hash = cookie_hash(cookie);
	uint32_t n, pos;

	for (n = index_first(&d->by_cookie, hash, &pos); n != 0;
	     n = index_next(&d->by_cookie, hash, &pos)) {
		if (d->samples[n - 1].cookie != cookie)
			continue;
		take(d, n - 1, out);
		return true;
	}
	return false;
}

bool
deferred_take_old(struct deferred *d, uint64_t before_ns, struct deferred_sample *out)
{
	for (uint32_t n = 0; n < SAMPLES_MAX && d->free_len < SAMPLES_MAX; n++) {
		if (d->samples[n].data == NULL || d->samples[n].time_ns >= before_ns)
			continue;
		take(d, n, out);
		return true;
	}
	return false;
}

void
deferred_join(const struct deferred_sample *s, const uint64_t *chain, uint64_t len, struct buf *b)
{
	size_t frames_at = s->chain_at + sizeof(uint64_t), rest_at, room;
	struct perf_event_header head;
	uint64_t before;

	memcpy(&before, s->data + s->chain_at, sizeof(before));
	rest_at = frames_at + before * 8;
	before -= TAIL_WORDS;
	room = (RECORD_BYTES_MAX - (s->len - TAIL_WORDS * 8)) / 8;
	len = MIN(len, room);
	buf_reset(b);
	buf_add(b, s->data, frames_at + before * 8);
	if (len > 0)
		buf_add(b, chain, len * 8);
	buf_add(b, s->data + rest_at, s->len - rest_at);
	memcpy(&head, b->data, sizeof(head));
	head.size = (uint16_t)b->len;
	memcpy(b->data, &head, sizeof(head));
	before += len;
	memcpy(b->data + s->chain_at, &before, sizeof(before));
}
