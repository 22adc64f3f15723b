/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PUT_VALUES_H
#define PTOP_RECORD_PUT_VALUES_H
/* Values that the fields of all records are made of, printed: see struct record_field. */
#include "base/buf.h"
#include "record/record.h"

void put_dec16(struct buf *b, const struct record_layout *layout, const void *member);
void put_dec32(struct buf *b, const struct record_layout *layout, const void *member);
void put_dec64(struct buf *b, const struct record_layout *layout, const void *member);
void put_hex16(struct buf *b, const struct record_layout *layout, const void *member);
void put_hex32(struct buf *b, const struct record_layout *layout, const void *member);
void put_hex64(struct buf *b, const struct record_layout *layout, const void *member);
void put_pid(struct buf *b, const struct record_layout *layout, const void *member);
void put_time(struct buf *b, const struct record_layout *layout, const void *member);
void put_flag(struct buf *b, const struct record_layout *layout, const void *member); /* bool */
void put_text(struct buf *b, const struct record_layout *layout, const void *member); /* char * */
void put_hex_bytes(struct buf *b, const struct record_layout *layout, const void *member);
/* struct read_format */
void put_read(struct buf *b, const struct record_layout *layout, const void *member);

void put_chain_words(struct buf *b, const uint64_t *chain, uint64_t len);

#endif
