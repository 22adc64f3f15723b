/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of its own keeps the level that was: it waits for the end of a pipe, which the kernel
 * closes when the test has ended, by a signal or not.  It has the lock as well, so that nobody else
 * takes a level for the one to be kept that is about to go.
 */
#include "tests/paranoid.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static const char path[] = "/proc/sys/kernel/perf_event_paranoid";

static int lock_fd = -1, end_fd = -1;
static pid_t keeper;

static void
put(int fd, const char *text)
{
	if (pwrite(fd, text, strlen(text), 0) < 0)
		abort();
}

static void
keep(int fd, int end, const char *was)
{
	char none;

	setsid();
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_IGN);
	while (read(end, &none, 1) > 0)
		;
	put(fd, was);
	_exit(0);
}

bool
paranoid_take(void)
{
	char was[32] = "";
	int ends[2];

	lock_fd = open(path, O_RDWR | O_CLOEXEC);
	if (lock_fd < 0)
		return false;
	if (flock(lock_fd, LOCK_EX) < 0 || pread(lock_fd, was, sizeof(was) - 1, 0) <= 0 ||
	    pipe2(ends, O_CLOEXEC) < 0)
		abort();
	keeper = fork();
	if (keeper == 0) {
		close(ends[1]);
		keep(lock_fd, ends[0], was);
	}
	close(ends[0]);
	end_fd = ends[1];
	return keeper > 0;
}

void
paranoid_set(int level)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", level);
	put(lock_fd, text);
}

void
paranoid_give_back(void)
{
	if (lock_fd < 0)
		return;
	close(end_fd);
	waitpid(keeper, NULL, 0);
	close(lock_fd);
	lock_fd = end_fd = -1;
}
