/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_counter.h"

#include "base/clock.h"
#include "base/thread.h"
#include "live/calls/call_guard.h"

#include <stdlib.h>

enum { READINGS_PER_S = 4 };

enum request_type { REQ_BEGIN, REQ_JOIN, REQ_END, REQ_ASK, REQ_LEAVE };

struct request {
	struct msg msg;
	struct call_order order; /* REQ_END: its id alone; REQ_JOIN: with whom */
};

struct counted {
	uint32_t id;
	struct call_function *function;
	enum call_phase told;
};

struct call_counter {
	const struct sys *sys;
	const struct event_env *env;
	const struct call_finder *finder;
	struct queue *asks, *answers;
	pthread_t thread;
	/* the thread's own */
	struct counted *items;
	size_t len, cap;
	struct call_cost cost;
	bool has_cost;
	struct named_probes *named; /* of the real kernel's */
	uint64_t next_reading_ns;
};

static void
free_request(struct msg *m)
{
	struct request *r = (struct request *)m;

	event_release(&r->order.event);
	free(r->order.roots);
	free(r);
}

static struct call_reading_msg *
answer_new(uint32_t id)
{
	struct call_reading_msg *m = msg_new(sizeof(*m), CALL_MSG_READING, NULL);

	m->id = id;
	return m;
}

static void
refuse(struct call_counter *k, uint32_t id, const struct err *err)
{
	struct call_reading_msg *m = answer_new(id);

	m->err = *err;
	m->reading.phase = CALL_REFUSED;
	queue_send(k->answers, &m->msg);
}

static void
tell(struct call_counter *k, struct counted *c, bool is_asked)
{
	struct call_reading_msg *m = answer_new(c->id);

	m->is_asked = is_asked;
	call_function_read(c->function, &m->reading);
	c->told = m->reading.phase;
	queue_send(k->answers, &m->msg);
}

static void
tell_finding(struct call_counter *k, uint32_t id)
{
	struct call_reading_msg *m = answer_new(id);

	m->reading.phase = CALL_FINDING;
	queue_send(k->answers, &m->msg);
}

static struct call_target
target_of(struct call_counter *k, const struct call_order *o)
{
	return (struct call_target){
		.event = &o->event, .begins = 1, .use = o->use, .why_no_ends = "",
		.roots = o->roots, .root_count = o->root_count, .is_for_cpus = o->is_for_cpus,
		.is_forced = o->is_forced,
		.named = k->sys == &sys_kernel ? &k->named : NULL,
	};
}

static struct call_function *
open_found(struct call_counter *k, struct call_order *o, struct err *err)
{
	struct call_found *found = mem_calloc(1, sizeof(*found));
	struct call_function *f = NULL;

	if (k->finder->find(k->finder->self, o, found, err) == 0) {
		struct call_target target = target_of(k, o);

		target.points = found->points;
		target.count = found->count;
		target.why_no_ends = found->why;
		f = call_function_open(k->sys, k->env, &k->cost, &target, err);
	}
	free(found);
	return f;
}

static struct call_function *
open_guard(struct call_counter *k, const struct call_order *o, struct err *err)
{
	const struct call_target target = target_of(k, o);

	return call_guard_open(k->sys, k->env, &k->cost, &target, err);
}

static void
begin(struct call_counter *k, struct call_order *o)
{
	struct counted c = { .id = o->id };
	struct err err = { 0 };

	tell_finding(k, o->id);
	if (!k->has_cost)
		call_cost_measure(&k->cost, k->sys, k->env);
	k->has_cost = true;
	c.function = o->is_guard ? open_guard(k, o, &err) : open_found(k, o, &err);
	if (c.function == NULL) {
		refuse(k, o->id, &err);
		return;
	}
	VEC_ADD(k->items, k->len, k->cap) = c;
	tell(k, &k->items[k->len - 1], false);
}

static void
join(struct call_counter *k, const struct call_order *o)
{
	for (size_t i = 0; i < k->len; i++) {
		if (k->items[i].id != o->id)
			continue;
		call_function_join(k->items[i].function, o->roots);
		tell(k, &k->items[i], false);
	}
}

