/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_PUSHER_H
#define PTOP_SERVE_PUSHER_H
/*
 * When the next profile is to be pushed, and of what: each begins where the last one ended.  ptop's
 * main thread.
 */
#include "push/push.h"
#include "view/snapshot.h"

enum { PUSHER_EVERY_MS = 15000 };

struct pusher {
	struct push *push;
	uint64_t every_ns;
	uint64_t due_ns; /* CLOCK_MONOTONIC; UINT64_MAX: there is no other one */
	uint64_t from_ns, from_real_ns; /* where the next one begins */
	uint64_t asked_ns; /* when the engine was asked for it */
	struct push_about about; /* of that one */
	bool is_last, is_done;
};

/* Sampling begins. */
void pusher_begin(struct pusher *p, struct push *push, uint64_t every_ns);

/* The next one is due now, and no other follows: is_done. */
void pusher_finish(struct pusher *p);

/* What the engine is asked for, made of @base, as soon as due_ns has come. */
void pusher_query(struct pusher *p, const struct query *base, struct query *q);

/* Its answer; or that there is none: the next one will have it all, the last one is due again. */
void pusher_take(struct pusher *p, const struct snapshot *s);
void pusher_miss(struct pusher *p);

#endif
