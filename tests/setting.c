/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of its own keeps the value that was: it waits for the end of a pipe, which the kernel
 * closes when the test has ended, by a signal or not.  It has the lock as well, so that nobody else
 * takes a value for the one to be kept that is about to go.
 */
#include "tests/setting.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

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
setting_take(struct setting *s, const char *path)
{
	char was[32] = "";
	int ends[2];

	*s = (struct setting){ .lock_fd = open(path, O_RDWR | O_CLOEXEC) };
	if (s->lock_fd < 0)
		return false;
	if (flock(s->lock_fd, LOCK_EX) < 0 || pread(s->lock_fd, was, sizeof(was) - 1, 0) <= 0 ||
	    pipe2(ends, O_CLOEXEC) < 0)
		abort();
	s->keeper = fork();
	if (s->keeper == 0) {
		close(ends[1]);
		keep(s->lock_fd, ends[0], was);
	}
	if (s->keeper < 0)
		abort();
	close(ends[0]);
	s->end_fd = ends[1];
	return true;
}

void
setting_set(const struct setting *s, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", value);
	put(s->lock_fd, text);
}

void
setting_give_back(struct setting *s)
{
	if (s->keeper <= 0)
		return;
	close(s->end_fd);
	waitpid(s->keeper, NULL, 0);
	close(s->lock_fd);
	*s = (struct setting){ .keeper = 0 };
}
