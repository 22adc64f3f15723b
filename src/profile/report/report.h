/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_REPORT_H
#define PTOP_PROFILE_REPORT_REPORT_H
/* Fills snapshots from the tables: group, filter, sort, cut.  Engine thread only. */
#include "view/filter.h"
#include "profile/count/profile.h"
#include "profile/report/kept_sums.h"
#include "profile/report/row_order.h"
#include "view/snapshot.h"

/* What is known of a process or thread besides its samples.  Strings live as long as the array. */
struct task_facts {
	int pid, tid; /* equal for a process */
	uint32_t uid;
	int threads;
	double cpu; /* percent of one CPU, NAN if not known */
	const char *comm, *command;
	bool is_kernel_thread;
	bool is_helper; /* a process of ptop's own, beside its main one */
	struct task_stat stat;
};

/* What is known of an event besides its samples. */
struct event_facts {
	double window_s;    /* what its window holds */
	const char *measures; /* in the snapshot's arena; as snapshot_event has it, and so is this: */
	bool lacks_chains;
	bool counts_time;   /* its period is nanoseconds */
	bool counts_things; /* neither time nor cycles */
	bool skids;         /* a sample may be at the instruction behind the one that it is of */
	bool is_timer;      /* its samples are taken by a timer's interrupt */
	bool is_looks;      /* its time is not CPU time */
	bool is_all_time;   /* it is all of it, running and waiting */
	bool is_traced;     /* of looks: they are made of switches between tasks */
	bool is_elapsed;    /* each sample is something that took that time, on a CPU or not */
	bool is_of_hosts;   /* other hosts sample it */
	bool is_picked;     /* a sample stands for many of what it counts */
};

/*
 * Room as large as the tables, which a report of callers needs: to clear it for each takes longer than
 * what is looked up there.  All zero between reports; its owner frees it.
 */
struct caller_marks {
	uint32_t *nodes, *places;
	size_t node_cap, place_cap;
};

struct report_source {
	struct profile *profile;
	const struct task_facts *processes, *threads; /* rising pid; rising tid */
	size_t process_count, thread_count;
	/* Stays valid; NULL: no name. */
	const char *(*user_name)(const void *self, uint32_t uid);
	const void *self;
	uint32_t shown_event; /* UINT32_MAX: none */
	const struct event_facts *events; /* by event; NULL: nothing is known of any */
	int self_pid;
	bool targets_only;    /* the process list shows targets alone */
	bool is_recording;    /* CPU times are not measured */
	const struct filter *filter; /* of query.filter, parsed */
	uint64_t mono_ns, real_ns;   /* now, by both clocks */
	struct kept_sums *kept;      /* of reports of this profile; NULL: none */
	struct row_order *order;     /* of the report before, for a screen; NULL: none */
	struct caller_marks *marks;  /* NULL: it is made for the report alone */
	uint64_t times_ahead_ns;     /* added to times of rows: they are since the epoch; 0: as they are */
};

/*
 * Fills the snapshot's events, totals and rows as @query asks, or nodes in place of rows for views
 * of stacks; frames if it asks for stacks, stacks if it asks for trees.  The snapshot's query is
 * set; strings are interned or in its arena.
 *
 * A stack is shown or left out as a whole, by its thread and its innermost function.  Filters of
 * stacks must not ask for keys that need labels (column.labels): trees do not tell them apart.
 */
void report_fill(struct snapshot *s, const struct report_source *src, const struct query *query);

/* What the lock of a process is called, by row.lock_id and row.process: by its variable, if known. */
const char *report_lock_name(const struct profile *p, uint32_t process, uint32_t lock);

/* Whether the query tells tasks of the same name apart. */
bool report_tells_tasks(const struct query *query, const struct filter *filter);

/* From now on, samples are told apart by all that this query needs: see column.labels. */
void report_want_labels(struct profile *p, const struct query *query, const struct filter *filter);

#endif
