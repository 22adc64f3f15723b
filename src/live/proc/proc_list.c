/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_list.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/proc/proc_owner.h"
#include "live/sys/procfs.h"

enum {
	COMMAND_MAX = 256,
	CGROUP_MAX = 8192, /* of the first version there are a dozen lines */
	THREADS_MANY = 1000, /* of a process that is read */
	MANY_TICKS = 5,      /* once in so many ticks */
	CGROUP_TICKS = 8, /* a process seldom changes its group, and looking costs as much as stat */
	/* A shorter span of a counter with steps of 10 ms says nothing. */
	SPAN_MIN_NS = 50 * 1000 * 1000,
	IO_SPAN_MAX_S = 60, /* a longer time between two readings says nothing of now */
};

void
proc_list_init(struct proc_list *l, int fd, bool is_threads, size_t max)
{
	*l = (struct proc_list){ .fd = fd, .is_threads = is_threads, .max = max };
}

static void
entry_release(struct proc_entry *e)
{
	free(e->command);
	free(e->cgroup);
}

void
proc_list_release(struct proc_list *l)
{
	for (size_t i = 0; i < l->len; i++)
		entry_release(&l->entries[i]);
	free(l->entries);
	free(l->fresh);
	if (l->fd >= 0)
		close(l->fd);
	*l = (struct proc_list){ .fd = -1 };
}

/* The first entry with this id or a higher one. */
static size_t
lower_bound(const struct proc_list *l, int id)
{
	size_t at;

	FIND_FIRST(at, l->len, l->entries[at].id >= id);
	return at;
}

struct proc_entry *
proc_list_find(const struct proc_list *l, int id)
{
	size_t i = lower_bound(l, id);

	return i < l->len && l->entries[i].id == id ? &l->entries[i] : NULL;
}

void
proc_list_begin(struct proc_list *l)
{
	l->tick++;
	l->turn = lower_bound(l, l->turn_id);
	l->turns_left = l->len;
	if (l->in_pass || l->fd < 0)
		return;
	l->pass_ns = clock_mono_ns();
	l->in_pass = lseek(l->fd, 0, SEEK_SET) == 0;
	l->pass++;
}

void
proc_list_add(struct proc_list *l, int id)
{
	struct proc_entry *e = proc_list_find(l, id);

	if (e != NULL) {
		e->pass = l->pass;
		return;
	}
	if (l->len + l->fresh_len >= l->max)
		return;
	e = &VEC_ADD(l->fresh, l->fresh_len, l->fresh_cap);
	*e = (struct proc_entry){ .id = id, .pass = l->pass, .cpu = NAN };
	l->is_unsettled = true;
}

static void
end_pass(struct proc_list *l)
{
	l->in_pass = false;
	l->passes_done++;
	l->listed_ns = l->pass_ns;
	for (size_t i = 0; i < l->len; i++) {
		struct proc_entry *e = &l->entries[i];

		/* Passes are counted modulo 2^32, and one is never that late. */
		if (e->pass != l->pass) {
			e->is_dead = true;
			l->is_unsettled = true;
		}
	}
}

void
proc_list_batch(struct proc_list *l)
{
	int ids[PROC_FILE_IDS];
	size_t count;
	int res = proc_file_ids(l->fd, ids, &count);

	for (size_t i = 0; i < count; i++)
		proc_list_add(l, ids[i]);
	/* An error is the end as well: the process whose threads these are is gone. */
	if (res <= 0)
		end_pass(l);
	proc_list_settle(l);
}

