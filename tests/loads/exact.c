/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does things an exact number of times, and nothing of that kind beside them:
 *
 *   exact getpid    1000 calls of getpid(2)
 *   exact pages     touches 5000 new pages; "exact none" maps them and touches none
 *   exact counter   writes the variable counter 777 times
 *   exact calls     calls count_me() 1234 times
 *   exact naps      sleeps 50 times
 *   exact threads   two threads, named part-a and part-b: 600 and 400 calls of getpid(2), 500 and
 *                   277 writes of counter, 1000 and 234 calls
 *   exact wait      the same threads, which do their parts for each line that is read; writes
 *                   "ready" before and "done" after each
 *   exact           the same threads' parts every few milliseconds, for ever
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { PAGES = 5000, PAGE = 4096, NAPS = 50, NAP_US = 2000 };

volatile long counter;

int count_me(int n);
void do_part(const void *part);

KEEP int
count_me(int n)
{
	__asm__ volatile("" : : : "memory");
	return n + 1;
}

struct part {
	const char *name;
	int getpids, writes, calls;
};

static const struct part parts[] = {
	{ "part-a", 600, 500, 1000 },
	{ "part-b", 400, 277, 234 },
};

KEEP void
do_part(const void *part)
{
	const struct part *p = part;

	for (int i = 0; i < p->getpids; i++)
		syscall(SYS_getpid);
	for (int i = 0; i < p->writes; i++)
		counter = i;
	for (int i = 0; i < p->calls; i++)
		count_me(i);
}

static pthread_barrier_t begin, end;

/* Their parts, again and again. */
static void *
run_parts(void *arg)
{
	const struct part *p = arg;

	pthread_setname_np(pthread_self(), p->name);
	for (;;) {
		pthread_barrier_wait(&begin);
		do_part(p);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static void
start_threads(void)
{
	pthread_t thread;

	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&end, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, run_parts, (void *)&parts[i]);
}

static void
run_round(void)
{
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
}

/* Both ways map, so that nothing differs but the touching. */
static void
touch(int pages)
{
	char *p = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(1);
	madvise(p, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; i < pages; i++)
		p[(size_t)i * PAGE] = 1;
}

static void
say(const char *word)
{
	if (write(1, word, strlen(word)) < 0)
		_exit(1);
}

static void
wait_for_lines(void)
{
	char byte;

	say("ready\n");
	while (read(0, &byte, 1) == 1) {
		run_round();
		say("done\n");
	}
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct part part;
		int pages;
	} modes[] = {
		{ "getpid", { "", 1000, 0, 0 }, 0 },
		{ "counter", { "", 0, 777, 0 }, 0 },
		{ "calls", { "", 0, 0, 1234 }, 0 },
		{ "pages", { "", 0, 0, 0 }, PAGES },
		{ "none", { "", 0, 0, 0 }, 0 },
		{ "naps", { "", 0, 0, 0 }, 0 },
	};
	const char *mode = argc > 1 ? argv[1] : "";
	int naps = strcmp(mode, "naps") == 0 ? NAPS : 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(mode, modes[i].name) != 0)
			continue;
		do_part(&modes[i].part);
		if (strcmp(mode, "pages") == 0 || strcmp(mode, "none") == 0)
			touch(modes[i].pages);
		for (; naps > 0; naps--)
			usleep(NAP_US);
		return 0;
	}
	if (argc > 1 && strcmp(mode, "threads") != 0 && strcmp(mode, "wait") != 0)
		return 2;
	start_threads();
	if (strcmp(mode, "wait") == 0)
		wait_for_lines();
	else
		run_round();
	while (argc == 1) {
		usleep(5000);
		run_round();
	}
	return 0;
}
