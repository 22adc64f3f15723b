/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/file_opener.h"
#include "symbol/find/open.h"
#include "symbol/find/open_process.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEAD_PART = 10 }; /* what a file system that did not answer gets of the time of others */

/* A thread that waits for a process that opens files. */
struct lane {
	struct file_opener_config config;
	char *proc;
	struct worker worker;
	struct open_process process;
	struct err err; /* why there is no process */
	/* Set by who is first: the thread, that answers, or the owner, that has given up. */
	atomic_flag settled;
	atomic_bool has_ended; /* the process, for whatever cause */
	atomic_ullong held_ns; /* how long the open under way has waited for its file system */
};

struct file_opener {
	struct file_opener_config config;
	struct lane *lane;
	bool is_asked;     /* and was not given up, whether it has been answered or not */
	uint32_t maj, min; /* its file system's device, 0,0: not known */
	bool is_dead;      /* the last open on that one was given up */
};

struct open_ask {
	struct msg msg;
	bool wants_path;
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
free_ask(struct msg *m)
{
	free(((struct open_ask *)m)->path);
	free(m);
}

/* false: the process has ended. */
static bool
lane_ask(struct lane *l, const struct open_request *request, struct open_answer *answer)
{
	uint64_t held_ns = 0;

	*answer = (struct open_answer){ .fd = -1 };
	if (open_process_send(&l->process, request, &answer->err) < 0)
		return answer->err.code == ERR_LIMIT;
	while (!open_process_wait(&l->process, &held_ns))
		atomic_store(&l->held_ns, held_ns);
	atomic_store(&l->held_ns, 0);
	return open_process_receive(&l->process, answer);
}

static void
lane_serve(void *lane, struct msg *m)
{
	struct lane *l = lane;
	const struct open_ask *asked = (const struct open_ask *)m;
	const struct symbol_ask *ask = &asked->ask;
	const struct open_request request = { .file = ask, .wants_path = asked->wants_path };
	struct file_opener_answer *ans = msg_new(sizeof(*ans), l->config.answer_type, free_answer);

	ans->ns = mount_ns_of(l->proc, ask->pid);
	if (l->process.pid < 0)
		ans->file = (struct open_answer){ .fd = -1, .err = l->err };
	else if (!lane_ask(l, &request, &ans->file))
		atomic_store(&l->has_ended, true);
	if (!atomic_flag_test_and_set(&l->settled)) {
		queue_send(l->config.answers, &ans->msg);
		return;
	}
	msg_free(&ans->msg);
}

static struct lane *
lane_new(const struct file_opener_config *config)
{
	const struct open_process_config process = { .open = config->open, .proc = config->proc };
	struct lane *l = mem_calloc(1, sizeof(*l));

	l->config = *config;
	l->proc = mem_strdup(config->proc);
	open_process_start(&l->process, &process, &l->err);
	worker_start(&l->worker, "ptop-open", lane_serve, l);
	return l;
}

/* Ends the thread, also in the middle of an open. */
static void
lane_free(struct lane *l)
{
	open_process_stop(&l->process);
	worker_end(&l->worker);
	/* Not by the thread: the descriptor that is shut down above might be another's by then. */
	open_process_end(&l->process);
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
	struct open_ask *a = msg_new(sizeof(*a), 0, free_ask);

	if (o->is_asked || o->maj != ask->maj || o->min != ask->min)
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
	o->is_asked = true;
	atomic_flag_clear(&o->lane->settled);
	worker_ask(&o->lane->worker, &a->msg);
}

bool
file_opener_give_up(struct file_opener *o)
{
	/* A program on a dead file system has many libraries there: not each may cost as much. */
	uint64_t late_ns = o->is_dead ? o->config.late_ns / DEAD_PART : o->config.late_ns;

	if (!o->is_asked || atomic_load(&o->lane->held_ns) < late_ns ||
	    atomic_flag_test_and_set(&o->lane->settled))
		return false;
	o->is_asked = false;
	lane_free(o->lane);
	o->is_dead = o->maj != 0 || o->min != 0;
	o->lane = lane_new(&o->config);
	return true;
}
