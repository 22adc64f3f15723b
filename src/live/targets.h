/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_TARGETS_H
#define PTOP_LIVE_TARGETS_H
/*
 * Which tasks a session of tasks samples: processes with all their threads, single threads, or all
 * processes of a user.  Reads /proc: may block.  One thread at a time.
 */
#include "base/err.h"

struct task {
	int pid, tid;
	bool is_single; /* named by -t: nothing is inherited from it */
};

struct tasks {
	struct task *items;
	size_t len, cap;
};

struct target_process;

struct targets {
	struct target_process *processes; /* wanted, and those found to descend from them */
	size_t process_count, process_cap;
	int *tids; /* single threads */
	size_t tid_count, tid_cap;
	bool with_children;
	bool all_of_user; /* every process of @uid */
	uint32_t uid;
	int *seen; /* rising: every pid at the last look, so that only new ones are asked about */
	size_t seen_count;
};

/* ERR_GONE if there is no such process or thread. */
int targets_add_process(struct targets *t, int pid, struct err *err);
int targets_add_thread(struct targets *t, int tid, struct err *err);

/* Looks for new processes: children of known ones, or the user's. */
void targets_refresh(struct targets *t);

/* The tasks that are alive now; replaces the content of @tasks. */
void targets_list(const struct targets *t, struct tasks *tasks);

/*
 * Only with all_of_user, and cheap: the user's processes that are new since the last look and not
 * children of known ones, which inherit.  Adds their tasks to @tasks.
 */
void targets_find_new(struct targets *t, struct tasks *tasks);

void targets_release(struct targets *t);
void tasks_add(struct tasks *tasks, struct task task);
bool tasks_has(const struct tasks *tasks, int tid);
void tasks_release(struct tasks *tasks);

#endif
