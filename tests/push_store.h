/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PUSH_STORE_H
#define PTOP_TESTS_PUSH_STORE_H
/*
 * A store of profiles for tests: a process that listens on the loopback interface, keeps what is
 * posted to it, and answers as the test chooses.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum push_store_mode {
	PUSH_STORE_TAKES,
	PUSH_STORE_AWAY,      /* 503 */
	PUSH_STORE_CLOSES,    /* the connection, before it is asked */
	PUSH_STORE_FAULTS,    /* 500 */
	PUSH_STORE_REFUSES,   /* 400 */
	PUSH_STORE_DENIES,    /* 401 */
	PUSH_STORE_TELLS,     /* 400, and of what it was sent the header Authorization */
	PUSH_STORE_REDIRECTS, /* to itself */
	PUSH_STORE_HANGS,     /* says nothing */
	PUSH_STORE_STALLS,    /* begins to answer, and no more */
	PUSH_STORE_RAMBLES,   /* takes it, with an answer that never ends */
	PUSH_STORE_HEADS,     /* a header that never ends */
	PUSH_STORE_LONG_HEAD, /* 400, with all headers 64 KiB long, and a body */
	PUSH_STORE_CHATS,     /* what is no HTTP */
	PUSH_STORE_PARTS,     /* takes it, and says as OTLP does that some was refused */
};

enum { PUSH_STORE_KEPT = 64, PUSH_STORE_HEAD = 2048 };

struct push_store {
	int pid;
	char url[64], dir[64];
	struct push_store_shared {
		atomic_int mode;
		atomic_int asked;  /* requests that came whole */
		atomic_int taken;  /* of them, those that were kept */
		atomic_int redirected; /* requests to where it redirects */
		char heads[PUSH_STORE_KEPT][PUSH_STORE_HEAD]; /* of what was kept: all up to the empty line */
	} *shared;
};

void push_store_start(struct push_store *s);
void push_store_end(struct push_store *s);
void push_store_be(struct push_store *s, enum push_store_mode mode);

/* Waits until so many requests came, or profiles were taken.  false: they do not come. */
bool push_store_wait_asked(const struct push_store *s, int count);
bool push_store_wait_taken(const struct push_store *s, int count);

void push_store_body(const struct push_store *s, int n, struct buf *b); /* of what was taken n-th, from 0 */

/* What it has taken is forgotten. */
void push_store_forget(struct push_store *s);

#endif
