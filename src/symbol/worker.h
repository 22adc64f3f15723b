/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_WORKER_H
#define PTOP_SYMBOL_WORKER_H
/* Threads that no signal reaches: those are for the main thread. */
#include <pthread.h>

/* Starts or dies.  @name is at most 15 characters. */
pthread_t worker_start(const char *name, void *(*run)(void *), void *arg);

#endif
