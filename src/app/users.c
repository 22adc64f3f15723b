/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/users.h"

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
	struct user *items; /* as in the file: the first of a uid counts */
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
	vec_reserve(&u->items, &u->cap, u->len + 1, sizeof(*u->items));
	u->items[u->len++] = (struct user){ (uint32_t)n, name };
}

struct users *
users_new(const char *path)
{
	struct users *u = xcalloc(1, sizeof(*u));
	char *save = NULL;

	if (file_read(path, &u->text, PASSWD_BYTES_MAX) != 0 || u->text.len == 0)
		return u;
	for (char *line = strtok_r(u->text.data, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		add_line(u, line);
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
	for (size_t i = 0; i < u->len; i++)
		if (u->items[i].uid == uid)
			return u->items[i].name;
	return NULL;
}
