/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_HISTORY_H
#define PTOP_ENGINE_RECORDING_HISTORY_H
/*
 * The flight recorder: the last records of all rings, in the order in which they were taken but for
 * samples that come late, bounded by the bytes that it takes.  They lie in chunks, each with the ids
 * that its records carry; a sample like one before it in its chunk is kept as its time and period
 * alone.  Beyond a part of the bound the oldest chunks are packed.  A sealed chunk that somebody else
 * holds does not change: any thread may read it.
 */
#include "base/reader.h"
#include "base/util.h"
#include "record/layouts.h"

#include <stdatomic.h>

struct history;
struct buf;

/* An id, and which event's it is, as history_keys.event_of() says. */
struct history_id {
	uint64_t id;
	uint32_t event;
};

struct history_chunk {
	atomic_uint refs;
	struct history_chunk *next; /* in the history: a newer one */
	size_t len;        /* of its records */
	size_t packed_len; /* as they lie in data, 0: as they are */
	size_t cap;
	/* When its first and its last sample came, by the highest time until then; 0: it has none. */
	uint64_t first_ns, last_ns;
	int64_t clock_ahead_ns; /* these, of the times in its records: see record_layout */
	uint64_t samples;
	uint8_t *data;
	struct history_id *ids; /* all that its records carry, each once when it is sealed */
	size_t id_len, id_cap;
};

/* Where in records ids stand, and whose they are; asked when one comes for the first time. */
struct history_keys {
	const struct record_layouts *layouts;
	uint32_t (*event_of)(const void *self, uint64_t id);
	const void *self;
};

/* @max_bytes 0: nothing is kept but the chunk that is open. */
struct history *history_new(size_t max_bytes, const struct history_keys *keys);
void history_free(struct history *h);

/* Takes one whole record, without what the kernel may write behind its true end. */
void history_add(struct history *h, struct bytes bytes);

/*
 * Takes one whole sample record.  @tag: of record_sample_tag(), 0: it has none.
 */
void history_add_sample(struct history *h, struct bytes bytes, uint64_t tag, uint64_t time_ns);

/* Samples with the tag @other are kept as the one that was just taken with @tag. */
void history_note_tag(struct history *h, uint64_t tag, uint64_t other);

/* Whether one with that @tag needs no bytes but those of its time and period. */
bool history_knows(struct history *h, uint64_t tag);

/*
 * The tag of a sample with that sample_type; 0: its time and period are not where @layout, the one that
 * the history knows, has them.
 */
uint64_t history_tag(const struct record_layout *layout, uint64_t sample_type, struct bytes bytes);

/* The record that was added last carries this id, too. */
void history_note_id(struct history *h, uint64_t id);

/* Ends the open chunk and keeps it; the oldest that are too much go. */
void history_seal(struct history *h);

/* From now on @sealed is called with each chunk that ends, which is borrowed; NULL: no more. */
void history_set_sink(struct history *h, void (*sealed)(void *self, struct history_chunk *c), void *self);

/* The oldest chunk, NULL if there is none; the others by ->next.  Engine thread only. */
struct history_chunk *history_first(const struct history *h);

/* From when on there is a sample, 0: there is none.  Older ones are such that came late. */
uint64_t history_since(const struct history *h);

size_t history_bytes(const struct history *h); /* that it takes in memory */

/*
 * history_stretch.c: @sealed gets chunks, borrowed, of the samples from @from_ns to before @to_ns, and
 * of all that is no sample up to then.  @layouts are the history's own.  How many samples.
 */
uint64_t history_put_stretch(const struct history *h, const struct record_layouts *layouts,
			     const struct record_layout *layout, uint64_t from_ns, uint64_t to_ns,
			     void (*sealed)(void *self, struct history_chunk *c), void *self);

struct history_chunk *history_chunk_get(struct history_chunk *c);
void history_chunk_put(struct history_chunk *c); /* NULL is allowed; the last frees; any thread */

/* Adds its records to @out as the kernel wrote them. */
void history_chunk_expand(const struct history_chunk *c, const struct record_layout *layout, struct buf *out);

/*
 * The records of a chunk in less memory: samples are much alike.  By zstd, each chunk alone.  What
 * packing works with, some 600 KiB.  NULL: this ptop is built without zstd.
 */
struct history_pack *history_pack_new(void);
void history_pack_free(struct history_pack *p);

/* Room that packed bytes are sure to fit. */
size_t history_pack_bound(size_t len);

/* Packs @len bytes at @from into @to; how many they are then, 0: it cannot be done. */
size_t history_pack(struct history_pack *p, const void *from, size_t len, void *to, size_t cap);

/* The @len bytes again that history_pack() made @packed_len of.  Any thread. */
void history_unpack(const void *packed, size_t packed_len, void *to, size_t len);

#endif
