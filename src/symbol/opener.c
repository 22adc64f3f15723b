/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/opener.h"
#include "symbol/mapped.h"
#include "symbol/worker.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Who frees a lane is settled by one exchange of its state.  RUNNING to IDLE, by the thread: it
 * answers and goes on, and the owner joins it at the end.  RUNNING to ABANDONED, by the owner: the
 * thread frees everything should it ever return, and touches nothing else.
 */
enum lane_state {
	LANE_IDLE,
	LANE_RUNNING,
	LANE_ABANDONED,
};

enum { DEAD_PART = 10 }; /* what a file system that did not answer gets of the time of others */

struct lane {
	struct opener_config config;
	char *proc;
	struct queue *asks;
	atomic_int state;
	pthread_t thread;
};

struct opener {
	struct opener_config config;
	struct lane *lane;
	uint64_t since; /* when the open under way was asked for, 0: none is */
	uint32_t maj, min; /* its file system's device, 0,0: not known */
	bool is_dead;      /* the last open on that one was given up */
};

struct open_ask {
	struct msg msg;
	bool quit;
	struct symbol_ask ask;
	char *path;
};

static void
lane_free(struct lane *l)
{
	queue_free(l->asks);
	free(l->proc);
	free(l);
}

static bool
lane_turn(struct lane *l, int state)
{
	int running = LANE_RUNNING;

	return atomic_compare_exchange_strong(&l->state, &running, state);
}

/* false: the owner has given up on us. */
static bool
lane_serve(struct lane *l, struct open_ask *a)
{
	struct opener_answer *ans = mem_calloc(1, sizeof(*ans));

	ans->msg.type = l->config.answer_type;
	ans->fd = l->config.open(&a->ask, l->proc, &ans->err);
	ans->ino_generation = mapped_generation(ans->fd);
	if (lane_turn(l, LANE_IDLE)) {
		queue_send(l->config.answers, &ans->msg);
		return true;
	}
	if (ans->fd >= 0)
		close(ans->fd);
	free(ans);
	return false;
}

static void *
lane_main(void *self)
{
	struct lane *l = self;
	bool quit = false;

	while (!quit) {
		struct open_ask *a = (struct open_ask *)queue_wait(l->asks, -1);
		bool abandoned;

		if (a == NULL)
			continue;
		quit = a->quit;
		abandoned = !quit && !lane_serve(l, a);
		free(a->path);
		free(a);
		if (abandoned) {
			lane_free(l);
			break;
		}
	}
	return NULL;
}

static struct lane *
lane_new(const struct opener_config *config)
{
	struct lane *l = mem_calloc(1, sizeof(*l));

	l->config = *config;
	l->proc = mem_strdup(config->proc);
	l->asks = queue_new();
	l->thread = worker_start("ptop-open", lane_main, l);
	return l;
}

struct opener *
opener_new(const struct opener_config *config)
{
	struct opener *o = mem_calloc(1, sizeof(*o));

	o->config = *config;
	o->lane = lane_new(config);
	return o;
}

static bool
abandon(struct opener *o)
{
	pthread_t thread = o->lane->thread;

	if (!lane_turn(o->lane, LANE_ABANDONED))
		return false;
	pthread_detach(thread); /* the lane may be freed already */
	o->lane = NULL;
	o->since = 0;
	return true;
}

void
opener_free(struct opener *o)
{
	struct open_ask *quit;

	if (o == NULL)
		return;
	if (!abandon(o)) {
		quit = mem_calloc(1, sizeof(*quit));
		quit->quit = true;
		queue_send(o->lane->asks, &quit->msg);
		pthread_join(o->lane->thread, NULL);
		lane_free(o->lane);
	}
	free(o);
}

void
opener_ask(struct opener *o, const struct symbol_ask *ask)
{
	struct open_ask *a = mem_calloc(1, sizeof(*a));

	if (o->since != 0 || o->maj != ask->maj || o->min != ask->min)
		o->is_dead = false; /* it has answered, or is not the same */
	o->maj = ask->maj;
	o->min = ask->min;
	a->ask = *ask;
	a->path = mem_strdup(ask->path);
	a->ask.path = a->path;
	o->since = clock_mono_ns();
	atomic_store(&o->lane->state, LANE_RUNNING);
	queue_send(o->lane->asks, &a->msg);
}

bool
opener_give_up(struct opener *o)
{
	/* A program on a dead file system has many libraries there: not each may cost as much. */
	uint64_t late_ns = o->is_dead ? o->config.late_ns / DEAD_PART : o->config.late_ns;

	if (o->since == 0 || clock_mono_ns() - o->since < late_ns || !abandon(o))
		return false;
	o->is_dead = o->maj != 0 || o->min != 0;
	o->lane = lane_new(&o->config);
	return true;
}
