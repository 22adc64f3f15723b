/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_PLACE_H
#define PTOP_LIVE_WAIT_WAIT_PLACE_H
/*
 * Where a thread waits: the call, what it waits for, a copy of its stack; whether it still waits
 * there, and for whom.  One thread at a time; all may block.
 */
#include "live/wait/told_record.h"
#include "live/wait/wait_object.h"
#include "live/wait/wait_state.h"

struct wait_place {
	struct procfs_syscall call;
	char state;   /* see struct record_look */
	char owner_state;
	bool is_holding;
	bool is_trusted; /* see wait_place_trust() */
	struct wait_object object; /* that it waits for */
	size_t kernel_len;
	struct kernel_frame kernel[KERNEL_STACK_MAX];
	bool is_told;  /* there was a record of it */
	bool is_torn;  /* it ran while its stack was read, which is not told */
	bool is_joined; /* it did, and what two copies have in common is */
	struct told_record *told; /* which is told again as it is, NULL: none is */
	size_t stack_len; /* with that no more than the top is kept here */
	uint8_t stack[];
};

enum { WAIT_TOP_BYTES = 256 }; /* of a stack, by which one is known again */

/* A look that has begun: whether it waits where it did, the top of its stack tells. */
struct wait_ask {
	struct wait_thread *thread;
	struct procfs_syscall call;
	bool is_place_alone; /* its times were not looked at */
	size_t len;  /* bytes at call.sp that are wanted, and what was read of them */
	size_t got;
	uint8_t top[WAIT_TOP_BYTES];
};

/* By all that the kernel tells of a call. */
bool wait_place_is_same_call(const struct procfs_syscall *a, const struct procfs_syscall *b);

/* But for arguments behind the first, as timeouts are. */
bool wait_place_is_same_point(const struct procfs_syscall *a, const struct procfs_syscall *b);

/* It waits in @call: where that is.  For wait_thread.place. */
struct wait_place *wait_place_new(struct wait_thread *t, struct wait_env *env,
				  const struct procfs_syscall *call);

/*
 * The thread ran while @other and then @p were read, but was in the same call before, between and after:
 * words that both have are taken for those of its callers.  Others lead to no caller from now on.
 */
void wait_place_join(struct wait_place *p, const struct wait_place *other);

/* Of @p, which is freed, the call alone. */
struct wait_place *wait_place_tear(struct wait_place *p);

void wait_place_forget(struct wait_thread *t, struct wait_env *env);

size_t wait_place_bytes(const struct wait_place *p);

/* All that @record, of its place, says but for time and period stays as it is: it can be told again. */
void wait_place_keep_record(struct wait_thread *t, struct wait_env *env, struct bytes record);

/* Whether it may wait where it did: the same call.  What called that its stack tells: @ask. */
bool wait_place_may_be_known(struct wait_thread *t, const struct wait_env *env,
			     const struct procfs_syscall *call, struct wait_ask *ask);

/* @p is soon to be compared with; NULL is allowed. */
void wait_place_fetch(const struct wait_place *p);

/* Reads the tops of stacks, those of one process at once. */
void wait_place_read_tops(struct wait_ask *asks, size_t count);

bool wait_place_is_known(const struct wait_ask *ask);

/* Its stack is needed up to there, 0: nobody knows how far. */
void wait_place_set_top(struct wait_thread *t, struct wait_env *env, uint64_t top);

/* Names the lock, and who holds it now.  true: that is another than it was. */
bool wait_place_read_lock(struct wait_thread *t, const struct wait_env *env, struct wait_place *p);

/* What it waits for at @address is a lock with an owner, by the functions on its stack. */
void wait_place_trust(struct wait_thread *t, uint64_t address);

/* @owner, looked at just now, holds the lock that @t waits for: each place is told to be so. */
void wait_place_meet(struct wait_thread *t, struct wait_thread *owner);

/* Whether both wait as they did when they were told so. */
bool wait_place_has_met(const struct wait_thread *t, const struct wait_thread *owner);

#endif