static void
end(struct call_counter *k, uint32_t id)
{
	for (size_t i = 0; i < k->len; i++) {
		if (k->items[i].id != id)
			continue;
		call_function_free(k->items[i].function);
		k->items[i] = k->items[--k->len];
		return;
	}
}

static void
beat(struct call_counter *k)
{
	uint64_t now_ns = clock_mono_ns();
	bool is_due = now_ns >= k->next_reading_ns;

	for (size_t i = 0; i < k->len; i++) {
		struct counted *c = &k->items[i];

		call_function_beat(c->function);
		if (call_function_wants_close(c->function)) {
			tell(k, c, false);
			call_function_close(c->function);
			tell(k, c, false);
		} else if (is_due && c->told != CALL_CLOSED) {
			tell(k, c, false);
		}
	}
	if (is_due)
		k->next_reading_ns = now_ns + NSEC_PER_SEC / READINGS_PER_S;
}

/* All that was hit before is in it. */
static void
tell_all(struct call_counter *k)
{
	for (size_t i = 0; i < k->len; i++)
		call_function_settle(k->items[i].function);
	for (size_t i = 0; i < k->len; i++)
		tell(k, &k->items[i], true);
}

static bool
is_any_open(const struct call_counter *k)
{
	for (size_t i = 0; i < k->len; i++)
		if (k->items[i].told != CALL_CLOSED)
			return true;
	return false;
}

/* false: the thread is to end. */
static bool
take(struct call_counter *k, struct request *r)
{
	switch ((enum request_type)r->msg.type) {
	case REQ_BEGIN:
		begin(k, &r->order);
		break;
	case REQ_JOIN:
		join(k, &r->order);
		break;
	case REQ_END:
		end(k, r->order.id);
		break;
	case REQ_ASK:
		tell_all(k);
		break;
	case REQ_LEAVE:
		return false;
	}
	return true;
}

static void *
run(void *counter)
{
	struct call_counter *k = counter;
	bool goes_on = true;

	while (goes_on) {
		struct msg *m = queue_wait(k->asks, is_any_open(k) ? CALL_BEAT_MS : -1);

		if (m != NULL)
			goes_on = take(k, (struct request *)m);
		if (m != NULL)
			msg_free(m);
		beat(k);
	}
	while (k->len > 0)
		end(k, k->items[0].id);
	named_probes_free(k->named);
	return NULL;
}

struct call_counter *
call_counter_new(const struct sys *sys, const struct event_env *env,
		 const struct call_finder *finder, struct queue *answers)
{
	struct call_counter *k = mem_calloc(1, sizeof(*k));

	k->sys = sys != NULL ? sys : &sys_kernel;
	k->env = env;
	k->finder = finder;
	k->asks = queue_new();
	k->answers = answers;
	thread_start_or_die(&k->thread, "ptop-calls", run, k);
	return k;
}

static struct request *
request_new(enum request_type type)
{
	return msg_new(sizeof(struct request), type, free_request);
}

void
call_counter_free(struct call_counter *k)
{
	if (k == NULL)
		return;
	queue_send(k->asks, &request_new(REQ_LEAVE)->msg);
	pthread_join(k->thread, NULL);
	queue_free(k->asks);
	free(k->items);
	free(k);
}

void
call_counter_begin(struct call_counter *k, const struct call_order *order)
{
	struct request *r = request_new(REQ_BEGIN);

	r->order = *order;
	event_copy(&r->order.event, &order->event);
	r->order.roots = mem_calloc(order->root_count + 1, sizeof(*order->roots));
	memcpy(r->order.roots, order->roots, order->root_count * sizeof(*order->roots));
	queue_send(k->asks, &r->msg);
}

void
call_counter_join(struct call_counter *k, uint32_t id, const struct call_root *root)
{
	struct request *r = request_new(REQ_JOIN);

	r->order.id = id;
	r->order.roots = mem_calloc(1, sizeof(*root));
	*r->order.roots = *root;
	queue_send(k->asks, &r->msg);
}

void
call_counter_end(struct call_counter *k, uint32_t id)
{
	struct request *r = request_new(REQ_END);

	r->order.id = id;
	queue_send(k->asks, &r->msg);
}

void
call_counter_ask(struct call_counter *k)
{
	queue_send(k->asks, &request_new(REQ_ASK)->msg);
}
