/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_WIRE_H
#define PTOP_SYMBOL_PARSER_WIRE_H
/*
 * Messages between ptop and the process that parses symbol files: a type, bytes, and at most one
 * descriptor, over a stream socket.  Neither end believes the other: lengths are bounded, and what
 * a message holds is read by base/reader.  One thread at each end.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/reader.h"
#include "symbol/elf/debug_finder.h"

enum wire_type {
	WIRE_IMAGE = 1, /* with a file: its symbols; the answer has the image's descriptor */
	WIRE_NAMES,     /* strings: the same, demangled */
	WIRE_LINES,     /* with a file unless that is open: a dso, offsets: source lines */
	WIRE_INLINES,   /* the same, and whether to demangle: the functions inlined there */
	WIRE_PLACES,    /* with a file: what to find: where it is */
	WIRE_RULES,     /* with a file: the answer has the descriptor of its rules */
	WIRE_LISTING,   /* with a file, or the code itself: see parser_listing.h */
	WIRE_LISTING_LINES, /* with a file unless that is open for its lines: see parser_lines.h */
	WIRE_SOURCE,    /* with a source file: see parser_source.c */
	WIRE_CONTAINER, /* with a file of a container engine: see parser_container.c */
	WIRE_DONE,      /* the answer to any of them */
	WIRE_WANT,      /* before the answer: a struct debug_ask */
	WIRE_HAVE,      /* what was wanted: with a file or without */
};

enum {
	WIRE_BYTES_MAX = 32 << 20,
	WIRE_STRING_MAX = 128 << 10, /* longer ones are cut */
	WIRE_LINES_MAX = 16,         /* files that are open for their lines */
};

struct wire {
	int fd;
	/* Waits for @events of poll(2); false: give up.  NULL: calls block. */
	bool (*wait)(void *arg, int fd, short events);
	void *arg;
};

struct wire_msg {
	uint32_t type;
	int fd; /* -1: none */
	struct buf body;
};

/* @fd -1: none; it stays the caller's.  -1: the other end is gone, or it was given up. */
int wire_send(const struct wire *w, enum wire_type type, const struct buf *body, int fd);

/* Fills @m, which the caller releases also after -1: gone, given up, or no message. */
int wire_recv(const struct wire *w, struct wire_msg *m);
void wire_msg_release(struct wire_msg *m); /* closes its descriptor; take it out by setting -1 */

void wire_put_u32(struct buf *b, uint32_t v);
void wire_put_u64(struct buf *b, uint64_t v);
void wire_put_string(struct buf *b, const char *s); /* NULL is the empty one */
void wire_put_err(struct buf *b, const struct err *err);
void wire_put_ask(struct buf *b, const struct debug_ask *ask);

/* What was put.  Reading past the end leaves r->failed. */
struct reader wire_reader(const struct wire_msg *m);
void wire_get_err(struct reader *r, struct err *err);

/* false: it makes no sense. */
bool wire_get_ask(struct reader *r, struct debug_ask *ask);

#endif
