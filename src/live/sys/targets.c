/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/targets.h"

#include "base/buf.h"
#include "base/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHILDREN_BYTES_MAX = 1 << 20, STAT_BYTES_MAX = 4096, PATH_BYTES = 64,
	LOOKS_FOR_ALL = 2, /* at the user's processes: one that was another's is known by then */
};

/* A pid alone may be used again: with its start time it is one process. */
struct target_process {
	int pid;
	uint64_t start_ticks;
	uint32_t target; /* of the one that it descends from */
	enum follow follow;
	bool is_added;   /* it descends from none */
};

struct target_thread {
	int tid;
	uint32_t target;
};

/* Fields of /proc/PID/stat; comm may hold blanks and brackets, so the last bracket counts. */
static bool
read_stat(int pid, int *ppid, uint64_t *start_ticks, char *state)
{
	char path[PATH_BYTES];
	struct buf b = { 0 };
	const char *rest;
	unsigned long long start;
	bool ok = false;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, &b, STAT_BYTES_MAX) == 0 && b.len > 0 &&
	    (rest = strrchr(b.data, ')')) != NULL) {
		ok = sscanf(rest + 1,
			    " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			    "%*d %*d %llu",
			    state, ppid, &start) == 3;
		*start_ticks = ok ? start : 0;
	}
	buf_release(&b);
	return ok;
}

static bool
is_known(const struct targets *t, int pid)
{
	for (size_t i = 0; i < t->process_count; i++) {
		if (t->processes[i].pid == pid)
			return true;
	}
	return false;
}

/* false: it is gone, or known. */
static bool
add_process(struct targets *t, int pid, uint32_t target, enum follow follow)
{
	struct target_process p = { .pid = pid, .target = target, .follow = follow };
	char state;
	int ppid;

	if (is_known(t, pid) || !read_stat(pid, &ppid, &p.start_ticks, &state))
		return false;
	VEC_ADD(t->processes, t->process_count, t->process_cap) = p;
	return true;
}

/* It is gone, or cannot be looked for: errno. */
static int
no_process(int pid, struct err *err)
{
	if (errno == EMFILE)
		return err_set(err, ERR_LIMIT, EMFILE, "cannot look for process %d", pid);
	return err_set(err, ERR_GONE, 0, "no process %d", pid);
}

int
targets_add_process(struct targets *t, int pid, enum follow follow, struct err *err)
{
	errno = 0;
	if (!is_known(t, pid)) {
		if (!add_process(t, pid, t->last_target + 1, follow))
			return no_process(pid, err);
		t->processes[t->process_count - 1].is_added = true;
	}
	t->last_target++;
	t->is_empty_on_purpose = false;
	return 0;
}

int
targets_add_thread(struct targets *t, int tid, struct err *err)
{
	char path[PATH_BYTES];

	/* Threads are not listed in /proc, but can be looked up there. */
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (tid <= 0 || access(path, F_OK) != 0)
		return err_set(err, ERR_GONE, 0, "no thread %d", tid);
	VEC_ADD(t->threads, t->thread_count, t->thread_cap) =
		(struct target_thread){ tid, ++t->last_target };
	t->is_empty_on_purpose = false;
	return 0;
}

int
targets_process_of(int tid)
{
	char path[PATH_BYTES];
	struct buf b = { 0 };
	const char *line = NULL;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (file_read(path, &b, STAT_BYTES_MAX) == 0 && b.len > 0)
		line = strstr(b.data, "\nTgid:");
	if (line != NULL)
		pid = atoi(line + strlen("\nTgid:"));
	buf_release(&b);
	return pid;
}

static bool
has_thread_of(const struct targets *t, int pid)
{
	for (size_t i = 0; i < t->thread_count; i++) {
		if (targets_process_of(t->threads[i].tid) == pid)
			return true;
	}
	return false;
}

