/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_DECODE_IMPL_H
#define PTOP_RECORD_DECODE_IMPL_H
/*
 * What the decoders of samples and of all other records share.
 */
#include "record/abi.h"
#include "record/record.h"

/* A type of record.  NULL for @decode: of perf itself, only its payload is told. */
struct record_type_row {
	const char *name;
	void (*decode)(const struct record_layout *layout, struct reader *r, struct record *rec);
};

/* NULL: not known. */
const struct record_type_row *record_type_find(uint32_t type);

/*
 * @n times @words words in place, native.  NULL, and failed, if fewer are left: by division, as a
 * count from the stream must not overflow.
 */
const uint64_t *record_words(struct reader *r, uint64_t n, uint64_t words);

/* As record_words(), where its count @n is a part of the record: 0 if it makes no sense. */
const uint64_t *record_counted(struct reader *r, uint64_t *n, uint64_t words);

/* The words of a struct read_format. */
struct bytes record_read_take(uint64_t read_format, struct reader *r);

#endif
