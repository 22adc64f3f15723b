/* SPDX-License-Identifier: GPL-2.0-or-later */
/* So many threads, "member" each: they work a little, then wait for ever, as the main one does. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { STACK_BYTES = 64 << 10, ROUNDS = 100000 };

static volatile unsigned long sink;

void work(void);

KEEP void
work(void)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		sink += i;
}

static void *
member(void *arg)
{
	pthread_setname_np(pthread_self(), "member");
	work();
	for (;;)
		pause();
	return arg;
}

/* A line says that they are there. */
int
main(int argc, char **argv)
{
	pthread_attr_t attr;
	int n = argc > 1 ? atoi(argv[1]) : 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (; n > 0; n--) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, member, NULL) != 0)
			return 1;
	}
	if (write(STDOUT_FILENO, "\n", 1) != 1)
		return 1;
	for (;;)
		work();
}
