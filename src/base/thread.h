/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_THREAD_H
#define PTOP_BASE_THREAD_H
/*
 * Threads that no signal reaches but their own faults: the others are for the main thread, and a
 * fault that is blocked ends the program before its handler has given the terminal back.
 */
#include "base/queue.h"

#include <pthread.h>

/*
 * Starts a thread; it has a stack of its own for handlers, so that the end of the other can be
 * told, too.  @name is at most 15 characters, NULL: its parent's.  0 or an errno.
 */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* The same, or the end of the program. */
void thread_start_or_die(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* A thread that takes messages, one at a time and in the order in which they came. */
struct worker {
	void (*take)(void *self, struct msg *m); /* borrows it */
	void *self;
	struct queue *asks;
	pthread_t thread;
};

/* @name: see thread_start().  It is the thread, or the end of the program. */
void worker_start(struct worker *w, const char *name, void (*take)(void *self, struct msg *m),
		  void *self);
void worker_ask(struct worker *w, struct msg *m); /* gives it away */
void worker_end(struct worker *w); /* waits until it has taken all that it was asked */

/* A stack for handlers of the calling thread, which was not started so: once, for its life. */
void thread_give_handler_stack(void);

#endif
