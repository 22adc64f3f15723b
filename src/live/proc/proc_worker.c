/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/thread.h"
#include "live/proc/proc_maps.h"
#include "live/proc/proc_owner.h"
#include "live/proc/proc_tick.h"
#include "live/sys/procfs.h"

/*
 * The worker's state is one word.  Small values are states by name.  From STATE_OPEN on it is
 * inside a call that can hang: state / STATE_OPEN is since when, in milliseconds, the rest is the
 * pid.
 */
enum {
	STATE_SAFE,      /* not in such a call */
	STATE_ABANDONED, /* by its owner, while it was in one */
	STATE_ENDED,     /* came back after that; the owner frees it */
	STATE_FORGOTTEN, /* abandoned by an owner that is gone: it frees itself */
	STATE_OPEN = PROCFS_PID_MAX,
};

enum {
	SMALL_AT_ONCE = 32, /* names of threads, owners */
	TURN_MS = 5,        /* of maps, while a tick goes on or waits; then it has as long */
};

struct proc_worker {
	pthread_t thread;
	atomic_int tid; /* known when the state is another than the first */
	_Atomic uint64_t state;
	char *root;
	struct queue *requests, *answers;

	/* The worker's while it is SAFE; once it is ABANDONED, its owner's. */
	struct msg *maps, **maps_tail;
	struct msg *asked;             /* the one of them that is being answered */
	struct msg *tick;              /* waits */
	struct msg *ticking;           /* goes on */
	bool is_stopping;

	/* The thread's own. */
	struct proc_maps_env env;
	struct proc_tick *ticker;
};

static void
worker_enter(struct proc_worker *w, int pid)
{
	uint64_t ms = clock_mono_ns() / NSEC_PER_MSEC + 1;
	uint64_t id = pid > 0 && pid < PROCFS_PID_MAX ? (uint64_t)pid : 0;

	atomic_store(&w->state, ms * STATE_OPEN + id);
}

/* False: it took too long, and what was shared is no longer the worker's. */
static bool
worker_leave(struct proc_worker *w)
{
	uint64_t state = atomic_load(&w->state);

	return state >= STATE_OPEN &&
	       atomic_compare_exchange_strong(&w->state, &state, STATE_SAFE);
}

static void
worker_sort(struct proc_worker *w, struct msg *m)
{
	switch ((enum proc_request_type)m->type) {
	case PROC_REQUEST_MAPS:
		m->next = NULL;
		*w->maps_tail = m;
		w->maps_tail = &m->next;
		break;
	case PROC_REQUEST_TICK:
		free(w->tick);
		w->tick = m;
		break;
	case PROC_REQUEST_STOP:
		w->is_stopping = true;
		free(m);
		break;
	}
}

/* What has come by now. */
static void
worker_collect(struct proc_worker *w)
{
	struct msg *m;

	while ((m = queue_take(w->requests)) != NULL)
		worker_sort(w, m);
}

/* Takes @m out of w->maps. */
static struct msg *
take_maps(struct proc_worker *w, struct msg *m)
{
	struct msg **at = &w->maps;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (*at == NULL)
		w->maps_tail = at;
	return m;
}

static struct msg *
answer_of(const struct proc_worker *w, const struct proc_maps_request *req)
{
	switch (req->wanted) {
	case PROC_WANTED_COMM:
		return &proc_comm_read(&w->env, req->pid, req->tid, req->cookie)->msg;
	case PROC_WANTED_OWNER:
		return &proc_owner_read(w->env.proc_fd, req->pid)->msg;
	case PROC_WANTED_MAPS:
		break;
	}
	return &proc_maps_read(&w->env, req->pid, req->cookie, req->has_data)->msg;
}

/*
 * The first that wait: maps, or what is small, some of it at once, as each answer that comes
 * alone wakes who asked.  Works on copies: requests are the owner's should this worker be left
 * behind.  False: it was.
 */
