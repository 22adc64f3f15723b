/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes whose code has no names: counted at each beat, and told to the front end. */
#include "engine/viewer/viewer_impl.h"

#include "engine/leaf/engine_msg.h"
#include "profile/place/location.h"

void
viewer_name_again(struct viewer *v, int pid, uint64_t now_ns)
{
	struct name_watched *item = name_watch_add(&v->names, pid);

	if (item != NULL)
		name_watched_ask(item, now_ns);
}

static void
tell(struct viewer *v, int pid)
{
	struct engine_nameless_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = ENGINE_MSG_NAMELESS;
	m->pid = pid;
	queue_send(v->front_end, &m->msg);
}

/* Who made the code at @loc, 0: nobody did as it ran. */
static int
maker_of(const struct viewer *v, const struct location *loc)
{
	const struct dso *dso = dsos_get(&v->env->model->dsos, loc->dso);

	return dso->kind == DSO_ANON ? dso->pid : 0;
}

/* All samples so far: windows begin and end when somebody wants them to. */
static void
count_all(struct viewer *v)
{
	const struct locations *l = v->env->locations;
	const struct tables *t = &v->env->profile->tables;
	const bool wants_all = v->env->config->name_jit;

	for (size_t i = 0; i < v->names.len; i++)
		v->names.items[i].all = v->names.items[i].nameless = 0;
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct location *loc = &l->items[locations_resolve(l, t->hot[id].location)];
		const uint64_t samples = t->cells[TABLE_HOT].items[id].all_samples;
		const int pid = maker_of(v, loc);
		struct name_watched *item = NULL;

		if (pid > 0)
			item = wants_all ? name_watch_add(&v->names, pid)
					 : name_watch_of(&v->names, pid);
		if (item == NULL)
			continue;
		item->all += samples;
		item->nameless += location_is_named(loc) ? 0 : samples;
		item->has_none = loc->dso < l->symbols_cap &&
				 l->symbols[loc->dso].state == SYMBOLS_FAILED;
	}
}

void
nameless_beat(struct viewer *v, uint64_t now_ns)
{
	if (!v->env->policy->has_processes || (v->names.len == 0 && !v->env->config->name_jit))
		return;
	count_all(v);
	for (size_t i = 0; i < v->names.len; i++) {
		struct name_watched *item = &v->names.items[i];

		if (!name_watched_is_due(item, now_ns))
			continue;
		name_watched_ask(item, now_ns);
		tell(v, item->pid);
	}
}
