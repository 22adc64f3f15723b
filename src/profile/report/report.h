/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_REPORT_H
#define PTOP_PROFILE_REPORT_REPORT_H
/*
 * From the tables to the rows of a snapshot: group, filter, sort, cut.  Engine thread only.
 */
#include "view/filter.h"
#include "profile/count/profile.h"
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
};

struct report_source {
	struct profile *profile;
	const struct task_facts *processes, *threads; /* rising pid; rising tid */
	size_t process_count, thread_count;
	const char *(*user_name)(void *self, uint32_t uid); /* lives on; NULL: no name */
	void *self;
	uint32_t shown_event; /* UINT32_MAX: none */
	/* Of each event, by its id: seconds of its window, 0: its period is no time; NULL: none's is. */
	const double *time_window_s;
	double busy_cpus;     /* percent of one CPU that the machine is busy, NAN: not known */
	int self_pid;
	bool targets_only;    /* the process list shows targets alone */
	bool is_recording;    /* of no task that is shown anything is measured */
	const struct filter *filter; /* of query.filter, parsed */
	uint64_t mono_ns, real_ns;   /* now, both clocks: to tell when tasks ended */
};

/*
 * Fills the snapshot's rows, filtered, events and totals as @query asks, its frames if it asks for
 * stacks, its stacks if it asks for trees.  The snapshot's query is set; strings point to interned
 * ones or into its arena.
 *
 * Views of stacks have nodes in place of rows, but for a query that asks for the frames.
 *
 * Stacks are left out whole: by query.process and thread, by hide_kernel, hide_user and the
 * filter as the innermost function and the thread tell.  The trees do not tell CPUs and
 * addresses apart: a filter must not ask for these.
 */
void report_fill(struct snapshot *s, const struct report_source *src, const struct query *query);

/* Whether it tells tasks apart that have the same name. */
bool report_tells_tasks(const struct query *query, const struct filter *filter);

/* The keys that must be kept as labels for this query, from now on. */
void report_want_labels(struct profile *p, const struct query *query, const struct filter *filter);

#endif
