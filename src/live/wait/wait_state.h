/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_STATE_H
#define PTOP_LIVE_WAIT_WAIT_STATE_H
/*
 * What is known of a thread that is looked at, and what all of them share.  One thread at a time.
 */
#include "base/buf.h"
#include "live/sys/procfs.h"
#include "live/wait/kernel_stack.h"
#include "live/wait/socket_peer.h"

enum { WAIT_PEERS = 256 };

/* What a socket leads to, remembered. */
struct wait_peer {
	uint64_t socket; /* its number, 0: none is */
	char text[SOCKET_PEER_MAX];
};

/* For all that are looked at. */
struct wait_env {
	int proc_fd;      /* of /proc */
	uint64_t id;      /* of the records */
	bool has_stacks;  /* they are wanted */
	struct kernel_stacks *kernel; /* are, too, as far as they can be had; NULL: they are not */
	bool has_queue;   /* so is the time in the run queue */
	uint64_t hold_ns; /* so long a place is kept before it is told, if it stays the same */
	struct buf *out;  /* records are added; not beyond @out_max bytes */
	size_t out_max;
	size_t place_bytes;       /* of all places that are kept, */
	size_t place_max;         /* beyond which a place is told and forgotten at once */
	struct wait_peer peers[WAIT_PEERS]; /* by number */
	/* The tid of a thread of @pid that has @ns_tid in its pid namespace, 0: there is none. */
	int (*find_in_ns)(const void *list, int pid, int ns_tid);
	const void *list;
	size_t files_max;         /* so many files of /proc stay open, */
	size_t files, scheds;     /* so many do, so many of them schedstat, */
	size_t threads;           /* which matters most: of so many threads */
	uint64_t looks, same, torn; /* counted: all; it had not run; it ran, and its stack is not known; */
	uint64_t stayed;          /* none of its process had; */
	uint64_t presumed;        /* what it had waited was presumed: see wait_time_presume() */
	uint64_t starved;         /* looks without a descriptor for a file */
	/* Moments up to which all that threads have waited is told, from @begun_ns on: their sum. */
	uint64_t begun_ns, told_sum_ns;
	uint64_t woken_ns; /* since then the looker has not slept */
	bool wants_times; /* of each, at each look */
	bool is_far;      /* looks at those that run are so far apart that each is told */
	bool has_denied;  /* a thread could not be looked at, once */
};

enum look_state {
	LOOK_UNKNOWN, /* it ran while it was looked at, or was not looked at yet */
	LOOK_RUNS,    /* or could */
	LOOK_WAITS,
};

/* Since when it has not slept, by the count of its sleeps, and what is missing of its time. */
struct wait_awake {
	uint64_t since_ns, sleeps; /* since_ns 0: it may have */
	int64_t least, base;       /* missing at least: since then, and at the begin of all */
	bool has_base;
	uint64_t stolen_ns;        /* of all: what was given, */
	uint64_t untold_ns;        /* and is in no record yet */
};

struct wait_place; /* where it waits, with a copy of its stack */

struct wait_thread {
	int pid, tid;
	int ns_tid;            /* in its pid namespace, 0: that is ptop's */
	int sched_fd, call_fd; /* -1: opened for each look, or not yet */
	enum look_state state; /* at the last look, when: */
	uint64_t seen_ns, before_ns; /* and the one before it */
	struct procfs_schedstat sched;
	uint64_t clock_ns;     /* of its process, as it was before that was read, 0: not known */
	uint64_t since_ns;     /* the first look, 0: there was none */
	struct procfs_schedstat since;
	uint64_t given_ns;     /* of what it has waited since then: to places */
	struct wait_place *place; /* the last one, NULL: none; */
	bool is_at_lock;       /* it may be a lock: who holds it can be another though it has not run */
	int owner;             /* of what may be the lock that it waits for there, 0: not known */
	int holder;            /* the same, if it is known to be one */
	uint64_t untold_ns;    /* what was given to it, and is in no record yet */
	uint64_t told_ns;      /* when its last record was made, or before: see wait_tell_begin() */
	bool was_told;         /* there was one */
	uint64_t told_until_ns; /* its part of wait_env.told_sum_ns */
	uint64_t queue_told_ns; /* of the time in the run queue: what is in records, */
	uint64_t queue_at_ns;   /* and when the last was made */
	struct wait_awake awake;
	uint64_t stack_top;    /* as far as a chain needed its stack, 0: not known */
	uint32_t stack_max;    /* bytes of it that are copied at most, 0: nothing was so far */
	unsigned still;        /* looks in a row at which it had not run, */
	uint64_t still_ns;     /* and when it was seen before these; */
	unsigned ran;          /* and those at which it had, after the first, */
	unsigned stays;        /* and waited where it did */
	unsigned short_looks;  /* in a row: only where it waits was looked at, */
	uint64_t stays_ns;     /* the last one: when */
	double busy;           /* the part of its time that it was no wait, at the last look at its times, */
	uint64_t presumed_ns;  /* and up to when it was presumed to be that since, 0: not yet */
	bool is_denied;        /* it may not be looked at: only that it waits is known */
	bool is_over;          /* it has ended, and is not reaped; or it is the kernel's */
	bool is_others;        /* it is of another user: nothing can be had */
};

#endif
