/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks whose owners are known.  The first argument says which:
 *
 * held      four threads and a mutex: "keeper" has it for 30 of each 100 ms, asleep in keep_it(),
 *           the others take it in turns of their own (want_it())
 * busy      the same, but the keeper is busy meanwhile, in burn_it()
 * turns     two threads, each of which has the mutex for 20 ms, asleep, while the other waits for it
 * all-turns as turns, with a PI mutex, and a reader and a writer with a rwlock; and as condition
 * circle N  N threads, each of which has a mutex and waits for that of the next
 * chain     "third" waits for what "second" has, which waits for what "first" has, which sleeps
 * condition two threads in pthread_cond_wait(), and one that wakes them each 20 ms
 * rwlock    a writer that has it, asleep, and a reader and a writer that wait
 * readers   a reader that has it, asleep, and a writer that waits
 * timed     a mutex that is waited for with a timeout
 * kinds     a PI, a robust and a recursive mutex, each of an owner and a waiter
 * malloc    four threads that allocate and free, all of one arena
 * barrier   threads in pthread_barrier_wait(), pthread_join() and sem_wait()
 * own       two words of threads' own that look like mutexes, each with the tid of the other thread
 * many FILE 1,000 mutexes of 100 owners, a waiter each; FILE gets a line "many+0x30 TID" for each
 */
#include <errno.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { TURN_MS = 100, HELD_MS = 30, TURNS_MS = 20, MANY = 1000, OWNERS = 100, STACK = 64 << 10, CIRCLE_MAX = 8 };

pthread_mutex_t g_cache_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t locks[CIRCLE_MAX];
static pthread_mutex_t g_pi_lock;
static pthread_rwlock_t g_table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t g_pi_lock;
static pthread_barrier_t ready, never;
static sem_t none;
static size_t circle;
static volatile unsigned sink;
static struct { pthread_mutex_t lock; volatile int owner; } many[MANY];

void keep_it(void);
void burn_it(void);
void want_it(void);
void write_table(void);
void read_table(void);
void take_all(size_t owner);

static void
nap(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
begin(void *(*run)(void *), const char *name, size_t n)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	if (pthread_create(&thread, &attr, run, (void *)n) != 0)
		_exit(1);
	pthread_setname_np(thread, name);
}

static void
stay(void)
{
	for (;;)
		nap(1000);
}

KEEP void
keep_it(void)
{
	pthread_mutex_lock(&g_cache_lock);
	nap(HELD_MS);
	pthread_mutex_unlock(&g_cache_lock);
}

KEEP void
burn_it(void)
{
	int64_t until;

	pthread_mutex_lock(&g_cache_lock);
	for (until = now_ms() + HELD_MS; now_ms() < until;)
		for (unsigned i = 0; i < 10000; i++)
			sink ^= i;
	pthread_mutex_unlock(&g_cache_lock);
}

KEEP void
want_it(void)
{
	pthread_mutex_lock(&g_cache_lock);
	sink++;
	pthread_mutex_unlock(&g_cache_lock);
}

static void *
keeper(void *is_busy)
{
	for (;; nap(TURN_MS - HELD_MS)) {
		if (is_busy != NULL)
			burn_it();
		else
			keep_it();
	}
	return NULL;
}

static void *
wanter(void *n)
{
	for (;; nap(3 + (int)(size_t)n))
		want_it();
	return NULL;
}

static void
hold_at_times(bool is_busy)
{
	static const char *const names[] = { "wants-a", "wants-b", "wants-c" };

	begin(keeper, "keeper", is_busy);
	for (size_t i = 0; i < 3; i++)
		begin(wanter, names[i], i);
}

static void *
in_turns(void *lock)
{
	for (;; nap(1)) {
		pthread_mutex_lock(lock);
		nap(TURNS_MS);
		pthread_mutex_unlock(lock);
	}
	return NULL;
}

static void
hold_in_turns(pthread_mutex_t *lock)
{
	begin(in_turns, "turn-a", (size_t)lock);
	begin(in_turns, "turn-b", (size_t)lock);
}

static void *
table_in_turns(void *is_reader)
{
	for (;; nap(1)) {
		if (is_reader != NULL)
			pthread_rwlock_rdlock(&g_table_lock);
		else
			pthread_rwlock_wrlock(&g_table_lock);
		nap(TURNS_MS);
		pthread_rwlock_unlock(&g_table_lock);
	}
	return NULL;
}