static int
by_id(const void *a, const void *b)
{
	const struct proc_entry *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* From the back, so that nothing is overwritten before it has moved. */
static void
merge_fresh(struct proc_list *l)
{
	size_t to = l->len + l->fresh_len, from = l->len;

	vec_reserve(&l->entries, &l->cap, to, sizeof(*l->entries));
	qsort(l->fresh, l->fresh_len, sizeof(*l->fresh), by_id);
	l->len = to;
	while (l->fresh_len > 0) {
		const struct proc_entry *f = &l->fresh[l->fresh_len - 1];

		if (from > 0 && l->entries[from - 1].id > f->id)
			l->entries[--to] = l->entries[--from];
		else
			l->entries[--to] = l->fresh[--l->fresh_len];
	}
}

/* Out with the dead, and with one that came in twice. */
static void
drop_dead(struct proc_list *l)
{
	size_t to = 0;

	for (size_t i = 0; i < l->len; i++) {
		struct proc_entry *e = &l->entries[i];

		if (e->is_dead || (to > 0 && l->entries[to - 1].id == e->id))
			entry_release(e);
		else
			l->entries[to++] = *e;
	}
	l->len = to;
}

void
proc_list_settle(struct proc_list *l)
{
	if (!l->is_unsettled)
		return;
	if (l->fresh_len > 0)
		merge_fresh(l);
	drop_dead(l);
	l->is_unsettled = false;
	l->unread_from = 0;
	l->turn = lower_bound(l, l->turn_id);
}

/* One reading more, and it has a share of a CPU. */
bool
proc_list_may_wait(const struct proc_list *l, const struct proc_entry *e)
{
	return !l->is_threads && e->is_read && e->threads >= THREADS_MANY && !isnan(e->cpu) &&
	       l->tick - e->tick < MANY_TICKS;
}

static bool
is_waiting(const struct proc_entry *e)
{
	return !e->is_read && !e->is_hidden && !e->is_dead;
}

struct proc_entry *
proc_list_next_unread(struct proc_list *l)
{
	while (l->unread_from < l->len && !is_waiting(&l->entries[l->unread_from]))
		l->unread_from++;
	return l->unread_from < l->len ? &l->entries[l->unread_from] : NULL;
}

struct proc_entry *
proc_list_next_in_turn(struct proc_list *l)
{
	for (; l->turns_left > 0 && l->len > 0; l->turns_left--, l->turn++) {
		struct proc_entry *e;

		if (l->turn >= l->len)
			l->turn = 0;
		e = &l->entries[l->turn];
		l->turn_id = e->id + 1;
		if (e->tick != l->tick && !e->is_dead && !proc_list_may_wait(l, e))
			return e;
	}
	return NULL;
}

bool
proc_list_is_complete(struct proc_list *l)
{
	return l->passes_done > 0 && proc_list_next_unread(l) == NULL;
}

static void
update_cpu(struct proc_entry *e, uint64_t cpu_ns, uint64_t now)
{
	uint64_t span = now - e->read_ns;

	if (e->is_read) {
		if (span < SPAN_MIN_NS)
			return;
		/* The kernel's sums can step back a little. */
		cpu_ns = MAX(cpu_ns, e->cpu_ns);
		e->cpu = (float)(100.0 * (double)(cpu_ns - e->cpu_ns) / (double)span);
	}
	e->cpu_ns = cpu_ns;
	e->read_ns = now;
}

static uint64_t
ticks_ns(uint64_t ticks)
{
	return ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The counter of nanoseconds if there is one, else that of clock ticks. */
static uint64_t
thread_cpu_ns(const struct proc_list *l, const struct proc_entry *e, const struct procfs_stat *s)
{
	char path[32], text[PROC_FILE_SMALL];
	struct procfs_schedstat sched;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/schedstat", e->id);
	n = proc_file_read(l->fd, path, text, sizeof(text));
	if (n > 0 && procfs_schedstat(text, (size_t)n, &sched))
		return sched.run_ns;
	return ticks_ns(s->utime + s->stime);
}

/* Its name where there is no command line, as of zombies; in brackets of kernel threads alone. */
static void
read_command(const struct proc_list *l, struct proc_entry *e, const struct procfs_stat *s,
	     bool may_block)
{
	char path[32], text[COMMAND_MAX];
	ssize_t n = 0;
	int len;

	if (!e->is_kernel_thread && may_block) {
		snprintf(path, sizeof(path), "%d/cmdline", e->id);
		n = proc_file_read(l->fd, path, text, sizeof(text));
	}
	n = n > 0 ? (ssize_t)procfs_command(text, (size_t)n) : 0;
	if (n == 0) {
		len = snprintf(text, sizeof(text), e->is_kernel_thread ? "[%s]" : "%s", s->comm);
		n = MAX(len, 0);
	}
	free(e->command);
	e->command = mem_strndup(text, (size_t)n);
}

/* Whoever makes a container moves a process into its group before it becomes the program. */
static void
read_cgroup(const struct proc_list *l, struct proc_entry *e)
{
	char path[32], text[CGROUP_MAX];
	const char *cgroup;
	size_t len;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/cgroup", e->id);
	n = proc_file_read(l->fd, path, text, sizeof(text));
	if (n <= 0 || !procfs_cgroup(text, (size_t)n, &cgroup, &len))
		return;
	free(e->cgroup);
	e->cgroup = mem_strndup(cgroup, len);
}

static void
read_owner(const struct proc_list *l, struct proc_entry *e)
{
	uint64_t now = clock_mono_ns();

	if (proc_owner_of(l->fd, e->id, &e->uid) == 0)
		e->owner_ns = now;
}

static void
read_process(const struct proc_list *l, struct proc_entry *e, const struct procfs_stat *s,
	     bool is_same, bool may_block)
{
	bool same_program = is_same && e->start_stack == s->start_stack &&
			    strncmp(e->comm, s->comm, sizeof(e->comm) - 1) == 0;

	/* An exec that leaves the name as it was is not seen from here, if its stack may not be. */
	read_owner(l, e);
	if (!same_program || (l->tick + (uint32_t)e->id) % CGROUP_TICKS == 0)
		read_cgroup(l, e);
	if (!same_program || e->command == NULL)
		read_command(l, e, s, may_block);
}

static void
fill_entry(struct proc_entry *e, const struct procfs_stat *s)
{
	e->ppid = s->ppid;
	e->threads = s->threads;
	e->state = s->state;
	e->priority = s->priority;
	e->nice = s->nice;
	e->virt_bytes = s->virt_bytes;
	e->rss_bytes = s->rss_pages * page_size();
	e->start_ticks = s->start_ticks;
	e->start_stack = s->start_stack;
	memset(e->comm, 0, sizeof(e->comm));
	memcpy(e->comm, s->comm, strnlen(s->comm, sizeof(e->comm) - 1));
	e->is_read = true;
	e->is_hidden = false;
}

/* Not readable is not dead: with hidepid a process can be listed and yet be hidden. */
static void
read_failed(struct proc_list *l, struct proc_entry *e, int error)
{
	e->is_read = false;
	e->is_hidden = true;
	if (error == ENOENT || error == ESRCH) {
		e->is_dead = true;
		l->is_unsettled = true;
	}
}

/* What a counter gained, a second; nothing, if it went back. */
static float
rate_of(uint64_t now, uint64_t before, uint64_t span_ns)
{
	return (float)((double)(now - MIN(before, now)) * 1e9 / (double)span_ns);
}

/* Who may not trace a process may not read this file of it: then it stays unknown. */
static void
read_io(const struct proc_list *l, struct proc_entry *e)
{
	char path[32], text[PROC_FILE_SMALL];
	uint64_t read_bytes, write_bytes, now = clock_mono_ns(), span = now - e->io.at_ns;
	ssize_t n;

	if (e->io.at_ns != 0 && span < SPAN_MIN_NS)
		return;
	snprintf(path, sizeof(path), "%d/io", e->id);
	n = proc_file_read(l->fd, path, text, sizeof(text));
	if (n <= 0 || !procfs_io(text, (size_t)n, &read_bytes, &write_bytes)) {
		e->io.at_ns = 0;
		return;
	}
	e->io.read = e->io.write = NAN;
	if (e->io.at_ns != 0 && span < IO_SPAN_MAX_S * NSEC_PER_SEC) {
		e->io.read = rate_of(read_bytes, e->io.read_bytes, span);
		e->io.write = rate_of(write_bytes, e->io.write_bytes, span);
	}
	e->io.read_bytes = read_bytes;
	e->io.write_bytes = write_bytes;
	e->io.at_ns = now;
}

void
proc_list_read(struct proc_list *l, struct proc_entry *e, bool may_block)
{
	char path[32], text[PROC_FILE_SMALL];
	struct procfs_stat s;
	uint64_t now, cpu_ns;
	bool is_same;
	ssize_t n;

	e->tick = l->tick;
	snprintf(path, sizeof(path), "%d/stat", e->id);
	n = proc_file_read(l->fd, path, text, sizeof(text));
	now = clock_mono_ns();
	if (n < 0 || !procfs_stat(text, (size_t)n, &s)) {
		read_failed(l, e, n < 0 ? errno : EIO);
		return;
	}
	is_same = e->is_read && e->start_ticks == s.start_ticks;
	if (!is_same) {
		e->is_read = false;
		e->cpu = NAN;
		e->uid = UINT32_MAX;
		e->owner_ns = 0;
		memset(&e->io, 0, sizeof(e->io));
	}
	if (l->wants_io)
		read_io(l, e);
	e->is_kernel_thread = (s.flags & PROCFS_KERNEL_THREAD) != 0;
	cpu_ns = l->is_threads ? thread_cpu_ns(l, e, &s) : ticks_ns(s.utime + s.stime);
	update_cpu(e, cpu_ns, now);
	if (!l->is_threads)
		read_process(l, e, &s, is_same, may_block);
	fill_entry(e, &s);
}
