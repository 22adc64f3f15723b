/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bare_looks.h"

#include "figure.h"

#include "base/clock.h"
#include "base/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

enum { THREADS_MOST = 8000, SPARE_FILES = 64, TURNS = 5, STACK_BYTES = 8 << 10, TEXT_MAX = 256 };

struct bare_thread {
	int tid, call_fd, sched_fd;
};

static int
open_file(pid_t pid, int tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* So many threads can have their two files. */
static size_t
count_most(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_max <= SPARE_FILES)
		return 0;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	return MIN((size_t)(r.rlim_max - SPARE_FILES) / 2, (size_t)THREADS_MOST);
}

/* The threads of @pid: how many. */
static size_t
list(pid_t pid, struct bare_thread threads[THREADS_MOST])
{
	size_t most = count_most(), len = 0;
	const struct dirent *entry;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir != NULL && len < most && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			threads[len++] = (struct bare_thread){ atoi(entry->d_name), -1, -1 };
	if (dir != NULL)
		closedir(dir);
	return len;
}

static void
read_stack(int tid, const char *call)
{
	static char stack[STACK_BYTES];
	unsigned long long sp = 0, pc = 0;
	const char *at = call;

	/* The last two words of the line. */
	for (const char *c = call; *c != '\0'; c++)
		if (c[0] == ' ' && c[1] == '0') {
			sp = pc;
			pc = strtoull(c, NULL, 16);
			at = c;
		}
	if (at == call || sp == 0)
		return;
	process_vm_readv(tid, &(struct iovec){ stack, sizeof(stack) }, 1,
			 &(struct iovec){ (void *)(uintptr_t)sp, sizeof(stack) }, 1, 0);
}

static void
look(const struct bare_thread *t)
{
	char text[TEXT_MAX];
	ssize_t n = pread(t->call_fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	read_stack(t->tid, text);
	if (pread(t->call_fd, text, sizeof(text), 0) < 0)
		return;
	(void)!pread(t->sched_fd, text, sizeof(text), 0);
}

static double
us_each(uint64_t since_ns, size_t count)
{
	return (double)(clock_thread_cpu_ns() - since_ns) / 1000 / (double)count;
}

static double
time_first(pid_t pid, struct bare_thread *threads, size_t len)
{
	uint64_t since = clock_thread_cpu_ns();

	for (size_t i = 0; i < len; i++) {
		threads[i].call_fd = open_file(pid, threads[i].tid, "syscall");
		threads[i].sched_fd = open_file(pid, threads[i].tid, "schedstat");
		look(&threads[i]);
	}
	return us_each(since, len);
}

static double
time_looks(const struct bare_thread *threads, size_t len)
{
	uint64_t since = clock_thread_cpu_ns();

	for (size_t i = 0; i < len; i++)
		look(&threads[i]);
	return us_each(since, len);
}

static double
time_same(const struct bare_thread *threads, size_t len)
{
	uint64_t since = clock_thread_cpu_ns();
	char text[TEXT_MAX];

	for (size_t i = 0; i < len; i++)
		(void)!pread(threads[i].sched_fd, text, sizeof(text), 0);
	return us_each(since, len);
}

static void
close_all(const struct bare_thread *threads, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (threads[i].call_fd >= 0)
			close(threads[i].call_fd);
		if (threads[i].sched_fd >= 0)
			close(threads[i].sched_fd);
	}
}

struct bare_looks
bare_looks(pid_t pid)
{
	struct bare_thread *threads = mem_calloc(THREADS_MOST, sizeof(*threads));
	struct series looks = { .len = 0 }, same = { .len = 0 };
	struct bare_looks out = { NAN, NAN, NAN };
	size_t len;

	len = list(pid, threads);
	if (len > 0)
		out.first = time_first(pid, threads, len);
	for (int i = 0; len > 0 && i < TURNS; i++) {
		series_add(&looks, time_looks(threads, len));
		series_add(&same, time_same(threads, len));
	}
	out.look = series_percentile(&looks, 50);
	out.same = series_percentile(&same, 50);
	close_all(threads, len);
	free(threads);
	return out;
}
