/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_LIST_H
#define PTOP_LIVE_WAIT_WAIT_LIST_H
/*
 * The threads that are looked at: all of the machine, or those of some processes, and when each is
 * due.  It follows /proc, a few processes at a time.  Threads of the kernel run no program and are
 * left out.  One thread at a time; may block.
 */
#include "base/index.h"
#include "live/wait/process_clock.h"
#include "live/wait/wait_thread.h"

enum { WAIT_THREADS_MAX = 100000, WAIT_SKIPS_MAX = 16 };

/* What is wanted. */
struct wait_target {
	int pid, tid; /* tid 0: all threads of the process */
};

/* A process whose threads are listed. */
struct wait_process {
	int pid, tid;        /* tid: of that thread alone, 0: all */
	bool is_left_out;    /* of the kernel, or skipped */
	bool is_listed;      /* its threads were listed once; */
	unsigned links;      /* of their folder when they were listed last, 0: list them anew */
	unsigned rounds;     /* since then */
	unsigned threads;    /* about so many */
	bool has_ns;         /* it is in a pid namespace of its own */
	struct process_clock clock;
};

/* When a thread is to be looked at. */
struct wait_turn {
	uint64_t due_ns;
	bool is_late; /* it runs so often that this look has its price: see look_pace.h */
	bool stays;   /* the last look had none: its process had not run */
	bool is_new;  /* there was none so far */
};

struct wait_list {
	struct wait_thread *items;
	struct wait_turn *turns; /* of each */
	size_t len, cap, turn_cap;
	struct index by_tid;   /* place in items, from 1 */
	struct index by_ns_tid; /* the same of those that have one, by pid and that */
	bool is_full;          /* there are more than WAIT_THREADS_MAX */

	int skips[WAIT_SKIPS_MAX]; /* processes that are left alone */
	size_t skip_count;
	bool is_all;           /* of the machine */
	struct wait_process *processes; /* rising */
	size_t process_len, process_cap;
	size_t next;           /* of them, to be listed */
	uint64_t round_ns;     /* when this round began, 0: none did */
	bool is_listed;        /* all have been listed once */
};

void wait_list_init(struct wait_list *l, const int *skips, size_t skip_count);
void wait_list_release(struct wait_list *l, struct wait_env *env);

/* @targets are wanted, in any order; NULL: all.  All others are let go. */
void wait_list_set(struct wait_list *l, const struct wait_target *targets, size_t count,
		   struct wait_env *env);

/* Looks for new processes and threads, for a while; each second a round of all begins. */
void wait_list_step(struct wait_list *l, struct wait_env *env, uint64_t now_ns);

/* The same of all at once. */
void wait_list_round(struct wait_list *l, struct wait_env *env, uint64_t now_ns);

/* Of @pid, by its tid in the namespace of that; 0: it is not there. */
int wait_list_find_in_ns(const void *list, int pid, int ns_tid);

/* NULL: it is not there. */
struct wait_thread *wait_list_find(const struct wait_list *l, int tid);

/* NULL: it is not there.  Until the next step. */
struct wait_process *wait_list_process(const struct wait_list *l, int pid);

/* It is gone: the last takes its place. */
void wait_list_drop(struct wait_list *l, size_t i, struct wait_env *env);

#endif
