/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/count/counting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "event/site.h"
#include "live/calls/call_limit.h"

enum request_type { REQ_WATCH, REQ_ASK, REQ_LEAVE, REQ_END };

struct request {
	struct msg msg;
	struct counting_order order;
};

/* A target. */
struct counted {
	struct counter_target target;
	struct counters *counters;
	char comm[16];
};

struct counting {
	const struct sys *sys;
	const struct event_env *env;
	const struct counting_finder *finder;
	struct queue *asks, *answers;
	pthread_t thread;
	/* the thread's own */
	struct counted *items;
	size_t len, event_count;
	uint32_t token;
	struct counting_guards guards;
};

static struct event *
copy_events(const struct event *events, size_t count)
{
	struct event *copy = mem_calloc(count + 1, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		event_copy(&copy[i], &events[i]);
	return copy;
}

static void
free_events(struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		event_release(&events[i]);
	free(events);
}

static void
free_request(struct msg *m)
{
	struct counting_order *o = &((struct request *)m)->order;

	free_events(o->events, o->event_count);
	for (size_t i = 0; i < o->target_count; i++)
		free((void *)(uintptr_t)o->targets[i].besides);
	free(o->targets);
	free(m);
}

static void
leave(struct counting *k)
{
	counting_guards_release(&k->guards);
	for (size_t i = 0; i < k->len; i++)
		counters_close(k->items[i].counters);
	free(k->items);
	k->items = NULL;
	k->len = 0;
}

static void
free_reading(struct msg *msg)
{
	struct counting_msg *m = (struct counting_msg *)msg;

	for (size_t i = 0; i < m->count && m->is_first; i++) {
		free(m->whys[i]);
		free(m->remedies[i]);
		free(m->notes[i]);
	}
	free(m->whys);
	free(m->remedies);
	free(m->notes);
	free(m->values);
	free(m->parts);
	free(m);
}

static int
pid_of(const struct counter_target *t)
{
	return t->pid != 0 ? t->pid : t->tid;
}

/* Until COMMAND has executed, its name is ptop's. */
static void
learn_comm(struct counted *c, bool is_first)
{
	struct buf b = { 0 };
	char path[64];

	if (pid_of(&c->target) == 0 || (is_first && c->target.waits_for_exec))
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid_of(&c->target));
	if (file_read(path, &b, sizeof(c->comm)) == 0 && b.len > 1)
		snprintf(c->comm, sizeof(c->comm), "%.*s", (int)b.len - 1, b.data);
	buf_release(&b);
}

static struct counting_msg *
answer_new(struct counting *k, bool is_first)
{
	struct counting_msg *m = msg_new(sizeof(*m), COUNTING_MSG_READING, free_reading);

	m->token = k->token;
	m->is_first = is_first;
	m->target_count = k->len;
	m->count = k->len * k->event_count;
	m->values = mem_calloc(m->count + 1, sizeof(*m->values));
	m->parts = mem_calloc(k->len + 1, sizeof(*m->parts));
	for (size_t i = 0; i < k->len; i++) {
		struct counter_value *values = m->values + i * k->event_count;

		learn_comm(&k->items[i], is_first);
		m->parts[i] = (struct counting_part){
			.time_ns = counters_read(k->items[i].counters, values),
			.values = values,
		};
		memcpy(m->parts[i].comm, k->items[i].comm, sizeof(m->parts[i].comm));
	}
	return m;
}

/* Each process has addresses of its own.  -1: one must be found, and is not. */
static int
find_places(const struct counting *k, const struct counter_target *target, struct event *events,
	    char **whys, struct err *err)
{
	const struct counting_finder *f = k->finder;
	int *pids = mem_calloc(target->beside_count + 1, sizeof(*pids)), res = 0;
	size_t count = pid_of(target) != 0;

	pids[0] = pid_of(target);
	for (size_t i = 0; i < target->beside_count; i++)
		pids[count++] = target->besides[i].pid + target->besides[i].tid;
	for (size_t i = 0; i < k->event_count && res == 0; i++) {
		struct err why = { 0 };

		if (f == NULL || events[i].place == EVENT_PLACE_NONE ||
		    f->find(f->self, &events[i], pids, count, &why) == 0)
			continue;
		if (f->must_find) {
			*err = why;
			res = -1;
		} else {
			whys[i] = mem_strdup(why.text);
		}
	}
	free(pids);
	return res;
}

/* What takes too much of its time is not counted, as if it were not found. */
static void
try_probes(struct counting *k, const struct counter_target *target, struct event *events, char **whys)
{
	for (size_t i = 0; i < k->event_count; i++) {
		const struct counting_place place = { k->len, i };
		struct err why = { 0 };

		if (counting_guards_add(&k->guards, place, &events[i], target, &why) == 0)
			continue;
		event_sites_release(&events[i]);
		whys[i] = mem_strdup(why.text);
	}
}

/* The next one of @o.  @whys: of its events, the reasons that go before the counters' own. */
static int
open_target(struct counting *k, const struct counting_order *o, char **whys, struct err *err)
{
	struct event *events = copy_events(o->events, o->event_count);
	struct counted *c = &k->items[k->len];

	c->target = o->targets[k->len];
	if (find_places(k, &c->target, events, whys, err) == 0) {
		if (!o->is_forced)
			try_probes(k, &c->target, events, whys);
		c->counters = counters_open(k->sys, k->env, &c->target, events, o->event_count,
					    err);
	}
	free_events(events, o->event_count);
	c->target.besides = NULL; /* the order's */
	if (c->counters == NULL)
		return -1;
	k->len++;
	return 0;
}

