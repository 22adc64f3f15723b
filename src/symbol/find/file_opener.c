/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/file_opener.h"
#include "symbol/find/open.h"
#include "symbol/find/open_process.h"
#include "base/thread.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEAD_PART = 10 }; /* what a file system that did not answer gets of the time of others */

/* A thread that waits for a process that opens files. */
struct lane {
	struct file_opener_config config;
	char *proc;
	struct queue *asks;
	struct open_process process;
	struct err err; /* why there is no process */
	pthread_t thread;
	/* Set by who is first: the thread, that answers, or the owner, that has given up. */
	atomic_flag settled;
	atomic_bool has_ended; /* the process, for whatever cause */
};

struct file_opener {
	struct file_opener_config config;
	struct lane *lane;
	uint64_t since; /* when the open under way was asked for, 0: none is */
	uint32_t maj, min; /* its file system's device, 0,0: not known */
	bool is_dead;      /* the last open on that one was given up */
};

struct open_ask {
	struct msg msg;
	bool quit, wants_path;
	struct symbol_ask ask;
	char *path;
};

static void
free_answer(struct msg *m)
{
	struct file_opener_answer *a = (struct file_opener_answer *)m;

	if (a->file.fd >= 0)
		close(a->file.fd);
	free(a);
}

static void
lane_serve(struct lane *l, const struct open_ask *asked)
{
	const struct symbol_ask *ask = &asked->ask;
	const struct open_request request = { .file = ask, .wants_path = asked->wants_path };
	struct file_opener_answer *ans = mem_calloc(1, sizeof(*ans));

	ans->msg = (struct msg){ .type = l->config.answer_type, .free = free_answer };
	ans->ns = mount_ns_of(l->proc, ask->pid);
	if (l->process.pid < 0)
		ans->file = (struct open_answer){ .fd = -1, .err = l->err };
	else if (!open_process_ask(&l->process, &request, &ans->file))
		atomic_store(&l->has_ended, true);
	if (!atomic_flag_test_and_set(&l->settled)) {
		queue_send(l->config.answers, &ans->msg);
		return;
	}
	msg_free(&ans->msg);
}

static void *
lane_main(void *self)
{
	struct lane *l = self;
	bool quit = false;

	while (!quit) {
		struct open_ask *a = (struct open_ask *)queue_wait(l->asks, -1);

		if (a == NULL)
			continue;
		quit = a->quit;
		if (!quit)
			lane_serve(l, a);
		free(a->path);
		free(a);
	}
	return NULL;
}

static struct lane *
lane_new(const struct file_opener_config *config)
{
	const struct open_process_config process = { .open = config->open, .proc = config->proc };
	struct lane *l = mem_calloc(1, sizeof(*l));

	l->config = *config;
	l->proc = mem_strdup(config->proc);
	l->asks = queue_new();
	open_process_start(&l->process, &process, &l->err);
	thread_start_or_die(&l->thread, "ptop-open", lane_main, l);
	return l;
}

/* Ends the thread, also in the middle of an open. */
static void
lane_free(struct lane *l)
{
	struct open_ask *quit = mem_calloc(1, sizeof(*quit));

	quit->quit = true;
	queue_send(l->asks, &quit->msg);
	open_process_stop(&l->process);
	pthread_join(l->thread, NULL);
	/* Not by the thread: the descriptor that is shut down above might be another's by then. */
	open_process_end(&l->process);
	queue_free(l->asks);
	free(l->proc);
	free(l);
}

struct file_opener *
file_opener_new(const struct file_opener_config *config)
{
	struct file_opener *o = mem_calloc(1, sizeof(*o));

	o->config = *config;
	o->lane = lane_new(config);
	return o;
}

void
file_opener_free(struct file_opener *o)
{
	if (o == NULL)
		return;
	atomic_flag_test_and_set(&o->lane->settled);
	lane_free(o->lane);
	free(o);
}

void
file_opener_ask(struct file_opener *o, const struct symbol_ask *ask, bool wants_path)
{
	struct open_ask *a = mem_calloc(1, sizeof(*a));

	if (o->since != 0 || o->maj != ask->maj || o->min != ask->min)
		o->is_dead = false; /* it has answered, or is not the same */
	o->maj = ask->maj;
	o->min = ask->min;
	if (atomic_load(&o->lane->has_ended)) {
		lane_free(o->lane);
		o->lane = lane_new(&o->config);
	}
	a->ask = *ask;
	a->wants_path = wants_path;
	a->path = mem_strdup(ask->path);
	a->ask.path = a->path;
	o->since = clock_mono_ns();
	atomic_flag_clear(&o->lane->settled);
	queue_send(o->lane->asks, &a->msg);
}

bool
file_opener_give_up(struct file_opener *o)
{
	/* A program on a dead file system has many libraries there: not each may cost as much. */
	uint64_t late_ns = o->is_dead ? o->config.late_ns / DEAD_PART : o->config.late_ns;

	if (o->since == 0 || clock_mono_ns() - o->since < late_ns ||
	    atomic_flag_test_and_set(&o->lane->settled))
		return false;
	o->since = 0;
	lane_free(o->lane);
	o->is_dead = o->maj != 0 || o->min != 0;
	o->lane = lane_new(&o->config);
	return true;
}
