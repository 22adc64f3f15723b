/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_STACK_COPIES_H
#define PTOP_LIVE_SESSION_STACK_COPIES_H
/*
 * Events that are open for all, opened once more for one process alone, with registers and a copy
 * of the stack in each sample.  Opened by the opener's thread; from then on the engine's.
 */
#include "live/session/event_opener.h"

/* What is wanted, as session_open_stacks() has it. */
struct stacks_ask {
	uint32_t token;
	int pid;
	uint32_t bytes;          /* of the stack */
	size_t descriptors_max;
	struct session_event **events; /* owned, not their events */
	size_t count;
};

/* One event, with the descriptors of all threads on all CPUs. */
struct stacks_part {
	uint32_t token; /* the event's */
	uint64_t read_format;
	struct event_fds fds;
};

struct session_stacks {
	struct stacks_part *parts;
	size_t count;
};

/* For the opener's own thread: the answer, to be sent. */
struct session_stacks_msg *stack_copies_open(struct event_opener *o, const struct stacks_ask *ask);

#endif