static void *
in_circle(void *n)
{
	size_t own = (size_t)n;

	pthread_mutex_lock(&locks[own]);
	pthread_barrier_wait(&ready);
	pthread_mutex_lock(&locks[(own + 1) % circle]);
	return NULL;
}

static void
lock_in_a_circle(void)
{
	static const char *const names[] = { "alpha", "beta", "gamma", "delta" };

	pthread_barrier_init(&ready, NULL, (unsigned)circle);
	for (size_t i = 0; i < circle; i++)
		begin(in_circle, i < 4 ? names[i] : "more", i);
}

static void *
in_chain(void *n)
{
	size_t own = (size_t)n;

	pthread_mutex_lock(&locks[own]);
	pthread_barrier_wait(&ready);
	if (own == 0)
		stay();
	pthread_mutex_lock(&locks[own - 1]);
	return NULL;
}

static void
lock_in_a_chain(void)
{
	static const char *const names[] = { "first", "second", "third" };

	pthread_barrier_init(&ready, NULL, 3);
	for (size_t i = 0; i < 3; i++)
		begin(in_chain, names[i], i);
}

static void *
cond_waiter(void *arg)
{
	pthread_mutex_lock(&g_cache_lock);
	for (;;)
		pthread_cond_wait(&cond, &g_cache_lock);
	return arg;
}

static void *
cond_waker(void *arg)
{
	for (;; nap(20)) {
		pthread_mutex_lock(&g_cache_lock);
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&g_cache_lock);
	}
	return arg;
}

static void
wait_for_a_condition(void)
{
	begin(cond_waiter, "waiter-a", 0);
	begin(cond_waiter, "waiter-b", 0);
	begin(cond_waker, "waker", 0);
}

static void
take_turns_at_all(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&g_pi_lock, &attr);
	hold_in_turns(&g_pi_lock);
	begin(table_in_turns, "writes", 0);
	begin(table_in_turns, "reads", 1);
	wait_for_a_condition();
}

KEEP void
write_table(void)
{
	pthread_rwlock_wrlock(&g_table_lock);
	sink++;
}

KEEP void
read_table(void)
{
	pthread_rwlock_rdlock(&g_table_lock);
	sink++;
}

static void *
first_of_table(void *is_reader)
{
	if (is_reader != NULL)
		read_table();
	else
		write_table();
	pthread_barrier_wait(&ready);
	stay();
	return NULL;
}

static void *
next_of_table(void *is_reader)
{
	pthread_barrier_wait(&ready);
	if (is_reader != NULL)
		read_table();
	else
		write_table();
	return NULL;
}

static void
lock_a_table(bool is_read)
{
	pthread_barrier_init(&ready, NULL, is_read ? 2 : 3);
	begin(first_of_table, is_read ? "has-read" : "has-written", is_read);
	begin(next_of_table, "writes", 0);
	if (!is_read)
		begin(next_of_table, "reads", 1);
}

static void *
timed_waiter(void *arg)
{
	struct timespec t;

	for (;;) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += 1000;
		pthread_mutex_timedlock(&g_cache_lock, &t);
		nap(1000);
	}
	return arg;
}

static void *
owner_of(void *n)
{
	pthread_mutex_lock(&locks[(size_t)n]);
	pthread_barrier_wait(&ready);
	stay();
	return NULL;
}

static void *
waiter_for(void *n)
{
	pthread_barrier_wait(&ready);
	pthread_mutex_lock(&locks[(size_t)n]);
	return NULL;
}

static void
lock_kinds(void)
{
	static const char *const names[][2] = { { "has-pi", "wants-pi" },
						{ "has-robust", "wants-robust" },
						{ "has-recursive", "wants-recursiv" } };
	pthread_mutexattr_t attr[3];

	for (size_t i = 0; i < 3; i++)
		pthread_mutexattr_init(&attr[i]);
	pthread_mutexattr_setprotocol(&attr[0], PTHREAD_PRIO_INHERIT);
	pthread_mutexattr_setrobust(&attr[1], PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_settype(&attr[2], PTHREAD_MUTEX_RECURSIVE);
	pthread_barrier_init(&ready, NULL, 6);
	for (size_t i = 0; i < 3; i++) {
		pthread_mutex_init(&locks[i], &attr[i]);
		begin(owner_of, names[i][0], i);
		begin(waiter_for, names[i][1], i);
	}
}

/* Blocks that are too large for the caches of threads, and shared by all. */
static void *
allocator(void *arg)
{
	void *blocks[64];

	for (;;) {
		for (size_t i = 0; i < 64; i++)
			blocks[i] = malloc(2000 + 16 * i);
		for (size_t i = 0; i < 64; i++)
			free(blocks[i]);
	}
	return arg;
}

static void *
at_barrier(void *arg)
{
	pthread_barrier_wait(&never);
	return arg;
}

static void *
at_semaphore(void *arg)
{
	sem_wait(&none);
	return arg;
}

static void *
joiner(void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, at_barrier, NULL);
	pthread_join(thread, NULL);
	return arg;
}

