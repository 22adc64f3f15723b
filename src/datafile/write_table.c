/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/write_feature.h"

#include <stdlib.h>

enum {
	/* PERF_ATTR_SIZE_VER5: every perf of today knows it, and many know no later one. */
	ATTR_SIZE_MIN = 112,
	SECTION_BYTES = sizeof(struct write_section),
	ID_BYTES = 8,
};

uint32_t
write_table_add(struct write_table *t, const char *name, const struct event_attr *attr)
{
	vec_reserve(&t->events, &t->event_cap, t->event_len + 1, sizeof(*t->events));
	t->events[t->event_len] = (struct write_event){ mem_strdup(name), *attr, 0 };
	return (uint32_t)t->event_len++;
}

bool
write_table_add_id(struct write_table *t, uint32_t event, uint64_t id)
{
	if (record_layouts_find(&t->ids, id) != UINT32_MAX)
		return false;
	record_layouts_add_id(&t->ids, event, id);
	t->events[event].id_len++;
	return true;
}

void
write_table_release(struct write_table *t)
{
	for (size_t i = 0; i < t->event_len; i++)
		free(t->events[i].name);
	free(t->events);
	record_layouts_release(&t->ids);
	*t = (struct write_table){ 0 };
}

/* The sizes that perf_event_attr has had are 8 bytes apart from that minimum on. */
uint32_t
write_table_attr_size(const struct write_table *t)
{
	size_t size = ATTR_SIZE_MIN;

	for (size_t i = 0; i < t->event_len; i++) {
		const uint8_t *attr = (const uint8_t *)&t->events[i].attr;

		for (size_t at = sizeof(struct event_attr); at > size; at--)
			if (attr[at - 1] != 0)
				size = (at + 7) & ~(size_t)7;
	}
	return (uint32_t)size;
}

uint64_t
write_table_bytes(const struct write_table *t)
{
	size_t attr_bytes = write_table_attr_size(t) + SECTION_BYTES;

	return t->event_len * attr_bytes + t->ids.id_len * ID_BYTES;
}

/* By event, how many of the first @len ids it has.  Free with free(). */
static size_t *
count_ids(const struct write_table *t, size_t len)
{
	size_t *counts = mem_calloc(t->event_len + 1, sizeof(*counts));

	for (size_t i = 0; i < len; i++)
		counts[t->ids.ids[i].event]++;
	return counts;
}

static void
put_attrs(const struct write_table *t, struct buf *b, size_t len, uint64_t ids_at,
	  const size_t *counts)
{
	uint32_t size = write_table_attr_size(t);

	for (size_t i = 0; i < len; i++) {
		struct event_attr attr = t->events[i].attr;
		struct write_section ids = { ids_at, counts[i] * ID_BYTES };

		attr.size = size;
		buf_add(b, &attr, size);
		buf_add(b, &ids, sizeof(ids));
		ids_at += ids.size;
	}
}

/* Puts the first @len ids, event by event; @counts is changed. */
static void
put_ids(const struct write_table *t, struct buf *b, size_t len, size_t *counts)
{
	size_t start = b->len, at = 0;

	for (size_t i = 0; i < t->event_len; i++) {
		size_t count = counts[i];

		counts[i] = at; /* from now on: index of the event's next id */
		at += count;
	}
	buf_add_fill(b, 0, len * ID_BYTES);
	for (size_t i = 0; i < len; i++) {
		const struct record_id_event *id = &t->ids.ids[i];

		memcpy(b->data + start + counts[id->event]++ * ID_BYTES, &id->id, ID_BYTES);
	}
}

void
write_table_put_ids(const struct write_table *t, struct buf *b)
{
	size_t *counts = count_ids(t, t->ids.id_len);

	put_ids(t, b, t->ids.id_len, counts);
	free(counts);
}

struct write_section
write_table_put(const struct write_table *t, struct buf *b, uint64_t at, uint64_t room)
{
	size_t attr_bytes = write_table_attr_size(t) + SECTION_BYTES;
	size_t events = (size_t)MIN(t->event_len, room / attr_bytes);
	size_t ids = (size_t)MIN(t->ids.id_len, (room - events * attr_bytes) / ID_BYTES);
	struct write_section attrs = { at, events * attr_bytes };
	size_t *counts = count_ids(t, ids);

	put_attrs(t, b, events, at + attrs.size, counts);
	put_ids(t, b, ids, counts);
	free(counts);
	return attrs;
}
