/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_TYPES_H
#define PTOP_RECORD_TYPES_H
/*
 * All types of records, a row each: what decode.c reads them by and put.c prints them by.  Internal
 * to record/.
 */
#include "base/buf.h"
#include "record/abi.h"
#include "record/record.h"

/* What of the record's bytes a field is. */
enum field_bytes {
	FIELD_NONE, /* none: the field before it has read it, or no table does */
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_STRING,
	FIELD_READ, /* struct read_format */
	FIELD_OWN,  /* as its function reads it */
};

/* One field of a record, in the order of the ABI. */
struct record_field {
	const char *name;  /* as it is printed; NULL ends a table */
	uint64_t bits;     /* of sample_type, one of which carries it; 0: it is always carried */
	/* Prints the member @at of struct record. */
	void (*put)(struct buf *b, const struct record_layout *layout, const void *member);
	size_t at;
	enum field_bytes bytes;
	void (*read)(struct reader *r, struct record *rec); /* of FIELD_OWN */
};

/* A field that is not read by its table: of samples, and of what a record tells of itself. */
#define FIELD_IF(name, bits, put, member) \
	{ name, bits, put, offsetof(struct record, member), FIELD_NONE, NULL }

struct record_type {
	const char *name;
	const struct record_field *fields; /* NULL: of perf itself, only its length is told */
};

/* NULL: not known. */
const struct record_type *record_type_find(uint32_t type);

extern const struct record_field record_sample_fields[];

/*
 * @n times @words words in place, native.  NULL, and failed, if fewer are left: by division, as a
 * count from the stream must not overflow.
 */
static inline const uint64_t *
record_words(struct reader *r, uint64_t n, uint64_t words)
{
	const uint64_t *w = NULL;

	if (n > reader_left(r) / (8 * words))
		reader_fail(r);
	else
		w = (const uint64_t *)(const void *)reader_bytes(r, n * words * 8);
	if (w != NULL && r->swap) {
		/* A swapped stream is its reader's own memory, see record_decode(). */
		uint64_t *own = (uint64_t *)(uintptr_t)w;

		for (uint64_t i = 0; i < n * words; i++)
			own[i] = __builtin_bswap64(own[i]);
	}
	return w;
}

/* The same of a count @n that is a part of the record: 0 if it makes no sense. */
static inline const uint64_t *
record_counted(struct reader *r, uint64_t *n, uint64_t words)
{
	const uint64_t *w = record_words(r, *n, words);

	if (w == NULL)
		*n = 0;
	return w;
}

/* The words of a struct read_format. */
struct bytes record_read_words(uint64_t read_format, struct reader *r);

#endif
