/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PUSH_PUSH_H
#define PTOP_PUSH_PUSH_H
/*
 * Profiles on their way to a store.  A thread hands one after the other, in the order in which they
 * came, to a process without rights, which posts them; what the store does not take now waits in the
 * spool.  Calls never block but for the first and the last; one thread.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/queue.h"

#define PUSH_SPOOL_DEFAULT (UINT64_C(64) << 20)

enum { PUSH_MSG_SAID = 640 }; /* struct push_said_msg */

/* A line for people.  Free with free(). */
struct push_said_msg {
	struct msg msg;
	char text[640];
};

/* What a profile is of. */
struct push_about {
	uint64_t from_ns, until_ns; /* CLOCK_REALTIME */
	uint64_t rate;              /* samples a second on a CPU; 0: it is no such event */
};

/* 0: the usual ones. */
struct push_times {
	uint32_t connect_s, silent_s, whole_s; /* for a post, see struct post_ask */
	uint32_t first_ms, most_ms; /* between two tries, which become longer */
};

struct push_config {
	const char *url;
	const char *token_file; /* NULL: none is sent */
	uint64_t spool_bytes;   /* 0: nothing waits on the disk */
	const char *spool;      /* the folder; NULL: the usual one */
	struct push_times times;
};

/* What became of the profiles so far. */
struct push_counts {
	uint64_t sent;
	uint64_t waiting;
	uint64_t dropped; /* there was no room */
	uint64_t refused; /* by the store, for good */
};

struct push;

/* Of the option: that ptop can push there.  -1: see @err. */
int push_check(const char *url, struct err *err);

/* Makes all but the thread, while ptop has one.  NULL: see @err. */
struct push *push_open(const struct push_config *config, struct err *err);

/* From here on it pushes, with what waits from last time first.  It says so to @answers. */
void push_start(struct push *p, struct queue *answers);

bool push_is_otlp(const struct push *p); /* what is to be pushed: a pprof else, packed by gzip */

/* Pushes the file; takes the descriptor.  -1: one that could not be made, see @why. */
void push_add(struct push *p, int fd, const struct push_about *about, const char *why);

struct push_counts push_counts(const struct push *p);
uint64_t push_cpu_ns(const struct push *p); /* of the process that posts */

/*
 * Sends what waits, for some seconds at most, and keeps the rest.  Adds to @said what became of all;
 * NULL: nobody wants to know.  @p may be NULL.
 */
void push_close(struct push *p, struct buf *said);

#endif
