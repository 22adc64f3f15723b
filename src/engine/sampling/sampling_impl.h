/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_SAMPLING_SAMPLING_IMPL_H
#define PTOP_ENGINE_SAMPLING_SAMPLING_IMPL_H
/*
 * What the files of this room share; nobody else includes it.  From below: event_places.c looks for an
 * event's places, rate.c knows how often, stack_choice.c with how much of the stack; opening.c opens and
 * closes, groups.c puts events together, owners.c asks who processes belong to, target_list.c and
 * events.c are what the user asks for, and sampling.c is the room.
 */
#include "engine/leaf/losses.h"
#include "engine/leaf/sample_ids.h"
#include "engine/sampling/budget.h"
#include "engine/sampling/sampling.h"
#include "live/proc/proc_reader.h"
#include "live/session/session.h"
#include "profile/count/feed.h"

enum { SAMPLING_OBSERVERS_MAX = 2 };

/* The CPU budget: rate.c. */
struct rate {
	struct budget budget;
	uint64_t asked_hz;    /* of events that do not have their own */
	uint64_t most_hz;     /* that any event is sampled at, UINT64_MAX: what is asked */
	struct rate_seen {
		uint64_t time_ns, own_ns, drain_ns, sideband, lost, throttled;
	} seen;               /* at the last look */
	bool is_noted;
	int steps_due;        /* asked for while the event shown is being opened; < 0: down */
};

struct sampling {
	const struct engine_config *config;
	const struct event_env *event_env;
	const struct file_policy *policy;
	struct agenda *agenda;
	struct notes *notes;
	struct marks *marks;
	struct stream_clock *clock;
	struct own_cost *cost;
	struct measured *measured;
	struct ends *ends;
	struct losses *losses;
	struct sample_ids *ids;
	struct model *model;
	struct profile *profile;
	struct feed *feed;
	struct proc_reader *proc;
	struct symbol_service *symbols;
	const struct users *users;
	struct queue *answers;
	struct session *session; /* NULL: nothing is sampled, a recording is read */
	bool wants_cgroups;
	struct cgroup_list_msg *cgroups; /* those that there were when it began, until they are told */
	int cgroup_fd; /* of the one that alone is sampled, 0: none */

	struct {
		const struct sampling_observer *ops;
		void *self;
	} observers[SAMPLING_OBSERVERS_MAX];
	size_t observer_count;
	void (*watch)(void *self); /* sampling_set_watch() */
	void *watch_self;

	uint32_t shown_before; /* to go back to if it cannot be opened; UINT32_MAX: nothing */
	char *chosen_spec;     /* the group to show once what it is made of has opened, or NULL */
	uint32_t first;        /* the default event's number, once it is open */
	bool opens_first;      /* it is being opened: nothing is shown yet */
	struct event_list candidates; /* those to begin with: all of -e, or the default ones */
	struct place_finding **searches; /* for the places of events, under way */
	size_t search_count, search_cap;
	uint32_t search_id;
	struct target *targets;
	size_t target_len, target_cap;
	uint32_t last_given_target; /* those up to this number were named at the start */
	struct rate rate;
	enum event_call_graph chains; /* how call chains are taken; 0: by frame pointers */
	struct stack_choice *stacks;  /* NULL: nothing is sampled */
	struct probe_guards *guards;  /* NULL: no probe was opened */

	/* What waits until all that was written has been counted: */
	uint32_t *closed;          /* events that were closed */
	size_t closed_len, closed_cap;
	uint64_t *retired;         /* ids of descriptors that were closed */
	size_t retired_len, retired_cap;
	struct msg *change;        /* SESSION_MSG_ATTACHED or _DETACHED; NULL: none */

	uint64_t lost_hint_counted, lost_counted_ns; /* when the kernel's counts were last read */
	bool command_started, command_ended;
	int command_status;
};

/* event_places.c: events that are looked for before they are opened */
void event_places_find(struct sampling *sp, uint32_t event); /* then opens it */
enum part_reply event_places_on_stopped(void *sampling, struct msg *msg);
enum part_reply event_places_on_maps(void *sampling, struct msg *msg);
enum part_reply event_places_on_places(void *sampling, struct msg *msg);
enum part_reply event_places_on_joined(void *sampling, struct msg *msg);
bool event_places_are_sought(const struct sampling *sp); /* an event waits for that to be opened */
void event_places_join(struct sampling *sp, const struct session_attached_msg *m); /* in new targets */
void event_places_begin_joining(struct sampling *sp, uint32_t event); /* it is open now */
void event_places_end_joining(struct sampling *sp, uint32_t event);   /* it is not any more */
void event_places_release(struct sampling *sp);
/* What was found may be opened; or not, and why. */
void event_places_tried(struct sampling *sp, uint32_t search, const struct err *err);

/* probe_guard.c: uprobes that harm who is probed are closed */
struct probe_trial {
	uint32_t event, search;
	const struct event *found; /* with its sites */
	const int *pids;           /* who is meant, none: the machine */
	size_t pid_count;
};
/* false: there is no trial, it may be opened. */
bool probe_guard_begin(struct sampling *sp, const struct probe_trial *t);
/* What follows of a CALL_MSG_READING.  false: it is of no guard. */
struct probe_verdict {
	enum {
		PROBE_GOES_ON,
		PROBE_MAY_OPEN,   /* to be told by event_places_tried() */
		PROBE_IS_REFUSED, /* the same */
		PROBE_IS_CLOSED,  /* the event is to be closed if it is open */
	} what;
	uint32_t event, search;
	struct err why;
};
bool probe_guard_take(struct sampling *sp, const struct msg *msg, struct probe_verdict *v);
bool probe_guard_is_over(const struct sampling *sp, uint32_t event); /* it took too much */
bool probe_guard_is_closing(const struct sampling *sp); /* one is, which is told when it is done */
void probe_guard_end(struct sampling *sp, uint32_t event); /* it is closed, or was not opened */
enum part_reply probe_guard_on_closed(void *sampling, struct msg *msg);
void probe_guard_put(const struct sampling *sp, struct buf *b);
void probe_guard_release(struct sampling *sp);