int
targets_attach(struct targets *t, int pid, enum follow follow, struct err *err)
{
	int owner, ppid;
	uint64_t start;
	char state;

	errno = 0;
	owner = pid > 0 ? targets_process_of(pid) : 0;
	if (owner == 0)
		return no_process(pid, err);
	if (owner != pid) {
		err_set(err, ERR_USAGE, 0, "%d is a thread, of process %d", pid, owner);
		return err_hint(err, "attach the process");
	}
	if (!read_stat(pid, &ppid, &start, &state) || strchr("ZXx", state) != NULL)
		return err_set(err, ERR_GONE, 0, "process %d has ended", pid);
	targets_refresh(t);
	if (is_known(t, pid))
		return err_set(err, ERR_USAGE, 0, "process %d is attached already", pid);
	if (has_thread_of(t, pid)) {
		err_set(err, ERR_USAGE, 0, "threads of process %d are attached already", pid);
		return err_hint(err, "detach them first");
	}
	if (targets_add_process(t, pid, follow, err) < 0)
		return -1;
	targets_refresh(t);
	return 0;
}

uint32_t
targets_number_of(struct targets *t, int pid)
{
	targets_refresh(t);
	for (size_t i = 0; i < t->process_count; i++) {
		if (t->processes[i].pid == pid && t->processes[i].is_added)
			return t->processes[i].target;
	}
	return 0;
}

bool
targets_remove(struct targets *t, uint32_t target)
{
	size_t processes = 0, threads = 0;
	bool found;

	for (size_t i = 0; i < t->process_count; i++) {
		if (t->processes[i].target != target)
			t->processes[processes++] = t->processes[i];
	}
	for (size_t i = 0; i < t->thread_count; i++) {
		if (t->threads[i].target != target)
			t->threads[threads++] = t->threads[i];
	}
	found = processes < t->process_count || threads < t->thread_count;
	t->process_count = processes;
	t->thread_count = threads;
	t->is_empty_on_purpose |= found && processes + threads == 0;
	return found;
}

int *
targets_pids(const struct targets *t, uint32_t target, size_t *count)
{
	int *pids = mem_calloc(t->process_count + 1, sizeof(*pids));

	*count = 0;
	for (size_t i = 0; i < t->process_count; i++) {
		if (t->processes[i].target == target)
			pids[(*count)++] = t->processes[i].pid;
	}
	return pids;
}

/* Calls @each for every number among the names in @path. */
static void
each_number(const char *path, void (*each)(void *self, int number), void *self)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	if (dir == NULL)
		return;
	while ((d = readdir(dir)) != NULL) {
		if (isdigit((unsigned char)d->d_name[0]))
			each(self, atoi(d->d_name));
	}
	closedir(dir);
}

/* For each_number(): the process, and where what is found is to go. */
struct thread_walk {
	struct targets *targets;
	struct tasks *tasks;
	struct target_process of;
};

static void
add_task(void *self, int tid)
{
	struct thread_walk *w = self;

	tasks_add(w->tasks, (struct sampled_task){ .pid = w->of.pid, .tid = tid,
						   .target = w->of.target,
						   .follow = w->of.follow });
}

static void
add_children(void *self, int tid)
{
	struct thread_walk *w = self;
	char path[PATH_BYTES], *p, *end;
	struct buf b = { 0 };

	/* Kernels without CONFIG_PROC_CHILDREN have no such file: children are then found only
	 * if they were inherited. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", w->of.pid, tid);
	if (file_read(path, &b, CHILDREN_BYTES_MAX) == 0 && b.len > 0) {
		for (p = b.data;; p = end) {
			long pid = strtol(p, &end, 10);

			if (end == p)
				break;
			add_process(w->targets, (int)pid, w->of.target, w->of.follow);
		}
	}
	buf_release(&b);
}

static void
walk_threads(struct targets *t, struct tasks *tasks, const struct target_process *of,
	     void (*each)(void *self, int tid))
{
	struct thread_walk w = { .targets = t, .tasks = tasks, .of = *of };
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/task", of->pid);
	each_number(path, each, &w);
}

/* Processes that ended leave the list: their pid may come again. */
static void
forget_dead(struct targets *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->process_count; i++) {
		struct target_process p = t->processes[i];
		uint64_t start;
		char state;
		int ppid;

		if (read_stat(p.pid, &ppid, &start, &state) && start == p.start_ticks)
			t->processes[kept++] = p;
	}
	t->process_count = kept;
}

/* Pids while /proc is listed. */
struct pid_walk {
	int *items;
	size_t len, cap;
};

static void
add_pid(void *self, int pid)
{
	struct pid_walk *w = self;

	VEC_ADD(w->items, w->len, w->cap) = pid;
}

static int
compare_pids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static bool
has_pid(const int *pids, size_t count, int pid)
{
	return count > 0 &&
	       bsearch(&pid, pids, count, sizeof(*pids), compare_pids) != NULL;
}

