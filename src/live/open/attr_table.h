/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_ATTR_TABLE_H
#define PTOP_LIVE_OPEN_ATTR_TABLE_H
/*
 * Every field and bit of struct event_attr by the kernel's name: where it is, what it means, and
 * how its value is written.  Constant; any thread.
 */
#include "base/buf.h"
#include "base/err.h"
#include "record/abi.h"

enum attr_kind {
	ATTR_NUMBER,
	ATTR_HEX,    /* an address, or a number made of parts */
	ATTR_MASK,   /* names[i] is bit i; NULL: it has no name */
	ATTR_CHOICE, /* names[i] is the value i */
};

struct attr_field {
	const char *name;
	uint8_t offset, bytes; /* of the member */
	uint8_t shift, bits;   /* of the field in it */
	enum attr_kind kind;
	const char *const *names; /* NULL: none */
	size_t name_count;
	/* Unions: whether this is the member meant; NULL: always. */
	bool (*is_meant)(const struct event_attr *attr);
	const char *help;
};

/* All, in the order of the struct. */
const struct attr_field *attr_fields(size_t *count);

/* NULL: there is no such field. */
const struct attr_field *attr_find(const char *name);

uint64_t attr_field_get(const struct event_attr *attr, const struct attr_field *field);
void attr_field_set(struct event_attr *attr, const struct attr_field *field, uint64_t value);

/* The names of @value, "IP|TID|0x8000000": what has none as a number; nothing of plain numbers. */
void attr_put_names(struct buf *b, const struct attr_field *field, uint64_t value);

/*
 * Sets fields as "NAME[=VALUE],..." says; VALUE is a number or names joined by '|', without one it
 * is 1.  Bits of masks are added to those that are set.  ERR_USAGE: no such field, or it cannot
 * hold the value; @attr may be NULL to only check.
 */
int attr_assign(struct event_attr *attr, const char *text, struct err *err);

#endif
