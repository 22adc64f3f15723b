/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WRITE_FEATURE_H
#define PTOP_DATAFILE_WRITE_FEATURE_H
/* The features of a recording that is being written: those in front of its records, and all behind them. */
#include "base/buf.h"
#include "datafile/packer.h"
#include "datafile/writer.h"
#include "record/layouts.h"

/*
 * The events of a recording that is being written, their names and ids, and the tables of them in
 * the file.  Zero-initialise to begin.  One thread.
 */
struct write_event {
	char *name;
	struct event_attr attr;
	uint32_t id_len;
	uint32_t group_len; /* of a leader: events of its group, itself included; else 0 */
};

struct write_table {
	struct write_event *events;
	size_t event_len, event_cap;
	struct record_layouts ids; /* only the ids of it, in the order they came */
};

/* A range of the file, as its header and tables have it. */
struct write_section {
	uint64_t at, size;
};

uint32_t write_table_add(struct write_table *t, const char *name, const struct event_attr *attr);

/* False: the id is there already, and stays with its event. */
bool write_table_add_id(struct write_table *t, uint32_t event, uint64_t id);
void write_table_release(struct write_table *t);

/* The smallest attr.size that holds the attributes of every event. */
uint32_t write_table_attr_size(const struct write_table *t);

/*
 * Adds the attributes of all events, then their ids, to @b, to be written to @at.  At most @room
 * bytes: the newest events and ids are left out.  The section of the attributes.
 */
struct write_section write_table_put(const struct write_table *t, struct buf *b, uint64_t at,
				     uint64_t room);

/* The bytes that write_table_put() needs for all. */
uint64_t write_table_bytes(const struct write_table *t);

/* Adds all ids, event by event: id_len of each. */
void write_table_put_ids(const struct write_table *t, struct buf *b);

struct write_facts {
	const struct writer_info *info;
	const struct write_table *table;
	const struct buf *build_ids;     /* by write_build_id() */
	const struct buf *tracing;       /* empty: none */
	const struct packer *packer;     /* NULL: nothing is compressed */
	struct write_section tracing_in; /* where the file has it already; size 0: nowhere */
	uint64_t first_ns, last_ns;      /* of the samples, 0: none */
};

enum {
	WRITE_TRACING_DATA = 1 << 1, /* the bit of the feature */
	WRITE_FEATURES = 17, /* that there are */
};

/*
 * Adds the features that may stand in front of the records to @b, to be written to @at; where each
 * is goes to @index, in the order of the bits.  Their bits.
 */
uint64_t write_early_features(struct buf *b, uint64_t at, const struct write_facts *facts,
			      struct write_section index[WRITE_FEATURES]);

/* Adds the features and their index to @b, to be written to @at.  Their bits. */
uint64_t write_features(struct buf *b, uint64_t at, const struct write_facts *facts);

/* Adds a struct build_id_event. */
void write_build_id(struct buf *b, uint16_t misc, int pid, const char *path, const uint8_t *id,
		    size_t len);

#endif
