/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_NAME_ROOM_H
#define PTOP_MODEL_NAME_ROOM_H
/*
 * Names are never freed, and who runs programs decides how many there are.  So they have a bound, and
 * one user may have half of what others left: whoever comes next finds room.  Engine thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NAME_ROOM_USERS = 64, /* told apart: those who come later share the last one's part */
	NAME_ROOM_SITE_BYTES = 48, /* of a name, beside its text: its numbers, and its place in the index */
	NAME_ROOM_FILE_BYTES = 384, /* of a file beside its names: what is kept of it, and of its symbols */
};

#define NAME_ROOM_CODE (UINT32_MAX - 1) /* for names of functions: no user has this number */

struct name_room {
	size_t max, used; /* bytes; @max 0: there is no bound */
	struct name_user {
		uint32_t uid;
		size_t used;
	} users[NAME_ROOM_USERS];
	size_t user_len;
	uint64_t refused; /* names that had no room */
};

/* Takes the bytes of a new name, or of a file, of that user.  false: there is no room for it. */
bool name_room_take(struct name_room *r, uint32_t uid, size_t bytes);

#endif
