/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/close_together.h"

#include "base/thread.h"

#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 32 };

static void *
close_one(void *fd)
{
	close((int)(intptr_t)fd);
	return NULL;
}

/* A thread that cannot be had: it is closed by this one. */
static bool
start(pthread_t *thread, int fd)
{
	if (thread_start(thread, "ptop-close", close_one, (void *)(intptr_t)fd) == 0)
		return true;
	close(fd);
	return false;
}

void
close_together(const int *fds, size_t count)
{
	pthread_t threads[THREADS_MAX];
	size_t started = 0, at = 0;

	while (at < count) {
		for (; at < count && started < THREADS_MAX; at++)
			if (fds[at] >= 0 && start(&threads[started], fds[at]))
				started++;
		while (started > 0)
			pthread_join(threads[--started], NULL);
	}
}
