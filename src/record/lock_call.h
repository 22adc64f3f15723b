/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_LOCK_CALL_H
#define PTOP_RECORD_LOCK_CALL_H
/*
 * What a thread in futex(2) waits for, by the functions on its stack: the call alone does not tell
 * a mutex from malloc's own lock or a barrier, and only of some is it known which word names the
 * owner.  Two tables: names of functions, and kinds of locks.
 */
#include "record/wait_kind.h"

enum lock_call {
	LOCK_CALL_UNKNOWN,  /* no function of the table */
	LOCK_CALL_MUTEX,
	LOCK_CALL_RWLOCK,
	LOCK_CALL_MALLOC,   /* from here on: of libraries and runtimes, for themselves */
	LOCK_CALL_STDIO,
	LOCK_CALL_LIBC,
	LOCK_CALL_RUST,
	LOCK_CALL_GO,
	LOCK_CALL_CONDITION,
	LOCK_CALL_SEMAPHORE,
	LOCK_CALL_OTHER,    /* no lock: a barrier, the end of a thread */
	LOCK_CALLS,
};

enum { LOCK_CALL_FRAMES = 8 }; /* so many of a stack are enough */

struct lock_call_def {
	const char *word;     /* what such a lock is called: "rwlock 0x7f12"; NULL: it is no lock */
	bool has_owner;       /* a word of it names who holds it */
	const char *no_owner; /* why it is not known who holds one */
};

extern const struct lock_call_def lock_call_defs[LOCK_CALLS];

/*
 * @names: of the innermost functions, the one in the call first, NULL where there is none;
 * @by_call: what the call alone tells.
 */
enum lock_call lock_call_find(const char *const names[], size_t len, enum wait_kind by_call);

/* What such a thread waits for. */
enum wait_kind lock_call_kind(enum lock_call call, enum wait_kind by_call);

/* That of a lock called so: "rwlock 0x7f12 held by 3".  LOCK_CALLS: it is none. */
enum lock_call lock_call_of(const char *text);

#endif
