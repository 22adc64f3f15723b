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
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WARM_S = 3, LOOK_S = 10, ROUNDS = 3, BUDGET = 2,
	WARM_MANY_S = 15, /* of thousands of threads: each has a first look, and a first record */
	PAIR_MS = 500, SETTLE_MS = 1500, PAUSE_MS = 200, PAIR_ROUNDS = 16, PAIR_ROUNDS_MOST = 60,
	PAIR_WIDTH = 1, /* percent: a narrower interval is good enough */
};

/* Percent of a CPU that ptop takes with that event for the process. */
static double
look(const char *event, pid_t pid, const char *budget, int warm_s, const char *env)
{
	const char *const args[] = { load_ptop(), "--budget", budget, "-e", event, "-p",
				     (char[16]){ 0 }, NULL };
	struct view v;
	double before, used;

	snprintf((char *)(uintptr_t)args[6], 16, "%d", (int)pid);
	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, warm_s * 1000);
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
		series_add(&more, look("off-cpu", load, "off", WARM_S, env) -
				  look("dummy", load, "off", WARM_S, env));
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
		.ptop = look("off-cpu", load, "2", WARM_MANY_S, env),
	});
	load_end(load);
}

/* For each second of its CPU time: who else wants the CPU, ptop too, takes nothing from that. */
static double
pair_rate(_Atomic unsigned long *handed, pid_t pair, struct view *v)
{
	unsigned long before = atomic_load(handed);
	double cpu_s = run_cpu_s(pair);

	if (v != NULL)
		view_run(v, PAIR_MS);
	else
		usleep(PAIR_MS * 1000);
	return (double)(atomic_load(handed) - before) / (run_cpu_s(pair) - cpu_s);
}

/*
 * Percent that the pair loses while it is looked at: without, with, with, without, as the machine
 * changes meanwhile.
 */
static double
pair_loss(_Atomic unsigned long *handed, pid_t pair, const char *env, struct series *rates)
{
	char pid[16];
	const char *const args[] = { load_ptop(), "-e", "off-cpu", "-p", pid, NULL };
	double without = pair_rate(handed, pair, NULL), with;
	struct view v;

	snprintf(pid, sizeof(pid), "%d", (int)pair);
	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, SETTLE_MS);
	with = pair_rate(handed, pair, &v);
	with += pair_rate(handed, pair, &v);
	view_close(&v);
	usleep(PAUSE_MS * 1000);
	without += pair_rate(handed, pair, NULL);
	series_add(rates, without / 2 / 1000);
	return (without - with) / without * 100;
}

/* Until it is known well enough. */
static void
bench_pair(const char *env)
{
	char path[LOAD_PATH_MAX], file[LOAD_PATH_MAX], text[128];
	struct series rates = { .len = 0 }, losses = { .len = 0 };
	double low = 0, high = INFINITY;
	_Atomic unsigned long *handed;
	pid_t load;
	int fd = open(load_scratch(file, "pair"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return;
	handed = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (handed == MAP_FAILED)
		return;
	load = load_start_with(load_built(path, "bench/waiters"), "pairs", file);
	usleep(500000);
	while (losses.len < PAIR_ROUNDS ||
	       (losses.len < PAIR_ROUNDS_MOST && high - low > PAIR_WIDTH)) {
		series_add(&losses, pair_loss(handed, load, env, &rates));
		series_interval(&losses, &low, &high);
	}
	figure_print(&(struct figure){
		.what = "a pair that hands over, thousand times a second of its CPU time", .unit = "k", .perf = NAN,
		.ptop = series_percentile(&rates, 50), .rule = FIGURE_INFO,
	});
	snprintf(text, sizeof(text), "its loss while it is looked at (%zu rounds: %.2f to %.2f)",
		 losses.len, low, high);
	figure_print(&(struct figure){
		.what = text, .unit = "%",
		.perf = NAN, .ptop = series_percentile(&losses, 50), .rule = FIGURE_MOST, .limit = 1,
	});
	load_end(load);
	close(fd);
}

/* "pair": that alone. */
int
main(int argc, char **argv)
{
	char env[LOAD_PATH_MAX];

	view_init(argc, argv);
	load_new_cache(env);
	if (argc > 1 && strcmp(argv[1], "pair") == 0) {
		bench_pair(env);
		return 0;
	}
	bench_threads("wait", "300", "-1", 1, env);
	bench_threads("run each 40 ms", "300", "40", 6, env);
	bench_threads("wait", "5000", "-1", 0, env);
	bench_default("run each 40 ms", "5000", "40", env);
	bench_default("wait", "10000", "-1", env);
	bench_default("run each second", "10000", "1000", env);
	bench_pair(env);
	return 0;
}
