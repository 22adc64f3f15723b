/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_NAMING_H
#define PTOP_APP_NAMING_H
/*
 * Processes whose runtimes are asked to name their code, one after another, by a broker that the
 * owner has, and may use for other things: answers are told apart by their ids.  One thread.
 */
#include "broker/broker.h"

enum {
	NAMING_MAX = 64,
	NAMING_SILENT_MAX = 16, /* users; of more the first are forgotten */
};

struct naming {
	struct broker *broker; /* borrowed; NULL: there is none, and nothing is asked */
	struct broker_request request; /* the newest */
	bool is_due;           /* its answer */
	struct naming_waiting {
		int pid;
		uint64_t start;
		uint32_t uid;
	} waiting[NAMING_MAX], now; /* @now: of the request */
	size_t waiting_len;
	uint32_t silent[NAMING_SILENT_MAX]; /* users who had one that did not answer */
	size_t silent_len;
};

/*
 * @start 0: the process that has the number now.  Who had one that did not answer, which takes ten
 * seconds, waits until all others were asked; and where too many wait, in vain.
 */
void naming_ask(struct naming *n, int pid, uint64_t start);

/* Whether the answer is to one of these. */
bool naming_is_mine(const struct broker_reply *reply);

/*
 * Adds what came of it, a sentence, and asks for the next.  The process that has written its names;
 * 0: it has not.
 */
int naming_take(struct naming *n, const struct broker_reply *reply, struct buf *said);

#endif
