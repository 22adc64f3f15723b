/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples that the flight recorder holds, decoded once more, a chunk at a time, the newest
 * first.  Chunks are held while that goes on: what is forgotten meanwhile is still told of.
 */
#include "engine/recording/recording_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>

struct past_samples {
	struct history_chunk **chunks; /* oldest first; those from len on are done with */
	size_t len, cap;
	struct buf bytes;
};

struct past_samples *
past_samples_new(const struct recording *rg)
{
	struct past_samples *p = mem_calloc(1, sizeof(*p));

	if (rg->history == NULL)
		return p;
	history_seal(rg->history);
	for (struct history_chunk *c = history_first(rg->history); c != NULL; c = c->next)
		if (c->samples > 0)
			VEC_ADD(p->chunks, p->len, p->cap) = history_chunk_get(c);
	return p;
}

static void
tell(const struct recording *rg, struct bytes bytes,
     void (*take)(void *self, uint32_t event, const struct record *rec), void *self)
{
	const struct record_layout *layout;
	struct record rec;
	uint32_t event;

	if (record_type(bytes) != PERF_RECORD_SAMPLE)
		return;
	layout = record_layouts_of(sample_ids_layouts(rg->ids), bytes);
	if (record_decode(layout, bytes, &rec) <= 0)
		return;
	event = sample_ids_event(rg->ids, rec.id.id);
	if (event != UINT32_MAX)
		take(self, event, &rec);
}

bool
past_samples_next(struct past_samples *p, const struct recording *rg,
		  void (*take)(void *self, uint32_t event, const struct record *rec), void *self,
		  uint64_t *since_ns)
{
	struct history_chunk *c;

	if (p->len == 0)
		return false;
	c = p->chunks[--p->len];
	buf_reset(&p->bytes);
	history_chunk_expand(c, rg->layout, &p->bytes);
	for (size_t at = 0; p->bytes.len - at >= sizeof(struct perf_event_header);) {
		struct bytes rest = { (const uint8_t *)p->bytes.data + at, p->bytes.len - at };
		struct perf_event_header head;

		memcpy(&head, rest.data, sizeof(head));
		if (head.size < sizeof(head) || head.size > rest.len)
			break;
		tell(rg, (struct bytes){ rest.data, head.size }, take, self);
		at += head.size;
	}
	*since_ns = c->first_ns;
	history_chunk_put(c);
	return true;
}

void
past_samples_free(struct past_samples *p)
{
	if (p == NULL)
		return;
	while (p->len > 0)
		history_chunk_put(p->chunks[--p->len]);
	free(p->chunks);
	buf_release(&p->bytes);
	free(p);
}
