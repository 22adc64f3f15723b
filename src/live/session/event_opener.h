/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_EVENT_OPENER_H
#define PTOP_LIVE_SESSION_EVENT_OPENER_H
/*
 * The thread behind a session: opens events, looks for CPUs that come and go and for new processes
 * of the user, and waits for COMMAND.  The session fills the struct before event_opener_start() and does
 * not touch it until event_opener_stop().
 */
#include "live/session/closer.h"
#include "live/session/command.h"
#include "live/sys/cpu_watch.h"
#include "live/session/rings_msg.h"
#include "live/session/open_everywhere.h"

#include <pthread.h>

/* An event that is open, as the opener needs it to open it on more CPUs and tasks. */
struct event_opener_event {
	struct session_event *event; /* one reference */
	struct open_plan plan;       /* as reached */
	struct session_event *leader; /* of its group; NULL: it leads, or is alone */
};

struct stacks_ask;

struct event_opener {
	/* set by the session */
	const struct session_config *config;
	const struct event_env *env;
	struct everywhere everywhere;
	struct open_options options;
	struct err why_none; /* SESSION_NONE: why nothing can be opened */
	struct targets targets;
	struct lanes lanes;
	struct lane_pages pages;
	struct open_plan sideband_plan;
	struct event_fds sideband;
	struct command *command; /* NULL: none */
	struct closer *closer;
	struct queue *answers;
	struct cpu_watch watch;  /* opened before the first ring is */
	struct cpus known;       /* to be sampled, and on line at some time since the start */
	/* its own */
	struct queue *requests;
	struct event_opener_event *events; /* a leader before its group */
	size_t event_count, event_cap;
	bool has_cpu_news;   /* the watch has something to see */
	uint64_t next_tick_ns;
	bool is_command_over, is_ended, has_told_cgroups;
	pthread_t thread;
};

void event_opener_start(struct event_opener *o);

/* Requests, from the engine's thread; they are carried out in order. */
void event_opener_ask_open(struct event_opener *o, uint32_t token, const struct event *candidates,
		     size_t count);
void event_opener_ask_open_group(struct event_opener *o, const uint32_t *tokens,
				 const struct event *events, size_t count);
void event_opener_tell_closed(struct event_opener *o,
			      struct session_event *ev); /* takes a reference over */
void event_opener_tell_rate(struct event_opener *o, struct session_event *ev, uint64_t rate,
			    bool reopen);
void event_opener_ask_filter(struct event_opener *o, struct session_event *ev, const char *filter);
void event_opener_ask_start_command(struct event_opener *o);
void event_opener_ask_stop_at_exec(struct event_opener *o);
void event_opener_ask_attach(struct event_opener *o, int pid, bool descendants);
void event_opener_ask_sites(struct event_opener *o, struct session_event *ev,
			    const struct event *found, uint32_t target);
void event_opener_ask_detach(struct event_opener *o, uint32_t target);
void event_opener_ask_stacks(struct event_opener *o,
			     const struct stacks_ask *ask); /* its list is taken over */

/* For the opener's own thread.  NULL: it is not open (any more). */
struct event_opener_event *event_opener_find_event(struct event_opener *o,
						   const struct session_event *ev);

/* For the opener's own thread: tells the engine what came and went. */
void event_opener_send_rings(struct event_opener *o, struct rings_msg *m);

/*
 * For the opener's own thread: opens what is open already on more CPUs, or for more tasks.  Failures
 * leave gaps; @err is one of them.
 */
void event_opener_extend_events(struct event_opener *o, struct rings_msg *m,
				const struct lane *lanes, size_t count, const struct tasks *only,
				struct err *err);

/* Ends the thread, then gives every event's descriptors to the closer. */
void event_opener_stop(struct event_opener *o);

#endif
