/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/rooms.h"

#include <string.h>

enum { NO_MEMBER = -1 };

/*
 * In the order in which they are asked: names learns of processes before sampling judges them, and
 * who shows comes last.
 */
static const struct {
	const struct engine_part *ops;
	ptrdiff_t member; /* of struct engine, for who calls it; NO_MEMBER: nobody does */
} table[] = {
	{ &intake_part, offsetof(struct engine, intake) },
	{ &names_part, offsetof(struct engine, names) },
	{ &sampling_part, offsetof(struct engine, sampling) },
	{ &recording_part, offsetof(struct engine, recording) },
	{ &replay_part, offsetof(struct engine, replay) },
	{ &hosts_part, offsetof(struct engine, hosts) },
	{ &waits_part, offsetof(struct engine, waits) },
	{ &code_part, offsetof(struct engine, code) },
	{ &calls_part, offsetof(struct engine, calls) },
	{ &hits_part, offsetof(struct engine, hits) },
	{ &viewer_part, offsetof(struct engine, viewer) },
};

_Static_assert(ARRAY_SIZE(table) <= ENGINE_PARTS_MAX, "each has its place");

/* Rooms that are made from env alone. */
static void
make_rooms(struct engine *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		if (table[i].ops->make == NULL)
			continue;
		e->parts.items[i].self = table[i].ops->make(&e->env);
		if (table[i].member != NO_MEMBER)
			memcpy((char *)e + table[i].member, &e->parts.items[i].self, sizeof(void *));
	}
}

/* Those that there are: without a recording nothing is replayed. */
static void
list_parts(struct engine *e)
{
	struct engine_parts *p = &e->parts;

	p->count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		void *room = p->items[i].self;

		if (table[i].member != NO_MEMBER)
			memcpy(&room, (const char *)e + table[i].member, sizeof(room));
		if (room == NULL)
			continue;
		p->items[p->count].ops = table[i].ops;
		p->items[p->count++].self = room;
	}
}

static void
add_sinks(struct engine *e)
{
	for (size_t i = 0; i < e->parts.count; i++)
		if (e->parts.items[i].ops->sink != NULL)
			intake_add_sink(e->intake, e->parts.items[i].ops->sink,
					e->parts.items[i].self);
}

void
parts_make(struct engine *e, struct host *downloads)
{
	const struct engine_env *env = &e->env;
	static const struct replay_names names = {
		names_await_files, names_change_by_time, names_go_on, names_horizon_ns,
		names_end_recording,
	};

	make_rooms(e);
	e->names = names_new(env, downloads);
	code_begin(e->code, e->names);
	sampling_begin(e->sampling, env);
	e->viewer = viewer_new(env, e->out, &e->parts);
	if (e->replay != NULL) {
		replay_begin(e->replay, env, e->intake, &names, e->names);
		replay_observe(e->replay, viewer_watch, e->viewer);
	}
	list_parts(e);
	add_sinks(e);
	waits_begin(e->waits, e->intake);
	intake_set_horizon(e->intake, names_horizon_ns, names_apply, e->names);
	names_observe(e->names, &recording_names, e->recording);
	sampling_observe(e->sampling, &recording_events, e->recording);
	recording_set_patience(e->recording, names_await_processes, e->names);
	e->cost.helpers_ns = names_cpu_ns;
	e->cost.self = e->names;
}

static enum part_reply
offer(const struct engine_part *part, void *self, struct msg *m)
{
	for (size_t i = 0; i < part->message_count; i++)
		if (part->messages[i].type == m->type)
			return part->messages[i].handle(self, m);
	return PART_PASSES;
}

void
parts_take(struct engine *e, struct msg *m)
{
	enum part_reply reply = PART_PASSES;

	for (size_t i = 0; i < e->parts.count && reply == PART_PASSES; i++)
		reply = offer(e->parts.items[i].ops, e->parts.items[i].self, m);
	if (reply != PART_KEEPS)
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
	if (e->parts.count == 0)
		list_parts(e); /* the start has failed */
	for (size_t i = e->parts.count; i-- > 0;)
		e->parts.items[i].ops->release(e->parts.items[i].self);
}
