/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does what counters are to count, as often as it is told:
 *
 *   counted getpid N   calls getpid(2) N times
 *   counted pages N    maps 5000 pages and touches N of them, each a page fault
 *   counted hot FILE   calls hot_one(), which does next to nothing, for a minute, and writes each 20 ms
 *                      when, and how often in these: "MS CALLS"; without the time that it waited for a
 *                      CPU, so that other programs make it no slower
 *   counted often N    calls hot_one() N times
 *   counted slow       calls slow_one(), which takes some 20 milliseconds, for ever
 *   counted family     the same, and for each SIGUSR1 forks a child that does, too, and ends with it
 *   counted steps      reads letters, does what each says and answers with a dot:
 *     m  10 getpid(2) in the main thread
 *     t  a thread begins, calls it 100 times and ends
 *     s  a thread begins, calls it 1000 times and stays
 *     x  the threads that stay call it 5 times and end
 *     c  a child process calls it 30 times and ends
 *     w  two seconds of spinning, faults and naps
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { PAGE = 4096, PAGES = 5000, THREADS_MAX = 64, WORK_MS = 2000, SLOT_MS = 20,
       HOT_MS = 60000 };

static struct {
	pthread_t threads[THREADS_MAX];
	int count;
	pthread_barrier_t ready;
	int hold[2]; /* closed: threads that stay go on */
} staying;

static void
call(int times)
{
	while (times-- > 0)
		syscall(SYS_getpid);
}

static int
touch(long count)
{
	volatile char *at = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return EXIT_FAILURE;
	/* A huge page would be a single fault. */
	madvise((void *)(size_t)at, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < count && i < PAGES; i++)
		at[i * PAGE] = 1;
	munmap((void *)(size_t)at, (size_t)PAGES * PAGE);
	return EXIT_SUCCESS;
}

static void *
run_short(void *arg)
{
	call(100);
	return arg;
}

static void *
run_staying(void *arg)
{
	char c;

	call(1000);
	pthread_barrier_wait(&staying.ready);
	if (read(staying.hold[0], &c, 1) == 0)
		call(5);
	return arg;
}

static void
stay(void)
{
	if (staying.count == 0 && pipe(staying.hold) != 0)
		_exit(EXIT_FAILURE);
	pthread_create(&staying.threads[staying.count++ % THREADS_MAX], NULL, run_staying, NULL);
	pthread_barrier_wait(&staying.ready);
}

static void
end_staying(void)
{
	close(staying.hold[1]);
	for (int i = 0; i < staying.count; i++)
		pthread_join(staying.threads[i], NULL);
	close(staying.hold[0]);
	staying.count = 0;
}

static void
fork_child(void)
{
	int pid = fork();

	if (pid == 0) {
		call(30);
		_exit(EXIT_SUCCESS);
	}
	waitpid(pid, NULL, 0);
}

static long
now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
work(void)
{
	long end = now_ms(CLOCK_MONOTONIC) + WORK_MS;

	while (now_ms(CLOCK_MONOTONIC) < end) {
		long spun = now_ms(CLOCK_PROCESS_CPUTIME_ID) + 3;

		while (now_ms(CLOCK_PROCESS_CPUTIME_ID) < spun)
			;
		touch(20);
		usleep(100);
	}
}

static void
run_step(char step)
{
	pthread_t thread;

	switch (step) {
	case 'm':
		call(10);
		break;
	case 't':
		pthread_create(&thread, NULL, run_short, NULL);
		pthread_join(thread, NULL);
		break;
	case 's':
		stay();
		break;
	case 'x':
		end_staying();
		break;
	case 'c':
		fork_child();
		break;
	case 'w':
		work();
		break;
	}
}

static volatile unsigned sink;

void hot_one(void);

KEEP void
hot_one(void)
{
	sink++;
}

static int
call_often(long times)
{
	while (times-- > 0)
		hot_one();
	return EXIT_SUCCESS;
}

void slow_one(void);

KEEP void
slow_one(void)
{
	for (int i = 0; i < 10000000; i++)
		sink++;
}

static volatile sig_atomic_t children_wanted;

static void
want_child(int sig)
{
	(void)sig;
	children_wanted++;
}

static void
call_slow_with_children(void)
{
	signal(SIGUSR1, want_child);
	for (;;) {
		slow_one();
		if (children_wanted == 0)
			continue;
		children_wanted--;
		if (fork() == 0) {
			children_wanted = 0;
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		}
	}
}

/* How long this thread waited for a CPU so far: proc(5), schedstat. */
static long
queued_ms(void)
{
	long long ran_ns, queued_ns = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "re");

	if (f == NULL || fscanf(f, "%lld %lld", &ran_ns, &queued_ns) != 2)
		queued_ns = 0;
	if (f != NULL)
		fclose(f);
	return (long)(queued_ns / 1000000);
}

/* The clock is looked at so often that a slow call makes few of them late. */
static int
call_hot(const char *path)
{
	long begin = now_ms(CLOCK_MONOTONIC) - queued_ms(), look_ms = 0, own_ms, slot = 0, calls = 0;
	FILE *out = fopen(path, "we");

	while (out != NULL && slot < HOT_MS / SLOT_MS) {
		for (int i = 0; i < 50; i++)
			hot_one();
		calls += 50;
		if (now_ms(CLOCK_MONOTONIC) < look_ms)
			continue;
		own_ms = now_ms(CLOCK_MONOTONIC) - queued_ms() - begin;
		if (own_ms >= (slot + 1) * SLOT_MS) {
			fprintf(out, "%ld %ld\n", own_ms, calls);
			fflush(out);
			slot = own_ms / SLOT_MS;
			calls = 0;
		}
		look_ms = now_ms(CLOCK_MONOTONIC) + (slot + 1) * SLOT_MS - own_ms;
	}
	return out != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "steps";
	char step;

	pthread_barrier_init(&staying.ready, NULL, 2);
	if (argc > 2 && strcmp(what, "getpid") == 0) {
		call(atoi(argv[2]));
		return EXIT_SUCCESS;
	}
	if (argc > 2 && strcmp(what, "pages") == 0)
		return touch(atol(argv[2]));
	if (argc > 2 && strcmp(what, "often") == 0)
		return call_often(atol(argv[2]));
	while (strcmp(what, "slow") == 0)
		slow_one();
	if (strcmp(what, "family") == 0)
		call_slow_with_children();
	if (argc > 2 && strcmp(what, "hot") == 0)
		return call_hot(argv[2]);
	while (read(STDIN_FILENO, &step, 1) == 1) {
		run_step(step);
		if (write(STDOUT_FILENO, ".", 1) != 1)
			break;
	}
	return EXIT_SUCCESS;
}
