/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As many threads as it is told to, some calls deep, that wait: for ever, or each again after so
 * many milliseconds.  "pairs FILE": two threads that hand over to each other as fast as they can,
 * and count in the first word of the file how often they did.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { DEPTH = 12, STACK_BYTES = 256 << 10 };

static int again_ms = -1;
static atomic_int turn;
static _Atomic unsigned long *handed;

int waits_at(unsigned depth);

KEEP int
waits_at(unsigned depth)
{
	volatile char frame[64];

	frame[0] = (char)depth;
	while (depth == 0 && poll(NULL, 0, again_ms) >= 0)
		;
	return depth > 0 ? waits_at(depth - 1) + frame[0] : 0;
}

static void *
waiter(void *arg)
{
	waits_at(DEPTH);
	return arg;
}

static void
hand_over(int me)
{
	cpu_set_t first;

	/* On one CPU: on two the price of a hand-over is what their caches make of it. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	for (;;) {
		while (atomic_load(&turn) != me)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - me, NULL, NULL, 0);
		atomic_store(&turn, 1 - me);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		atomic_fetch_add(handed, 1);
	}
}

static void *
first(void *arg)
{
	hand_over(0);
	return arg;
}

static void *
second(void *arg)
{
	hand_over(1);
	return arg;
}

static void
start(void *(*run)(void *arg))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	if (pthread_create(&thread, &attr, run, NULL) != 0)
		_exit(1);
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "pairs") == 0) {
		handed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			      open(argv[2], O_RDWR | O_CLOEXEC), 0);
		if (handed == MAP_FAILED)
			return 1;
		start(first);
		start(second);
	} else {
		if (argc > 2)
			again_ms = atoi(argv[2]);
		for (int n = argc > 1 ? atoi(argv[1]) : 0; n > 0; n--)
			start(waiter);
	}
	for (;;)
		pause();
}
