/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_tick.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "live/proc/proc_list.h"
#include "live/proc/proc_machine.h"
#include "live/sys/procfs.h"

enum {
	THREADS_MAX = 20000,
	/* The threads of a process that someone looks at are worth more than a slice. */
	THREADS_BUDGET_US = 10000,
	THRIFTY_THREADS_US = 3000, /* and where there is little time for it */
	/* The kernel passes all threads of a machine by when it lists its processes. */
	DEAR_LIST_US = 300,
	DEAR_LIST_TICKS = 4, /* then there is no more of it for so long */
};

struct proc_tick {
	int proc_fd;
	struct proc_machine machine;
	struct proc_list processes, threads;
	int threads_of; /* whose threads the list holds, 0: none */
	uint64_t threads_start_ticks;
	uint64_t complete_ns; /* each process that was there then has been read; 0: not yet */

	/* the tick that goes on */
	const struct proc_tick_request *req;
	size_t phase;
	size_t hot_done;
	uint64_t budget_ns, spent_ns; /* of this phase and those that share its budget */
	struct proc_entry *entry; /* what the next step reads */
	bool is_machine_done, is_opened;
	unsigned list_pause; /* ticks */
};

/* Directories are listed through descriptors with a position of their own. */
static int
open_dir(int proc_fd, const char *path)
{
	return openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

struct proc_tick *
proc_tick_new(int proc_fd)
{
	struct proc_tick *t = mem_calloc(1, sizeof(*t));

	t->proc_fd = proc_fd;
	proc_list_init(&t->processes, open_dir(proc_fd, "."), false, PROCFS_PID_MAX);
	proc_list_init(&t->threads, -1, true, THREADS_MAX);
	return t;
}

void
proc_tick_free(struct proc_tick *t)
{
	if (t == NULL)
		return;
	proc_machine_release(&t->machine);
	proc_list_release(&t->processes);
	proc_list_release(&t->threads);
	free(t);
}

/* The threads of a process that ended, or that nobody asks for any more, are forgotten. */
static void
keep_or_drop_threads(struct proc_tick *t)
{
	int pid = t->req->threads_of;
	const struct proc_entry *e = proc_list_find(&t->processes, pid);

	if (pid != 0 && pid == t->threads_of && e != NULL &&
	    e->start_ticks == t->threads_start_ticks)
		return;
	proc_list_release(&t->threads);
	t->threads_of = 0;
}

static bool
has_budget(const struct proc_tick *t, unsigned percent)
{
	return t->spent_ns < t->budget_ns / 100 * percent;
}

/* What the next step reads. */
static bool
choose(struct proc_tick *t, struct proc_entry *e, int *pid)
{
	t->entry = e;
	if (e == NULL)
		return false;
	*pid = e->id;
	return true;
}

static bool
next_machine(struct proc_tick *t, int *pid)
{
	*pid = 0;
	return !t->is_machine_done;
}

static void
step_machine(struct proc_tick *t)
{
	t->is_machine_done = true;
	proc_machine_read(&t->machine, t->proc_fd);
}

/* The process whose threads are shown is the last of the hot ones. */
static bool
next_hot(struct proc_tick *t, int *pid)
{
	const struct proc_tick_request *req = t->req;
	struct proc_entry *e;

	for (; t->hot_done <= req->hot_count; t->hot_done++) {
		e = proc_list_find(&t->processes, t->hot_done < req->hot_count ?
						  req->hot[t->hot_done] : req->threads_of);
		if (e != NULL && e->tick != t->processes.tick &&
		    !proc_list_may_wait(&t->processes, e))
			return choose(t, e, pid);
	}
	return false;
}

static void
step_process(struct proc_tick *t)
{
	const struct hung *hung = t->req->hung;

	proc_list_read(&t->processes, t->entry,
		       hung == NULL || !hung_keeps_off(hung, t->proc_fd, t->entry->id));
}

/* Listing is to leave half of the budget for reading. */
static bool
next_list(struct proc_tick *t, int *pid)
{
	*pid = 0;
	return t->processes.in_pass && t->list_pause == 0 && has_budget(t, 50);
}

static void
step_list(struct proc_tick *t)
{
	uint64_t from = clock_thread_cpu_ns();

	proc_list_batch(&t->processes);
	if (t->complete_ns != 0 && clock_thread_cpu_ns() - from > DEAR_LIST_US * 1000)
		t->list_pause = DEAR_LIST_TICKS;
}

static bool
next_unread(struct proc_tick *t, int *pid)
{
	return has_budget(t, 100) &&
	       choose(t, proc_list_next_unread(&t->processes), pid);
}

static bool
next_in_turn(struct proc_tick *t, int *pid)
{
	return has_budget(t, 100) &&
	       choose(t, proc_list_next_in_turn(&t->processes), pid);
}

static bool
next_threads_open(struct proc_tick *t, int *pid)
{
	*pid = t->req->threads_of;
	return !t->is_opened;
}

static void
step_threads_open(struct proc_tick *t)
{
	const struct proc_entry *e = proc_list_find(&t->processes, t->req->threads_of);
	char path[32];

	t->is_opened = true;
	keep_or_drop_threads(t);
	if (t->threads_of == 0 && e != NULL && e->is_read) {
		snprintf(path, sizeof(path), "%d/task", t->req->threads_of);
		proc_list_init(&t->threads, open_dir(t->proc_fd, path), true, THREADS_MAX);
		t->threads.wants_io = t->req->wants_io;
		t->threads_of = t->req->threads_of;
		t->threads_start_ticks = e->start_ticks;
	}
	proc_list_begin(&t->threads);
}

static bool
next_threads_list(struct proc_tick *t, int *pid)
{
	*pid = t->threads_of;
	return t->threads.in_pass && has_budget(t, 50);
}

static void
step_threads_list(struct proc_tick *t)
{
	proc_list_batch(&t->threads);
	t->threads.turns_left = t->threads.len;
}

static bool
next_thread(struct proc_tick *t, int *pid)
{
	struct proc_entry *e;

	if (!has_budget(t, 100))
		return false;
	e = proc_list_next_unread(&t->threads);
	if (e == NULL)
		e = proc_list_next_in_turn(&t->threads);
	return choose(t, e, pid);
}

static void
step_thread(struct proc_tick *t)
{
	proc_list_read(&t->threads, t->entry, false);
}

/*
 * In this order.  A phase finds at least so much of the budget left, whatever those before it
 * took: reading must not starve because listing is slow.
 */
static const struct phase {
	bool (*next)(struct proc_tick *t, int *pid);
	void (*step)(struct proc_tick *t);
	unsigned left_percent;
	bool is_of_threads; /* which have a budget of their own */
} phases[] = {
	{ next_machine, step_machine, 0, false },
	{ next_hot, step_process, 0, false },
	{ next_threads_open, step_threads_open, 100, true },
	{ next_threads_list, step_threads_list, 0, true },
	{ next_thread, step_thread, 50, true },
	{ next_list, step_list, 100, false },
	{ next_unread, step_process, 50, false },
	{ next_in_turn, step_process, 0, false },
};

static void
enter_phase(struct proc_tick *t, size_t phase)
{
	uint64_t us = t->req->budget_us, limit;

	t->phase = phase;
	if (phase == ARRAY_SIZE(phases))
		return;
	if (phases[phase].is_of_threads)
		us = MAX(us, t->req->is_thrifty ? THRIFTY_THREADS_US : THREADS_BUDGET_US);
	t->budget_ns = us * 1000;
	limit = t->budget_ns / 100 * (100 - phases[phase].left_percent);
	t->spent_ns = MIN(t->spent_ns, limit);
}

void
proc_tick_begin(struct proc_tick *t, const struct proc_tick_request *req)
{
	t->req = req;
	t->hot_done = 0;
	t->is_machine_done = false;
	t->is_opened = false;
	t->list_pause -= t->list_pause > 0;
	t->processes.wants_io = t->threads.wants_io = req->wants_io;
	proc_list_begin(&t->processes);
	for (size_t i = 0; i < req->hot_count; i++)
		proc_list_add(&t->processes, req->hot[i]);
	if (req->threads_of > 0)
		proc_list_add(&t->processes, req->threads_of);
	proc_list_settle(&t->processes);
	t->processes.turns_left = t->processes.len;
	enter_phase(t, 0);
}

bool
proc_tick_next(struct proc_tick *t, int *pid)
{
	for (; t->phase < ARRAY_SIZE(phases); enter_phase(t, t->phase + 1))
		if (phases[t->phase].next(t, pid))
			return true;
	return false;
}

void
proc_tick_step(struct proc_tick *t)
{
	uint64_t from = clock_mono_ns();

	phases[t->phase].step(t);
	t->spent_ns += clock_mono_ns() - from;
}

/* Those that may be shown, in rising order, without their commands. */
static struct proc_info *
list_infos(const struct proc_list *l, size_t *count)
{
	struct proc_info *infos;
	size_t len = 0;

	/* Of thousands of threads few are read in a tick. */
	for (size_t i = 0; i < l->len; i++)
		len += l->entries[i].is_read;
	infos = mem_calloc(MAX(len, 1), sizeof(*infos));
	*count = 0;
	for (size_t i = 0; i < l->len; i++) {
		const struct proc_entry *e = &l->entries[i];
		struct proc_info *info = &infos[*count];

		if (!e->is_read)
			continue;
		*info = (struct proc_info){
			.pid = e->id, .tid = e->id, .ppid = e->ppid, .uid = e->uid,
			.owner_ns = e->owner_ns, .threads = e->threads, .state = e->state, .start_ticks = e->start_ticks,
			.priority = e->priority, .nice = e->nice, .virt_bytes = e->virt_bytes,
			.rss_bytes = e->rss_bytes, .cpu_ns = e->cpu_ns,
			.cpu = (double)e->cpu, .is_kernel_thread = e->is_kernel_thread,
			.command = e->command != NULL ? e->command : "",
			.cgroup = e->cgroup != NULL ? e->cgroup : "",
			.io_read = l->wants_io && e->io.at_ns != 0 ? (double)e->io.read : (double)NAN,
			.io_write = l->wants_io && e->io.at_ns != 0 ? (double)e->io.write : (double)NAN,
		};
		memcpy(info->comm, e->comm, sizeof(info->comm));
		(*count)++;
	}
	return infos;
}

static void
own_string(char **to, const char **text)
{
	size_t len = strlen(*text) + 1;

	memcpy(*to, *text, len);
	*text = *to;
	*to += len;
}

/* Strings move from the list, which goes on changing, to the message. */
static void
own_strings(struct proc_tick_msg *msg)
{
	size_t bytes = 1;
	char *to;

	for (size_t i = 0; i < msg->process_count; i++)
		bytes += strlen(msg->processes[i].command) + strlen(msg->processes[i].cgroup) + 2;
	msg->strings = to = mem_calloc(1, bytes);
	for (size_t i = 0; i < msg->process_count; i++) {
		own_string(&to, &msg->processes[i].command);
		own_string(&to, &msg->processes[i].cgroup);
	}
}

static int
by_pid(const void *pid, const void *info)
{
	const int *a = pid;
	const struct proc_info *b = info;

	return (*a > b->pid) - (*a < b->pid);
}

/* Rows of threads have from their process what the kernel keeps for all of them. */
static void
complete_threads(struct proc_tick_msg *msg, int pid)
{
	const struct proc_info *p = bsearch(&pid, msg->processes, msg->process_count,
					    sizeof(*msg->processes), by_pid);

	if (p == NULL)
		msg->thread_count = 0;
	for (size_t i = 0; i < msg->thread_count; i++) {
		msg->threads[i].pid = pid;
		msg->threads[i].threads = 0;
		msg->threads[i].uid = p->uid;
		msg->threads[i].owner_ns = p->owner_ns;
		msg->threads[i].command = p->command;
	}
}

struct proc_tick_msg *
proc_tick_finish(struct proc_tick *t)
{
	struct proc_tick_msg *msg = proc_tick_msg_new();

	proc_list_settle(&t->processes);
	proc_list_settle(&t->threads);
	msg->clock_ns = clock_mono_ns();
	proc_machine_put(&t->machine, msg);
	msg->processes = list_infos(&t->processes, &msg->process_count);
	own_strings(msg);
	msg->threads = list_infos(&t->threads, &msg->thread_count);
	complete_threads(msg, t->threads_of);
	if (proc_list_is_complete(&t->processes))
		t->complete_ns = t->processes.listed_ns;
	msg->complete_ns = t->complete_ns;
	t->req = NULL;
	return msg;
}
