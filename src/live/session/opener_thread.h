/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_OPENER_THREAD_H
#define PTOP_LIVE_SESSION_OPENER_THREAD_H
/*
 * The thread behind a session: opens events, looks for CPUs that come and go and for new processes
 * of the user, and waits for COMMAND.  Called from the engine's thread; nothing here waits, but
 * opener_thread_stop().
 */
#include "live/session/event_opener.h"

struct stacks_ask;

void opener_thread_start(struct event_opener *o);

/*
 * Requests, carried out in order; what is passed is copied unless it says otherwise.  The answers
 * are session.h's messages.
 */
void opener_thread_ask_open(struct event_opener *o, uint32_t token, const struct event *candidates,
			    size_t count);
void opener_thread_ask_open_group(struct event_opener *o, const uint32_t *tokens,
				  const struct event *events, size_t count);
/* Takes a reference of @ev over. */
void opener_thread_tell_closed(struct event_opener *o, struct session_event *ev);
void opener_thread_tell_rate(struct event_opener *o, struct session_event *ev, uint64_t rate,
			     bool reopen);
void opener_thread_ask_filter(struct event_opener *o, struct session_event *ev, const char *filter);
void opener_thread_ask_start_command(struct event_opener *o);
void opener_thread_ask_stop_at_exec(struct event_opener *o);
void opener_thread_ask_attach(struct event_opener *o, int pid, bool descendants);
void opener_thread_ask_sites(struct event_opener *o, struct session_event *ev,
			     const struct event *found, uint32_t target);
void opener_thread_ask_detach(struct event_opener *o, uint32_t target);
/* Takes the list of events over. */
void opener_thread_ask_stacks(struct event_opener *o, const struct stacks_ask *ask);

/* Ends the thread, then gives every event's descriptors to the closer. */
void opener_thread_stop(struct event_opener *o);

#endif
