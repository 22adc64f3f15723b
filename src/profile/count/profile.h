/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_PROFILE_H
#define PTOP_PROFILE_COUNT_PROFILE_H
/*
 * All that is counted: the tables, the log, and for each event its window, kept incrementally:
 * the newest interval is added, the one that falls out subtracted.  Engine thread only.
 */
#include "base/cpu_nodes.h"
#include "container/containers.h"
#include "profile/count/cache.h"
#include "profile/count/crowd.h"
#include "profile/count/label.h"
#include "profile/count/split.h"
#include "profile/place/location.h"
#include "profile/count/log.h"
#include "profile/count/srcline.h"
#include "profile/count/variable.h"
#include "profile/count/recount.h"
#include "profile/count/watch.h"

#define WINDOW_ALL UINT64_MAX
enum { WINDOW_SINCE_REPORT = 0 };

enum { EVENTS_MAX = 250 };

enum { PROFILE_FAR_ENTRIES = 16 << 10 }; /* their keys, cells and index are about 1 MiB */

/* Who has how much of the budget, in twenty-fourths. */
enum {
	PROFILE_LOG_SHARE = 8, PROFILE_TREE_SHARE = 13, PROFILE_ADDRESS_SHARE = 3,
	PROFILE_SHARES = 24,
};

/* One event that is or was sampled. */
struct profile_event {
	char *name;
	struct delta *open; /* the open interval: what changed since it began */
	size_t open_len, open_cap;
	uint64_t open_since_ns;
	uint64_t win_first;  /* serial of the oldest interval in the window that is not merged */
	size_t win_merged;   /* so many that are merged are in it, too: interval.in_window */
	uint64_t win_ns;     /* how much time the window holds */
	uint64_t win_from_ns, win_end_ns; /* of one that stands still: where its intervals begin and end */
	uint64_t all_ns;     /* for how long it has been sampled since the start, or zero */
	uint64_t zero_ns;    /* intervals that end by then are not shown any more */
	uint64_t last_end_ns; /* CLOCK_MONOTONIC of the last interval's end */
	uint64_t dropped;     /* its samples that were of no target, and are counted nowhere */
};

struct profile {
	struct model *model;
	struct locations *locations;
	struct tables tables;
	struct interval_log log;
	struct labels labels;
	struct split split;      /* of the labels' fields */
	struct srclines lines;   /* of the labels' addresses, if wanted; */
	struct srclines instructions; /* the same */
	struct variables variables; /* mutexes that are waited for */
	struct containers *containers; /* what control groups are called */
	bool wants_containers;   /* somebody asked for them by name */
	struct cpu_nodes nodes;  /* of the machine that is measured */
	uint32_t turns;          /* samples in this interval, each has one: see profile_ids */
	struct profile_event *events; /* by id, from 0 */
	size_t event_count, event_cap;
	uint64_t window_ns;      /* of all events */
	bool frozen;             /* windows stand still */
	uint64_t frozen_ns;      /* since then: what ends later is not shown, but by an end that is set */
	uint64_t end_ns;         /* windows end there and stand still, 0: they end now, or are frozen */
	bool keeps_past;         /* what is old is merged (past.h), not forgotten */
	uint64_t clock_ahead_ns; /* what is added to times for the clock's minutes to begin at whole ones */
	size_t budget_bytes;     /* of tree, addresses and log together */
	size_t hot_max;          /* entries above which ended tasks are merged by name */
	uint64_t folded_nodes, folded_addresses, merged_tasks, merged_names, merged_threads;
	uint64_t dropped_intervals;
	uint64_t folded_light;   /* of these and of functions, though there was room */
	bool is_thrifty;         /* trees of thousands of threads take too much time: one a process */
	uint32_t keep_process;   /* task whose threads are looked at: never merged, nor trees; */
	uint32_t keep_thread;    /* and the one of them whose stacks are: it has a tree of its own, 0: none */
	struct watch watch;      /* functions whose addresses are told apart by who */
	struct recount recount;  /* samples of one of them from before that */
	uint32_t keep_location;  /* whose callers are looked at: never forgotten; 0: none */
	uint32_t epoch;          /* changes when entries' ids do: what is known by them is void */
	uint32_t hot_epoch;      /* changes when those of the hot table do */
	/*
	 * Is told then: @map has by old id the new one, which is not above it.  @hot_epoch is new already.
	 * NULL: nobody is.
	 */
	void (*hot_moved)(void *self, const struct profile *p, const uint32_t *map, size_t len);
	void *hot_moved_self;
	struct cache *stacks;    /* of tree nodes: folds renumber it; may be NULL */
	struct cache *places;    /* of locations: those that are forgotten leave it; may be NULL */
	bool fold_due;           /* locations were forwarded since the tables followed them */
	uint64_t followed_ns;    /* when they last did */
	size_t tree_kept;        /* entries of the tree after the last fold */
	uint64_t merged_ns;      /* when ended tasks were last looked for */
	uint64_t threads_ns;     /* when trees of threads became their process's */
	uint64_t screened_ns;    /* when they were for the screen */
	struct crowds crowds;    /* on a screen: of which each young one is told with those that ended */
	uint64_t report_ns;      /* how long a report covers, 0: there are none */
	uint64_t refresh_ns;     /* how long what a screen shows stays there */
	uint64_t step_ns;        /* of trends: intervals can be shorter */
	bool sums_only;          /* all there is is one sum: no intervals, no addresses */
	struct delta *spare;     /* as large as the open interval that is sorted */
	size_t spare_cap;
};

