/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ROUND_MS = 1000,
	STEP_PROCESSES = 32, /* at once: looks are not to wait for long */
	ROUNDS_MAX = 8,      /* until threads are listed though their number is the same: */
	LINKS_PER_ROUND = 64, /* a round for so many of them, if that is more; */
	LINKS_AT_ONCE = 2048, /* if it has changed, a round for so many */
	STATUS_MAX = 4096,   /* bytes of a status: its line is in the first half, but for many groups */
};

void
wait_list_init(struct wait_list *l, const int *skips, size_t skip_count)
{
	*l = (struct wait_list){ 0 };
	l->skip_count = MIN(skip_count, (size_t)WAIT_SKIPS_MAX);
	memcpy(l->skips, skips, l->skip_count * sizeof(*skips));
}

void
wait_list_release(struct wait_list *l, struct wait_env *env)
{
	for (size_t i = 0; i < l->len; i++)
		wait_thread_release(&l->items[i], env);
	free(l->items);
	free(l->turns);
	free(l->processes);
	index_release(&l->by_tid);
	index_release(&l->by_ns_tid);
}

static uint64_t
hash_of(int tid)
{
	return hash_mix((unsigned)tid, 0);
}

/* The place from 1, 0: it is not there. */
static uint32_t
find_thread(const struct wait_list *l, int tid)
{
	uint64_t hash = hash_of(tid);
	uint32_t pos, at;

	for (at = index_first(&l->by_tid, hash, &pos); at != 0;
	     at = index_next(&l->by_tid, hash, &pos))
		if (l->items[at - 1].tid == tid)
			break;
	return at;
}

struct wait_thread *
wait_list_find(const struct wait_list *l, int tid)
{
	uint32_t at = find_thread(l, tid);

	return at != 0 ? &l->items[at - 1] : NULL;
}

static uint64_t
ns_hash_of(int pid, int ns_tid)
{
	return hash_mix((unsigned)pid, (unsigned)ns_tid);
}

int
wait_list_find_in_ns(const void *list, int pid, int ns_tid)
{
	const struct wait_list *l = list;
	uint64_t hash = ns_hash_of(pid, ns_tid);
	uint32_t pos, at;

	for (at = index_first(&l->by_ns_tid, hash, &pos); at != 0;
	     at = index_next(&l->by_ns_tid, hash, &pos)) {
		const struct wait_thread *t = &l->items[at - 1];

		if (t->pid == pid && t->ns_tid == ns_tid)
			return t->tid;
	}
	return 0;
}

/* Has the thread found at its place, from 1, or no more. */
static void
set_place(struct wait_list *l, const struct wait_thread *t, uint32_t at,
	  void (*set)(struct index *ix, uint64_t hash, uint32_t id))
{
	set(&l->by_tid, hash_of(t->tid), at);
	if (t->ns_tid != 0)
		set(&l->by_ns_tid, ns_hash_of(t->pid, t->ns_tid), at);
}

/* @path: of /proc/PID or /proc/PID/task/TID.  Its id in its pid namespace, 0: that is ptop's. */
static int
read_ns_id(const struct wait_env *env, const char *path)
{
	char file[80], text[STATUS_MAX];
	ssize_t n;
	int id = 0;

	snprintf(file, sizeof(file), "%s/status", path);
	n = proc_file_read(env->proc_fd, file, text, sizeof(text));
	if (n <= 0 || !procfs_ns_pid(text, (size_t)n, &id))
		return 0;
	return id;
}

/* The first process with that pid or a higher one. */
static size_t
find_process(const struct wait_list *l, int pid)
{
	size_t at;

	FIND_FIRST(at, l->process_len, l->processes[at].pid >= pid);
	return at;
}

struct wait_process *
wait_list_process(const struct wait_list *l, int pid)
{
	size_t at = find_process(l, pid);

	return at < l->process_len && l->processes[at].pid == pid ? &l->processes[at] : NULL;
}

static void
add_thread(struct wait_list *l, struct wait_env *env, const struct wait_process *p, int tid,
	   uint64_t now_ns)
{
	struct wait_thread *t;
	char path[48];

	if (find_thread(l, tid) != 0)
		return;
	l->is_full = l->len == WAIT_THREADS_MAX;
	if (l->is_full)
		return;
	vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
	vec_reserve(&l->turns, &l->turn_cap, l->len + 1, sizeof(*l->turns));
	t = &l->items[l->len];
	wait_thread_init(t, p->pid, tid, env, now_ns);
	if (p->has_ns) {
		snprintf(path, sizeof(path), "%d/task/%d", p->pid, tid);
		t->ns_tid = read_ns_id(env, path);
	}
	l->turns[l->len++] = (struct wait_turn){ .due_ns = now_ns, .is_new = true };
	set_place(l, t, (uint32_t)l->len, index_add);
}

void
wait_list_drop(struct wait_list *l, size_t i, struct wait_env *env)
{
	struct wait_thread *t = &l->items[i];
	struct wait_process *p = wait_list_process(l, t->pid);
	size_t last = l->len - 1;

	/* There may be another one in its place. */
	if (p != NULL) {
		p->links = 0;
		p->is_left_out |= t->is_others;
	}
	set_place(l, t, (uint32_t)i + 1, index_remove);
	wait_thread_release(t, env);
	if (i != last) {
		set_place(l, &l->items[last], (uint32_t)last + 1, index_remove);
		*t = l->items[last];
		l->turns[i] = l->turns[last];
		set_place(l, t, (uint32_t)i + 1, index_add);
	}
	l->len--;
}