static void
wait_for_no_lock(void)
{
	pthread_barrier_init(&never, NULL, 100);
	sem_init(&none, 0, 0);
	begin(at_barrier, "barrier", 0);
	begin(at_semaphore, "semaphore", 0);
	begin(joiner, "joiner", 0);
}

static int own[2][3]; /* as a mutex of glibc that is locked, and waited for: word, count, owner */

static void *
own_waiter(void *n)
{
	size_t i = (size_t)n;

	own[i][0] = 2;
	own[1 - i][2] = (int)syscall(SYS_gettid);
	for (;;)
		syscall(SYS_futex, own[i], FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
	return NULL;
}

KEEP void
take_all(size_t owner)
{
	for (size_t i = owner; i < MANY; i += OWNERS) {
		pthread_mutex_lock(&many[i].lock);
		many[i].owner = (int)syscall(SYS_gettid);
	}
}

static void *
owner_of_many(void *n)
{
	take_all((size_t)n);
	pthread_barrier_wait(&ready);
	stay();
	return NULL;
}

static void *
waiter_for_one(void *n)
{
	pthread_mutex_lock(&many[(size_t)n].lock);
	return NULL;
}

static void
lock_many(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		_exit(1);
	pthread_barrier_init(&ready, NULL, OWNERS + 1);
	for (size_t i = 0; i < MANY; i++)
		pthread_mutex_init(&many[i].lock, NULL);
	for (size_t i = 0; i < OWNERS; i++)
		begin(owner_of_many, "owner", i);
	pthread_barrier_wait(&ready);
	for (size_t i = 0; i < MANY; i++) {
		begin(waiter_for_one, "waiter", i);
		fprintf(f, "many+0x%zx %d\n", i * sizeof(many[0]), many[i].owner);
	}
	fclose(f);
	begin(owner_of, "ready", 0);
}

int
main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "held", *more = argc > 2 ? argv[2] : "2";

	for (size_t i = 0; i < CIRCLE_MAX; i++)
		pthread_mutex_init(&locks[i], NULL);
	if (strcmp(mode, "held") == 0 || strcmp(mode, "busy") == 0) {
		hold_at_times(strcmp(mode, "busy") == 0);
	} else if (strcmp(mode, "turns") == 0) {
		hold_in_turns(&g_cache_lock);
	} else if (strcmp(mode, "all-turns") == 0) {
		take_turns_at_all();
	} else if (strcmp(mode, "circle") == 0) {
		circle = (size_t)atoi(more);
		lock_in_a_circle();
	} else if (strcmp(mode, "chain") == 0) {
		lock_in_a_chain();
	} else if (strcmp(mode, "condition") == 0) {
		wait_for_a_condition();
	} else if (strcmp(mode, "rwlock") == 0 || strcmp(mode, "readers") == 0) {
		lock_a_table(strcmp(mode, "readers") == 0);
	} else if (strcmp(mode, "timed") == 0) {
		pthread_mutex_lock(&g_cache_lock);
		begin(timed_waiter, "timed", 0);
	} else if (strcmp(mode, "kinds") == 0) {
		lock_kinds();
	} else if (strcmp(mode, "malloc") == 0) {
		mallopt(M_ARENA_MAX, 1);
		for (size_t i = 0; i < 4; i++)
			begin(allocator, "allocator", i);
	} else if (strcmp(mode, "barrier") == 0) {
		wait_for_no_lock();
	} else if (strcmp(mode, "own") == 0) {
		begin(own_waiter, "own-a", 0);
		begin(own_waiter, "own-b", 1);
	} else if (strcmp(mode, "many") == 0) {
		lock_many(more);
	} else {
		return 2;
	}
	stay();
}
