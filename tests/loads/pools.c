/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for a condition below functions that are called as those of well-known
 * libraries, and after which the threads are: "pool" and "queue" have nothing to do, "work" waits
 * in the middle of its work, "lock" waits for a mutex of Rust, which is a futex and no more.  "row"
 * waits for a lock of its own as "loop" does for something to do; "count" for a semaphore.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/epoll.h>
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
void WaitLatch(void);
void ProcSleep(void);
void loop(void);
void count(void);
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

KEEP void
WaitLatch(void)
{
	struct epoll_event event;

	epoll_wait(epoll_create1(0), &event, 1, -1);
	sink++;
}

KEEP void
ProcSleep(void)
{
	WaitLatch();
	sink++;
}

KEEP void
loop(void)
{
	WaitLatch();
	sink++;
}

KEEP void
count(void)
{
	static sem_t none;

	sem_wait(&none);
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
		{ "row", ProcSleep }, { "loop", loop }, { "count", count },
		{ "lock", lock_contended },
	};
	pthread_t thread;

	for (unsigned i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		pthread_create(&thread, NULL, begin, &waits[i]);
	for (;;)
		pause();
}
