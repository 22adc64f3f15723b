/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for a condition below functions that are called as those of well-known
 * libraries, and after which the threads are: "pool" and "queue" have nothing to do, "work" waits
 * in the middle of its work, "lock" waits for a mutex of Rust, which is a futex and no more.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/loads/keep.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile unsigned sink;
static uint32_t contended = 2;

void uv_cond_wait(void);
void worker(void);
void work(void);
void g_async_queue_pop_intern_unlocked(void);
void lock_contended(void)
	__asm__("_ZN3std3sys4sync5mutex5futex5Mutex14lock_contended17h0123456789abcdefE");

KEEP void
uv_cond_wait(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&never, &mutex);
	sink++;
}

KEEP void
worker(void)
{
	uv_cond_wait();
	sink++;
}

KEEP void
work(void)
{
	uv_cond_wait();
	sink++;
}

KEEP void
g_async_queue_pop_intern_unlocked(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&never, &mutex);
	sink++;
}

KEEP void
lock_contended(void)
{
	syscall(SYS_futex, &contended, FUTEX_WAIT_BITSET_PRIVATE, 2, NULL, NULL,
		FUTEX_BITSET_MATCH_ANY);
	sink++;
}

struct wait {
	const char *name;
	void (*in)(void);
};

static void *
begin(void *arg)
{
	const struct wait *w = arg;

	pthread_setname_np(pthread_self(), w->name);
	w->in();
	_exit(1); /* never */
	return arg;
}

int
main(void)
{
	static struct wait waits[] = {
		{ "pool", worker }, { "work", work }, { "queue", g_async_queue_pop_intern_unlocked },
		{ "lock", lock_contended },
	};
	pthread_t thread;

	for (unsigned i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		pthread_create(&thread, NULL, begin, &waits[i]);
	for (;;)
		pause();
}