static int
compare_targets(const void *a, const void *b)
{
	const struct wait_process *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static bool
wants(const struct wait_list *l, const struct wait_thread *t)
{
	if (l->is_all)
		return true;
	for (size_t i = find_process(l, t->pid);
	     i < l->process_len && l->processes[i].pid == t->pid; i++)
		if (l->processes[i].tid == 0 || l->processes[i].tid == t->tid)
			return true;
	return false;
}

static bool
is_skipped(const struct wait_list *l, int pid)
{
	for (size_t i = 0; i < l->skip_count; i++)
		if (l->skips[i] == pid)
			return true;
	return false;
}

void
wait_list_set(struct wait_list *l, const struct wait_target *targets, size_t count,
	      struct wait_env *env)
{
	l->is_all = targets == NULL;
	l->is_listed = false;
	l->process_len = l->next = 0;
	l->round_ns = 0;
	for (size_t i = 0; !l->is_all && i < count; i++)
		VEC_ADD(l->processes, l->process_len, l->process_cap) =
			(struct wait_process){ .pid = targets[i].pid, .tid = targets[i].tid,
					       .is_left_out = is_skipped(l, targets[i].pid) };
	if (l->process_len > 0)
		qsort(l->processes, l->process_len, sizeof(*l->processes), compare_targets);
	for (size_t i = l->len; i-- > 0;)
		if (!wants(l, &l->items[i]))
			wait_list_drop(l, i, env);
}

static bool
is_of_kernel(const struct wait_env *env, int pid)
{
	char path[32], text[PROC_FILE_SMALL];
	struct procfs_stat stat;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/stat", pid);
	n = proc_file_read(env->proc_fd, path, text, sizeof(text));
	return n > 0 && procfs_stat(text, (size_t)n, &stat) &&
	       (stat.flags & PROCFS_KERNEL_THREAD) != 0;
}

/* What is known of a process stays known; pids rise. */
static void
list_processes(struct wait_list *l, const struct wait_env *env)
{
	int fd = openat(env->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct wait_process *before = l->processes, *end = before + l->process_len;
	int ids[PROC_FILE_IDS];
	size_t count;

	if (fd < 0)
		return;
	l->processes = NULL;
	l->process_len = l->process_cap = 0;
	for (struct wait_process *p = before; proc_file_ids(fd, ids, &count) > 0;) {
		for (size_t i = 0; i < count; i++) {
			struct wait_process new = { .pid = ids[i] };

			while (p < end && p->pid < ids[i])
				p++;
			if (p < end && p->pid == ids[i])
				new = *p;
			else
				new.is_left_out = is_skipped(l, ids[i]) || is_of_kernel(env, ids[i]);
			VEC_ADD(l->processes, l->process_len, l->process_cap) = new;
		}
	}
	free(before);
	close(fd);
}

static void
list_threads(struct wait_list *l, struct wait_env *env, const struct wait_process *p,
	     uint64_t now_ns)
{
	char path[32];
	int ids[PROC_FILE_IDS], fd;
	size_t count;

	snprintf(path, sizeof(path), "%d/task", p->pid);
	fd = openat(env->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		env->starved += errno == EMFILE || errno == ENFILE;
		return;
	}
	while (proc_file_ids(fd, ids, &count) > 0)
		for (size_t i = 0; i < count; i++)
			add_thread(l, env, p, ids[i], now_ns);
	close(fd);
}

/* A thread that has ended is found when it is looked at, and has them listed, too. */
static bool
is_to_be_listed(struct wait_process *p, unsigned links)
{
	p->rounds++;
	if (!p->is_listed)
		return true;
	return p->rounds >= (p->links != links ? links / LINKS_AT_ONCE
					       : MAX(links / LINKS_PER_ROUND, (unsigned)ROUNDS_MAX));
}

/* The links of its folder tell how many threads a process has: proc_task_getattr() of the kernel. */
static void
step_process(struct wait_list *l, struct wait_env *env, struct wait_process *p,
	     uint64_t now_ns)
{
	struct stat st;
	char path[32];

	if (p->is_left_out)
		return;
	if (p->tid != 0) {
		add_thread(l, env, p, p->tid, now_ns);
		return;
	}
	snprintf(path, sizeof(path), "%d/task", p->pid);
	if (fstatat(env->proc_fd, path, &st, 0) < 0)
		return;
	if (!is_to_be_listed(p, (unsigned)st.st_nlink))
		return;
	p->is_listed = true;
	p->links = p->threads = (unsigned)st.st_nlink;
	p->rounds = 0;
	snprintf(path, sizeof(path), "%d", p->pid);
	p->has_ns = read_ns_id(env, path) != 0;
	list_threads(l, env, p, now_ns);
}

void
wait_list_step(struct wait_list *l, struct wait_env *env, uint64_t now_ns)
{
	if (l->next == l->process_len &&
	    (l->round_ns == 0 || now_ns - l->round_ns >= ROUND_MS * NSEC_PER_MSEC)) {
		l->round_ns = now_ns;
		l->next = 0;
		if (l->is_all)
			list_processes(l, env);
	}
	for (size_t i = 0; i < STEP_PROCESSES && l->next < l->process_len; i++)
		step_process(l, env, &l->processes[l->next++], now_ns);
	l->is_listed |= l->next == l->process_len;
}

void
wait_list_round(struct wait_list *l, struct wait_env *env, uint64_t now_ns)
{
	l->round_ns = 0;
	l->next = l->process_len;
	do
		wait_list_step(l, env, now_ns);
	while (l->next < l->process_len);
}
