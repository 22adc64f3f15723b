/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/users.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { PASSWD_BYTES_MAX = 16 << 20 };

struct user {
	uint32_t uid;
	const char *name;
};

struct users {
	struct buf text;
	struct user *items; /* rising uid; of the same uid the first in the file comes first */
	size_t len, cap;
};

/* "name:password:uid:..." at @line; its fields are cut off in place. */
static void
add_line(struct users *u, char *line)
{
	char *save = NULL, *name = strtok_r(line, ":", &save);
	char *password = name != NULL ? strtok_r(NULL, ":", &save) : NULL;
	char *uid = password != NULL ? strtok_r(NULL, ":", &save) : NULL;
	char *end;
	unsigned long n;

	if (uid == NULL)
		return;
	n = strtoul(uid, &end, 10);
	if (end == uid || *end != '\0' || n > UINT32_MAX)
		return;
	VEC_ADD(u->items, u->len, u->cap) = (struct user){ (uint32_t)n, name };
}

static int
compare_users(const void *a, const void *b)
{
	const struct user *x = a, *y = b;

	if (x->uid != y->uid)
		return x->uid < y->uid ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name; /* as they stand in the text */
}

struct users *
users_new(const char *path)
{
	struct users *u = mem_calloc(1, sizeof(*u));
	char *save = NULL;

	if (file_read(path, &u->text, PASSWD_BYTES_MAX) != 0 || u->text.len == 0)
		return u;
	for (char *line = strtok_r(u->text.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		add_line(u, line);
	if (u->len > 0)
		qsort(u->items, u->len, sizeof(*u->items), compare_users);
	return u;
}

void
users_free(struct users *u)
{
	if (u == NULL)
		return;
	free(u->items);
	buf_release(&u->text);
	free(u);
}

const char *
users_name(const struct users *u, uint32_t uid)
{
	size_t at;

	FIND_FIRST(at, u->len, u->items[at].uid >= uid);
	return at < u->len && u->items[at].uid == uid ? u->items[at].name : NULL;
}
