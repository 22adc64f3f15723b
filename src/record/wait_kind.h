/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_WAIT_KIND_H
#define PTOP_RECORD_WAIT_KIND_H
/*
 * What a thread waits for, by the system call that it is in, its arguments, and what file they
 * name; or by the functions of the kernel that it is in.  Tables of calls, functions, and kinds of
 * waiting, whose numbers are in recordings: new ones come last.  A thread that has nothing to do is
 * idle and does not wait: it is in the wait of an event loop, for connections, or for signals.
 */
#include "base/reader.h"

enum wait_kind {
	WAIT_LOCK,
	WAIT_CONDITION,
	WAIT_FUTEX,      /* another word of memory */
	WAIT_SEMAPHORE,
	WAIT_FILE_LOCK,
	WAIT_DISK,       /* or NFS: in the kernel, and nothing but that ends it (state D) */
	WAIT_FILE,
	WAIT_FAULT,      /* a page that is not in memory */
	WAIT_NETWORK,
	WAIT_PIPE,
	WAIT_TERMINAL,
	WAIT_CHILD,
	WAIT_SLEEP,
	WAIT_EVENT,      /* of an eventfd, a timer and their like */
	WAIT_LOOP,
	WAIT_ACCEPT,
	WAIT_SIGNAL,
	WAIT_POOL,       /* of workers: names of functions tell, see profile/count/wait_names.h */
	WAIT_CALL,       /* of no row of the table */
	WAIT_UNKNOWN,    /* it may not be looked at */
	WAIT_QUEUE,      /* for a CPU, since its wait was over */
	WAIT_STOLEN,     /* it never slept, and is missing all the same: steal, interrupts */
	WAIT_OWN_LOCK,   /* that a program makes itself, such as of a row: names of functions tell */
	WAIT_KINDS,
	/* What functions of the kernel say, until wait_kind_finish(): */
	WAIT_NO_KIND = WAIT_KINDS, /* nothing, */
	WAIT_POLL, WAIT_SELECT,    /* or that it waits for as many files as an argument says */
};

struct wait_kind_def {
	const char *name;  /* "event loop" */
	const char *frame; /* "[event loop]": innermost in stacks */
	const char *state; /* "idle": of few words, for many kinds */
	bool is_idle;
};

extern const struct wait_kind_def wait_kind_defs[WAIT_KINDS];

/* Where a call names the file that it waits for. */
enum wait_on {
	WAIT_ON_NONE,
	WAIT_ON_FD,   /* argument 0 */
	WAIT_ON_POLL, /* argument 0: struct pollfd, as many as argument 1 says */
	WAIT_ON_SELECT, /* arguments 1 to 3: sets of files, of as many as argument 0 says */
};

struct wait_call {
	int number;
	enum wait_on on;
	enum wait_kind kind; /* unless the file tells more */
	bool may_block;      /* in state D: worth a look */
};

/* The row of a system call; one of no kind but WAIT_CALL if there is none.  Never NULL. */
const struct wait_call *wait_call_find(int number);

/* Whether all who wait in it do so in the same functions of the kernel, whatever they wait for. */
bool wait_call_is_one_way(int number);

/*
 * Where a call may wait for a lock that says who holds it, by its arguments.  The stack tells
 * whether it does (lock_call.h).
 */
enum wait_lock {
	WAIT_LOCK_NONE,
	WAIT_LOCK_MUTEX,  /* argument 0 is a mutex of glibc, */
	WAIT_LOCK_TID,    /* a word with the tid in it: of PI and robust mutexes, of musl, */
	WAIT_LOCK_RWLOCK, /* a word in a rwlock of glibc */
	WAIT_LOCKS,
};

enum wait_lock wait_lock_of(int call, const uint64_t args[]);

/* Where the lock begins that it waits for. */
uint64_t wait_lock_address(enum wait_lock lock, const uint64_t args[]);

/* In place of the letter of a state: it runs, and this time of it was stolen. */
#define WAIT_STATE_STOLEN '-'

/*
 * @state: the letter of proc(5), 0: not known; R: it could run, and waits for a CPU.  @file: what the link of the descriptor says, as far
 * as it was read: "socket:[123]", "/a/path".
 */
enum wait_kind wait_kind_of(int call, const uint64_t args[], char state, struct bytes file);

/* That it runs or could, and does not wait. */
static inline bool
wait_kind_could_run(enum wait_kind kind)
{
	return kind == WAIT_QUEUE || kind == WAIT_STOLEN;
}

/* What that function of the kernel says; WAIT_NO_KIND: another one tells. */
enum wait_kind wait_kind_of_function(const char *name);

/* Of the functions of a stack what they said, from the innermost on. */
enum wait_kind wait_kind_join(enum wait_kind inner, enum wait_kind outer);

/* What all of them said, with the call's arguments, NULL: not known. */
enum wait_kind wait_kind_finish(enum wait_kind said, const uint64_t args[], char state);

#endif
