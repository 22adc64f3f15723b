/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/prober.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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

/* One answer for a whole class, from its first member. */
static void
probe_class(const struct prober *p, struct catalogue *c, size_t from, size_t to)
{
	struct err err = { 0 };
	enum event_state state = probe(p, c->items[from].name, &err);
	const char *reason = state == EVENT_CAN ? "" : arena_strdup(c->arena, err.text);

	for (size_t i = from; i < to; i++) {
		c->items[i].state = state;
		c->items[i].reason = reason;
	}
}

static void
probe_each(const struct prober *p, struct catalogue *c, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		probe_class(p, c, i, i + 1);
}

static void
probe_all(const struct prober *p, struct catalogue *c)
{
	size_t from = 0, to;

	for (; from < c->len; from = to) {
		for (to = from; to < c->len && c->items[to].class == c->items[from].class; to++)
			;
		if (c->items[from].class == EVENT_TRACEPOINT)
			probe_class(p, c, from, to);
		else
			probe_each(p, c, from, to);
	}
}

static void *
prober_main(void *arg)
{
	struct prober *p = arg;
	struct prober_msg *m = xcalloc(1, sizeof(*m));

	m->msg.type = PROBER_MSG_CATALOGUE;
	m->catalogue = catalogue_new(&p->config.env);
	probe_all(p, m->catalogue);
	queue_send(p->answers, &m->msg);
	return NULL;
}

struct prober *
prober_new(const struct session_config *config, struct queue *answers)
{
	struct prober *p = xcalloc(1, sizeof(*p));
	int res;

	p->config = *config;
	p->answers = answers;
	res = pthread_create(&p->thread, NULL, prober_main, p);
	if (res != 0)
		die("cannot start a thread: %s", strerror(res));
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
