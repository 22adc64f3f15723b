/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_NAMING_H
#define PTOP_APP_NAMING_H
/*
 * Processes whose runtimes are asked to name their code, one after another, by a broker that the
 * owner has, and may use for other things: answers are told apart by their ids.  One thread.
 */
#include "broker/broker.h"

enum { NAMING_MAX = 64 };

struct naming {
	struct broker *broker; /* borrowed; NULL: there is none, and nothing is asked */
	struct broker_request request; /* the newest */
	bool is_due;           /* its answer */
	struct {
		int pid;
		uint64_t start;
	} waiting[NAMING_MAX];
	size_t waiting_len;
};

/* @start 0: the process that has the number now. */
void naming_ask(struct naming *n, int pid, uint64_t start);

/* Whether the answer is to one of these. */
bool naming_is_mine(const struct broker_reply *reply);

/*
 * Adds what came of it, a sentence, and asks for the next.  The process that has written its names;
 * 0: it has not.
 */
int naming_take(struct naming *n, const struct broker_reply *reply, struct buf *said);

#endif
