/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/count/counting.h"

#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

enum request_type { REQ_WATCH, REQ_ASK, REQ_LEAVE };

struct request {
	struct msg msg;
	uint32_t token;
	struct counter_target target;
	unsigned *cpus;
	struct event *events;
	size_t count;
};

struct counting {
	const struct sys *sys;
	const struct event_env *env;
	const struct counting_finder *finder;
	struct queue *answers;
	struct worker worker;
	/* the thread's own */
	struct counters *counters;
	uint32_t token;
	size_t count;
};

static void
free_request(struct msg *m)
{
	struct request *r = (struct request *)m;

	for (size_t i = 0; i < r->count; i++)
		event_release(&r->events[i]);
	free(r->events);
	free(r->cpus);
	free(r);
}

static void
leave(struct counting *k)
{
	counters_close(k->counters);
	k->counters = NULL;
	k->count = 0;
}

static void
free_reading(struct msg *msg)
{
	struct counting_msg *m = (struct counting_msg *)msg;

	for (size_t i = 0; i < m->count && m->is_first; i++) {
		free(m->whys[i]);
		free(m->notes[i]);
	}
	free(m->whys);
	free(m->notes);
	free(m->values);
	free(m);
}

static struct counting_msg *
answer_new(const struct counting *k)
{
	struct counting_msg *m = msg_new(sizeof(*m), COUNTING_MSG_READING, free_reading);

	m->token = k->token;
	m->count = k->count;
	m->values = mem_calloc(k->count + 1, sizeof(*m->values));
	if (k->counters != NULL)
		m->time_ns = counters_read(k->counters, m->values);
	return m;
}

/* Each process has addresses of its own.  Of those that are not found, the reasons, by event. */
static char **
find_places(const struct counting *k, struct request *r)
{
	char **whys = mem_calloc(r->count + 1, sizeof(*whys));
	int pid = r->target.pid != 0 ? r->target.pid : r->target.tid;

	for (size_t i = 0; i < r->count; i++) {
		struct err err = { 0 };

		if (k->finder != NULL && r->events[i].place != EVENT_PLACE_NONE &&
		    k->finder->find(&r->events[i], pid, &err) < 0)
			whys[i] = mem_strdup(err.text);
	}
	return whys;
}

/* @places: reasons that go before the counters' own; taken over. */
static void
add_texts(const struct counting *k, struct counting_msg *m, char **places)
{
	m->is_first = true;
	m->whys = mem_calloc(k->count + 1, sizeof(*m->whys));
	m->notes = mem_calloc(k->count + 1, sizeof(*m->notes));
	for (size_t i = 0; i < k->count; i++) {
		m->whys[i] = places[i] != NULL ? places[i]
					       : mem_strdup(counter_why(k->counters, i));
		places[i] = NULL;
		m->notes[i] = mem_strdup(counter_note(k->counters, i));
	}
}

static void
watch(struct counting *k, struct request *r)
{
	struct counting_msg *m;
	struct err err = { 0 };
	char **places;

	leave(k);
	r->target.cpus = r->cpus;
	k->token = r->token;
	places = find_places(k, r);
	k->counters = counters_open(k->sys, k->env, &r->target, r->events, r->count, &err);
	k->count = k->counters != NULL ? r->count : 0;
	m = answer_new(k);
	if (k->counters != NULL)
		add_texts(k, m, places);
	m->err = err;
	queue_send(k->answers, &m->msg);
	for (size_t i = 0; i < r->count; i++)
		free(places[i]);
	free(places);
}

static void
handle(void *counting, struct msg *m)
{
	struct counting *k = counting;

	switch ((enum request_type)m->type) {
	case REQ_WATCH:
		watch(k, (struct request *)m);
		break;
	case REQ_ASK:
		if (k->counters != NULL)
			queue_send(k->answers, &answer_new(k)->msg);
		break;
	case REQ_LEAVE:
		leave(k);
		break;
	}
}

struct counting *
counting_new(const struct sys *sys, const struct event_env *env,
	     const struct counting_finder *finder, struct queue *answers)
{
	struct counting *k = mem_calloc(1, sizeof(*k));

	k->sys = sys;
	k->env = env;
	k->finder = finder;
	k->answers = answers;
	worker_start(&k->worker, "ptop-count", handle, k);
	return k;
}

void
counting_free(struct counting *k)
{
	if (k == NULL)
		return;
	worker_end(&k->worker);
	leave(k);
	free(k);
}

void
counting_watch(struct counting *k, uint32_t token, const struct counter_target *target,
	       const struct event *events, size_t count)
{
	struct request *r = msg_new(sizeof(*r), REQ_WATCH, free_request);

	r->token = token;
	r->target = *target;
	if (target->cpus != NULL) {
		r->cpus = mem_calloc(target->cpu_count + 1, sizeof(*r->cpus));
		memcpy(r->cpus, target->cpus, target->cpu_count * sizeof(*r->cpus));
	}
	r->events = mem_calloc(count + 1, sizeof(*r->events));
	r->count = count;
	for (size_t i = 0; i < count; i++)
		event_copy(&r->events[i], &events[i]);
	worker_ask(&k->worker, &r->msg);
}

void
counting_ask(struct counting *k)
{
	worker_ask(&k->worker, msg_new(sizeof(struct msg), REQ_ASK, NULL));
}

void
counting_leave(struct counting *k)
{
	worker_ask(&k->worker, msg_new(sizeof(struct msg), REQ_LEAVE, NULL));
}
