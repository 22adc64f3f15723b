/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_PROTO_H
#define PTOP_EXPORT_PROTO_H
/*
 * Protocol buffers, as far as profiles of pprof and OTLP need them: a message is its fields one after the
 * other, in any order; those that are 0 or empty are left out.  Any thread.
 */
#include "base/buf.h"
#include "base/strs.h"

/* Also for booleans, and for signed numbers as two's complement. */
void proto_add_number(struct buf *b, unsigned field, uint64_t value);

/* The same, and added if it is 0: of a choice (oneof) the field tells which it is. */
void proto_add_choice(struct buf *b, unsigned field, uint64_t value);

void proto_add_fixed64(struct buf *b, unsigned field, uint64_t value);

/* Strings and messages; added also if it is empty, as elements of lists must be. */
void proto_add_bytes(struct buf *b, unsigned field, const void *data, size_t len);

/*
 * The number of @text, made safe, in a table of strings: @table has those that were written, and one that
 * is new is added as an element of @field.  @scratch is the caller's, and released by it.
 */
uint64_t proto_add_string(struct buf *b, unsigned field, struct strs *table, struct buf *scratch,
			  const char *text);

/* A list of numbers. */
void proto_add_numbers(struct buf *b, unsigned field, const uint64_t *values, size_t count);

#endif
