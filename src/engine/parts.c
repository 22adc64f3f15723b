/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/rooms.h"

#include <string.h>

/*
 * In the order in which they are asked: names learns of processes before sampling judges them, and
 * who shows comes last.
 */
static const struct {
	const struct engine_part *ops;
	size_t room; /* where struct engine has its room */
} table[] = {
	{ &intake_part, offsetof(struct engine, intake) },
	{ &names_part, offsetof(struct engine, names) },
	{ &sampling_part, offsetof(struct engine, sampling) },
	{ &recording_part, offsetof(struct engine, recording) },
	{ &replay_part, offsetof(struct engine, replay) },
	{ &viewer_part, offsetof(struct engine, viewer) },
};

_Static_assert(ARRAY_SIZE(table) <= ENGINE_PARTS_MAX, "each has its place");

static void *
room_of(const struct engine *e, size_t i)
{
	void *room;

	memcpy(&room, (const char *)e + table[i].room, sizeof(room));
	return room;
}

/* Those that there are: without a recording nothing is replayed. */
static void
list_parts(struct engine *e)
{
	struct engine_parts *p = &e->parts;

	p->count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (room_of(e, i) == NULL)
			continue;
		p->items[p->count].ops = table[i].ops;
		p->items[p->count++].self = room_of(e, i);
	}
}

void
parts_make(struct engine *e, struct host *downloads)
{
	const struct engine_env *env = &e->env;
	static const struct replay_names names = {
		names_await_files, names_change_by_time, names_go_on, names_horizon_ns,
		names_end_recording,
	};

	e->intake = intake_new(env);
	e->names = names_new(env, downloads);
	sampling_begin(e->sampling, env);
	e->recording = recording_new(env);
	e->viewer = viewer_new(env, e->out, &e->parts);
	if (e->replay != NULL)
		replay_begin(e->replay, env, e->intake, &names, e->names);
	list_parts(e);
	intake_set_horizon(e->intake, names_horizon_ns, names_apply, e->names);
	intake_add_sink(e->intake, &sampling_sink, e->sampling);
	intake_add_sink(e->intake, &recording_sink, e->recording);
	names_observe(e->names, &sampling_names, e->sampling);
	names_observe(e->names, &recording_names, e->recording);
	sampling_observe(e->sampling, &recording_events, e->recording);
	recording_set_patience(e->recording, names_await_processes, e->names);
	e->cost.helpers_ns = names_cpu_ns;
	e->cost.self = e->names;
}

static enum part_take
offer(const struct engine_part *part, void *self, struct msg *m)
{
	for (size_t i = 0; i < part->message_count; i++)
		if (part->messages[i].type == m->type)
			return part->messages[i].take(self, m);
	return PART_PASSES;
}

void
parts_take(struct engine *e, struct msg *m)
{
	enum part_take taken = PART_PASSES;

	for (size_t i = 0; i < e->parts.count && taken == PART_PASSES; i++)
		taken = offer(e->parts.items[i].ops, e->parts.items[i].self, m);
	if (taken != PART_KEEPS)
		msg_free(m);
}

void
parts_beat(struct engine *e, uint64_t now_ns)
{
	for (size_t i = 0; i < e->parts.count; i++)
		if (e->parts.items[i].ops->beat != NULL)
			e->parts.items[i].ops->beat(e->parts.items[i].self, now_ns);
}

void
parts_release(struct engine *e)
{
	list_parts(e);
	for (size_t i = e->parts.count; i-- > 0;)
		e->parts.items[i].ops->release(e->parts.items[i].self);
}
