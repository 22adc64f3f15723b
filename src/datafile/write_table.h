/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WRITE_TABLE_H
#define PTOP_DATAFILE_WRITE_TABLE_H
/*
 * The events of a recording that is being written, their names and ids, and the tables that a file
 * tells them by.  Zero-initialise to begin.  One thread.
 */
#include "base/buf.h"
#include "record/layouts.h"

struct write_event {
	char *name;
	struct event_attr attr;
	uint32_t id_len;
	uint32_t group_len; /* it leads a group of so many, itself and those behind it; 0: none */
};

struct write_table {
	struct write_event *events;
	size_t event_len, event_cap;
	struct record_layouts ids; /* nothing of it but the ids, in the order they came */
};

/* Where in the file something lies, as its header and tables tell it. */
struct write_section {
	uint64_t at, size;
};

uint32_t write_table_add(struct write_table *t, const char *name, const struct event_attr *attr);

/* False: the id is there already, and stays with its event. */
bool write_table_add_id(struct write_table *t, uint32_t event, uint64_t id);
void write_table_release(struct write_table *t);

/* Of one event's attributes, of all events alike: the fewest bytes that hold what any of them has. */
uint32_t write_table_attr_size(const struct write_table *t);

/*
 * Adds the attributes of all events and behind them their ids to @b, to be written to @at; at most
 * @room bytes: the events and ids that came last are left out.  The section of the attributes.
 */
struct write_section write_table_put(const struct write_table *t, struct buf *b, uint64_t at,
				     uint64_t room);

/* The bytes that write_table_put() needs for all. */
uint64_t write_table_bytes(const struct write_table *t);

/* Adds all ids, event by event: id_len of each. */
void write_table_put_ids(const struct write_table *t, struct buf *b);

#endif
