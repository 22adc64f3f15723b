/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/sys/procfs.h"

enum {
	MAPS_MAX = 65536,
	TEXT_MAX = 64 << 20,
	NAMES_MAX = 64 << 20,
	CHUNK = 64 << 10, /* and the longest line; a path is at most 4096 bytes, escaped 4 times */
	NAME_MAX_BYTES = 4096,
};

/* struct procmap_query of <linux/fs.h>, kernel 6.11, under a name that cannot clash with it. */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_size, offset, ino;
	uint32_t maj, min, name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};

#define MAP_QUERY _IOWR('f', 17, struct map_query) /* PROCMAP_QUERY */

enum { /* PROCMAP_QUERY_VMA_*: of vma_flags, and of flags */
	VMA_READABLE = 0x01,
	VMA_WRITABLE = 0x02,
	VMA_EXECUTABLE = 0x04,
	VMA_COVERING_OR_NEXT = 0x10,
};

/* Where @name is kept.  Ranges of one file mostly follow each other: theirs is kept once. */
static uint32_t
keep_name(struct proc_maps *m, const char *name, size_t len)
{
	const char *last;
	size_t at;

	if (m->names.len == 0)
		buf_add_char(&m->names, '\0');
	if (len == 0)
		return 0;
	if (m->len > 0) {
		last = m->names.data + m->items[m->len - 1].name;
		if (strlen(last) == len && memcmp(last, name, len) == 0)
			return m->items[m->len - 1].name;
	}
	at = m->names.len;
	buf_add(&m->names, name, len);
	buf_add_char(&m->names, '\0');
	return (uint32_t)at;
}

/* 0 or EFBIG.  Ranges come in rising order; one that does not is no map. */
static int
keep_map(struct proc_maps *m, const struct proc_map *map, const char *name, size_t len)
{
	uint64_t floor = m->len > 0 ? m->items[m->len - 1].end : 0;
	struct proc_map copy = *map;

	if (map->start >= map->end || map->start < floor)
		return 0;
	if (m->len == MAPS_MAX || m->names.len + len + 2 > NAMES_MAX)
		return EFBIG;
	copy.name = keep_name(m, name, len);
	VEC_ADD(m->items, m->len, m->cap) = copy;
	return 0;
}

static bool
is_wanted(const struct proc_maps *m, uint32_t prot, uint64_t ino)
{
	return prot & PROT_EXEC || (m->has_data && ino != 0);
}

static uint32_t
query_prot(uint64_t flags)
{
	return (flags & VMA_READABLE ? (uint32_t)PROT_READ : 0) |
	       (flags & VMA_WRITABLE ? (uint32_t)PROT_WRITE : 0) |
	       (flags & VMA_EXECUTABLE ? (uint32_t)PROT_EXEC : 0);
}

/* One question.  Without a name if that is longer than the kernel is willing to give. */
static int
query_next(int fd, uint64_t addr, uint64_t flags, struct map_query *q, char *name)
{
	*q = (struct map_query){ .size = sizeof(*q), .flags = flags, .addr = addr };
	q->name_addr = (uintptr_t)name;
	q->name_size = NAME_MAX_BYTES;
	if (ioctl(fd, MAP_QUERY, q) == 0)
		return 0;
	if (errno != ENAMETOOLONG)
		return errno;
	*q = (struct map_query){ .size = sizeof(*q), .flags = flags, .addr = addr };
	return ioctl(fd, MAP_QUERY, q) == 0 ? 0 : errno;
}

int
proc_maps_query(int fd, struct proc_maps *m)
{
	uint64_t addr = 0, flags = VMA_COVERING_OR_NEXT | (m->has_data ? 0u : VMA_EXECUTABLE);
	char name[NAME_MAX_BYTES];
	struct map_query q;
	int error;

	while ((error = query_next(fd, addr, flags, &q, name)) == 0) {
		struct proc_map map = {
			.start = q.start, .end = q.end, .pgoff = q.offset, .maj = q.maj,
			.min = q.min, .ino = q.ino, .prot = query_prot(q.vma_flags),
		};

		if (q.end <= addr)
			return EIO;
		addr = q.end;
		if (!is_wanted(m, map.prot, map.ino))
			continue;
		/* name_size counts the NUL; 0: there is no name. */
		error = keep_map(m, &map, name, q.name_size > 0 ? strnlen(name, sizeof(name)) : 0);
		if (error != 0)
			return error;
	}
	/* Nothing at or above addr; or a kernel thread, or a process that has given up its maps. */
	return error == ENOENT || error == ESRCH ? 0 : error;
}

