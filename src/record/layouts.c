/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/layouts.h"

#include <stdlib.h>

enum { HEADER_BYTES = sizeof(struct perf_event_header) };

/* What stands in a trailer behind the id of PERF_SAMPLE_ID, unless there is an identifier. */
enum { TRAILER_BEHIND_ID = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU };

struct record_layout
record_layout_of(const struct event_attr *attr, bool swapped)
{
	struct record_layout l = RECORD_LAYOUT(attr->sample_type, attr->sample_id_all != 0);

	l.sample_period = attr->sample_period;
	l.read_format = attr->read_format;
	l.branch_sample_type = attr->branch_sample_type;
	l.max_stack = attr->sample_max_stack;
	l.sample_regs_user = attr->sample_regs_user;
	l.sample_regs_intr = attr->sample_regs_intr;
	l.has_values_by_task = attr->inherit && (attr->sample_type & PERF_SAMPLE_READ);
	l.swapped = swapped;
	if (swapped)
		l.sample_place_len = UINT32_MAX;
	return l;
}

static uint16_t
sample_id_at(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return HEADER_BYTES;
	return RECORD_SAMPLE_AT(type, PERF_SAMPLE_ID, RECORD_BEFORE_TIME | PERF_SAMPLE_TIME |
							      PERF_SAMPLE_ADDR);
}

static uint16_t
trailer_id_at(const struct record_layout *layout)
{
	uint64_t type = layout->sample_id_all ? layout->sample_type : 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (type & PERF_SAMPLE_ID)
		return (uint16_t)(8 + RECORD_WORDS(type, TRAILER_BEHIND_ID));
	return 0;
}

uint32_t
record_layouts_add(struct record_layouts *l, const struct record_layout *layout)
{
	if (l->len == 0) {
		l->sample_id_at = sample_id_at(layout->sample_type);
		l->trailer_id_at = trailer_id_at(layout);
	}
	vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
	l->items[l->len] = *layout;
	l->items[l->len].clock_ahead_ns = l->clock_ahead_ns;
	if (layout->sample_time_at != l->items[0].sample_time_at ||
	    layout->trailer_time_at != l->items[0].trailer_time_at)
		l->has_many_times = true;
	/* Of one event alone no id is looked at. */
	if (l->len > 0 && !l->items[0].swapped)
		l->near_id_at = l->sample_id_at;
	return (uint32_t)l->len++;
}

void
record_layouts_set_clock(struct record_layouts *l, int64_t ahead_ns)
{
	l->clock_ahead_ns = ahead_ns;
	for (size_t i = 0; i < l->len; i++)
		l->items[i].clock_ahead_ns = ahead_ns;
}

/* The place in ids of that id, counted from 1; 0: none. */
static uint32_t
find_place(const struct record_layouts *l, uint64_t id)
{
	uint64_t hash = hash_mix(id, 0);
	uint32_t pos, at;

	for (at = index_first(&l->by_id, hash, &pos); at != 0;
	     at = index_next(&l->by_id, hash, &pos))
		if (l->ids[at - 1].id == id)
			break;
	return at;
}

void
record_layouts_add_id(struct record_layouts *l, uint32_t event, uint64_t id)
{
	uint32_t at = find_place(l, id);

	if (at == 0) {
		vec_reserve(&l->ids, &l->id_cap, l->id_len + 1, sizeof(*l->ids));
		at = (uint32_t)++l->id_len;
		index_add(&l->by_id, hash_mix(id, 0), at);
	}
	l->ids[at - 1] = (struct record_id_event){ id, event };
	/* 0 is no id, see record_layouts_event(). */
	if (id != 0)
		l->near[id % ARRAY_SIZE(l->near)] = l->ids[at - 1];
}

void
record_layouts_forget_id(struct record_layouts *l, uint64_t id)
{
	struct record_id_event *near = &l->near[id % ARRAY_SIZE(l->near)];
	uint32_t at = find_place(l, id), last = (uint32_t)l->id_len;

	if (at == 0)
		return;
	index_remove(&l->by_id, hash_mix(id, 0), at);
	if (at != last) {
		index_remove(&l->by_id, hash_mix(l->ids[last - 1].id, 0), last);
		l->ids[at - 1] = l->ids[last - 1];
		index_add(&l->by_id, hash_mix(l->ids[at - 1].id, 0), at);
	}
	l->id_len--;
	if (near->id == id)
		*near = (struct record_id_event){ 0 };
}

void
record_layouts_release(struct record_layouts *l)
{
	free(l->items);
	free(l->ids);
	index_release(&l->by_id);
	*l = (struct record_layouts){ 0 };
}

uint32_t
record_layouts_find(const struct record_layouts *l, uint64_t id)
{
	const struct record_id_event *near = &l->near[id % ARRAY_SIZE(l->near)];
	uint32_t at;

	if (near->id == id && id != 0)
		return near->event;
	at = find_place(l, id);
	return at != 0 ? l->ids[at - 1].event : UINT32_MAX;
}

/* Where in a record of @len bytes its id stands; 0: it carries none; SIZE_MAX: it is too short. */
static size_t
id_offset(const struct record_layouts *l, uint32_t type, size_t len)
{
	size_t at = l->sample_id_at;

	if (type != PERF_RECORD_SAMPLE) {
		at = l->trailer_id_at;
		if (at == 0)
			return 0;
		return len >= HEADER_BYTES + at ? len - at : SIZE_MAX;
	}
	return at + 8 <= len ? at : SIZE_MAX;
}

/* @id 0: it carries none.  false: it is too short for the one that it should carry. */
static bool
read_id(const struct record_layouts *l, struct bytes bytes, uint64_t *id)
{
	uint32_t type;
	size_t at;

	*id = 0;
	if (bytes.len < HEADER_BYTES)
		return false;
	type = record_type(bytes);
	if (type >= RECORD_USER_TYPE_FIRST)
		return true;
	if (type != PERF_RECORD_SAMPLE)
		bytes.len = record_true_len(&l->items[0], bytes);
	at = id_offset(l, type, bytes.len);
	if (at == 0 || at == SIZE_MAX)
		return at == 0;
	memcpy(id, bytes.data + at, sizeof(*id));
	if (l->items[0].swapped)
		*id = __builtin_bswap64(*id);
	return true;
}

uint64_t
record_layouts_id(const struct record_layouts *l, struct bytes bytes)
{
	uint64_t id;

	read_id(l, bytes, &id);
	return id;
}

uint32_t
record_layouts_event_slow(const struct record_layouts *l, struct bytes bytes)
{
	uint64_t id;

	if (l->len <= 1)
		return l->len == 1 ? 0 : UINT32_MAX;
	if (!read_id(l, bytes, &id))
		return UINT32_MAX;
	return id == 0 ? 0 : record_layouts_find(l, id);
}

const struct record_layout *
record_layouts_of(const struct record_layouts *l, struct bytes bytes)
{
	uint32_t event = l->len > 1 ? record_layouts_event(l, bytes) : 0;

	return &l->items[event != UINT32_MAX ? event : 0];
}
