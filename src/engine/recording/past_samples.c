/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples that the flight recorder holds, decoded once more, a chunk at a time, the newest
 * first.  Chunks are held while that goes on: what is forgotten meanwhile is still told of.
 * Of which event a sample is, and what it carries, its chunk says: the event may have been opened anew
 * since, and what came with a copy of its stack is kept without.
 */
#include "engine/recording/recording_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>

struct past_samples {
	struct history_chunk **chunks; /* oldest first; those from len on are done with */
	size_t len, cap;
	struct record_layout *layouts; /* by the recorders' key of an event */
	size_t layout_len;
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
learn_layouts(struct past_samples *p, const struct recording *rg)
{
	p->layouts = mem_realloc(p->layouts, rg->attr_len + 1, sizeof(*p->layouts));
	for (; p->layout_len < rg->attr_len; p->layout_len++)
		p->layouts[p->layout_len] =
			record_layout_of(&rg->attrs[p->layout_len].attr, false);
}

static int
compare_id(const void *key, const void *item)
{
	uint64_t id = *(const uint64_t *)key, other = ((const struct history_id *)item)->id;

	return (id > other) - (id < other);
}

/* The recorders' key of the event that the sample is of; RECORDER_SIDEBAND: of none. */
static uint32_t
key_in(const struct recording *rg, const struct history_chunk *c, struct bytes bytes)
{
	uint64_t id = record_layouts_id(sample_ids_layouts(rg->ids), bytes);
	const struct history_id *found =
		c->id_len > 0 ? bsearch(&id, c->ids, c->id_len, sizeof(*c->ids), compare_id) : NULL;

	return found != NULL ? found->event : RECORDER_SIDEBAND;
}

static void
tell(const struct past_samples *p, const struct recording *rg, const struct history_chunk *c,
     struct bytes bytes, void (*take)(void *self, uint32_t event, const struct record *rec),
     void *self)
{
	uint32_t key = record_type(bytes) == PERF_RECORD_SAMPLE ? key_in(rg, c, bytes)
								: RECORDER_SIDEBAND;
	struct record_layout *layout;
	struct record rec;

	if (key == RECORDER_SIDEBAND)
		return;
	layout = &p->layouts[key];
	layout->clock_ahead_ns = c->clock_ahead_ns;
	if (record_decode(layout, bytes, &rec) > 0)
		take(self, rg->attrs[key].event, &rec);
}

bool
past_samples_next(struct past_samples *p, const struct recording *rg,
		  void (*take)(void *self, uint32_t event, const struct record *rec), void *self,
		  uint64_t *since_ns)
{
	struct history_chunk *c;

	if (p->len == 0)
		return false;
	learn_layouts(p, rg);
	c = p->chunks[--p->len];
	buf_reset(&p->bytes);
	history_chunk_expand(c, rg->layout, &p->bytes);
	for (size_t at = 0; p->bytes.len - at >= sizeof(struct perf_event_header);) {
		struct bytes rest = { (const uint8_t *)p->bytes.data + at, p->bytes.len - at };
		struct perf_event_header head;

		memcpy(&head, rest.data, sizeof(head));
		if (head.size < sizeof(head) || head.size > rest.len)
			break;
		tell(p, rg, c, (struct bytes){ rest.data, head.size }, take, self);
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
	free(p->layouts);
	buf_release(&p->bytes);
	free(p);
}
