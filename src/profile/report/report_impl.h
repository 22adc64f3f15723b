/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_REPORT_IMPL_H
#define PTOP_PROFILE_REPORT_REPORT_IMPL_H
/* The inside of report.h, shared by the report*.c files alone.  Engine thread only. */
#include <math.h>

#include "profile/report/group.h"
#include "profile/report/report.h"

enum { IDLE_TID = 0 };

/* What is no row, or no stack, of a report. */
struct report_sum {
	uint64_t samples[EVENTS_MAX], period[EVENTS_MAX];
};

/* One report in the making. */
struct report {
	const struct report_source *src;
	const struct query *query;
	struct snapshot *out;
	struct grouping groups;
	struct row *rows;      /* one for each group, then those of tasks without samples */
	size_t row_len, row_cap;
	uint32_t *entry_group; /* by hot entry: its group plus one, 0: not in this report */
	size_t cut_groups;     /* so many became one, the last of those that are left; */
	bool *cut_tasks;       /* by task, of so many: one of these is of it; NULL: none has to be known */
	size_t cut_task_len;
	size_t cut_quiet;      /* tasks without samples, where others are more than can be shown */
	struct report_sum left_out; /* by filters and hide_* */
	struct report_sum named;    /* by query.unnamed and query.locks: the rest */
	uint64_t total_samples[EVENTS_MAX], total_period[EVENTS_MAX];
	uint64_t scope_period[EVENTS_MAX]; /* of what report_in_scope(): tables alone need it */
	uint64_t base[EVENTS_MAX];  /* see snapshot_event */
	const struct share_sums *event_sums[EVENTS_MAX]; /* if the query wants them */
	bool *is_idle;              /* by who: it is the idle loop; NULL: what is idle counts as work */
	bool *is_waiter;            /* by who: it waits for query.lock; NULL: that is not asked */
	int8_t *within;             /* by who: 1: in query.within, -1: not, 0: not asked yet */
	int8_t *self;               /* by who: 1: ptop's own, -1: not, 0: not asked yet; NULL: it is not hidden */
	struct row_tree *tree; /* rows are those of a tree; NULL: they are not */
	key_set task_keys; /* that rows of tasks have besides: columns that were chosen */
	bool wants_stat;   /* they have row.stat */
	uint32_t beside[BESIDE_MAX]; /* events whose shares rows have beside the one shown */
	size_t beside_count;
	uint32_t *beside_group; /* as entry_group, of entries of these; NULL: there are none */
};

/* Whether it is for a screen: tasks without samples are shown, the idle loop is not. */
static inline bool
is_screen(const struct query *q)
{
	return q->trends;
}

/*
 * report_scope.c: whether the event, the hot entry @id, @who at @location are part of the report.
 */
bool report_has_event(const struct report *r, uint32_t event);
bool report_wants_sums(const struct report *r, uint32_t event); /* share.h, of the event */
bool report_in_scope(const struct report *r, uint32_t id); /* process, thread and dso */
bool report_is_work(const struct report *r, uint32_t who, uint32_t location); /* it is not idle */
/* The idle loop is not, unless it is shown; threads that wait without work always are. */
bool report_is_of_all(const struct report *r, uint32_t who);
void report_find_idle(struct report *r); /* before it is asked for that */
bool report_hides(const struct report *r, uint32_t who, uint32_t location);

/* Whether it is of the rest that views of a part sum up: code with a name, what waits for no lock. */
bool report_is_rest(const struct report *r, uint32_t location);

/* Whether the event's samples of the kernel's function @name are in part of what ran before. */
bool report_is_irq_on(const struct report *r, uint32_t event, const char *name);

/* Parts of that: query.process, .thread and .name; the idle loop; the filter, @cpu -1: any. */
bool report_is_who_asked(const struct report *r, uint32_t who);

/* Whether a task without samples is in query.within, as far as a task can be. */
bool report_is_task_within(const struct report *r, uint32_t task);

/* Whether the filter keeps the @row of such a task, which gets what that asks for. */
bool report_keeps_task(struct report *r, struct row *row, uint32_t task);

