/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_LIST_H
#define PTOP_LIVE_PROC_PROC_LIST_H
/*
 * The processes of a machine, or the threads of a process, as a numbered directory of /proc lists
 * them.  Listing goes by batches and reading by entries, so that the caller can stop at any time
 * and go on later.  One thread.
 */
#include "base/util.h"

struct proc_entry {
	int id; /* pid or tid */
	int ppid, threads;
	uint32_t uid;          /* UINT32_MAX: not known */
	uint64_t owner_ns;     /* before uid was read; 0: it was not */
	uint32_t pass;         /* in which it was seen last */
	uint32_t tick;         /* in which it was read last, or tried */
	float cpu;             /* percent; NAN: one reading only */
	char state;
	int priority, nice;
	uint64_t virt_bytes, rss_bytes;
	bool is_read;          /* what is here is true */
	bool is_hidden;        /* it may not be read */
	bool is_dead;
	bool is_kernel_thread;
	char comm[16];
	char *command;         /* processes only; */
	char *cgroup;          /* so is this: its path, NULL: not known */
	uint64_t start_ticks, start_stack;
	struct {
		uint64_t read_bytes, write_bytes, at_ns; /* 0: not read yet */
		float read, write; /* bytes a second; NAN: one reading only */
	} io;
	uint64_t cpu_ns;       /* used until read_ns, which begins the next span of cpu */
	uint64_t read_ns;
};

struct proc_list {
	int fd;          /* the directory, -1: none */
	bool wants_io;   /* what each reads and writes: one more file */
	bool is_threads; /* they have no command, and their time is in schedstat */
	size_t max;
	struct proc_entry *entries; /* rising id; @fresh ones are not in it yet */
	size_t len, cap;
	struct proc_entry *fresh;
	size_t fresh_len, fresh_cap;
	uint32_t pass, passes_done;
	uint64_t pass_ns, listed_ns; /* it began, and the last whole one did */
	bool in_pass, is_unsettled;
	size_t unread_from;   /* all before it have been read once */
	int turn_id;          /* whose turn it is in the round */
	size_t turn, turns_left;
	uint32_t tick;
};

/* @fd is taken over. */
void proc_list_init(struct proc_list *l, int fd, bool is_threads, size_t max);
void proc_list_release(struct proc_list *l);

/*
 * A new tick begins: everything may be read once more; listing starts again if it was at the end.
 */
void proc_list_begin(struct proc_list *l);

/* Lists one batch: new ones are added, those that are gone are out after a whole pass. */
void proc_list_batch(struct proc_list *l);

/* Adds one that is not listed yet; nothing if it is known.  proc_list_settle() follows. */
void proc_list_add(struct proc_list *l, int id);

/* Puts new ones in, takes dead ones out: pointers to entries are void afterwards. */
void proc_list_settle(struct proc_list *l);

struct proc_entry *proc_list_find(const struct proc_list *l, int id);

/*
 * Who is to be read next: those never read, then in turn.  NULL: all have been in this tick.
 */
struct proc_entry *proc_list_next_unread(struct proc_list *l);
struct proc_entry *proc_list_next_in_turn(struct proc_list *l);

/*
 * Whether that can wait for a later tick.  For the times of a process the kernel sums up all of its
 * threads: one with thousands costs as much as hundreds of others.
 */
bool proc_list_may_wait(const struct proc_list *l, const struct proc_entry *e);

/* Reads it.  @may_block: also the command line, which takes a lock of the process. */
void proc_list_read(struct proc_list *l, struct proc_entry *e, bool may_block);

/* Whether all have been listed and read once. */
bool proc_list_is_complete(struct proc_list *l);

#endif
