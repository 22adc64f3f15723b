/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_CONTENTS_H
#define PTOP_DATAFILE_CONTENTS_H
/*
 * What is known of a recording besides its records.  Header, features and perf's own records fill
 * it.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/reader.h"
#include "datafile/datafile.h"
#include "record/abi.h"

/* The file that a build-id is of. */
struct build_id {
	const char *path;
	uint8_t id[20], len;
};

/* The symbols that the recording itself has of a file. */
struct symbols_of {
	const char *path;
	size_t first, count; /* among all symbols */
};

struct contents {
	struct datafile_event *events;
	size_t event_len, event_cap;
	struct record_layouts layouts;
	struct datafile_info info;
	struct buf features; /* of the info */
	struct buf tracing;  /* perf's TRACING_DATA */
	bool has_new_tracing; /* from here on to the next record it comes through the pipe */
	struct datafile_losses losses;
	struct arena arena; /* paths */
	struct build_id *build_ids;
	size_t build_id_len, build_id_cap;
	struct index build_ids_by_path;
	struct datafile_symbol *symbols;
	size_t symbol_len, symbol_cap;
	struct symbols_of *files;
	size_t file_len, file_cap;
};

/*
 * Adds an event: @attrs are its attributes, in the file's byte order, @ids u64 those of its
 * descriptors.  False: there are too few bytes for attributes.
 */
bool contents_add_event(struct contents *c, struct bytes attrs, struct bytes ids);

/* Gives the event a name of the file's own; nothing happens for UINT32_MAX or "". */
void contents_name_event(struct contents *c, uint32_t event, const char *name, size_t len);

/* Names the tracepoints that have no name yet by what TRACING_DATA says, once it has come whole. */
void contents_name_tracepoints(struct contents *c);

/* Takes a struct build_id_event, beginning with its record header of native byte order. */
void contents_add_build_id(struct contents *c, struct bytes record);
void contents_learn_build_id(struct contents *c, const char *path, const uint8_t *id, size_t len);
const struct build_id *contents_build_id(const struct contents *c, const char *path);

/* Notes why something could not be used; the first reason stays. */
void contents_lose(struct contents *c, uint64_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void contents_release(struct contents *c);

/*
 * The name that perf makes up for an event that has none of its own.  "cycles:u",
 * "LLC-load-misses", "raw 0x1c2".  Free with free().
 */
/* Of a tracepoint, which has a name in the formats of the machine alone. */
extern const char event_name_unknown[];
char *event_name_make(const struct event_attr *attr);

/*
 * A perf_event_attr as some version of perf wrote it.  Decodes the attributes at the begin of
 * @bytes.  attr->size becomes how many bytes they take: their own size member if that makes sense,
 * else all of @bytes.  -1: there are too few.
 */
int attr_decode(struct bytes bytes, bool swapped, struct event_attr *attr);

#endif
