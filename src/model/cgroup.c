/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/cgroup.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The number of @id, 0 if it is not known. */
static uint32_t
find_id(const struct cgroups *c, uint64_t id)
{
	uint64_t hash = hash_mix(id, 0);
	uint32_t n, pos;

	for (n = index_first(&c->by_id, hash, &pos); n != 0; n = index_next(&c->by_id, hash, &pos))
		if (c->items[n - 1].id == id)
			break;
	return n;
}

void
cgroups_release(struct cgroups *c)
{
	free(c->items);
	index_release(&c->by_id);
	index_release(&c->by_path);
	*c = (struct cgroups){ 0 };
}

bool
cgroups_knows(const struct cgroups *c, uint64_t id)
{
	return find_id(c, id) != 0;
}

uint32_t
cgroups_with_id(struct cgroups *c, uint64_t id)
{
	uint32_t n = find_id(c, id);

	if (n != 0)
		return n;
	VEC_ADD(c->items, c->len, c->cap) = (struct cgroup){ .id = id };
	index_add(&c->by_id, hash_mix(id, 0), (uint32_t)c->len);
	return (uint32_t)c->len;
}

uint32_t
cgroups_with_path(struct cgroups *c, uint32_t path)
{
	uint64_t hash = hash_mix(path, 1);
	uint32_t n, pos;

	for (n = index_first(&c->by_path, hash, &pos); n != 0;
	     n = index_next(&c->by_path, hash, &pos))
		if (c->items[n - 1].path == path)
			return n;
	VEC_ADD(c->items, c->len, c->cap) = (struct cgroup){ .path = path };
	index_add(&c->by_path, hash, (uint32_t)c->len);
	return (uint32_t)c->len;
}

void
cgroups_learn(struct cgroups *c, uint64_t id, uint32_t path)
{
	uint32_t n = cgroups_with_id(c, id);

	c->items[n - 1].path = path;
}

bool
cgroups_find(const struct cgroups *c, uint64_t id, uint32_t *path)
{
	struct cgroup at = cgroups_at(c, find_id(c, id));

	if (at.path != 0)
		*path = at.path;
	return at.path != 0;
}

static bool
is_one_of(char *const *patterns, size_t count, const char *path)
{
	const bool is_root = strcmp(path, "/") == 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(patterns[i], path) == 0 ||
		    (!is_root && fnmatch(patterns[i], path, FNM_PATHNAME) == 0))
			return true;
	return false;
}

bool
cgroup_matches(char *const *patterns, size_t count, const char *path)
{
	char *above = mem_strdup(path), *slash;
	bool found = is_one_of(patterns, count, above);

	while (!found && *above == '/' && above[1] != '\0') {
		slash = strrchr(above, '/');
		slash[slash == above] = '\0'; /* the root is above all */
		found = is_one_of(patterns, count, above);
	}
	free(above);
	return found;
}

bool
cgroups_want(struct cgroups *c, const struct strs *strs, uint32_t n)
{
	struct cgroup *at = n > 0 && n <= c->len ? &c->items[n - 1] : NULL;

	if (c->pattern_count == 0)
		return true;
	if (at == NULL || at->path == 0)
		return false;
	if (at->judged != at->path) {
		at->judged = at->path;
		at->is_wanted = cgroup_matches(c->patterns, c->pattern_count, strs_get(strs, at->path));
	}
	return at->is_wanted;
}