/* Gives the row of a task its report.task_keys, as they are now. */
void report_fill_task_keys(struct report *r, struct row *row, uint32_t task);
bool report_passes(struct report *r, uint32_t event, uint32_t who, uint32_t leaf, int cpu);

/* What the hot entry has in the window; false: nothing, or it is no part of the report. */
bool report_entry(const struct report *r, uint32_t id, uint64_t *samples, uint64_t *period);

/* Whether stacks that end at @leaf are shown; 0: the stack was folded into its thread. */
bool report_has_stack(struct report *r, uint32_t event, uint32_t who, uint32_t leaf);

/*
 * Whether the filter chooses the functions that a report of callers or callees lists: if it asks
 * for dso and symbol alone.  Else it chooses stacks, as everywhere.
 */
bool report_filters_functions(const struct report *r);

/* Adds to left_out or named. */
void report_add_to_sum(struct report_sum *sum, uint64_t samples, uint64_t period, uint32_t event);

/* What shares are of, where @shown is the period sum of all that is shown. */
uint64_t report_base(const struct report *r, uint32_t event, uint64_t shown);

/* Whether the window lies in the past, and the log holds nothing of the event there. */
static inline bool
report_is_unknown(const struct report *r, uint32_t event)
{
	return r->query->end_ns != 0 && r->src->events != NULL && r->src->events[event].window_s <= 0;
}

static inline double
report_share(const struct report *r, uint32_t event, uint64_t period)
{
	if (r->base[event] == 0 && report_is_unknown(r, event))
		return NAN;
	return r->base[event] > 0 ? (double)period / (double)r->base[event] : 0;
}

/* Counts what is not in @shown (by event), but in scope, as left out or named. */
void report_leave_out(struct report *r, const struct cost *shown);

/* report_row.c */
const char *report_str(const struct report *r, uint32_t id);
const char *report_user(struct report *r, uint32_t uid);
const char *report_owner(struct report *r, const struct task *process); /* what its owner is called */

/* The control group of a thread; of one of which nothing is known, that of its process. */
struct cgroup report_cgroup(const struct model *m, const struct who *who);
/* With the dso, if it has no name; without it. */
const char *report_place_name(struct report *r, uint32_t location);
const char *report_code_name(struct report *r, uint32_t location);
bool report_is_self(const struct report *r, uint32_t who); /* ptop, or one of its processes */
/* forest.c: whose code it is. */
enum node_kind report_place_kind(const struct report *r, const struct location *loc);
uint64_t report_task_row_id(const struct model *m, uint32_t id);
struct row report_row_blank(void);
void report_row_symbol(struct report *r, struct row *row, uint32_t location);
/* The process that makes the code of a dso, if one does. */
void report_row_maker(const struct report *r, struct row *row, uint32_t dso);
void report_row_task(struct report *r, struct row *row, uint32_t id, bool is_thread);
void report_row_facts(struct report *r, struct row *row, const struct task_facts *f);

/*
 * report_quiet.c: whether the table of @view is asked for, and lists tasks without samples, too; adds
 * their rows.
 */
bool report_lists_tasks(const struct report *r, enum view_id view);
void report_add_quiet(struct report *r);

/* What /proc tells of the process; NULL: nothing. */
const struct task_facts *report_process_facts(const struct report *r, int pid);

/*
 * report_cut.c: entries of group x are in @map[x] now, counted from 1; 0: in none.  And: of many groups
 * those that can be shown are left, and one more for all others.
 */
void report_map_entries(struct report *r, const uint32_t *map);
void report_cut_groups(struct report *r);

/* report_group.c: appends it to the rows. */
void report_row_of_group(struct report *r, const struct grouping *by, const struct group *g);

/* Of each group's row: report_trend.c, and report_tasks.c for views of tasks. */
void report_find_sums(struct report *r); /* report_sums.c, also of events */

/* kept_sums.c: the same of the event shown, from those of the reports before; false: not of this one. */
bool report_find_kept_sums(struct report *r);

#define REPORT_UNIT_NS (NSEC_PER_SEC * 9 / 10) /* a refresh may be a little early */

