/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_STACK_USERS_H
#define PTOP_PROFILE_COUNT_STACK_USERS_H
/*
 * Which processes spend their time in code that keeps no frame pointers: a chain of frame pointers
 * leads nowhere there, a copy of the stack does.  Judged by the files that their samples lie in,
 * and the unwind rules of these.  Engine thread only.
 */
#include "profile/count/profile.h"
#include "profile/count/unwinder.h"

struct stack_user {
	uint32_t process;   /* a task */
	uint64_t samples;   /* all of it, the kernel's too */
	uint64_t user;      /* of them in files */
	uint64_t without_fp; /* of these in files that are known to keep no frame pointers */
};

struct stack_users {
	struct stack_user *items; /* heaviest first */
	size_t len, cap;
	uint64_t samples;         /* of all processes */
	uint64_t next_serial;     /* of the first interval that was not looked at yet */
	struct stack_user_part {
		uint32_t process, dso;
		uint64_t samples;
	} *parts;
	size_t part_len, part_cap;
	struct index by_part;
};

/* Adds the intervals that ended since the last time; stack_users_judge() fills the list. */
void stack_users_look(struct stack_users *u, const struct profile *p);

/*
 * Lists who weighs enough in what was looked at, by what is known of files now.  Asks for the rules
 * of those that weigh enough; without them, a file counts as one that keeps frame pointers.
 */
void stack_users_judge(struct stack_users *u, const struct profile *p, struct unwinder *unwinder);

void stack_users_release(struct stack_users *u);

#endif
