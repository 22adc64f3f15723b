/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "container/containers.h"

#include "container/cgroup_path.h"

#include <stdlib.h>
#include <string.h>

enum { UID_LEN = 36, UID_SHOWN = 13 }; /* of a pod of Kubernetes: the first two parts of its uid */

static uint32_t
thing_with(const struct container_things *t, uint32_t id)
{
	uint64_t hash = hash_mix(id, 0);
	uint32_t n, pos;

	for (n = index_first(&t->index, hash, &pos); n != 0; n = index_next(&t->index, hash, &pos))
		if (t->items[n - 1].id == id)
			break;
	return n;
}

/* The number of the thing with @id, made if it is new; its name at first is the id's begin. */
static uint32_t
thing_of(struct container_things *t, struct strs *strs, const char *id)
{
	const char *user_end = strrchr(id, '/');
	size_t user_len = user_end != NULL ? (size_t)(user_end + 1 - id) : 0;
	uint32_t str, short_id, n;
	struct buf b = { 0 };

	if (*id == '\0')
		return 0;
	str = strs_add_str(strs, id);
	n = thing_with(t, str);
	if (n != 0)
		return n;
	cgroup_put_short(&b, id);
	if (strlen(id + user_len) == UID_LEN)
		b.len = user_len + UID_SHOWN;
	short_id = strs_add(strs, b.data, b.len);
	VEC_ADD(t->items, t->len, t->cap) = (struct container_thing){ str, short_id, short_id };
	index_add(&t->index, hash_mix(str, 0), (uint32_t)t->len);
	buf_release(&b);
	return (uint32_t)t->len;
}

static void
things_release(struct container_things *t)
{
	free(t->items);
	index_release(&t->index);
}

void
containers_init(struct containers *c, struct strs *strs)
{
	*c = (struct containers){ .strs = strs, .none = strs_add_str(strs, "-") };
}

void
containers_release(struct containers *c)
{
	free(c->groups);
	index_release(&c->by_path);
	things_release(&c->containers);
	things_release(&c->pods);
	*c = (struct containers){ 0 };
}

static struct container_group
group_at(struct containers *c, uint32_t path)
{
	struct cgroup_names names;

	cgroup_names_of(strs_get(c->strs, path), &names);
	return (struct container_group){
		.path = path,
		.container = thing_of(&c->containers, c->strs, names.container),
		.pod = thing_of(&c->pods, c->strs, names.pod),
		.unit = strs_add_str(c->strs, names.unit),
		.whole_unit = strs_add_str(c->strs, names.whole_unit),
	};
}

/* NULL: it is not known, and there are too many. */
static const struct container_group *
group_of(struct containers *c, uint32_t path)
{
	uint64_t hash = hash_mix(path, 0);
	uint32_t n, pos;

	for (n = index_first(&c->by_path, hash, &pos); n != 0; n = index_next(&c->by_path, hash, &pos))
		if (c->groups[n - 1].path == path)
			return &c->groups[n - 1];
	if (c->group_len == CONTAINERS_MAX)
		return NULL;
	VEC_ADD(c->groups, c->group_len, c->group_cap) = group_at(c, path);
	index_add(&c->by_path, hash, (uint32_t)c->group_len);
	return &c->groups[c->group_len - 1];
}

static uint32_t
name_of(const struct containers *c, const struct container_things *t, uint32_t n)
{
	return n != 0 ? t->items[n - 1].name : c->none;
}

struct container_names
containers_of(struct containers *c, uint32_t path)
{
	const struct container_group *g = path != 0 ? group_of(c, path) : NULL;

	if (g == NULL)
		return (struct container_names){ c->none, c->none, c->none };
	return (struct container_names){ name_of(c, &c->containers, g->container),
					 name_of(c, &c->pods, g->pod),
					 g->unit != 0 ? g->unit : c->none };
}

static void
put_ids(const struct container_things *t, uint32_t n, uint32_t ids[2])
{
	if (n == 0)
		return;
	ids[0] = t->items[n - 1].id;
	ids[1] = t->items[n - 1].short_id;
}

struct container_ids
containers_ids_of(struct containers *c, uint32_t path)
{
	const struct container_group *g = path != 0 ? group_of(c, path) : NULL;
	struct container_ids ids = { 0 };

	if (g == NULL)
		return ids;
	put_ids(&c->containers, g->container, ids.container);
	put_ids(&c->pods, g->pod, ids.pod);
	ids.unit = g->whole_unit;
	return ids;
}

void
containers_learn(struct containers *c, size_t number, const char *name, const char *pod)
{
	if (number >= c->containers.len)
		return;
	if (*name != '\0')
		c->containers.items[number].name = strs_add_str(c->strs, name);
	for (size_t i = 0; *pod != '\0' && i < c->group_len; i++) {
		const struct container_group *g = &c->groups[i];

		if (g->container == number + 1 && g->pod != 0)
			c->pods.items[g->pod - 1].name = strs_add_str(c->strs, pod);
	}
}
