/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PUT_WORDS_H
#define PTOP_RECORD_PUT_WORDS_H
/*
 * Bits and numbers of linux/perf_event.h in words: "0x3 (truncated|overwrite)".  What there is no
 * word for is the number alone.  Those with a layout are for struct record_field.
 */
#include "base/buf.h"
#include "record/record.h"

/* " (user|exact-ip)": the same bit is another word in each type.  Nothing if none is set. */
void put_misc_words(struct buf *b, uint32_t type, uint16_t misc);

/* "/type/speculation/privilege" of the third word of a branch; nothing if it tells none of them. */
void put_branch_words(struct buf *b, uint64_t bits);

void put_transaction(struct buf *b, const struct record_layout *layout, const void *member);
void put_aux_flags(struct buf *b, const struct record_layout *layout, const void *member);
void put_ksym_type(struct buf *b, const struct record_layout *layout, const void *member);
void put_ksym_flags(struct buf *b, const struct record_layout *layout, const void *member);
void put_bpf_type(struct buf *b, const struct record_layout *layout, const void *member);

#endif
