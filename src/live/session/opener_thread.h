/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_OPENER_THREAD_H
#define PTOP_LIVE_SESSION_OPENER_THREAD_H
/*
 * The thread behind a session: opens events, looks for CPUs that come and go and for new processes
 * of the user, and waits for COMMAND.  Called from the engine's thread; nothing here waits, but
 * opener_thread_stop().
 */
#include "live/session/event_opener.h"
#include "live/session/stack_copies.h"

/* Their answers are session.h's messages; it says what each function of the session asks for. */
enum opener_request_type {
	OPENER_OPEN,         /* the first of the events that can be */
	OPENER_OPEN_GROUP,   /* the events, with their tokens */
	OPENER_CLOSED,       /* one reference of the event is given away; no answer */
	OPENER_RATE,         /* of what is opened later, and of what is open if reopen; no answer */
	OPENER_PERIOD,       /* rate: of the event, which is opened anew; no answer */
	OPENER_CHAINS,       /* of what is opened later, and of the event if there is one; no answer */
	OPENER_FILTER,
	OPENER_STOP_AT_EXEC, /* COMMAND */
	OPENER_START,        /* COMMAND; no answer */
	OPENER_ATTACH,
	OPENER_SITES,        /* the event, at those of events[0] */
	OPENER_DETACH,
	OPENER_STACKS,
	OPENER_END,          /* by opener_thread_stop() */
};

/* What the type does not speak of is zero.  The lists and strings are given away with it. */
struct opener_request {
	struct msg msg; /* the opener's */
	struct session_event *event;
	uint32_t token, target;
	struct event *events;
	uint32_t *tokens;
	size_t count; /* of events */
	uint64_t rate;
	bool reopen;
	enum event_call_graph call_graph;
	uint32_t stack_bytes;
	char *filter; /* NULL: none */
	int pid;
	bool descendants;
	struct stacks_ask stacks;
};

void opener_thread_start(struct event_opener *o);

/* Requests are carried out in order. */
void opener_thread_ask(struct event_opener *o, enum opener_request_type type,
		       const struct opener_request *request);

/* Ends the thread, then gives every event's descriptors to the closer. */
void opener_thread_stop(struct event_opener *o);

#endif
