/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/prober.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/thread.h"
#include "live/session/refusal.h"

struct prober {
	struct session_config config;
	struct queue *answers;
	pthread_t thread;
};

static enum event_state
probe(const struct prober *p, const char *name, struct err *err)
{
	struct event_list list = { 0 };
	enum event_state state = EVENT_CANNOT;

	if (event_parse(&p->config.env, name, &list, err) == 0 &&
	    session_probe(&p->config, &list.items[0], err) == 0)
		state = EVENT_CAN;
	event_list_release(&list);
	return state;
}

static void
set_states(struct catalogue *c, size_t from, size_t to, enum event_state state,
	   const struct err *err)
{
	const char *reason = state == EVENT_CAN ? "" : refusal_reason(c->arena, err->text);
	const char *remedy = state == EVENT_CAN ? "" : arena_strdup(c->arena, err->hint);

	for (size_t i = from; i < to; i++) {
		c->items[i].state = state;
		c->items[i].reason = reason;
		c->items[i].remedy = remedy;
	}
}

/* Tried one by one, but for classes of which the first (@alike) speaks for all. */
static void
probe_class(const struct prober *p, struct catalogue *c, size_t from, size_t to, bool alike)
{
	for (size_t i = from; i < to; i++) {
		struct err err = { 0 };
		enum event_state state = probe(p, c->items[i].name, &err);

		set_states(c, i, alike ? to : i + 1, state, &err);
		if (alike)
			return;
	}
}

static void
probe_all(const struct prober *p, struct catalogue *c)
{
	struct err err = { 0 };
	/* A machine without cycles has no counters: each other one would say so at some length. */
	bool counters = probe(p, "cycles", &err) == EVENT_CAN;
	size_t from = 0, to;

	for (; from < c->len; from = to) {
		enum event_class class = c->items[from].class;

		for (to = from; to < c->len && c->items[to].class == class; to++)
			;
		if (!counters && (class == EVENT_HARDWARE || class == EVENT_CACHE))
			set_states(c, from, to, EVENT_CANNOT, &err);
		else
			probe_class(p, c, from, to, class == EVENT_TRACEPOINT);
	}
}

static void
free_found(struct msg *m)
{
	catalogue_put(((struct prober_msg *)m)->catalogue);
	free(m);
}

static void *
prober_main(void *arg)
{
	struct prober *p = arg;
	struct prober_msg *m = msg_new(sizeof(*m), PROBER_MSG_CATALOGUE, free_found);

	m->catalogue = catalogue_new(&p->config.env);
	probe_all(p, m->catalogue);
	queue_send(p->answers, &m->msg);
	return NULL;
}

struct prober *
prober_new(const struct session_config *config, struct queue *answers)
{
	struct prober *p = mem_calloc(1, sizeof(*p));

	p->config = *config;
	p->answers = answers;
	thread_start_or_die(&p->thread, NULL, prober_main, p);
	return p;
}

void
prober_free(struct prober *p)
{
	if (p == NULL)
		return;
	pthread_join(p->thread, NULL);
	free(p);
}
