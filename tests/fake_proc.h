/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FAKE_PROC_H
#define PTOP_TESTS_FAKE_PROC_H
/* A tree of files that looks like /proc, in a directory of its own.  One thread. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_proc {
	char root[64];
};

/* Writes the path of a file in it to @path. */
__attribute__((format(printf, 4, 5))) static inline const char *
fake_path(const struct fake_proc *f, char *path, size_t size, const char *fmt, ...)
{
	int n = snprintf(path, size, "%s/", f->root);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + n, size - (size_t)n, fmt, ap);
	va_end(ap);
	return path;
}

static inline void
fake_write(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	close(fd);
}

static inline void
fake_machine(const struct fake_proc *f, const char *name, const char *text)
{
	char path[256];

	fake_write(fake_path(f, path, sizeof(path), "%s", name), text, strlen(text));
}

static inline void
fake_proc_make(struct fake_proc *f)
{
	strcpy(f->root, "/tmp/ptop-proc-XXXXXX");
	if (mkdtemp(f->root) == NULL)
		abort();
	fake_machine(f, "stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\n");
	fake_machine(f, "loadavg", "1.50 2.25 3.00 2/77 1\n");
	fake_machine(f, "uptime", "100.25 1.0\n");
}

static inline void
fake_proc_drop(struct fake_proc *f)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", f->root);
	if (system(cmd) != 0)
		abort();
}

/* What the stat file says of a process or thread. */
struct fake_stat {
	int pid, ppid, threads;
	const char *comm;
	char state;
	unsigned flags;
	unsigned long cpu_ticks, start_ticks, start_stack;
};

static inline void
fake_stat_at(const char *path, const struct fake_stat *s)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%d (%s) %c %d 0 0 0 -1 %u 0 0 0 0 %lu 0 0 0 20 0 %d "
			 "0 %lu 0 0 0 0 0 %lu 0 0\n", s->pid, s->comm,
			 s->state != '\0' ? s->state : 'S', s->ppid, s->flags, s->cpu_ticks,
			 s->threads, s->start_ticks, s->start_stack);

	fake_write(path, text, (size_t)n);
}

static inline void
fake_process(const struct fake_proc *f, const struct fake_stat *s)
{
	char path[256];

	mkdir(fake_path(f, path, sizeof(path), "%d", s->pid), 0755);
	fake_stat_at(fake_path(f, path, sizeof(path), "%d/stat", s->pid), s);
}

static inline void
fake_file(const struct fake_proc *f, int pid, const char *name, const void *data, size_t len)
{
	char path[256];

	fake_write(fake_path(f, path, sizeof(path), "%d/%s", pid, name), data, len);
}

static inline void
fake_thread(const struct fake_proc *f, int pid, const struct fake_stat *s, uint64_t run_ns)
{
	char path[256], text[64];
	int n = snprintf(text, sizeof(text), "%llu 0 0\n", (unsigned long long)run_ns);

	mkdir(fake_path(f, path, sizeof(path), "%d/task", pid), 0755);
	mkdir(fake_path(f, path, sizeof(path), "%d/task/%d", pid, s->pid), 0755);
	fake_stat_at(fake_path(f, path, sizeof(path), "%d/task/%d/stat", pid, s->pid), s);
	fake_write(fake_path(f, path, sizeof(path), "%d/task/%d/schedstat", pid, s->pid), text,
		   (size_t)n);
}

static inline void
fake_exit(const struct fake_proc *f, int pid)
{
	char cmd[160];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s/%d'", f->root, pid);
	if (system(cmd) != 0)
		abort();
}

#endif
