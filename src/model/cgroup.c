/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/cgroup.h"

#include <stdlib.h>

/* The place of @id, NULL if it is not known. */
static struct cgroup *
place_of(const struct cgroups *c, uint64_t id)
{
	uint64_t hash = hash_mix(id, 0);
	uint32_t n, pos;

	for (n = index_first(&c->index, hash, &pos); n != 0; n = index_next(&c->index, hash, &pos))
		if (c->items[n - 1].id == id)
			return &c->items[n - 1];
	return NULL;
}

void
cgroups_release(struct cgroups *c)
{
	free(c->items);
	index_release(&c->index);
	*c = (struct cgroups){ 0 };
}

void
cgroups_learn(struct cgroups *c, uint64_t id, uint32_t path)
{
	struct cgroup *at = place_of(c, id);

	if (at != NULL) {
		at->path = path;
		return;
	}
	VEC_ADD(c->items, c->len, c->cap) = (struct cgroup){ id, path };
	index_add(&c->index, hash_mix(id, 0), (uint32_t)c->len);
}

bool
cgroups_find(const struct cgroups *c, uint64_t id, uint32_t *path)
{
	const struct cgroup *at = place_of(c, id);

	if (at != NULL)
		*path = at->path;
	return at != NULL;
}
