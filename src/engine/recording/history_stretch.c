/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of what the flight recorder holds: samples of some time, and all that is known of who ran then. */
#include "engine/recording/history.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/buf.h"

struct stretch {
	const struct record_layouts *layouts;
	const struct record_layout *layout;
	uint64_t from_ns, to_ns;
	uint64_t samples;
	const struct history_chunk *from; /* what is taken now is of it */
	struct history *out;
};

/* As the chunk has it: of an id that ended long ago nobody else knows. */
static uint32_t
event_then(const void *self, uint64_t id)
{
	const struct history_chunk *c = ((const struct stretch *)self)->from;
	size_t i = 0;

	while (i < c->id_len && c->ids[i].id != id)
		i++;
	assert(i < c->id_len);
	return c->ids[i].event;
}

/* By the clock that was the reader's when it was taken; what has no time was so before. */
static uint64_t
time_then(const struct stretch *s, const struct history_chunk *c, uint64_t time_ns)
{
	if (time_ns == 0)
		return 0;
	return time_ns + (uint64_t)(c->clock_ahead_ns - s->layouts->clock_ahead_ns);
}

static void
take(struct stretch *s, const struct history_chunk *c, struct bytes bytes)
{
	const struct record_layout *layout = record_layouts_of(s->layouts, bytes);
	uint64_t time_ns = record_time(layout, bytes), then_ns = time_then(s, c, time_ns);

	if (then_ns >= s->to_ns)
		return;
	if (record_type(bytes) != PERF_RECORD_SAMPLE) {
		history_add(s->out, bytes);
	} else if (then_ns >= s->from_ns) {
		history_add_sample(s->out, bytes, history_tag(s->layout, layout->sample_type, bytes),
				   time_ns);
		s->samples++;
	}
}

static void
take_chunk(struct stretch *s, const struct history_chunk *c, struct buf *b)
{
	struct perf_event_header head;

	s->from = c;
	buf_reset(b);
	history_chunk_expand(c, s->layout, b);
	for (size_t at = 0; at < b->len; at += head.size) {
		memcpy(&head, b->data + at, sizeof(head));
		take(s, c, (struct bytes){ (const uint8_t *)b->data + at, head.size });
	}
}

uint64_t
history_put_stretch(const struct history *h, const struct record_layouts *layouts,
		    const struct record_layout *layout, uint64_t from_ns, uint64_t to_ns,
		    void (*sealed)(void *self, struct history_chunk *c), void *self)
{
	struct stretch s = { .layouts = layouts, .layout = layout, .from_ns = from_ns, .to_ns = to_ns };
	const struct history_keys then = { layouts, event_then, &s };
	struct buf b = { 0 };

	s.out = history_new(0, &then);
	history_set_sink(s.out, sealed, self);
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next) {
		if (c->samples == 0 || c->first_ns < from_ns || c->last_ns >= to_ns) {
			take_chunk(&s, c, &b);
			continue;
		}
		/* All of it is of that time: it need not be unpacked. */
		history_seal(s.out);
		sealed(self, c);
		s.samples += c->samples;
	}
	history_seal(s.out);
	history_free(s.out);
	buf_release(&b);
	return s.samples;
}
