/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_LOOK_ROUND_H
#define PTOP_LIVE_WAIT_LOOK_ROUND_H
/*
 * Whose turn it is: looks at the threads of a list as they are due and as their price allows.  Those
 * of one process are looked at together.  One thread at a time; all may block.
 */
#include "live/wait/look_pace.h"
#include "live/wait/wait_list.h"

enum { LOOK_TOGETHER = 64 }; /* threads, of whose stacks the tops are read at once */

struct look_round {
	struct wait_list list;
	struct wait_env env;
	struct look_pace pace;
	uint64_t random;     /* not 0 */
	int preferred;       /* pid, 0: none; see look_round_prefer() */
	size_t unseen;       /* threads that had no look yet; */
	bool is_first_turn;  /* hundreds, more than come and go */
	size_t looked_at;    /* threads whose looks read something, */
	size_t preferred_looked_at; /* and those that are preferred */
	uint64_t roused_ns;  /* when threads of processes that do not run were made due */
	size_t cursor;       /* of those that wait for credit: the next one */
	uint64_t behind_ns;  /* so long looks came after they were due, in all */
	double ran_again;    /* the part of those that had run at their last look that has at the next, too */

	/* A call can hang: before each @enter is called, with the process that it is of. */
	struct {
		void *self;
		void (*enter)(void *self, int pid, uint64_t now_ns);
		bool (*leave)(void *self); /* false: it took so long that nobody waits any more */
		void (*pause)(void *self); /* between looks: time to send records */
	} guard;

	/* These are being looked at, and of some of them the tops of stacks are wanted. */
	struct wait_thread *seen[LOOK_TOGETHER];
	int results[LOOK_TOGETHER];
	size_t seen_len;
	size_t stayed; /* looks since for which nothing had to be read */
	struct wait_ask tops[LOOK_TOGETHER];
	size_t top_len;
};

/* Looks at all that are due, or at all that there are.  False: it was left behind. */
bool look_round_due(struct look_round *r);
bool look_round_all(struct look_round *r);

/* After threads have come or gone. */
void look_round_set_interval(struct look_round *r);

/* Threads of that process are looked at more often, 0: of none. */
void look_round_prefer(struct look_round *r, int pid);

/* Until the next look is due; never in step with what is looked at. */
int look_round_wait_ms(struct look_round *r);

#endif
