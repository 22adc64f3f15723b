/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/jit_room.h"

#include <stdlib.h>

struct jit_room_user {
	uint32_t uid;
	unsigned processes; /* 0: it is another user's when one comes */
	size_t bytes;
};

uint32_t
jit_room_enter(struct jit_room *r, uint32_t uid)
{
	size_t at = r->len;

	for (size_t i = 0; i < r->len; i++) {
		const bool is_free = r->users[i].processes == 0;

		if (!is_free && r->users[i].uid != uid)
			continue;
		at = i;
		if (!is_free)
			break;
	}
	if (at == r->len)
		VEC_ADD(r->users, r->len, r->cap) = (struct jit_room_user){ 0 };
	r->users[at].uid = uid;
	r->users[at].processes++;
	return (uint32_t)at + 1;
}

void
jit_room_leave(struct jit_room *r, uint32_t user)
{
	r->users[user - 1].processes--;
}

void
jit_room_weigh(struct jit_room *r, uint32_t user, size_t before, size_t bytes)
{
	r->bytes += bytes - before;
	if (user != 0)
		r->users[user - 1].bytes += bytes - before;
}

bool
jit_room_is_users_full(const struct jit_room *r, uint32_t user)
{
	const size_t left = JIT_ROOM_ALL - MIN(r->bytes, (size_t)JIT_ROOM_ALL);

	return user != 0 && r->users[user - 1].bytes >= left;
}

void
jit_room_release(struct jit_room *r)
{
	free(r->users);
}
