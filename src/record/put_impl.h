/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PUT_IMPL_H
#define PTOP_RECORD_PUT_IMPL_H
/*
 * The tables that a record is written by.
 */
#include "record/abi.h"
#include "record/put.h"

/* One field of a record, at @at of it. */
struct put_field {
	const char *name;  /* NULL ends a table */
	uint64_t bits;     /* of sample_type, one of which carries it; 0: it is always carried */
	void (*put)(struct buf *b, const struct record_layout *layout, const void *at);
	size_t at;
};

#define PUT_AT(member) offsetof(struct record, member)

extern const struct put_field record_put_sample_fields[];

/* Values that the fields of all records are made of. */
void put_dec16(struct buf *b, const struct record_layout *layout, const void *at);
void put_dec32(struct buf *b, const struct record_layout *layout, const void *at);
void put_dec64(struct buf *b, const struct record_layout *layout, const void *at);
void put_hex16(struct buf *b, const struct record_layout *layout, const void *at);
void put_hex32(struct buf *b, const struct record_layout *layout, const void *at);
void put_hex64(struct buf *b, const struct record_layout *layout, const void *at);
void put_pid(struct buf *b, const struct record_layout *layout, const void *at);
void put_time(struct buf *b, const struct record_layout *layout, const void *at);
void put_hex_bytes(struct buf *b, const struct record_layout *layout, const void *at);
void put_read(struct buf *b, const struct record_layout *layout, const void *at); /* read_format */

void put_chain_words(struct buf *b, const uint64_t *chain, uint64_t len);

#endif