/*
 * report_window.c: from when to when the event's window is; the next interval that lies as a whole in a
 * walk's time.
 */
void report_window_of(const struct profile *p, uint32_t event, uint64_t *from_ns, uint64_t *to_ns);
const struct interval *report_next_whole(struct log_walk *w);

/* Whether a unit of time ends with the interval, which is at least so long; it has @length_ns by now. */
bool report_ends_unit(const struct report_source *src, const struct interval *iv, uint64_t length_ns,
		      uint64_t least_ns);

/* What a row or node has in a second, or in seconds that were merged. */
struct report_second {
	double gain;
	double deviation;       /* roots of squares, summed: entries may vary together */
	double squares, lagged; /* of entries, summed */
};

void report_second_add(struct report_second *to, const struct interval *iv, const struct delta *d);

/* It is over: adds it to @m, where all have @all. */
void report_second_end(const struct report_second *sec, struct share_moments *m, unsigned seconds,
		       double all);

/*
 * report_beside.c: which events there are beside the one shown, what their names are; the groups of
 * their entries, behind those of the one shown; and what each group's row has of them.
 */
void report_choose_beside(struct report *r);
void report_name_beside(struct report *r, struct snapshot_event *shown);
void report_group_beside(struct report *r);
void report_find_beside(struct report *r);

/* Whether it ends later than what is shown: a stretch of the past, or of before the screen was frozen. */
static inline bool
report_is_later(const struct profile *p, const struct interval *iv)
{
	return iv->end_ns > profile_shown_to_ns(p);
}

void report_find_trends(struct report *r);
void report_find_hottest(struct report *r);
void report_find_values(struct report *r); /* report_values.c: of the field that was chosen */
void report_find_waits(struct report *r);

/* report_last.c: what threads were seen to do last, of the shown event. */
struct report_last {
	bool *is_stuck;  /* by hot entry: its thread did that last, and nothing else for a second or longer */
	uint32_t *waits; /* hot entries: of each thread that waits for a lock, who was told of last first */
	size_t wait_len, wait_cap;
};

struct report_last report_find_last(const struct report *r);
void report_free_last(struct report_last *last);

/* report_locks.c: of each group's row of the view locks, who holds the lock; query.lock's waiters */
void report_find_locks(struct report *r);
void report_find_waiters(struct report *r);

/*
 * report_row_tree.c: rows, or groups that rows will be made of, as a tree.  Each of the @len has its
 * parent plus one, 0: none, and its depth; both are taken, and made by malloc().
 */
struct row_tree {
	uint32_t *parents; /* by row: the one above plus one, 0: none */
	uint32_t *order;   /* rows, those below before those above */
};

void report_tree_begin(struct report *r, uint32_t *parents, uint32_t *depths, size_t len);

/* Makes a tree of the rows by @parents, which it takes.  Each row gets what those below it have. */
void report_make_tree(struct report *r, uint32_t *parents);

/* What is known by group, @stride values each, is added to those above.  Nothing if there is no tree. */
void report_add_up(const struct report *r, double *values, size_t stride);

/* In the order of a walk, each before those below it, which are sorted. */
void report_sort_tree(struct report *r, int (*compare)(const void *a, const void *b, void *arg),
		      void *arg);
void report_free_tree(struct report *r);

void report_make_process_tree(struct report *r); /* report_process_tree.c */

/*
 * report_cgroups.c, of the view of control groups: the groups become a tree; each row is told the
 * container that it is in.
 */
void report_make_cgroups(struct report *r);
void report_name_cgroups(struct report *r);

/* report_unnamed.c: of each group's row of the view unnamed, what part of its dso it is */
void report_find_unnamed(struct report *r);

/* report_stacks.c: the snapshot's frames */
void report_fill_frames(struct report *r);

/* report_tree.c: the snapshot's nodes */
void report_fill_nodes(struct report *r);

/* report_code.c: the snapshot's code */
void report_fill_code(struct report *r);

/* report_export.c: the snapshot's stacks */
void report_fill_stacks(struct report *r);

/* report_callers.c: the snapshot's callers, once its rows are in their order */
void report_fill_callers(struct report *r);

#endif