/* rate.c: how often is sampled */
void rate_begin(struct sampling *sp);
void rate_opened(struct sampling *sp, struct engine_event *ev); /* just now, at ev->rate */
void rate_step_due(struct sampling *sp); /* as was asked for while the event shown was being opened */
void rate_beat(struct sampling *sp, uint64_t now_ns);
const char *rate_brief(const struct sampling *sp); /* why it is less than asked; NULL: it is not */
void rate_put_reason(const struct sampling *sp, struct buf *b); /* the same as a sentence; none: "" */
void rate_put_lowered(const struct sampling *sp, struct buf *b); /* why it is less than asked */
void rate_put_cost(const struct sampling *sp, struct buf *b);

/* pace.c: events whose period follows how often they come */
void pace_opened(struct engine_event *ev); /* just now: what it has seen is over */
/* What is missing by a raised period; NULL: nothing. */
const char *pace_notice(const struct sampling *sp, struct arena *arena);

/* hit_cost.c: what breakpoints take of the time of who is watched */
const char *hit_cost_notice(const struct sampling *sp, uint32_t event, struct arena *arena); /* NULL: little */
void hit_cost_put(const struct sampling *sp, struct buf *b);

/* chains.c: how call chains are taken */
void chains_opened(struct sampling *sp, uint32_t leader); /* if that has changed meanwhile, anew */

/* stack_choice.c: -g auto; all but the first do nothing where chains are taken in another way */
void stack_choice_begin(struct sampling *sp);
void stack_choice_release(struct sampling *sp);
void stack_choice_beat(struct sampling *sp, uint64_t now_ns);
enum part_reply stack_choice_on_stacks(void *sampling, struct msg *msg);
void stack_choice_end_event(struct sampling *sp, uint32_t event); /* it is about to be closed */
void stack_choice_end_target(struct sampling *sp, uint32_t target); /* it is detached */
void stack_choice_end_all(struct sampling *sp);
void stack_choice_exec(void *sampling, const struct record *rec, struct bytes bytes);
/* stack_choice_samples.c */
bool stack_choice_wants(void *sampling, const struct record *rec, uint64_t *tag);
void stack_choice_filed(void *sampling, const struct record *rec);
/* stack_choice_text.c */
void stack_choice_count_lost(struct sampling *sp);
const char *stack_choice_head(const struct sampling *sp, struct arena *arena); /* NULL: nothing */
const char *stack_choice_notice(const struct sampling *sp); /* why some have none; NULL: all have */
void stack_choice_put(const struct sampling *sp, struct buf *b);

/* opening.c */
void opening_open(struct sampling *sp, uint32_t event);  /* with its group */
void opening_close(struct sampling *sp, uint32_t event); /* with its group, unless -e named it */
void opening_end(struct sampling *sp, uint32_t event);   /* with its group, whoever named it */
void opening_pause(struct sampling *sp, uint32_t leader, bool is_paused); /* with its group */
void opening_add_ids(struct sampling *sp, uint32_t event, const uint64_t *ids, const int *tids,
		     size_t count);
void opening_tell(struct sampling *sp, uint32_t leader); /* observers: it was opened */
void opening_start_command(struct sampling *sp);
void opening_retire(struct sampling *sp, const uint64_t *ids, size_t count); /* they were closed */
void opening_caught_up(struct sampling *sp);

/* groups.c: events that are opened and closed as one */
/*
 * Adds the events of @specs, which are one group, or one alone.  The first's number; UINT32_MAX: they
 * cannot be, and why; ERR_BUSY: not before one of them has opened.  One alone that is open in a group stays
 * there.
 */
uint32_t groups_add(struct sampling *sp, const struct event *specs, size_t count, struct err *err);
void groups_end(struct sampling *sp, uint32_t event); /* which it is in: each is alone then */

/* target_list.c: what is sampled, while sampling goes on */
void target_list_begin(struct sampling *sp); /* those of the configuration */
enum part_reply target_list_on_attached(void *sampling, struct msg *msg);
enum part_reply target_list_on_detached(void *sampling, struct msg *msg);
enum part_reply target_list_on_tick(void *sampling, struct msg *msg);
void target_list_caught_up(struct sampling *sp);
void target_list_put(const struct sampling *sp, struct buf *b); /* as the head of the crumbs */
void target_list_judge_owner(struct sampling *sp, uint32_t process); /* it is known, or another now */
void target_list_release(struct sampling *sp);

/* owners.c: who processes belong to, where those of users are meant */
void owners_exec(struct sampling *sp, const struct record *rec);
void owners_sample(void *sampling, const struct record *rec); /* which may be of no target */
enum part_reply owners_on_owner(void *sampling, struct msg *msg);

/* events.c: which events are shown */
enum part_reply events_on_opened(void *sampling, struct msg *msg);
enum part_reply events_on_filtered(void *sampling, struct msg *msg);
enum part_reply events_on_rings(void *sampling, struct msg *msg);
enum part_reply events_on_guarded(void *sampling, struct msg *msg);

/* cpu_changes.c: notes which CPUs go and come by @m, before it is adopted */
void cpu_changes_tell(struct sampling *sp, const struct session_rings_msg *m);

/* tally.c: the kernel's own counts beside the samples, when events are stopped for good */
void tally_fill(const struct sampling *sp, struct snapshot *s);

#endif