/*
 * The files of one that may not be traced belong to root: until its next exec it cannot be sampled, and
 * nothing inherits from it.
 */
static bool
is_of_user(const struct targets *t, int pid)
{
	char path[PATH_BYTES];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return stat(path, &st) == 0 && st.st_uid == t->uid;
}

/* New ones at once; the others in turn, as a process may become the user's long after its start. */
static bool
is_due(const struct targets *t, int pid)
{
	return (unsigned)pid % LOOKS_FOR_ALL == t->looks % LOOKS_FOR_ALL ||
	       !has_pid(t->seen, t->seen_count, pid);
}

/* Takes the user's new processes into the list, those that ended out of it. */
static void
look_for_users(struct targets *t)
{
	struct pid_walk now = { 0 };
	size_t kept = 0;

	each_number("/proc", add_pid, &now);
	if (now.len == 0)
		return;
	qsort(now.items, now.len, sizeof(*now.items), compare_pids);
	for (size_t i = 0; i < t->process_count; i++) {
		if (has_pid(now.items, now.len, t->processes[i].pid))
			t->processes[kept++] = t->processes[i];
	}
	t->process_count = kept;
	for (size_t i = 0; i < now.len; i++) {
		int pid = now.items[i];

		if (is_due(t, pid) && is_of_user(t, pid))
			add_process(t, pid, 0, FOLLOW_CHILDREN);
	}
	free(t->seen);
	t->seen = now.items;
	t->seen_count = now.len;
	t->looks++;
}

/* ptop below the shell that was named: its helpers are closed to its own user. */
static bool
is_self_by_chance(const struct target_process *p)
{
	return p->pid == getpid() && !p->is_added;
}

void
targets_refresh(struct targets *t)
{
	if (t->all_of_user)
		look_for_users(t);
	else
		forget_dead(t);
	/* The list grows while it is walked: children of children.  Those of the user are in it. */
	for (size_t i = 0; i < t->process_count; i++) {
		if (t->processes[i].follow == FOLLOW_CHILDREN && t->processes[i].target != 0 &&
		    !is_self_by_chance(&t->processes[i]))
			walk_threads(t, NULL, &t->processes[i], add_children);
	}
}

void
targets_list(const struct targets *t, uint32_t target, struct tasks *tasks)
{
	tasks->len = 0;
	for (size_t i = 0; i < t->process_count; i++) {
		if (target == 0 || t->processes[i].target == target)
			walk_threads(NULL, tasks, &t->processes[i], add_task);
	}
	for (size_t i = 0; i < t->thread_count; i++) {
		const struct target_thread *one = &t->threads[i];

		if ((target == 0 || one->target == target) && !tasks_has(tasks, one->tid))
			tasks_add(tasks, (struct sampled_task){ .pid = one->tid, .tid = one->tid,
								.target = one->target,
								.follow = FOLLOW_NOTHING });
	}
}

void
targets_find_new(struct targets *t, struct tasks *tasks)
{
	size_t before = t->process_count;
	int *known = mem_calloc(before + 1, sizeof(*known));

	for (size_t i = 0; i < before; i++)
		known[i] = t->processes[i].pid;
	qsort(known, before, sizeof(*known), compare_pids);
	look_for_users(t);
	for (size_t i = 0; i < t->process_count; i++) {
		int pid = t->processes[i].pid, ppid;
		uint64_t start;
		char state;

		if (has_pid(known, before, pid) || !read_stat(pid, &ppid, &start, &state))
			continue;
		if (!has_pid(known, before, ppid))
			walk_threads(NULL, tasks, &t->processes[i], add_task);
	}
	free(known);
}

void
targets_release(struct targets *t)
{
	free(t->processes);
	free(t->threads);
	free(t->seen);
	*t = (struct targets){ 0 };
}

void
tasks_add(struct tasks *tasks, struct sampled_task task)
{
	VEC_ADD(tasks->items, tasks->len, tasks->cap) = task;
}

bool
tasks_has(const struct tasks *tasks, int tid)
{
	for (size_t i = 0; i < tasks->len; i++) {
		if (tasks->items[i].tid == tid)
			return true;
	}
	return false;
}

void
tasks_release(struct tasks *tasks)
{
	free(tasks->items);
	*tasks = (struct tasks){ 0 };
}
