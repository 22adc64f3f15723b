/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PUT_H
#define PTOP_RECORD_PUT_H
/*
 * A record as a line of text, for people and for diff.  Any thread.
 */
#include "base/buf.h"
#include "record/record.h"

/*
 * Adds @rec as one line without its newline: the name of the type, then name=value for each field
 * that @layout makes it carry, by blanks.  First come misc and what the record tells of itself
 * (pid, tid, time, cpu, id, stream_id), the same for all types; then its content.  Lists are in [],
 * strings in "" and safe for a terminal.  Only for records that record_decode() did not refuse.
 */
void record_put(struct buf *b, const struct record_layout *layout, const struct record *rec);

/*
 * Adds the fields of a sample's data_src in words, by blanks: "op=load lvl=L1|hit"; nothing for 0.
 */
void record_put_data_src(struct buf *b, uint64_t src);

/* The bits of data_src that there are words for. */
#define RECORD_DATA_SRC_KNOWN ((UINT64_C(1) << 51) - 1)

/* Values that the fields of all records are made of, printed: see struct record_field. */
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
