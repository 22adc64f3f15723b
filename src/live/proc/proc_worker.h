/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_WORKER_H
#define PTOP_LIVE_PROC_PROC_WORKER_H
/*
 * One thread that reads /proc, as long as it lives.  Its owner, one other thread, can leave it
 * behind when it hangs, and then gets back what it had not answered yet.
 *
 * While the worker is inside a call that can hang, it touches nothing that its owner could want:
 * leaving it behind is one compare-and-swap, and whoever loses it keeps off.
 */
#include "base/queue.h"
#include "live/proc/hung.h"
#include "live/proc/proc_msg.h"

enum proc_request_type {
	PROC_REQUEST_MAPS, /* struct proc_maps_request */
	PROC_REQUEST_TICK,
	PROC_REQUEST_STOP,
};

/* What of a process is asked for. */
enum proc_wanted { PROC_WANTED_MAPS, PROC_WANTED_COMM, PROC_WANTED_OWNER };

struct proc_maps_request {
	struct msg msg;
	enum proc_wanted wanted;
	int pid;
	int tid;       /* of a name: whose */
	uint32_t cookie;
	bool has_data; /* maps of files that are not executable, too */
};

/* PROC_REQUEST_TICK: see struct proc_tick_request. */
struct proc_tick_ask {
	struct msg msg;
	struct hung hung;
	int threads_of;
	bool wants_io;
	unsigned budget_us;
	bool is_thrifty;
	size_t hot_count;
	int hot[];
};

struct proc_worker;

struct proc_worker *proc_worker_new(const char *root, struct queue *answers);

/* Ends the thread.  If it does not end within @patience_ms, it is left behind. */
void proc_worker_free(struct proc_worker *w, unsigned patience_ms);

/* Gives the request away.  Maps come before ticks, which have as long as they; of the ticks that wait only the newest stays. */
void proc_worker_send(struct proc_worker *w, struct msg *request);

/* Whether it has been in one call for more than @patience_ms, and does not wait for a CPU there. */
bool proc_worker_is_stuck(const struct proc_worker *w, unsigned patience_ms);

/* What a worker that was left behind had to do.  The messages are the caller's. */
struct proc_leftover {
	int pid;                        /* that it hangs on, 0: none */
	struct proc_maps_request *hung; /* that it hangs in, NULL: it is a tick */
	struct msg *rest;               /* what it had not begun, in order, and its tick */
};

/* Leaves a stuck worker behind: it will not answer any more.  False if it came back meanwhile. */
bool proc_worker_abandon(struct proc_worker *w, unsigned patience_ms, struct proc_leftover *left);

/* One that was left behind: whether it has come back and ended.  If so it is freed. */
bool proc_worker_reap(struct proc_worker *w);

/* One that was left behind and will free itself. */
void proc_worker_forget(struct proc_worker *w);

#endif