static bool
answer_some(struct proc_worker *w)
{
	struct msg *answers[SMALL_AT_ONCE], *next = w->maps;
	size_t count = 0;
	bool is_small;

	do {
		const struct proc_maps_request req = *(const struct proc_maps_request *)next;

		is_small = req.wanted != PROC_WANTED_MAPS;
		w->asked = next;
		worker_enter(w, req.pid);
		answers[count++] = answer_of(w, &req);
		if (!worker_leave(w)) {
			while (count > 0)
				msg_free(answers[--count]);
			return false;
		}
		next = next->next;
	} while (is_small && count < SMALL_AT_ONCE && next != NULL &&
		 ((const struct proc_maps_request *)next)->wanted != PROC_WANTED_MAPS);
	for (size_t i = 0; i < count; i++)
		free(take_maps(w, w->maps));
	queue_send_all(w->answers, answers, count);
	return true;
}

static bool
has_tick(const struct proc_worker *w)
{
	return w->tick != NULL || w->ticking != NULL;
}

/*
 * All that wait, and those that come meanwhile; where a tick goes on or waits, a turn of them, whose
 * length is @took_ns.  False: it was left behind.
 */
static bool
answer_maps(struct proc_worker *w, uint64_t *took_ns)
{
	const uint64_t from_ns = clock_mono_ns();

	*took_ns = 0;
	for (worker_collect(w); w->maps != NULL && !w->is_stopping; worker_collect(w)) {
		if (has_tick(w) && *took_ns >= TURN_MS * NSEC_PER_MSEC)
			break;
		if (!answer_some(w))
			return false;
		*took_ns = clock_mono_ns() - from_ns;
	}
	return true;
}

/* Maps that never end must not keep a tick from its end: it has as long as they. */
static bool
run_steps(struct proc_worker *w)
{
	uint64_t took_ns, from_ns;
	int pid;

	while (answer_maps(w, &took_ns)) {
		from_ns = clock_mono_ns();
		do {
			if (w->is_stopping || !proc_tick_next(w->ticker, &pid))
				return true;
			worker_enter(w, pid);
			proc_tick_step(w->ticker);
			if (!worker_leave(w))
				return false;
		} while (clock_mono_ns() - from_ns < took_ns);
	}
	return false;
}

static bool
run_tick(struct proc_worker *w, const struct proc_tick_ask *ask)
{
	const struct proc_tick_request req = {
		.hot = ask->hot, .hot_count = ask->hot_count, .hung = &ask->hung,
		.threads_of = ask->threads_of,
		.budget_us = ask->budget_us, .is_thrifty = ask->is_thrifty, .wants_io = ask->wants_io,
	};

	proc_tick_begin(w->ticker, &req);
	if (!run_steps(w))
		return false;
	if (!w->is_stopping)
		queue_send(w->answers, &proc_tick_finish(w->ticker)->msg);
	free(w->ticking);
	w->ticking = NULL;
	return true;
}

/* Works on a copy as well. */
static bool
answer_tick(struct proc_worker *w)
{
	const struct proc_tick_ask *ask = (const struct proc_tick_ask *)w->tick;
	size_t bytes = sizeof(*ask) + ask->hot_count * sizeof(*ask->hot);
	struct proc_tick_ask *copy = mem_calloc(1, bytes);
	bool res;

	memcpy(copy, ask, bytes);
	w->ticking = w->tick;
	w->tick = NULL;
	res = run_tick(w, copy);
	free(copy);
	return res;
}

static void
worker_wait(struct proc_worker *w)
{
	struct msg *m = queue_wait(w->requests, -1);

	if (m != NULL)
		worker_sort(w, m);
}

static bool
worker_open(struct proc_worker *w)
{
	worker_enter(w, 0);
	proc_maps_env_init(&w->env, w->root);
	w->ticker = proc_tick_new(w->env.proc_fd);
	return worker_leave(w);
}

/* False: abandoned; true: asked to stop. */
static bool
worker_serve(struct proc_worker *w)
{
	uint64_t took_ns;

	if (!worker_open(w))
		return false;
	for (;;) {
		if (!answer_maps(w, &took_ns))
			return false;
		if (w->is_stopping)
			return true;
		if (w->tick == NULL)
			worker_wait(w);
		else if (!answer_tick(w))
			return false;
	}
}

static void
worker_release(struct proc_worker *w)
{
	free(w->root);
	queue_free(w->requests);
	free(w);
}

