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

#endif
