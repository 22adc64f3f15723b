/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait for known times, in turns of 100 ms that go by the clock.  The worker waits
 * for a lock up to 30 ms (wait_for_lock), is busy up to 70 ms (be_busy), sleeps up to 80 ms
 * (nap) and reads a pipe up to 100 ms (read_pipe).  The holder has the lock from 2 ms before a turn
 * until its first 30 ms are over (hold_lock); the feeder writes to the pipe when one ends.
 *
 * On a busy machine it waits less, since it is late: how long it did in each of the three, in
 * nanoseconds, and then how often for a millisecond or more, is kept in the file that is named, if any.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { TURN_MS = 100, LOCK_MS = 30, BUSY_MS = 70, NAP_MS = 80, EARLY_MS = 2 };
enum { LOCK, NAP, PIPE, WAITS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec begin;
static int feed[2];
static volatile unsigned sink;
static volatile uint64_t *waited; /* lock, nap, pipe; then how often each */

void wait_for_lock(void);
void be_busy(uint64_t turn);
void nap(uint64_t turn);
void read_pipe(void);
void hold_lock(uint64_t turn);
void feed_pipe(uint64_t turn);
void wait_deep(size_t bytes);

/* @ms after the begin of a turn. */
static struct timespec
moment(uint64_t turn, int ms)
{
	uint64_t ns = (uint64_t)begin.tv_nsec + (turn * TURN_MS + (uint64_t)ms) * 1000000;

	return (struct timespec){ begin.tv_sec + (time_t)(ns / 1000000000),
				  (long)(ns % 1000000000) };
}

static void
sleep_until(uint64_t turn, int ms)
{
	struct timespec t = moment(turn, ms);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

KEEP void
wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
	sink++;
	pthread_mutex_unlock(&lock);
}

KEEP void
be_busy(uint64_t turn)
{
	struct timespec now, end = moment(turn, BUSY_MS);

	do {
		for (unsigned i = 0; i < 10000; i++)
			sink ^= i;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

KEEP void
nap(uint64_t turn)
{
	sleep_until(turn, NAP_MS);
	sink++;
}

KEEP void
read_pipe(void)
{
	char c;

	if (read(feed[0], &c, 1) != 1)
		_exit(1);
	sink++;
}

KEEP void
hold_lock(uint64_t turn)
{
	pthread_mutex_lock(&lock);
	sleep_until(turn, LOCK_MS);
	pthread_mutex_unlock(&lock);
}

KEEP void
feed_pipe(uint64_t turn)
{
	sleep_until(turn + 1, 0);
	if (write(feed[1], "x", 1) != 1)
		_exit(1);
}

/*
 * The time that this thread does not wait for a CPU, since whenever.  What it runs in a wait is next
 * to nothing, and told late: a tick later.
 */
static uint64_t
clock_ns(int sched)
{
	unsigned long long queue = 0;
	char text[128] = "";
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (pread(sched, text, sizeof(text) - 1, 0) > 0)
		sscanf(text, "%*u %llu", &queue);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - queue;
}

static void
note_wait(int kind, uint64_t ns)
{
	waited[kind] += ns;
	waited[WAITS + kind] += ns >= 1000000;
}

static void *
worker(void *arg)
{
	int sched = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	pthread_setname_np(pthread_self(), "worker");
	sleep_until(1, 0);
	for (uint64_t turn = 1;; turn++) {
		uint64_t at = clock_ns(sched);

		wait_for_lock();
		note_wait(LOCK, clock_ns(sched) - at);
		be_busy(turn);
		at = clock_ns(sched);
		nap(turn);
		note_wait(NAP, clock_ns(sched) - at);
		at = clock_ns(sched);
		read_pipe();
		note_wait(PIPE, clock_ns(sched) - at);
	}
	return arg;
}

static void *
holder(void *arg)
{
	pthread_setname_np(pthread_self(), "holder");
	for (uint64_t turn = 1;; turn++) {
		sleep_until(turn - 1, TURN_MS - EARLY_MS);
		hold_lock(turn);
	}
	return arg;
}

static void *
feeder(void *arg)
{
	pthread_setname_np(pthread_self(), "feeder");
	for (uint64_t turn = 1;; turn++)
		feed_pipe(turn);
	return arg;
}

/* Below a frame of 20 KiB, which the frame pointer alone finds. */
KEEP void
wait_deep(size_t bytes)
{
	volatile char *room = __builtin_alloca(bytes);

	memset((char *)(uintptr_t)room, 0, bytes);
	for (;;) {
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
		room[0]++;
	}
}

/* Words that who made the file reads, too. */
static volatile uint64_t *
map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *res = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd < 0 || res == MAP_FAILED)
		_exit(1);
	return res;
}

int
main(int argc, char **argv)
{
	static uint64_t own[2 * WAITS];
	pthread_t thread;

	waited = argc > 1 ? map_file(argv[1]) : own;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (pipe(feed) < 0)
		return 1;
	pthread_create(&thread, NULL, worker, NULL);
	pthread_create(&thread, NULL, holder, NULL);
	pthread_create(&thread, NULL, feeder, NULL);
	wait_deep(20 << 10);
}
