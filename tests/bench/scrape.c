/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a profile of ten seconds costs that ptop --serve is asked for, beside 2,000 processes that
 * each take a little CPU time: of what was, so that nothing but the answer is made meanwhile.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "figure.h"
#include "load.h"
#include "tests/family.h"
#include "tests/http.h"
#include "tests/run.h"

enum { PROCESSES = 2000, WARM_S = 15, SCRAPES = 15, APART_MS = 1200, ROUNDS = 20000, NAME_MAX = 16 };

static volatile unsigned spun;

static double
seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* Together one CPU: 2 ms in four seconds each. */
static void
be_busy(int number)
{
	char name[NAME_MAX];

	snprintf(name, sizeof(name), "worker-%d", number % 100);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	srand((unsigned)number);
	for (;;) {
		double end = seconds(CLOCK_PROCESS_CPUTIME_ID) + 0.002;

		while (seconds(CLOCK_PROCESS_CPUTIME_ID) < end)
			for (unsigned i = 0; i < ROUNDS; i++)
				spun += i;
		sleep_ms(2000 + (unsigned)rand() % 4000);
	}
}

/* Its port, in @where. */
static pid_t
start_ptop(char where[NAME_MAX])
{
	char line[512] = "";
	int ends[2];
	FILE *said;
	pid_t pid;

	if (pipe(ends) < 0)
		exit(1);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(ends[1], STDERR_FILENO);
		execl(load_ptop(), "ptop", "--no-config", "--serve=127.0.0.1:0", NULL);
		_exit(127);
	}
	close(ends[1]);
	said = fdopen(ends[0], "r");
	while (strstr(line, "serving ") == NULL)
		if (said == NULL || fgets(line, sizeof(line), said) == NULL)
			exit(1);
	if (sscanf(strstr(line, "serving "), "serving http://127.0.0.1:%15[0-9]", where) != 1)
		exit(1);
	return pid;
}

/* All of ptop's processes. */
static double
family_ms(pid_t pid)
{
	pid_t family[FAMILY_MAX];
	size_t n = family_find(pid, family);
	double ms = 0;

	for (size_t i = 0; i < n; i++)
		ms += run_cpu_s(family[i]) * 1000;
	return ms;
}

/* What sampling costs meanwhile is none of the scrape's. */
static void
scrape(pid_t ptop, const char *where, struct series *cost, struct series *size, struct series *idle)
{
	double before_ms = family_ms(ptop), begin_s = seconds(CLOCK_MONOTONIC), asked_ms, asked_s, per_s;
	struct http_answer a;

	sleep_ms(APART_MS);
	asked_ms = family_ms(ptop);
	asked_s = seconds(CLOCK_MONOTONIC);
	per_s = (asked_ms - before_ms) / (asked_s - begin_s);
	http_get(where, "/debug/pprof/profile?past=1&seconds=10", "", &a);
	series_add(cost, family_ms(ptop) - asked_ms - per_s * (seconds(CLOCK_MONOTONIC) - asked_s));
	series_add(size, (double)a.body.len / (1 << 20));
	series_add(idle, per_s);
	http_release(&a);
}

/* @limit 0: there is none. */
static void
print(const char *what, const char *unit, double limit, struct series *values)
{
	figure_print_series((struct figure){ .what = what, .unit = unit, .perf = NAN, .limit = limit,
					     .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO }, values);
}

int
main(void)
{
	struct series cost = { .len = 0 }, size = { .len = 0 }, idle = { .len = 0 };
	char where[NAME_MAX];
	pid_t *pids = calloc(PROCESSES, sizeof(*pids)), ptop;

	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			be_busy(i);
	}
	ptop = start_ptop(where);
	sleep_ms(WARM_S * 1000);
	for (int i = 0; i < SCRAPES; i++)
		scrape(ptop, where, &cost, &size, &idle);
	print("profile of 10 s, 2,000 processes, own CPU time", "ms", 30, &cost);
	print("the same, its answer", "MiB", 2, &size);
	print("a second without a question, own CPU time", "ms", 0, &idle);
	run_end(ptop);
	for (int i = 0; i < PROCESSES; i++)
		run_end(pids[i]);
	free(pids);
	return 0;
}