struct profile *profile_new(struct model *model, struct locations *locations, size_t budget_bytes);
void profile_free(struct profile *p);

/* The event of that name, made if it is new; UINT32_MAX if there are too many. */
uint32_t profile_event(struct profile *p, const char *name);

/* One sample, resolved. */
struct profile_sample {
	uint32_t event, who, cpu;
	uint32_t leaf;        /* location */
	uint32_t frame;       /* the same in call trees, see locations_frame(); 0: the leaf */
	uint32_t dso;         /* of the leaf's address */
	uint64_t offset;      /* of the leaf's address in it */
	uint32_t callers;     /* tree node of its callers, 0: no call chain is kept */
	uint64_t period;
	bool is_over;         /* of a look: what it tells of goes on no more */
	const struct label *label; /* but for cpu and address, which are above; NULL: nothing */
};

/* The entries that a sample was counted in; 0: none.  Good while the profile's epoch stays. */
struct profile_ids {
	uint32_t hot, node, address, cpu;
	uint32_t turn; /* of the last of them: it tells which of two came later */
};

struct profile_ids profile_add(struct profile *p, const struct profile_sample *s);

/* Whether one of its task, place and event was counted before: no more memory is needed for it. */
bool profile_has(struct profile *p, const struct profile_sample *s);

/*
 * For a sample without a label that is counted soon: prefetches first the places of its entries in
 * the indexes, and, called a while later, the entries.
 */
void profile_prefetch(const struct profile *p, const struct profile_sample *s);
void profile_prefetch_entries(const struct profile *p, const struct profile_sample *s);

/* Whether that pays: smaller tables are near anyway. */
static inline bool
profile_is_far(const struct profile *p)
{
	return p->tables.cells[TABLE_HOT].len >= PROFILE_FAR_ENTRIES;
}

/* Counts samples in the entries of one that was like them in all but time and period. */
void profile_add_again(struct profile *p, const struct profile_ids *ids, uint32_t event,
		       uint32_t samples, uint64_t period);

/*
 * Ends the open interval of each event in use at @now_ns and moves the windows: they are as long as
 * whole intervals come near, and hold the newest at least.
 */
void profile_close_interval(struct profile *p, uint64_t now_ns);

/* The same where nothing can be sampled: an event without samples waits, as if it was not open. */
void profile_stand_still(struct profile *p, uint64_t now_ns);

/* Another length of window: all of them are summed anew. */
void profile_set_window(struct profile *p, uint64_t window_ns);
void profile_set_frozen(struct profile *p, bool frozen);

/*
 * Windows of a length end at @end_ns, as near as whole intervals come, and stand still there; 0:
 * they end now.  What the log has forgotten is not in them.
 */
void profile_set_end(struct profile *p, uint64_t end_ns);

