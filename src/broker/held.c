/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is meant.  A pidfd is opened first, then the start time is read by number, then the process
 * must still live: so the number was its own when that was read, and a signal by the pidfd is for
 * nobody else.  What the kernel takes by number alone (nice, CPUs) follows at once.
 */
#include "broker/broker_impl.h"

#include "live/sys/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
open_pidfd(int pid)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */
#else
	(void)pid;
	errno = ENOSYS;
	return -1;
#endif
}

struct held
held_child(int pid)
{
	return (struct held){ pid, 0, open_pidfd(pid) };
}

bool
held_has_pidfds(void)
{
	int fd = open_pidfd(getpid());

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool
read_stat(const char *path, struct procfs_stat *stat)
{
	char text[PROC_FILE_SMALL];
	ssize_t n = proc_file_read(AT_FDCWD, path, text, sizeof(text));

	return n > 0 && procfs_stat(text, (size_t)n, stat);
}

/* Else what it tells of a number is not about the process that has this number for kill(2). */
static bool
proc_is_ours(void)
{
	struct procfs_stat stat;

	return read_stat("/proc/self/stat", &stat) && stat.pid == getpid();
}

uint64_t
broker_start_of(int pid)
{
	char path[32];
	struct procfs_stat stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return read_stat(path, &stat) ? stat.start_ticks : 0;
}

/* For a pidfd the kernel takes nothing else; by number it takes a thread for its process. */
static bool
is_process(const struct held *h)
{
	return h->fd >= 0 || syscall(SYS_tgkill, h->pid, h->pid, 0) == 0 || errno != ESRCH;
}

bool
held_has_ended(const struct held *h)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };

	return h->fd >= 0 && poll(&p, 1, 0) != 0;
}

static bool
has_thread(const struct held *h)
{
	char path[48], text[8];

	if (h->tid == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", h->pid, h->tid);
	return proc_file_read(AT_FDCWD, path, text, sizeof(text)) > 0;
}

void
held_let_go(struct held *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
}

enum broker_result
held_take(struct held *h, const struct broker_request *r)
{
	enum broker_result result = BROKER_DONE;
	uint64_t start;

	if (!proc_is_ours())
		return BROKER_NO_PROC;
	*h = (struct held){ r->pid, r->tid, open_pidfd(r->pid) };
	/* By number where the kernel, or a container, has no pidfds; not if it is no process's. */
	if (h->fd < 0 && errno != ENOSYS && errno != EPERM)
		return BROKER_GONE;
	start = broker_start_of(r->pid);
	if (start == 0 || !is_process(h) || held_has_ended(h) ||
	    (start == r->start && !has_thread(h)))
		result = BROKER_GONE;
	else if (start != r->start)
		result = BROKER_OTHER;
	if (result != BROKER_DONE)
		held_let_go(h);
	return result;
}

int
held_signal(const struct held *h, int sig)
{
	int res;

#ifdef SYS_pidfd_send_signal
	if (h->fd >= 0)
		res = (int)syscall(SYS_pidfd_send_signal, h->fd, sig, NULL, 0);
	else
#endif
		res = kill(h->pid, sig);
	return res < 0 ? errno : 0;
}

static int
pass(int dir, int (*work)(int tid, const void *arg), const void *arg)
{
	int ids[PROC_FILE_IDS], error = 0, more;
	size_t count;

	if (lseek(dir, 0, SEEK_SET) < 0)
		return errno;
	while ((more = proc_file_ids(dir, ids, &count)) > 0) {
		for (size_t i = 0; i < count; i++) {
			int failed = work(ids[i], arg);

			if (failed != 0 && failed != ESRCH && error == 0)
				error = failed;
		}
	}
	return error == 0 && more < 0 ? errno : error;
}

int
held_each_thread(const struct held *h, bool again, int (*work)(int tid, const void *arg),
		 const void *arg)
{
	char path[32];
	int dir, error;

	if (h->tid != 0)
		return work(h->tid, arg);
	snprintf(path, sizeof(path), "/proc/%d/task", h->pid);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? ESRCH : errno;
	error = pass(dir, work, arg);
	if (error == 0 && again)
		error = pass(dir, work, arg);
	close(dir);
	return error;
}
