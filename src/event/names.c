/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/names.h"

#include "base/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
names_add(struct names *n, const char *name)
{
	VEC_ADD(n->items, n->len, n->cap) = mem_strdup(name);
}

void
names_read(struct names *n, const char *path, bool files, size_t max)
{
	DIR *dir = opendir(path);
	size_t from = n->len;
	struct dirent *d;

	if (dir == NULL)
		return;
	while (n->len < max && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] != '.' && (files || d->d_type != DT_REG))
			names_add(n, d->d_name);
	}
	closedir(dir);
	if (n->len > from)
		qsort(n->items + from, n->len - from, sizeof(*n->items), compare);
}

const char *
names_nearest(const struct names *n, const char *word)
{
	return text_nearest(word, (const char *const *)n->items, n->len);
}

void
names_release(struct names *n)
{
	for (size_t i = 0; i < n->len; i++)
		free(n->items[i]);
	free(n->items);
	*n = (struct names){ 0 };
}
