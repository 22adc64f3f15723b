/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/worker.h"

#include "base/util.h"

#include <signal.h>
#include <string.h>

pthread_t
worker_start(const char *name, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	pthread_t thread;
	int res;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	res = pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (res != 0)
		die("cannot start a thread: %s", strerror(res));
	pthread_setname_np(thread, name);
	return thread;
}
