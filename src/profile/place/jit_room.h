/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_JIT_ROOM_H
#define PTOP_PROFILE_PLACE_JIT_ROOM_H
/*
 * The room for names of code that processes make as they run: who shares it, and how much each has.
 * A user may have as much as is left for others, half of what there is: there is room for whoever
 * comes.  One thread.
 */
#include "base/util.h"

enum {
	JIT_ROOM_PROCESS = 32 << 20, /* bytes */
	JIT_ROOM_ALL = 128 << 20,
};

/* Zero-initialise to begin. */
struct jit_room {
	size_t bytes; /* of all */
	struct jit_room_user *users;
	size_t len, cap;
};

/* One more process of @uid; the number of its user, for the functions below.  It ends with jit_room_leave(). */
uint32_t jit_room_enter(struct jit_room *r, uint32_t uid);
void jit_room_leave(struct jit_room *r, uint32_t user); /* which has given its bytes back */

/* A process has @bytes instead of @before.  @user 0: of nobody whose part is bounded. */
void jit_room_weigh(struct jit_room *r, uint32_t user, size_t before, size_t bytes);

/* Whether @user has as much as it leaves.  Never of 0. */
bool jit_room_is_users_full(const struct jit_room *r, uint32_t user);

void jit_room_release(struct jit_room *r);

#endif
