/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/worker.h"

#include "base/thread.h"


pthread_t
worker_start(const char *name, void *(*run)(void *), void *arg)
{
	pthread_t thread;

	thread_start_or_die(&thread, name, run, arg);
	return thread;
}
