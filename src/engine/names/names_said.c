/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of names: what there are none of, and why; what they take in memory. */
#include "engine/names/names_impl.h"

#include "engine/leaf/users.h"
#include "engine/names/hung_said.h"
#include "profile/place/location.h"

/* What rights would give names; false: nothing is missing. */
static bool (*const limits[])(const struct names *, struct arena *, struct snapshot_limit *) = {
	processes_limit, kernel_names_limit, unnamed_files_limit,
};

void
names_put_head(const void *names, struct snapshot *s)
{
	struct snapshot_limit *found = arena_alloc(&s->arena, sizeof(*found) * ARRAY_SIZE(limits));
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		n += limits[i](names, &s->arena, &found[n]);
	s->head.limits = found;
	s->head.limit_count = n;
}

static void
put_limit_notices(const struct names *nm, struct part_notices *n)
{
	struct snapshot_limit l;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i](nm, n->arena, &l))
			part_notice(n, arena_printf(n->arena, "%s%s%s", l.text,
						    *l.remedy != '\0' ? ": " : "", l.remedy));
}

/* Whose names take most of the room. */
static const struct name_user *
largest_user(const struct name_room *r)
{
	const struct name_user *u = &r->users[0];

	for (size_t i = 1; i < r->user_len; i++)
		if (r->users[i].used > u->used)
			u = &r->users[i];
	return u;
}

static const char *
whose_names(const struct names *nm, uint32_t uid, struct arena *arena)
{
	const char *name = users_name(nm->env->users, uid);

	if (uid == UID_UNKNOWN)
		return "";
	if (uid == NAME_ROOM_CODE)
		return ", most of functions";
	return name != NULL ? arena_printf(arena, ", most of %s's programs", name)
			    : arena_printf(arena, ", most of programs of uid %u", uid);
}

static void
put_crowded(const struct names *nm, struct part_notices *n)
{
	const struct name_room *r = &nm->env->model->room;

	if (r->refused > 0)
		part_notice(n, arena_printf(n->arena, "there were too many names%s: new ones are [too many names], "
					    "[too many files]; a new start forgets the old ones, --memory has room for more",
					    whose_names(nm, largest_user(r)->uid, n->arena)));
}

static void
put_hung(const struct names *nm, struct part_notices *n)
{
	struct buf b = { 0 };

	if (nm->env->proc != NULL)
		hung_put(proc_reader_hung(nm->env->proc), nm->env->users, &b);
	part_notice(n, b.len > 0 ? arena_strdup(n->arena, buf_str(&b)) : NULL);
	buf_release(&b);
}

void
names_put_notices(const void *names, struct part_notices *n)
{
	const struct names *nm = names;

	put_limit_notices(nm, n);
	put_crowded(nm, n);
	put_hung(nm, n);
	part_notice(n, symbol_service_lack(nm->env->symbols));
	part_notice(n, rules_notice(nm, n->arena));
	part_notice(n, inlines_notice(nm, n->arena));
	part_notice(n, jit_notice(nm));
}

static size_t
names_held(const void *names)
{
	const struct locations *l = ((const struct names *)names)->env->locations;
	const struct strs *strs = &((const struct names *)names)->env->model->strs;
	const struct variables *v = &((const struct names *)names)->env->profile->variables;

	return strs->arena.bytes + strs->cap * sizeof(*strs->items) + index_bytes(&strs->index) +
	       v->cap * sizeof(*v->items) + index_bytes(&v->index) +
	       l->cap * sizeof(*l->items) + l->free_cap * sizeof(*l->free) +
	       index_bytes(&l->index);
}

static size_t
maps_held(const void *names)
{
	return ((const struct names *)names)->env->model->maps.held * sizeof(struct map);
}

static size_t
images_held(const void *names)
{
	return image_budget_files(((const struct names *)names)->env->locations);
}

static size_t
images_bound(const void *names)
{
	size_t bound = ((const struct names *)names)->env->locations->image_budget;

	return bound != 0 ? bound : PART_UNBOUNDED;
}

static size_t
kernel_held(const void *names)
{
	return image_budget_kernel(((const struct names *)names)->env->locations);
}

static size_t
rules_held(const void *names)
{
	return ((const struct names *)names)->env->feed->unwinder.rules_bytes;
}

const struct part_memory names_memory[NAMES_MEMORIES] = {
	{ "symbols of files", images_held, images_bound,
	  "the longest unused are unloaded, and read again if needed (4 times --memory)" },
	{ "symbols of the kernel", kernel_held, NULL, "no bound; kept to the end" },
	{ "maps of processes", maps_held, NULL,
	  "beyond 64 MiB, those of more than 512 maps share theirs with the process they came from" },
	{ "unwind rules", rules_held, NULL, "no bound; kept to the end (-g dwarf)" },
	{ "names and places", names_held, NULL,
	  "names are kept to the end (4 times --memory, and half of what is left for one user); "
	  "functions while they have samples" },
};
