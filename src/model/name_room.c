/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/name_room.h"

static struct name_user *
user_of(struct name_room *r, uint32_t uid)
{
	for (size_t i = 0; i < r->user_len; i++)
		if (r->users[i].uid == uid)
			return &r->users[i];
	if (r->user_len == NAME_ROOM_USERS)
		return &r->users[NAME_ROOM_USERS - 1];
	r->users[r->user_len].uid = uid;
	return &r->users[r->user_len++];
}

bool
name_room_take(struct name_room *r, uint32_t uid, size_t bytes)
{
	struct name_user *u;

	if (r->max == 0)
		return true;
	u = user_of(r, uid);
	if (u->used + bytes > (r->max - (r->used - u->used)) / 2) {
		r->refused++;
		return false;
	}
	u->used += bytes;
	r->used += bytes;
	return true;
}
