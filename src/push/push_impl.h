/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PUSH_PUSH_IMPL_H
#define PTOP_PUSH_PUSH_IMPL_H
/* What push.c, which others call, has in common with its thread: run.c and fate.c. */
#include "push/post.h"
#include "push/push.h"
#include "push/spool.h"
#include "push/target.h"
#include "symbol/parser/host.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

enum push_ask_type { PUSH_ASK_PROFILE = 1, PUSH_ASK_END };

/* To the thread. */
struct push_ask {
	struct msg msg;
	int fd; /* -1: it could not be made */
	struct push_about about;
	char why[160];
};

/* A profile in memory: the one that came last, at most. */
struct push_fresh {
	int fd; /* -1: none */
	uint64_t number;
	struct push_about about;
};

struct push {
	struct push_target target;
	struct push_times times;
	char *token; /* secret_hide(); NULL: none is sent */
	char *token_file; /* that it is of */
	struct buf spool_path;
	char host_name[HOST_NAME_MAX + 1];
	struct host *host;
	struct queue *asks, *answers;
	pthread_t thread;
	bool is_started;
	atomic_ullong sent, waiting, dropped, refused;

	/* The thread's from push_start() on. */
	struct spool *spool; /* NULL: there is none */
	uint64_t next_number; /* without one */
	struct push_fresh fresh;
	struct wire wire;    /* to the process that posts; fd -1: there is none */
	uint64_t wire_until_ns; /* it may take so long to take or tell something */
	bool is_sending, sends_fresh;
	uint64_t deadline_ns; /* of the answer */
	uint64_t next_ns;     /* nothing is tried before */
	unsigned failures;    /* one after the other */
	unsigned faults;      /* that the store had with one, one after the other, */
	uint64_t faulty;      /* which is that */
	bool is_away;         /* the store, and that was said: until it takes one */
	bool is_refusing;     /* what it was sent last: it is there */
	bool is_lost;         /* the process that posts cannot be had, and that was said */
	bool is_full_told;    /* nothing can be kept, and that was said */
	uint32_t refused_status; /* that was said last */
	bool is_ending;
	uint64_t end_ns;
};

void *push_run(void *push); /* the thread */

/* fate.c: of the thread. */
void push_say(struct push *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void push_count_waiting(struct push *p);
void push_count_dropped(struct push *p, unsigned n, const char *why);
bool push_has_spooled(const struct push *p);
void push_take_profile(struct push *p, const struct push_ask *ask);

/* In the spool.  false: it cannot be kept there, and is the caller's still. */
bool push_keep(struct push *p, struct push_fresh *f);
void push_drop(struct push *p, struct push_fresh *f, const char *why);

/* The oldest one was not taken; it is tried again later.  @retry_s 0: as soon as usual. */
void push_fail(struct push *p, uint32_t retry_s, const char *why, const char *advice);

/* What the store has said of it. */
void push_judge(struct push *p, const struct post_end *end);

#endif
