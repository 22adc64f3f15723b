/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/proc/proc_maps.h"
#include "live/proc/proc_owner.h"
#include "live/proc/proc_worker.h"

/*
 * A worker that hangs is left behind, and a new one takes its place.  As long as it hangs, the
 * process that it hangs on is known: asking for its maps fails at once, and ticks keep off its
 * locks.  So there is at most one hung thread for each such process, and few in all.
 */
enum {
	PATIENCE_MS = 3000,
	PATIENCE_AT_END_MS = 100,
};

struct proc_reader {
	char *root;
	struct queue *answers;
	struct proc_worker *worker;
	int proc_fd;
	struct hung hung;
	struct proc_worker *left[HUNG_MAX]; /* the one that hangs on each of these */
	bool wants_data, wants_io, is_thrifty;
};

struct proc_reader *
proc_reader_new(const char *root, struct queue *answers)
{
	struct proc_reader *r = mem_calloc(1, sizeof(*r));

	r->root = mem_strdup(root);
	r->proc_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	r->answers = answers;
	r->worker = proc_worker_new(root, answers);
	return r;
}

void
proc_reader_want_data(struct proc_reader *r)
{
	r->wants_data = true;
}

void
proc_reader_free(struct proc_reader *r)
{
	if (r == NULL)
		return;
	proc_worker_free(r->worker, PATIENCE_AT_END_MS);
	for (size_t i = 0; i < r->hung.count; i++)
		proc_worker_forget(r->left[i]);
	if (r->proc_fd >= 0)
		close(r->proc_fd);
	free(r->root);
	free(r);
}

const struct hung *
proc_reader_hung(const struct proc_reader *r)
{
	return &r->hung;
}

static void
answer_timed_out(struct proc_reader *r, const struct proc_maps_request *req)
{
	struct msg *m = NULL;

	switch (req->wanted) {
	case PROC_WANTED_MAPS:
		m = &proc_maps_error(req->pid, req->cookie, ETIMEDOUT)->msg;
		break;
	case PROC_WANTED_COMM:
		m = &proc_comm_error(req->pid, req->tid, req->cookie, ETIMEDOUT)->msg;
		break;
	case PROC_WANTED_OWNER:
		m = &proc_owner_error(req->pid, ETIMEDOUT)->msg;
		break;
	}
	queue_send(r->answers, m);
}

/* Who came back hangs no more. */
static void
reap_workers(struct proc_reader *r)
{
	for (size_t i = 0; i < r->hung.count;) {
		if (proc_worker_reap(r->left[i])) {
			hung_remove(&r->hung, i);
			r->left[i] = r->left[r->hung.count];
		} else {
			i++;
		}
	}
}

/* To the new worker, save what would make it hang as well. */
static void
send_again(struct proc_reader *r, struct msg *m)
{
	struct proc_maps_request *req = (struct proc_maps_request *)m;

	if (m->type == PROC_REQUEST_TICK) {
		((struct proc_tick_ask *)m)->hung = r->hung;
	} else if (hung_keeps_off(&r->hung, r->proc_fd, req->pid)) {
		answer_timed_out(r, req);
		free(req);
		return;
	}
	proc_worker_send(r->worker, m);
}

static void
replace_worker(struct proc_reader *r)
{
	struct proc_leftover left;

	if (!proc_worker_abandon(r->worker, PATIENCE_MS, &left))
		return;
	r->left[r->hung.count] = r->worker;
	hung_add(&r->hung, r->proc_fd, left.pid);
	r->worker = proc_worker_new(r->root, r->answers);
	if (left.hung != NULL)
		answer_timed_out(r, left.hung);
	free(left.hung);
	while (left.rest != NULL) {
		struct msg *m = left.rest;

		left.rest = m->next;
		send_again(r, m);
	}
}

/* Sees to it that there is a worker that works.  False: too many hang. */
static bool
have_worker(struct proc_reader *r)
{
	reap_workers(r);
	if (!proc_worker_is_stuck(r->worker, PATIENCE_MS))
		return true;
	if (r->hung.count == HUNG_MAX)
		return false;
	replace_worker(r);
	return true;
}

static void
ask_one(struct proc_reader *r, struct proc_maps_request ask)
{
	struct proc_maps_request *req;

	if (!have_worker(r) || hung_keeps_off(&r->hung, r->proc_fd, ask.pid)) {
		answer_timed_out(r, &ask);
		return;
	}
	req = mem_calloc(1, sizeof(*req));
	*req = ask;
	req->msg.type = PROC_REQUEST_MAPS;
	req->has_data = r->wants_data;
	proc_worker_send(r->worker, &req->msg);
}

void
proc_reader_ask_maps(struct proc_reader *r, int pid, uint32_t cookie)
{
	ask_one(r, (struct proc_maps_request){ .wanted = PROC_WANTED_MAPS, .pid = pid,
					       .cookie = cookie });
}

void
proc_reader_ask_comm(struct proc_reader *r, int pid, int tid, uint32_t cookie)
{
	ask_one(r, (struct proc_maps_request){ .wanted = PROC_WANTED_COMM, .pid = pid, .tid = tid,
					       .cookie = cookie });
}

void
proc_reader_ask_owner(struct proc_reader *r, int pid)
{
	ask_one(r, (struct proc_maps_request){ .wanted = PROC_WANTED_OWNER, .pid = pid });
}

void
proc_reader_want_io(struct proc_reader *r, bool wants_io)
{
	r->wants_io = wants_io;
}

void
proc_reader_spare(struct proc_reader *r, bool is_thrifty)
{
	r->is_thrifty = is_thrifty;
}

void
proc_reader_ask_tick(struct proc_reader *r, const int *hot, size_t hot_count, int threads_of,
		     unsigned budget_us)
{
	struct proc_tick_ask *ask;

	if (!have_worker(r))
		return;
	ask = mem_calloc(1, sizeof(*ask) + hot_count * sizeof(*hot));
	ask->msg.type = PROC_REQUEST_TICK;
	ask->threads_of = threads_of;
	ask->wants_io = r->wants_io;
	ask->is_thrifty = r->is_thrifty;
	ask->budget_us = budget_us;
	ask->hot_count = hot_count;
	if (hot_count > 0)
		memcpy(ask->hot, hot, hot_count * sizeof(*hot));
	ask->hung = r->hung;
	proc_worker_send(r->worker, &ask->msg);
}
