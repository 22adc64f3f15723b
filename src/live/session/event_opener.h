/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_EVENT_OPENER_H
#define PTOP_LIVE_SESSION_EVENT_OPENER_H
/*
 * What the thread behind a session holds open, and how more of it is opened.  The session fills the
 * struct before opener_thread_start(); until opener_thread_stop() it is that thread's, and so are
 * these functions.
 */
#include "live/session/closer.h"
#include "live/session/command.h"
#include "live/session/named_probes.h"
#include "live/session/open_everywhere.h"
#include "live/session/rings_msg.h"
#include "live/sys/cpu_watch.h"

#include <pthread.h>

/* An event that is open, as the opener needs it to open it on more CPUs and tasks. */
struct opened_event {
	struct session_event *event; /* one reference */
	struct open_plan plan;       /* as reached */
	struct session_event *leader; /* of its group; NULL: it leads, or is alone */
	struct tasks followed; /* of open_everywhere_is_followed(): where it is open */
	bool has_told;         /* that tasks began later than their probes */
};

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
	bool may_grow_rings; /* for events that come in bursts */
	struct open_plan sideband_plan;
	struct event_fds sideband;
	struct command *command; /* NULL: none */
	struct closer *closer;
	struct named_probes *named; /* outlives what is open */
	struct queue *answers;
	struct cpu_watch watch;  /* opened before the first ring is */
	struct cpus known;       /* to be sampled, and on line at some time since the start */
	/* its own */
	struct queue *requests;
	struct opened_event *events; /* a leader before its group */
	size_t event_count, event_cap;
	bool has_cpu_news;   /* the watch has something to see */
	uint64_t next_tick_ns, next_follow_ns;
	bool is_command_over, is_ended, has_sent_cgroups;
	pthread_t thread;
};

/* What it holds for the opener. */
void opened_event_release(struct opened_event *e);

/* NULL: it is not open (any more). */
struct opened_event *event_opener_find_event(struct event_opener *o,
					     const struct session_event *ev);

/* Where the event is that leads the group of @e, which is one of those that are open; its own. */
size_t event_opener_leader_of(const struct event_opener *o, const struct opened_event *e);

/* Tells the engine what came and went; @m is given away. */
void event_opener_send_rings(struct event_opener *o, struct rings_msg *m);

/*
 * Opens what is open already once more, there or for these: the event at @leader and its group.
 * Adds a part for each to @m, the leader's first.  -1: they are empty.
 */
int event_opener_open_again(struct event_opener *o, const struct everywhere *everywhere,
			    size_t leader, const struct lane *lanes, size_t lane_count,
			    const struct tasks *only, struct rings_msg *m, struct err *err);

/*
 * Opens all that is open already, the side-band too, on more CPUs or for more tasks.  Failures
 * leave gaps; @err is one of them.
 */
void event_opener_extend_events(struct event_opener *o, struct rings_msg *m,
				const struct lane *lanes, size_t count, const struct tasks *only,
				struct err *err);

/*
 * CPUs that go off line and come on line, for the opener's own thread.  Looks whether any did
 * since the last time.  Closes rings and events of those that were off line, also if they are on
 * line again; opens them on those that came.  Sends SESSION_MSG_RINGS.
 */
void event_opener_follow_cpus(struct event_opener *o);

/* Adds @cpus to those that were to be sampled at some time. */
void event_opener_learn_cpus(struct event_opener *o, const struct cpus *cpus);

/*
 * What the opener's thread opens: events, and groups of them.  Opens and enables @spec everywhere
 * and keeps it.  What came of it is in @m; -1: its err alone.
 */
int event_opener_open_event(struct event_opener *o, const struct event *spec,
			    struct session_opened_msg *m);

/* Of an event whose arguments are read as strings, and wanted: makes its sites.  -1: see @err. */
int event_opener_make_named(struct event_opener *o, struct event *spec, struct err *err);

/*
 * Likewise all of a group, as one if that can be.  The answer of session_open_group(), but for the
 * message's type.
 */
struct session_opened_msg *event_opener_open_group(struct event_opener *o, const uint32_t *tokens,
						   const struct event *events, size_t count);

/*
 * Changes of open events that need new descriptors: these are opened, and a SESSION_MSG_RINGS has
 * the engine put them in the place of the old ones.  For the opener's thread.  Has what is opened
 * later of @e that rate, and what is open too if @reopen.
 */
void reopen_with_rate(struct event_opener *o, struct opened_event *e, uint64_t rate,
		      bool reopen);

/* With its group: what there is goes on if that cannot be. */
void reopen_with_period(struct event_opener *o, struct opened_event *e, uint64_t period);

/* With its group, its chains as the options are now. */
void reopen_with_chains(struct event_opener *o, struct opened_event *e);

/* Answered by SESSION_MSG_FILTERED.  @filter NULL: none. */
void reopen_with_filter(struct event_opener *o, struct opened_event *e, const char *filter);

/*
 * Processes that come to and go from the targets of a running session.  The opener's thread.
 * Opens all that is open for the process as well; answers with SESSION_MSG_ATTACHED.
 */
void attach_process(struct event_opener *o, int pid, bool descendants);

/*
 * Opens @e at the places that @found has and @e has not: what was attached as @target has them.
 * Answers with SESSION_MSG_JOINED.
 */
void attach_sites(struct event_opener *o, struct opened_event *e, const struct event *found,
		  uint32_t target);

/* Closes what was opened for the target; answers with SESSION_MSG_DETACHED. */
void attach_end(struct event_opener *o, uint32_t target);

#endif