static void *
worker_main(void *arg)
{
	struct proc_worker *w = arg;
	uint64_t state = STATE_ABANDONED;
	bool is_abandoned;

	atomic_store(&w->tid, gettid());
	is_abandoned = !worker_serve(w);
	proc_tick_free(w->ticker);
	proc_maps_env_release(&w->env);
	if (is_abandoned && !atomic_compare_exchange_strong(&w->state, &state, STATE_ENDED))
		worker_release(w);
	return NULL;
}

struct proc_worker *
proc_worker_new(const char *root, struct queue *answers)
{
	struct proc_worker *w = mem_calloc(1, sizeof(*w));

	w->root = mem_strdup(root);
	w->requests = queue_new();
	w->answers = answers;
	w->maps_tail = &w->maps;
	thread_start_or_die(&w->thread, "ptop-proc", worker_main, w);
	return w;
}

void
proc_worker_send(struct proc_worker *w, struct msg *request)
{
	queue_send(w->requests, request);
}

/* One that waits for a CPU comes back. */
static bool
state_is_stuck(const struct proc_worker *w, uint64_t state, unsigned patience_ms)
{
	uint64_t ms = clock_mono_ns() / NSEC_PER_MSEC + 1;

	return state >= STATE_OPEN && ms > state / STATE_OPEN + patience_ms &&
	       !process_is_runnable(atomic_load(&w->tid));
}

bool
proc_worker_is_stuck(const struct proc_worker *w, unsigned patience_ms)
{
	return state_is_stuck(w, atomic_load(&w->state), patience_ms);
}

/* All that was asked for and not answered: the maps in order, then the newest tick.  Once only. */
static struct msg *
unanswered(struct proc_worker *w)
{
	worker_collect(w);
	if (w->tick == NULL) {
		w->tick = w->ticking;
		w->ticking = NULL;
	}
	free(w->ticking);
	w->ticking = NULL;
	if (w->tick != NULL)
		w->tick->next = NULL;
	*w->maps_tail = w->tick;
	return w->maps;
}

bool
proc_worker_abandon(struct proc_worker *w, unsigned patience_ms, struct proc_leftover *left)
{
	uint64_t state = atomic_load(&w->state);

	if (!state_is_stuck(w, state, patience_ms) ||
	    !atomic_compare_exchange_strong(&w->state, &state, STATE_ABANDONED))
		return false;
	pthread_detach(w->thread);
	left->pid = (int)(state % STATE_OPEN);
	/* A tick only steps while no maps wait. */
	left->hung = w->maps != NULL ? (struct proc_maps_request *)take_maps(w, w->asked) : NULL;
	left->rest = unanswered(w);
	return true;
}

bool
proc_worker_reap(struct proc_worker *w)
{
	if (atomic_load(&w->state) != STATE_ENDED)
		return false;
	worker_release(w);
	return true;
}

void
proc_worker_forget(struct proc_worker *w)
{
	uint64_t state = STATE_ABANDONED;

	if (!atomic_compare_exchange_strong(&w->state, &state, STATE_FORGOTTEN))
		worker_release(w);
}

static void
free_requests(struct msg *m)
{
	while (m != NULL) {
		struct msg *next = m->next;

		free(m);
		m = next;
	}
}

/* The join that waits goes by a clock that somebody may set. */
static bool
worker_joins(struct proc_worker *w, unsigned patience_ms)
{
	const struct timespec moment = { .tv_nsec = NSEC_PER_MSEC / 2 };
	uint64_t end = clock_mono_ns() + patience_ms * NSEC_PER_MSEC;

	while (pthread_tryjoin_np(w->thread, NULL) != 0) {
		if (clock_mono_ns() >= end)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

void
proc_worker_free(struct proc_worker *w, unsigned patience_ms)
{
	struct msg *stop = mem_calloc(1, sizeof(*stop));
	struct proc_leftover left;

	stop->type = PROC_REQUEST_STOP;
	queue_send(w->requests, stop);
	while (!worker_joins(w, patience_ms)) {
		if (!proc_worker_abandon(w, patience_ms, &left))
			continue;
		free(left.hung);
		free_requests(left.rest);
		proc_worker_forget(w);
		return;
	}
	free_requests(unanswered(w));
	worker_release(w);
}