/* All three at once. */
void profile_show(struct profile *p, uint64_t window_ns, bool frozen, uint64_t end_ns);

/* Windows end there, UINT64_MAX: now. */
static inline uint64_t
profile_shown_to_ns(const struct profile *p)
{
	return p->end_ns != 0 ? p->end_ns : p->frozen ? p->frozen_ns : UINT64_MAX;
}

/* Whether they stay what they are while intervals come. */
static inline bool
profile_stands_still(const struct profile *p)
{
	return profile_shown_to_ns(p) != UINT64_MAX;
}

/* Whether the interval is in its event's window, which ends now. */
bool profile_window_has(const struct profile *p, const struct interval *iv);

/* From when to when @event's window is, of one that stands still.  false: it is empty, or ends now. */
bool profile_stretch(const struct profile *p, uint32_t event, uint64_t *from_ns, uint64_t *to_ns);

/* Begins @event's window anew: what was counted so far is not shown any more. */
void profile_zero(struct profile *p, uint32_t event);

/* After a report with WINDOW_SINCE_REPORT: the next one begins empty. */
void profile_next_report(struct profile *p);

/*
 * Of WINDOW_SINCE_REPORT, the next interval in it, as far as the log still has them: zero @at to begin;
 * NULL at the end.
 */
const struct interval *profile_next_since_report(const struct profile *p, uint64_t *at);

/* The counts of an entry in the window. */
static inline void
profile_window(const struct profile *p, const struct cell *c, uint64_t *samples, uint64_t *period)
{
	bool all = p->window_ns == WINDOW_ALL;

	*samples = all ? c->all_samples : c->win_samples;
	*period = all ? c->all_period : c->win_period;
}

/*
 * From now on, where it is not yet so, addresses of the function are told apart by who, and by CPU.
 */
void profile_watch(struct profile *p, uint32_t location, bool by_cpu, uint64_t now_ns);
void profile_watch_dso(struct profile *p, uint32_t dso, uint64_t now_ns); /* all of its functions */
void profile_watch_none(struct profile *p, uint64_t now_ns);

/* Since when tables tell its samples apart, by CPU too if @by_cpu; 0: always; UINT64_MAX: not. */
uint64_t profile_told_since(const struct profile *p, uint32_t location, bool by_cpu);

/* The same of all functions of @dso. */
uint64_t profile_dso_told_since(const struct profile *p, uint32_t dso, bool by_cpu);

/* Whether a sample of that time is in the window. */
bool profile_window_has_time(const struct profile *p, uint32_t event, uint64_t time_ns);

/* Forgets the oldest interval of the log, however it is kept; a window that held it gets shorter. */
void profile_forget_interval(struct profile *p);

/*
 * fold.c: keeps tree, addresses and log within the budget, and the hot table within its bound:
 * ended tasks are merged by name, then those of rare names into one, threads' trees into their
 * process's, the lightest stacks into their parents, the lightest addresses into one.  Stacks,
 * addresses and functions of ended tasks that no window can show and that weigh nothing are folded
 * though there is room.  Counts of locations that were forwarded move to what they became.  Totals
 * stay exact.  Call after each interval.
 */
void profile_fold(struct profile *p, uint64_t now_ns);

/* The last of these at once, however large the tables: else two entries may tell one stack. */
void profile_follow(struct profile *p);

/* What the log may have of the budget. */
static inline size_t
profile_log_share(const struct profile *p)
{
	return p->budget_bytes / PROFILE_SHARES * PROFILE_LOG_SHARE;
}

/* What addresses may have of it; where all are told apart by who, as much again as half of it. */
static inline size_t
profile_address_share(const struct profile *p)
{
	size_t share = p->budget_bytes / PROFILE_SHARES * PROFILE_ADDRESS_SHARE;

	return p->watch.all ? share + p->budget_bytes / 2 : share;
}

/* Whether the tree is so large that a fold should not wait for the end of the interval. */
bool profile_is_full(const struct profile *p);

/* Whether samples are told apart by more than who, where and event. */
static inline bool
profile_keeps_labels(const struct profile *p)
{
	return p->labels.want != 0;
}

#endif
