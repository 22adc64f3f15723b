/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_MEASURED_H
#define PTOP_ENGINE_LEAF_MEASURED_H
/*
 * What is measured: the events that were used so far, in the order of their first use, and which of
 * them is shown.  A leaf: sampling and replay write it, all others read.  Engine thread only.
 */
#include "event/event.h"
#include "live/session/session.h"
#include "live/sys/tally.h"
#include "profile/count/profile.h"

/* An event; its number is also its profile event and its token. */
struct engine_event {
	struct event spec;
	struct session_event *live; /* NULL: not open */
	uint32_t leader;            /* of its group; itself: it leads one, or is alone */
	char *asked;                /* the text of the user's choice that it is of; NULL: ptop's own */
	bool opening;
	bool is_paused;             /* its leader is, by the user */
	enum event_call_graph chains; /* as it was asked to be opened with last */
	bool is_kept;               /* named by -e: stays open when another one is shown */
	bool is_together;           /* chosen with the one shown: stays open while one of these is */
	bool is_freq;
	uint64_t rate;              /* Hz or period, that it was told to be sampled at */
	uint64_t asked_hz;          /* if is_freq: the user's; the budget may leave less */
	struct event_attr attr;     /* as the kernel took it when it was opened last */
	uint32_t layout;            /* of its samples: its place in sample_ids' layouts */
	struct event_attr stacks_attr; /* as the kernel took it with copies of stacks; size 0: never */
	struct tallies closed;      /* what earlier openings counted and lost */
	uint64_t lost_now;          /* of this one, when it was last read */
	uint64_t lost_copies;       /* of its openings with copies of stacks */
	uint64_t closed_ns;         /* when it was closed last */
	uint64_t throttled;         /* how often */
	uint64_t duplicates;        /* samples that came by two descriptors, left out once */
	char *notices[SESSION_NOTICES_MAX];
	size_t notice_count;
};

/* What is sampled of all that runs. */
struct target {
	uint32_t number; /* the session's */
	uint32_t task;   /* held */
	bool is_leaving; /* it is being detached */
};

struct measured {
	struct engine_event events[EVENTS_MAX];
	uint32_t event_count;
	uint32_t shown;      /* UINT32_MAX: none */
	bool has_targets;    /* or had: not all is sampled */
	const struct target *targets; /* those that are no users or control groups: sampling's */
	size_t target_count;
	uint32_t target_changes; /* how often they have changed, but by the end of one */
	bool stands_still;   /* all targets have ended: the window waits */
	uint64_t stopped_ns; /* of a report: all events were stopped for the last one, then; 0: not */
};

/* The event of that name, made if it was not used before; UINT32_MAX: there are too many. */
uint32_t measured_add(struct measured *m, struct profile *profile, const struct event *spec);

/* The event that is shown, NULL: none. */
struct engine_event *measured_shown(struct measured *m);

/* The event after @n in its group, the leader being the first; UINT32_MAX: there is none. */
uint32_t measured_next_member(const struct measured *m, uint32_t n);

/* The user chose the event, and its group, by @text. */
void measured_ask(struct measured *m, uint32_t n, const char *text);

/* What is in force, Hz or period. */
uint64_t measured_rate(const struct engine_event *ev);

uint64_t measured_lost(const struct engine_event *ev); /* its samples, as last counted */
uint64_t measured_lost_all(const struct measured *m);  /* of all events */

/* Samples that another program takes, too, may be such: see intake/foreign_samples.c. */
bool measured_is_shared(const struct event *spec);

/* What is to be known about how it is measured; dropped if there is no more room. */
void measured_add_notice(struct engine_event *ev, const char *fmt, ...) PRINTF_LIKE(2, 3);

void measured_release(struct measured *m);

#endif