/* The line is changed: its name is unescaped in place.  Lines that are no maps are left out. */
static int
text_line(struct proc_maps *m, char *line, size_t len)
{
	struct procfs_map p;
	struct proc_map map;
	size_t at;

	if (!procfs_map(line, len, &p) || !is_wanted(m, p.prot, p.ino))
		return 0;
	map = (struct proc_map){ .start = p.start, .end = p.end, .pgoff = p.pgoff, .maj = p.maj,
				 .min = p.min, .ino = p.ino, .prot = p.prot };
	at = (size_t)(p.name - line);
	return keep_map(m, &map, line + at, procfs_map_name(p.name, p.name_len, line + at));
}

/* Takes the whole lines at the front of @text; *@used is how much that was. */
static int
text_lines(struct proc_maps *m, char *text, size_t len, size_t *used)
{
	char *nl;
	int error;

	*used = 0;
	while ((nl = memchr(text + *used, '\n', len - *used)) != NULL) {
		error = text_line(m, text + *used, (size_t)(nl - text) - *used);
		if (error != 0)
			return error;
		*used = (size_t)(nl - text) + 1;
	}
	return 0;
}

/* The kernel gives a page of lines at a time, whatever the buffer: nothing to gain by more. */
static int
text_read(int fd, char *chunk, struct proc_maps *m)
{
	size_t len = 0, used, total = 0;
	int error;
	ssize_t n;

	for (;;) {
		n = read(fd, chunk + len, CHUNK - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : 0;
		len += (size_t)n;
		total += (size_t)n;
		error = text_lines(m, chunk, len, &used);
		len -= used;
		memmove(chunk, chunk + used, len);
		if (error != 0)
			return error;
		if (len == CHUNK || total > TEXT_MAX)
			return EFBIG;
	}
}

int
proc_maps_text(int fd, struct proc_maps *m)
{
	char *chunk = mem_realloc(NULL, 1, CHUNK); /* most texts fill little of it */
	int error = text_read(fd, chunk, m);

	free(chunk);
	return error;
}

void
proc_maps_release(struct proc_maps *m)
{
	free(m->items);
	buf_release(&m->names);
	*m = (struct proc_maps){ 0 };
}

/* Asking for the few executable ranges is 3 to 5 times as fast as reading all lines. */
static int
read_open_maps(const struct proc_maps_env *env, int fd, struct proc_maps *m)
{
	const bool has_data = m->has_data;
	int error = proc_maps_query(fd, m);

	if (error == 0 && m->len > 0 && env->has_gate)
		error = keep_map(m, &env->gate, "[vsyscall]", strlen("[vsyscall]"));
	if (error == 0 || error == EFBIG)
		return error;
	/* Not this kernel, or not this file: the text tells what is wrong, if anything is. */
	proc_maps_release(m);
	m->has_data = has_data;
	return proc_maps_text(fd, m);
}

static int
read_maps_at(const struct proc_maps_env *env, const char *path, struct proc_maps *m)
{
	int fd = openat(env->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int error;

	if (fd < 0)
		return errno == ENOENT ? ESRCH : errno;
	error = read_open_maps(env, fd, m);
	close(fd);
	return error;
}

/*
 * A main thread that ended before the others shows no maps, as they show them: then one of
 * theirs are read.
 */
static int
read_maps_of_thread(const struct proc_maps_env *env, int pid, struct proc_maps *m)
{
	char path[64];
	int tid;

	snprintf(path, sizeof(path), "%d/task", pid);
	tid = proc_file_other_id(env->proc_fd, path, pid);
	if (tid == 0)
		return ESRCH;
	snprintf(path, sizeof(path), "%d/task/%d/maps", pid, tid);
	return read_maps_at(env, path, m);
}

static int
read_stat(const struct proc_maps_env *env, int pid, struct procfs_stat *stat)
{
	char path[32], text[PROC_FILE_SMALL];
	ssize_t n;

	snprintf(path, sizeof(path), "%d/stat", pid);
	n = proc_file_read(env->proc_fd, path, text, sizeof(text));
	if (n < 0)
		return errno == ENOENT ? ESRCH : errno;
	return procfs_stat(text, (size_t)n, stat) ? 0 : ESRCH;
}

static int
read_maps(const struct proc_maps_env *env, int pid, struct procfs_stat *stat, struct proc_maps *m)
{
	struct procfs_stat after;
	char path[32];
	int error = read_stat(env, pid, stat);
	bool is_dead;

	if (error != 0)
		return error;
	snprintf(path, sizeof(path), "%d/maps", pid);
	error = read_maps_at(env, path, m);
	if (error != 0)
		return error;
	error = read_stat(env, pid, &after);
	if (error != 0)
		return error;
	if (after.start_ticks != stat->start_ticks)
		return ESRCH;
	is_dead = strchr("ZX", after.state) != NULL;
	if (m->len > 0 || !is_dead)
		return 0;
	return after.threads > 1 ? read_maps_of_thread(env, pid, m) : ESRCH;
}

struct proc_maps_msg *
proc_maps_error(int pid, uint32_t cookie, int error)
{
	struct proc_maps_msg *msg = proc_maps_msg_new();

	msg->pid = pid;
	msg->cookie = cookie;
	msg->error = error;
	msg->clock_ns = clock_mono_ns();
	msg->names = mem_calloc(1, 1);
	return msg;
}

struct proc_maps_msg *
proc_maps_read(const struct proc_maps_env *env, int pid, uint32_t cookie, bool has_data)
{
	const uint64_t from_ns = clock_thread_cpu_ns();
	struct procfs_stat stat = { 0 };
	struct proc_maps m = { .has_data = has_data };
	int error = env->proc_fd >= 0 ? read_maps(env, pid, &stat, &m) : env->root_errno;
	struct proc_maps_msg *msg = proc_maps_error(pid, cookie, error);

	if (error == 0 && m.len > 0) {
		free(msg->names);
		msg->names = m.names.data;
		msg->maps = m.items;
		msg->count = m.len;
		m = (struct proc_maps){ 0 };
	}
	if (error == 0) {
		msg->start_ticks = stat.start_ticks;
		msg->ppid = stat.ppid;
		memcpy(msg->comm, stat.comm, sizeof(msg->comm) - 1);
	}
	proc_maps_release(&m);
	msg->took_ns = clock_thread_cpu_ns() - from_ns;
	return msg;
}

/* The gate page is in the text of every process's maps, but a query does not find it. */
static void
find_gate(struct proc_maps_env *env)
{
	int fd = openat(env->proc_fd, "self/maps", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct proc_maps m = { 0 };

	if (fd < 0)
		return;
	if (proc_maps_text(fd, &m) == 0 && m.len > 0) {
		env->gate = m.items[m.len - 1];
		env->has_gate = strcmp(m.names.data + env->gate.name, "[vsyscall]") == 0;
	}
	proc_maps_release(&m);
	close(fd);
}

void
proc_maps_env_init(struct proc_maps_env *env, const char *root)
{
	*env = (struct proc_maps_env){ 0 };
	env->proc_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	env->root_errno = errno;
	if (env->proc_fd >= 0)
		find_gate(env);
}

void
proc_maps_env_release(struct proc_maps_env *env)
{
	if (env->proc_fd >= 0)
		close(env->proc_fd);
	env->proc_fd = -1;
}

struct proc_comm_msg *
proc_comm_error(int pid, int tid, uint32_t cookie, int error)
{
	struct proc_comm_msg *m = msg_new(sizeof(*m), PROC_MSG_COMM, NULL);

	m->pid = pid;
	m->tid = tid;
	m->cookie = cookie;
	m->error = error;
	return m;
}

struct proc_comm_msg *
proc_comm_read(const struct proc_maps_env *env, int pid, int tid, uint32_t cookie)
{
	struct proc_comm_msg *m = proc_comm_error(pid, tid, cookie, env->root_errno);
	char path[64];
	ssize_t n;

	if (env->proc_fd < 0)
		return m;
	m->error = 0;
	snprintf(path, sizeof(path), "%d/task/%d/comm", pid, tid);
	n = proc_file_read(env->proc_fd, path, m->comm, sizeof(m->comm) - 1);
	if (n < 0)
		m->error = errno == ENOENT ? ESRCH : errno;
	else if (n > 0 && m->comm[n - 1] == '\n') /* the kernel's; a name may hold others */
		m->comm[n - 1] = '\0';
	return m;
}
