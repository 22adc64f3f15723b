/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What containers are called: asked once somebody groups by it, of the files of this host. */
#include "engine/names/names_impl.h"

#include <string.h>

enum { ASKED_MAX = 8, ID_LEN = 64 };

/* A batch has its names before its report: all groups are looked up, not only when rows are made. */
static void
look_up_groups(struct names *nm)
{
	struct cgroups *c = &nm->env->model->cgroups;

	for (size_t i = 0; i < c->len; i++) {
		if (c->items[i].path == 0 || c->items[i].is_looked_up)
			continue;
		c->items[i].is_looked_up = true;
		containers_of(nm->env->profile->containers, c->items[i].path);
	}
}

void
containers_step(struct names *nm)
{
	struct containers *c = nm->env->profile->containers;

	if (!nm->env->profile->wants_containers || !nm->env->policy->has_processes)
		return;
	look_up_groups(nm);
	/* An id with its user before it is a user's, who is not whom root's files tell of. */
	for (; c->asked < c->containers.len && nm->asked_containers < ASKED_MAX; c->asked++) {
		const char *id = strs_get(c->strs, c->containers.items[c->asked].id);

		if (strlen(id) != ID_LEN || strspn(id, "0123456789abcdef") != ID_LEN)
			continue;
		nm->asked_containers++;
		symbol_service_ask_container(nm->env->symbols, (uint32_t)c->asked, id);
	}
}

bool
containers_are_here(const struct names *nm)
{
	const struct containers *c = nm->env->profile->containers;

	return !nm->env->profile->wants_containers || !nm->env->policy->has_processes ||
	       (nm->asked_containers == 0 && c->asked == c->containers.len);
}

enum part_reply
containers_on_name(void *names, struct msg *msg)
{
	const struct symbol_container_msg *m = (const struct symbol_container_msg *)msg;
	struct names *nm = names;

	nm->asked_containers--;
	containers_learn(nm->env->profile->containers, m->number, m->name, m->pod);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	return PART_DONE;
}
