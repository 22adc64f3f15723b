/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What looks at threads that wait cost: ptop's CPU time beside 300 of them, above what it needs
 * with an event that counts nothing, and what a pair of threads that hand over to each other loses.
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include "tests/run.h"

#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WARM_S = 3, LOOK_S = 10, ROUNDS = 3, PAIR_S = 5, PAIR_ROUNDS = 5, BUDGET = 2 };

/* Percent of a CPU that ptop takes with that event for the process. */
static double
look(const char *event, pid_t pid, const char *budget, const char *env)
{
	const char *const args[] = { load_ptop(), "--budget", budget, "-e", event, "-p",
				     (char[16]){ 0 }, NULL };
	struct view v;
	double before, used;

	snprintf((char *)(uintptr_t)args[6], 16, "%d", (int)pid);
	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, WARM_S * 1000);
	before = view_cpu_ms(&v);
	view_run(&v, LOOK_S * 1000);
	used = view_cpu_ms(&v) - before;
	view_close(&v);
	return used / (LOOK_S * 10);
}

static void
bench_threads(const char *what, const char *count, const char *again_ms, double limit,
	      const char *env)
{
	char path[LOAD_PATH_MAX], text[128];
	struct series more = { .len = 0 };
	pid_t load = load_start_with(load_built(path, "bench/waiters"), count, again_ms);

	usleep(500000);
	for (int i = 0; i < ROUNDS; i++)
		series_add(&more, look("off-cpu", load, "off", env) - look("dummy", load, "off", env));
	snprintf(text, sizeof(text), "%s threads that %s, off-cpu, own CPU time", count, what);
	figure_print(&(struct figure){
		.what = text, .unit = "%", .perf = NAN, .ptop = series_percentile(&more, 50),
		.limit = limit, .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO,
	});
	load_end(load);
}

/* As it comes: more threads are looked at in turn, all of ptop within its budget. */
static void
bench_default(const char *what, const char *count, const char *again_ms, const char *env)
{
	char path[LOAD_PATH_MAX], text[128];
	pid_t load = load_start_with(load_built(path, "bench/waiters"), count, again_ms);

	usleep(500000);
	snprintf(text, sizeof(text), "%s threads that %s, off-cpu, default --budget", count, what);
	figure_print(&(struct figure){
		.what = text, .unit = "%", .perf = NAN, .rule = FIGURE_MOST, .limit = BUDGET,
		.ptop = look("off-cpu", load, "2", env),
	});
	load_end(load);
}

/* A second of its CPU time, so that it is all the same who else wants the CPU. */
static double
pair_rate(_Atomic unsigned long *handed, pid_t pair)
{
	unsigned long before = atomic_load(handed);
	double cpu_s = run_cpu_s(pair);

	sleep(PAIR_S);
	return (double)(atomic_load(handed) - before) / (run_cpu_s(pair) - cpu_s);
}

/* Percent of @without that is lost. */
static double
loss(double without, double with)
{
	return (without - with) / without * 100;
}

/* By turns, so that both see the same machine. */
static void
bench_pair(void)
{
	char path[LOAD_PATH_MAX], file[LOAD_PATH_MAX];
	struct series rates = { .len = 0 }, losses = { .len = 0 };
	_Atomic unsigned long *handed;
	pid_t load;
	int fd = open(load_scratch(file, "pair"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return;
	handed = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	load = load_start_with(load_built(path, "bench/waiters"), "pairs", file);
	for (int i = 0; i < PAIR_ROUNDS && handed != MAP_FAILED; i++) {
		double without = pair_rate(handed, load), with;
		char pid[16];
		pid_t ptop;

		snprintf(pid, sizeof(pid), "-p%d", (int)load);
		ptop = load_start_with(load_ptop(), "-eoff-cpu", pid);
		sleep(1);
		with = pair_rate(handed, load);
		load_end(ptop);
		/* The pair runs before and after: the machine changes meanwhile. */
		without = (without + pair_rate(handed, load)) / 2;
		series_add(&rates, without / 1000);
		series_add(&losses, loss(without, with));
	}
	figure_print(&(struct figure){
		.what = "a pair that hands over, thousand times a second of its CPU time", .unit = "k", .perf = NAN,
		.ptop = series_percentile(&rates, 50), .rule = FIGURE_INFO,
	});
	figure_print(&(struct figure){
		.what = "its loss while it is looked at", .unit = "%",
		.perf = NAN, .ptop = series_percentile(&losses, 50), .rule = FIGURE_MOST, .limit = 1,
	});
	load_end(load);
	close(fd);
}

int
main(int argc, char **argv)
{
	char env[LOAD_PATH_MAX];

	view_init(argc, argv);
	load_new_cache(env);
	bench_threads("wait", "300", "-1", 1, env);
	bench_threads("run each 40 ms", "300", "40", 6, env);
	bench_threads("wait", "5000", "-1", 0, env);
	bench_default("run each 40 ms", "5000", "40", env);
	bench_default("wait", "10000", "-1", env);
	bench_default("run each second", "10000", "1000", env);
	bench_pair();
	return 0;
}
