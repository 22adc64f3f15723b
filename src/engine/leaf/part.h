/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_PART_H
#define PTOP_ENGINE_LEAF_PART_H
/*
 * What a part of the engine offers to the loop and to those who show: one row each in parts.c, from
 * which come its end, its beat, the messages that it takes, what the header and the page of messages
 * say of it, and what it holds in memory.  Any member may be NULL.  Engine thread only.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/queue.h"

struct engine_env;
struct intake_sink;
struct snapshot;

enum { ENGINE_PARTS_MAX = 16 };

/* What became of a message. */
enum part_reply {
	PART_PASSES, /* it is not for this part: the next one that takes its type is asked */
	PART_DONE,   /* it is done with, whoever asked frees it */
	PART_KEEPS,  /* it is the part's own now */
};

struct part_message {
	int type; /* msg.type */
	enum part_reply (*handle)(void *self, struct msg *m);
};

/* Sentences on what is left out, for the header; each is shown once. */
struct part_notices {
	struct arena *arena; /* the sentences live in it, if they are not constant */
	const char **items;
	size_t len, cap;
};

void part_notice(struct part_notices *n, const char *text); /* NULL: nothing to say */

/* What a part holds in memory. */
#define PART_UNBOUNDED SIZE_MAX
struct part_memory {
	const char *name;
	size_t (*held)(const void *self);
	size_t (*bound)(const void *self); /* PART_UNBOUNDED: there is none */
	const char *beyond; /* what happens then, and the option that moves the bound */
};

struct engine_part {
	const char *name;
	void *(*make)(const struct engine_env *env); /* NULL: parts_make() makes it */
	void (*release)(void *self);
	const struct intake_sink *sink; /* it gets records by this */
	void (*beat)(void *self, uint64_t now_ns); /* at least once a second, while records come */
	const struct part_message *messages;
	size_t message_count;
	void (*put_broken)(const void *self, struct part_notices *n); /* what works no more: before all others */
	void (*put_limits)(const void *self, struct part_notices *n); /* what is not sampled at all: before notices */
	void (*put_notices)(const void *self, struct part_notices *n);
	void (*put_page)(const void *self, struct buf *b); /* lines for the page of messages */
	const struct part_memory *memory;
	size_t memory_count;
	void (*put_head)(const void *self, struct snapshot *s); /* what the header shows of it */
};

/* All parts that there are, in the order of parts.c. */
struct engine_parts {
	size_t count;
	struct {
		const struct engine_part *ops;
		void *self;
	} items[ENGINE_PARTS_MAX];
};

#endif
