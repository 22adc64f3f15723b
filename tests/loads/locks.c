/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads each of which waits for a mutex that the main thread has: one is a variable, one a member
 * of one, one is on the heap, and one in memory of its own.  The threads are called after them.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/loads/keep.h"

pthread_mutex_t g_cache_lock = PTHREAD_MUTEX_INITIALIZER;

struct table {
	char before[64];
	pthread_mutex_t lock;
};
static struct table g_table = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct wait {
	const char *name;
	pthread_mutex_t *lock;
};

void wait_for(const struct wait *w);

KEEP void
wait_for(const struct wait *w)
{
	pthread_setname_np(pthread_self(), w->name);
	pthread_mutex_lock(w->lock);
	_exit(1); /* never */
}

static void *
begin(void *arg)
{
	wait_for(arg);
	return arg;
}

int
main(void)
{
	static struct wait waits[] = {
		{ "variable", &g_cache_lock }, { "member", &g_table.lock }, { "heap", NULL },
		{ "mapped", NULL },
	};
	pthread_t thread;

	waits[2].lock = malloc(sizeof(pthread_mutex_t));
	waits[3].lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (waits[2].lock == NULL || waits[3].lock == MAP_FAILED)
		return 1;
	pthread_mutex_init(waits[2].lock, NULL);
	pthread_mutex_init(waits[3].lock, NULL);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		pthread_mutex_lock(waits[i].lock);
		pthread_create(&thread, NULL, begin, &waits[i]);
	}
	pthread_setname_np(pthread_self(), "owner");
	for (;;)
		pause();
}
