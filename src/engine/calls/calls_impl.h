/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_CALLS_CALLS_IMPL_H
#define PTOP_ENGINE_CALLS_CALLS_IMPL_H
/*
 * What the files of the room share.
 */
#include "engine/calls/calls.h"
#include "live/calls/call_counter.h"

struct snapshot;

struct function {
	uint32_t id, location; /* location 0: named by the user */
	int pid;               /* it is counted for that process alone; 0: for all targets */
	char *name, *event; /* event: its begin, for who samples it */
	struct call_order order;
	bool waits;            /* for COMMAND, to stand at its exec */
	bool is_of_targets;    /* of all of them, also of those to come */
	struct call_reading_msg *last; /* NULL: none yet */
};

struct calls {
	const struct engine_env *env;
	struct call_counter *thread;
	struct call_finder finder;
	struct function items[CALLS_MAX];
	size_t count;
	uint32_t last_id;
	uint32_t target_changes; /* measured's that the functions know */
	size_t asked;          /* readings that a report waits for */
	bool holds_reports;    /* there is none before all is open */
};

/* Of a task of the model, 0: none. */
static inline int
calls_pid_of(const struct calls *c, uint32_t process)
{
	return process != 0 ? c->env->model->tasks[process].pid : 0;
}

/* How that is called. */
const char *calls_state(enum call_phase phase);

/* calls_part's put_head. */
void calls_put_rows(const void *calls, struct snapshot *s);

#endif
