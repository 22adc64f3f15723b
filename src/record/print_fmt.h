/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PRINT_FMT_H
#define PTOP_RECORD_PRINT_FMT_H
/*
 * What the values of a tracepoint's field are called, by the "print fmt:" of its format:
 * __print_symbolic(REC->vec, { 0, "HI" }, ...) and __print_flags(REC->flags, "|", { 1, "A" }, ...).
 * The text is as untrusted as the rest of a file.
 */
#include "base/buf.h"

struct print_name {
	uint64_t value;
	char *name;
};

struct print_names {
	struct print_name *items;
	size_t len, cap;
	bool are_flags; /* each is a bit, or several */
};

/* Those of the field called @field; none if the text has none for it. */
void print_names_parse(struct print_names *n, const char *fmt, const char *field);
void print_names_release(struct print_names *n);

/* Adds what @value is called, bits without a name as a number.  false: it has no name. */
bool print_names_put(const struct print_names *n, uint64_t value, struct buf *out);

#endif
