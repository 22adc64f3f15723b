/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_LAYOUTS_H
#define PTOP_RECORD_LAYOUTS_H
/*
 * The layouts of all events of a stream, and the event of a record: by the id that it carries, at
 * the offset that all events of a stream have in common.  One thread.
 */
#include "base/index.h"
#include "record/abi.h"
#include "record/record.h"

struct record_layouts {
	struct record_layout *items; /* by event, from 0 */
	size_t len, cap;
	struct record_id_event {
		uint64_t id;
		uint32_t event;
	} *ids;
	size_t id_len, id_cap;
	struct index by_id;
	struct record_id_event near[2048]; /* a direct-mapped cache of these: the kernel counts ids
					      up, so that few share a slot even with hundreds of
					      CPUs; id 0: none */
	uint16_t sample_id_at;  /* offset of a sample's id, 0: it carries none */
	uint16_t near_id_at;    /* the same, 0: near cannot be asked: one event alone, or swapped */
	uint16_t trailer_id_at; /* bytes from a record's end back to its id, 0: it carries none */
	bool has_many_times;    /* the time's offset differs between events */
	int64_t clock_ahead_ns; /* of all of them */
};

/* The layout of an event with these attributes. */
struct record_layout record_layout_of(const struct event_attr *attr, bool swapped);

/* From now on @ahead_ns is added to the times of all records: see record_layout. */
void record_layouts_set_clock(struct record_layouts *l, int64_t ahead_ns);

/* Adds an event; its number.  Ids of its descriptors follow by record_layouts_add_id(). */
uint32_t record_layouts_add(struct record_layouts *l, const struct record_layout *layout);
void record_layouts_add_id(struct record_layouts *l, uint32_t event, uint64_t id);

/* No more records of that id come. */
void record_layouts_forget_id(struct record_layouts *l, uint64_t id);
void record_layouts_release(struct record_layouts *l);

/* The event of that id, UINT32_MAX if it is not known. */
uint32_t record_layouts_find(const struct record_layouts *l, uint64_t id);

/* For record_layouts_event(). */
uint32_t record_layouts_event_slow(const struct record_layouts *l, struct bytes bytes);

/*
 * The event whose layout @bytes, one whole record of the kernel's types, has; UINT32_MAX if it
 * carries an id that no event has.  As perf: of one event alone no id is looked at; an id of 0
 * (written by user space) means the first.
 */
static inline uint32_t
record_layouts_event(const struct record_layouts *l, struct bytes bytes)
{
	const struct record_id_event *near;
	size_t at = l->near_id_at;
	uint64_t id;

	if (at != 0 && at + 8 <= bytes.len && record_type(bytes) == PERF_RECORD_SAMPLE) {
		memcpy(&id, bytes.data + at, sizeof(id));
		near = &l->near[id % ARRAY_SIZE(l->near)];
		if (near->id == id)
			return near->event;
	}
	return record_layouts_event_slow(l, bytes);
}

/* The id that @bytes carries, one whole record; 0: none, as those that user space wrote. */
uint64_t record_layouts_id(const struct record_layouts *l, struct bytes bytes);

/* The layout of @bytes; the first event's, if it carries an id that no event has. */
const struct record_layout *record_layouts_of(const struct record_layouts *l, struct bytes bytes);

#endif
