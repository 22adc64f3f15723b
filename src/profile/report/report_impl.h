/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_REPORT_IMPL_H
#define PTOP_PROFILE_REPORT_REPORT_IMPL_H
/* The inside of report.h, shared by the report*.c files alone.  Engine thread only. */
#include "profile/report/group.h"
#include "profile/report/report.h"

enum { IDLE_TID = 0 };

/* One report in the making. */
struct report {
	const struct report_source *src;
	const struct query *query;
	struct snapshot *out;
	struct grouping groups;
	struct row *rows;      /* one for each group, then those of tasks without samples */
	size_t row_len, row_cap;
	uint32_t *entry_group; /* by hot entry: group plus one, 0: not in this report */
	struct row left_out;   /* what filters and hidden parts left out */
	struct row named;      /* what query.unnamed did */
	uint64_t total_samples[EVENTS_MAX], total_period[EVENTS_MAX];
};

/* Whether this is for the screen: it shows what reports leave out, and leaves idling out. */
static inline bool
is_screen(const struct query *q)
{
	return q->trends;
}

/* report_scope.c: whether @event, the hot entry, places like @location have a place in this report. */
bool report_has_event(const struct report *r, uint32_t event);
bool report_in_scope(const struct report *r, uint32_t id); /* process, thread and dso */
bool report_hides(const struct report *r, uint32_t who, uint32_t location);
bool report_is_named(const struct report *r, uint32_t location);

/* What the hot entry has in the window; false: nothing, or it has no place in this report. */
bool report_entry(const struct report *r, uint32_t id, uint64_t *samples, uint64_t *period);

/* Whether stacks that end at @leaf are shown; 0: the stack was folded into its thread. */
bool report_has_stack(struct report *r, uint32_t event, uint32_t who, uint32_t leaf);

/*
 * Whether the filter tells which functions a report of callers or callees lists: if functions are
 * all that it asks for.  Else it tells, as everywhere, which stacks there are.
 */
bool report_filters_functions(const struct report *r);

/* Adds to what is left out. */
void report_add_to_sum(struct report *r, struct row *sum, uint64_t samples, uint64_t period,
		       uint32_t event);

/* What is not @shown by event, of all that is asked for, is left out, or has a name. */
void report_leave_out(struct report *r, const struct cost *shown);

/* report_row.c */
const char *report_str(const struct report *r, uint32_t id);
const char *report_user(struct report *r, uint32_t uid);
const char *report_place_name(struct report *r, uint32_t location); /* where no column names the dso */
bool report_is_self(const struct report *r, uint32_t who); /* ptop, or one of its processes */
uint64_t report_task_row_id(const struct model *m, uint32_t id);
struct row report_row_blank(void);
void report_row_symbol(struct report *r, struct row *row, uint32_t location);
void report_row_task(struct report *r, struct row *row, uint32_t id, bool is_thread);
void report_row_facts(struct row *row, const struct task_facts *f);

/* report_group.c: appends it to the rows. */
void report_row_of_group(struct report *r, const struct grouping *by, const struct group *g);

/* report_trend.c: of each group's row */
void report_find_hottest(struct report *r);
void report_find_trends(struct report *r);

/* report_unnamed.c: of each group's row of the view unnamed, what part of its dso it is */
void report_find_unnamed(struct report *r);

/* report_stacks.c: the snapshot's frames */
void report_fill_frames(struct report *r);

/* report_tree.c: the snapshot's nodes */
void report_fill_nodes(struct report *r);

/* report_export.c: the snapshot's stacks */
void report_fill_stacks(struct report *r);

#endif
