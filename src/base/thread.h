/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_THREAD_H
#define PTOP_BASE_THREAD_H
/*
 * Threads that no signal reaches but their own faults: the others are for the main thread, and a
 * fault that is blocked ends the program before its handler has given the terminal back.
 */
#include "base/util.h"

#include <pthread.h>

/*
 * Starts a thread; it has a stack of its own for handlers, so that the end of the other can be
 * told, too.  @name is at most 15 characters, NULL: its parent's.  0 or an errno.
 */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* The same, or the end of the program. */
void thread_start_or_die(pthread_t *thread, const char *name, void *(*run)(void *), void *arg);

/* A stack for handlers of the calling thread, which was not started so: once, for its life. */
void thread_give_handler_stack(void);

#endif
