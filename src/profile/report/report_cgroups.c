/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of control groups is a tree on a screen: each path that leads to a group with samples becomes
 * one of the report as well, and has what those below it have, too.
 */
#include "profile/report/report_impl.h"

#include <stdlib.h>
#include <string.h>

static const char *
path_of(const struct report *r, size_t g)
{
	return report_str(r, (uint32_t)*group_parts(&r->groups, &r->groups.items[g]));
}

/* The path above, as a string: 0: there is none. */
static uint32_t
above(const struct report *r, const char *path)
{
	struct strs *strs = &r->src->profile->model->strs;
	const char *slash = strrchr(path, '/');

	if (*path != '/' || path[1] == '\0')
		return 0;
	return strs_add(strs, path, slash > path ? (size_t)(slash - path) : 1);
}

/* How many slashes lead to it: the root has none. */
static uint32_t
depth_of(const char *path)
{
	uint32_t depth = 0;

	if (*path != '/' || path[1] == '\0')
		return 0;
	for (const char *c = path; c != NULL; c = strchr(c + 1, '/'))
		depth++;
	return depth;
}

void
report_make_cgroups(struct report *r)
{
	uint32_t *parents = NULL, *depths;
	size_t cap = 0;

	/* Those that are added have their own above them added in their turn. */
	for (size_t g = 0; g < r->groups.len; g++) {
		uint32_t path = above(r, path_of(r, g)), first = r->groups.items[g].first;
		const struct group *parent;

		vec_reserve(&parents, &cap, g + 1, sizeof(*parents));
		parents[g] = 0;
		if (path == 0)
			continue;
		parent = group_with_part(&r->groups, path, first);
		parents[g] = (uint32_t)(parent - r->groups.items) + 1;
	}
	depths = mem_calloc(r->groups.len + 1, sizeof(*depths));
	for (size_t g = 0; g < r->groups.len; g++)
		depths[g] = depth_of(path_of(r, g));
	report_tree_begin(r, parents, depths, r->groups.len);
	for (size_t i = 0; i < r->groups.len; i++) {
		uint32_t g = r->tree->order[i], parent = parents[g];

		if (parent == 0)
			continue;
		r->groups.items[parent - 1].samples += r->groups.items[g].samples;
		r->groups.items[parent - 1].period += r->groups.items[g].period;
	}
}

void
report_name_cgroups(struct report *r)
{
	struct containers *c = r->src->profile->containers;

	for (size_t g = 0; g < r->groups.len; g++) {
		uint32_t name = containers_of(c, (uint32_t)r->rows[g].part).container;

		if (name != c->none)
			r->rows[g].container = report_str(r, name);
	}
}
