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

/*
 * Of an event whose period ptop makes follow how often it comes: sampling/pace.c, but for hz, which is
 * rate.c's.
 */
struct event_pace {
	uint64_t hz;       /* samples a second on each CPU, at most in the mean */
	uint64_t period;   /* that was asked for last, */
	uint64_t asked_ns; /* then */
	uint64_t held_ns;  /* until then it is not lowered */
	uint64_t seen_ns;  /* the last look, 0: none since it was opened; by then: */
	uint64_t *by_cpu;  /* how often it had come, by the table of CPUs, */
	size_t cpu_cap;
	uint64_t beside;   /* and samples that are not in there */
	double count;      /* the sum of the busiest CPU's */
	double room;       /* samples that may come at once */
	uint64_t lost;
	struct pace_mark {
		double count;
		uint64_t ns;
	} full, easy;      /* when there was all the room; since when it may be slower */
	bool is_raised;    /* its period was more than 1 at some time */
};

/* An event; its number is also its profile event and its token. */
struct engine_event {
	struct event spec;
	struct session_event *live; /* NULL: not open */
	uint32_t leader;            /* of its group; itself: it leads one, or is alone */
	char *opened;               /* the name of what was opened last: "cycles:u"; NULL: never */
	char *asked;                /* the text of the user's choice that it is of; NULL: ptop's own */
	bool opening;
	bool is_paused;             /* its leader is, by the user */
	enum event_call_graph chains; /* as it was asked to be opened with last */
	bool is_kept;               /* named by -e: stays open when another one is shown */
	bool is_together;           /* chosen with the one shown: stays open while one of these is */
	bool is_freq;
	bool is_paced;              /* by its period, which follows asked_hz */
	uint64_t hit_ns;            /* what each takes of who is watched; 0: little, or not known */
	uint64_t rate;              /* Hz or period, that it was told to be sampled at */
	uint64_t asked_hz;          /* if is_freq or is_paced: the user's; the budget may leave less */
	struct event_pace pace;     /* if is_paced */
	struct event_attr attr;     /* as the kernel took it when it was opened last */
	uint32_t layout;            /* of its samples: its place in sample_ids' layouts */
	struct event_attr stacks_attr; /* as the kernel took it with copies of stacks; size 0: never */
	struct tallies closed;      /* what earlier openings counted and lost */
	uint64_t lost_now;          /* of this one, when it was last read; of a recording, by its end */
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
	uint64_t report_ns;  /* so long is what the report has that is being made, */
	uint64_t late_ns;    /* and so much longer than it was to be; 0: not much */
};

/* The event of that name, made if it was not used before; UINT32_MAX: there are too many. */
uint32_t measured_add(struct measured *m, struct profile *profile, const struct event *spec);

/* The event that is shown, NULL: none. */
struct engine_event *measured_shown(struct measured *m);

/* The event after @n in its group, the leader being the first; UINT32_MAX: there is none. */
uint32_t measured_next_member(const struct measured *m, uint32_t n);

/* The user chose the event, and its group, by @text. */
void measured_ask(struct measured *m, uint32_t n, const char *text);

/* The name of what it counts: where the kernel may not be sampled not that which was asked for. */
const char *measured_name(const struct engine_event *ev);

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
