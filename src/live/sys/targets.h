/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_TARGETS_H
#define PTOP_LIVE_SYS_TARGETS_H
/*
 * Which tasks a session of tasks samples: processes with all their threads, single threads, or all
 * processes of a user.  Reads /proc: may block.  One thread at a time.
 */
#include "base/err.h"

/* Which of the tasks that a task starts later are sampled, too. */
enum follow { FOLLOW_CHILDREN, FOLLOW_THREADS, FOLLOW_NOTHING };

struct sampled_task {
	int pid, tid;
	uint32_t target; /* number of its target, 0: it is one of the user's processes */
	enum follow follow;
};

struct tasks {
	struct sampled_task *items;
	size_t len, cap;
};

struct target_process;
struct target_thread;

struct targets {
	struct target_process *processes; /* wanted, and those found to descend from them */
	size_t process_count, process_cap;
	struct target_thread *threads; /* single ones */
	size_t thread_count, thread_cap;
	uint32_t last_target; /* the number given last: they count from 1, in the order added */
	bool is_empty_on_purpose; /* the last was detached: to sample nothing is no error */
	bool all_of_user; /* every process of @uid */
	uint32_t uid;
	int *seen; /* rising: every pid at the last look, so that new ones are asked about at once */
	size_t seen_count;
	unsigned looks; /* so far */
};

/* Each takes a number, last_target.  ERR_GONE if there is no such process or thread. */
int targets_add_process(struct targets *t, int pid, enum follow follow, struct err *err);
int targets_add_thread(struct targets *t, int tid, struct err *err);

/*
 * A process that was running before: refused as well if it is a thread, or is one of the targets
 * already (ERR_USAGE).
 */
int targets_attach(struct targets *t, int pid, enum follow follow, struct err *err);

/* The number that process @pid itself was added with; 0: it was not, or is gone. */
uint32_t targets_number_of(struct targets *t, int pid);

/* Takes out all that came with that number; false: there was nothing. */
bool targets_remove(struct targets *t, uint32_t target);

/* The processes of that number, as known.  To be freed. */
int *targets_pids(const struct targets *t, uint32_t target, size_t *count);

/* Looks for new processes: children of known ones, or the user's. */
void targets_refresh(struct targets *t);

/* The tasks that are alive now, of that number, 0: all; replaces the content of @tasks. */
void targets_list(const struct targets *t, uint32_t target, struct tasks *tasks);

/*
 * Only with all_of_user, and cheap: the user's processes that are new since the last look and not
 * children of known ones, which inherit.  Adds their tasks to @tasks.
 */
void targets_find_new(struct targets *t, struct tasks *tasks);

/* The process that a task belongs to, 0 if there is no such task. */
int targets_process_of(int tid);

void targets_release(struct targets *t);
void tasks_add(struct tasks *tasks, struct sampled_task task);
bool tasks_has(const struct tasks *tasks, int tid);
void tasks_release(struct tasks *tasks);

#endif
