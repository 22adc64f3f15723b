/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PUSH_POST_H
#define PTOP_PUSH_POST_H
/*
 * The work of the process that pushes: takes questions from a socket, one after the other, and posts
 * the file that comes with each.  It follows no redirect and opens nothing.
 */
#include "symbol/parser/wire.h"

enum post_msg {
	POST_ASK = 1, /* struct post_ask, with the file */
	POST_END,     /* struct post_end */
};

enum { POST_ANSWER_MAX = 4096 };

struct post_ask {
	uint64_t offset, len; /* of the file: its body */
	uint32_t connect_s;   /* that a server may take to answer */
	uint32_t silent_s;    /* in which next to nothing goes */
	uint32_t whole_s;
	uint32_t is_packed;   /* the content is told to be packed by gzip */
	const char *url, *content;
	const char *token;    /* "": none */
};

struct post_end {
	uint32_t status;  /* of HTTP; 0: there was no answer, */
	uint32_t retry_s; /* the header Retry-After; 0: it was not there */
	const char *why;  /* and why */
	struct bytes answer; /* the first bytes of its body */
};

void post_put_ask(struct buf *b, const struct post_ask *ask);

/* What is put is @m's.  false: it makes no sense. */
bool post_get_end(const struct wire_msg *m, struct post_end *end);

/* Serves the other end of @socket until it is closed. */
void post_run(int socket);

#endif
