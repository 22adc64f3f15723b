/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_PAYLOAD_FORMATS_H
#define PTOP_RECORD_PAYLOAD_FORMATS_H
/*
 * Formats of payloads as they were read (payload_formats.c), for who prints values by them (payload.c).
 * Whoever else wants one asks for it by record/payload.h.
 */
#include "record/payload.h"
#include "record/print_fmt.h"

/* What the bytes of a field are. */
enum field_kind {
	FIELD_NUMBER,
	FIELD_ADDRESS,
	FIELD_WORD,     /* a number, or by its size an address */
	FIELD_TEXT,
	FIELD_NUMBERS,  /* an array */
};

struct field {
	char *name;
	const char *also; /* a word that a program has a name for: what it is otherwise called */
	enum field_kind kind;
	bool is_signed;
	/* __data_loc and __rel_loc hold offset and length of the content; the latter from their end */
	bool is_located, is_relative;
	uint32_t offset, size, element_size;
};

struct format {
	uint64_t id;
	char *name; /* NULL: it says none */
	char *print; /* what follows "print fmt: ", "" if it says nothing */
	struct field *fields;
	size_t field_count;
};

/* A field that is asked for by itself. */
struct payload_field {
	struct payload_field *next;
	char *event;
	struct field field; /* its strings are the format's */
	const struct payload_formats *of;
	struct print_names names;
};

/* What a number is called on this machine. */
struct called {
	const char *field; /* constant */
	int64_t value;
	char *name;
};

struct payload_formats {
	bool is_swapped; /* numbers in payloads */
	struct format *items;
	size_t len, cap;
	struct payload_field *asked;
	struct called *called;
	size_t called_len, called_cap;
};

/* The format of the tracepoint @id; NULL: it has none. */
const struct format *payload_format_by_id(const struct payload_formats *p, uint64_t id);

#endif