static void
add_texts(const struct counting *k, struct counting_msg *m, char **whys)
{
	m->whys = whys;
	m->remedies = mem_calloc(m->count + 1, sizeof(*m->remedies));
	m->notes = mem_calloc(m->count + 1, sizeof(*m->notes));
	for (size_t i = 0; i < m->count; i++) {
		const struct counters *c = k->items[i / k->event_count].counters;

		if (whys[i] == NULL)
			whys[i] = mem_strdup(counter_why(c, i % k->event_count));
		m->remedies[i] = mem_strdup(counter_remedy(c, i % k->event_count));
		m->notes[i] = mem_strdup(counter_note(c, i % k->event_count));
	}
	for (size_t i = 0; i < k->len; i++) {
		m->parts[i].whys = (const char *const *)whys + i * k->event_count;
		m->parts[i].remedies = (const char *const *)m->remedies + i * k->event_count;
		m->parts[i].notes = (const char *const *)m->notes + i * k->event_count;
	}
}

static void
watch(struct counting *k, const struct counting_order *o)
{
	size_t count = o->target_count * o->event_count;
	char **whys = mem_calloc(count + 1, sizeof(*whys));
	struct counting_msg *m;
	struct err err = { 0 };

	leave(k);
	k->token = o->token;
	k->event_count = o->event_count;
	k->items = mem_calloc(o->target_count + 1, sizeof(*k->items));
	while (k->len < o->target_count &&
	       open_target(k, o, whys + k->len * o->event_count, &err) == 0)
		continue;
	for (size_t i = 0; i < count && err.code != ERR_NONE; i++)
		free(whys[i]);
	if (err.code != ERR_NONE)
		leave(k);
	m = answer_new(k, true);
	m->err = err;
	add_texts(k, m, whys);
	queue_send(k->answers, &m->msg);
}

/* Closing is begun before anything else is done. */
static void
stop(struct counting *k, const struct counting_excess *e)
{
	struct counting_stopped_msg *m = msg_new(sizeof(*m), COUNTING_MSG_STOPPED, NULL);
	const uint64_t begin_ns = clock_mono_ns();

	counters_stop(k->items[e->place.target].counters, e->place.event, "it took too much time");
	counting_guards_drop(&k->guards, e->place);
	m->token = k->token;
	m->place = e->place;
	snprintf(m->why, sizeof(m->why), "it took more than %d %% of its CPU time for %.0f ms "
		 "(--force-probe): closing began after %.0f ms and took %.0f ms",
		 CALL_COUNTED_PERCENT, (double)e->told_by_ns / 1e6,
		 (double)(begin_ns - MIN(e->over_ns, begin_ns)) / 1e6,
		 (double)(clock_mono_ns() - begin_ns) / 1e6);
	queue_send(k->answers, &m->msg);
}

/* false: the thread is to end. */
static bool
handle(struct counting *k, struct msg *m)
{
	switch ((enum request_type)m->type) {
	case REQ_WATCH:
		watch(k, &((struct request *)m)->order);
		break;
	case REQ_ASK:
		if (k->len > 0)
			queue_send(k->answers, &answer_new(k, false)->msg);
		break;
	case REQ_LEAVE:
		leave(k);
		break;
	case REQ_END:
		return false;
	}
	return true;
}

static void *
run(void *counting)
{
	struct counting *k = counting;
	struct counting_excess excess;
	bool goes_on = true;

	while (goes_on) {
		struct msg *m = queue_wait(k->asks, k->guards.len > 0 ? CALL_BEAT_MS : -1);

		if (m != NULL)
			goes_on = handle(k, m);
		msg_free(m);
		while (counting_guards_beat(&k->guards, &excess))
			stop(k, &excess);
	}
	leave(k);
	return NULL;
}

static void
ask(struct counting *k, struct msg *m)
{
	queue_send(k->asks, m);
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
	k->guards = (struct counting_guards){ .sys = sys != NULL ? sys : &sys_kernel, .env = env };
	k->asks = queue_new();
	thread_start_or_die(&k->thread, "ptop-count", run, k);
	return k;
}

void
counting_free(struct counting *k)
{
	if (k == NULL)
		return;
	ask(k, msg_new(sizeof(struct msg), REQ_END, NULL));
	pthread_join(k->thread, NULL);
	queue_free(k->asks);
	free(k);
}

static const struct counter_task *
copy_tasks(const struct counter_task *tasks, size_t count)
{
	struct counter_task *copy = mem_calloc(count + 1, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = tasks[i];
	return copy;
}

void
counting_watch(struct counting *k, const struct counting_order *order)
{
	struct request *r = msg_new(sizeof(*r), REQ_WATCH, free_request);

	r->order = *order;
	r->order.targets = mem_calloc(order->target_count + 1, sizeof(*order->targets));
	memcpy(r->order.targets, order->targets, order->target_count * sizeof(*order->targets));
	for (size_t i = 0; i < order->target_count; i++)
		r->order.targets[i].besides = copy_tasks(order->targets[i].besides,
							 order->targets[i].beside_count);
	r->order.events = copy_events(order->events, order->event_count);
	ask(k, &r->msg);
}

void
counting_ask(struct counting *k)
{
	ask(k, msg_new(sizeof(struct msg), REQ_ASK, NULL));
}

void
counting_leave(struct counting *k)
{
	ask(k, msg_new(sizeof(struct msg), REQ_LEAVE, NULL));
}
