/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What looking at a busy machine costs: CPU time and memory of ptop, and of perf top -g beside
 * the same load; and what it sends to the terminal.  usage: cost hot|mixed|bytes
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOT_S = 10, MIXED_S = 20, WARM_S = 10, LATER_S = 60, LOADS_MAX = 2, LOOKS = 3, REFRESHES = 30 };

struct cost {
	double cpu_percent, peak_mib;
};

static const char *const perf_args[] = { "perf", "top", "-g", "-F", "4000", NULL };
static const char *const perf_whole_args[] = { "perf", "top", "--call-graph", "dwarf", "-F", "4000",
					       NULL };

/* Looks for @secs.  Start and end of the program are in the figures. */
static struct cost
measure(const char *const args[], const char *env, int secs)
{
	struct cost res = { 0 };
	struct view v;

	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, secs * 1000);
	res.peak_mib = view_peak_mib(&v);
	res.cpu_percent = view_close(&v) / (secs * 10);
	return res;
}

static struct cost
measure_perf(const char *const args[], int secs)
{
	if (!load_has_perf())
		return (struct cost){ NAN, NAN };
	return measure(args, NULL, secs);
}

static struct cost
measure_ptop(const char *freq, const char *chains, const char *env, int secs)
{
	return measure((const char *const[]){ load_ptop(), "-F", freq, "--budget", "off", "-g", chains,
					      NULL }, env, secs);
}

static void
print_cost(const char *load, const char *how, const struct cost *perf, const struct cost *ptop,
	   const struct figure *limits)
{
	struct figure cpu = limits[0], memory = limits[1];
	char what[128];

	snprintf(what, sizeof(what), "%s, CPU time, %s", load, how);
	cpu.what = what;
	cpu.unit = "%";
	cpu.perf = perf->cpu_percent;
	cpu.ptop = ptop->cpu_percent;
	figure_print(&cpu);
	snprintf(what, sizeof(what), "%s, peak memory, %s", load, how);
	memory.what = what;
	memory.unit = "MiB";
	memory.perf = perf->peak_mib;
	memory.ptop = ptop->peak_mib;
	figure_print(&memory);
}

static const struct figure no_limits[2];

static int
compare_cost(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	return (x->cpu_percent > y->cpu_percent) - (x->cpu_percent < y->cpu_percent);
}

static struct cost
median(struct cost looks[LOOKS])
{
	qsort(looks, LOOKS, sizeof(*looks), compare_cost);
	return looks[LOOKS / 2];
}

static void
bench_hot(void)
{
	static const struct figure limits[2] = {
		{ .rule = FIGURE_PART, .limit = 10 },
		{ .rule = FIGURE_MOST, .limit = 24 },
	};
	char path[LOAD_PATH_MAX], env[LOAD_PATH_MAX];
	struct cost perfs[LOOKS], agains[LOOKS], perf, first, again, slow;
	pid_t loads[LOADS_MAX];

	for (int i = 0; i < LOADS_MAX; i++)
		loads[i] = load_start(load_built(path, "loads/hot"), NULL);
	load_new_cache(env);
	first = measure_ptop("4000", "auto", env, HOT_S);
	/* By turns: what a look costs differs by a tenth from one to the next. */
	for (int i = 0; i < LOOKS; i++) {
		perfs[i] = measure_perf(perf_args, HOT_S);
		agains[i] = measure_ptop("4000", "auto", env, HOT_S);
	}
	perf = median(perfs);
	again = median(agains);
	slow = measure_ptop("999", "auto", env, HOT_S);
	for (int i = 0; i < LOADS_MAX; i++)
		load_end(loads[i]);
	print_cost("two busy loops", "4000 Hz", &perf, &again, limits);
	print_cost("two busy loops", "4000 Hz, first start", &perf, &first, no_limits);
	print_cost("two busy loops", "999 Hz", &perf, &slow, no_limits);
}

static pid_t
start_mixed(const char *script)
{
	return load_start(script, NULL);
}

/* Each look begins with the load's own begin, so that all see the same of it. */
static struct cost
ptop_beside_mixed(const char *script, const char *freq, const char *chains, const char *env)
{
	pid_t load = start_mixed(script);
	struct cost res = measure_ptop(freq, chains, env, MIXED_S);

	load_end(load);
	return res;
}

static struct cost
perf_beside_mixed(const char *script, const char *const args[])
{
	pid_t load = start_mixed(script);
	struct cost res = measure_perf(args, MIXED_S);

	load_end(load);
	return res;
}

/*
 * The peak after a while, and what it grew by in as long again.  The flight recorder is full by then,
 * as by default it fills for minutes, up to 16 MiB: the limits have none of the 14 MiB that are left.
 */
static void
bench_growth(const char *script, const char *chains, const char *how, double limit, const char *env)
{
	char peak[128], more[128];
	struct figure then = { peak, "MiB", FIGURE_MOST, .perf = NAN, .limit = limit };
	struct figure growth = { more, "MiB", FIGURE_MOST, .perf = NAN, .limit = 1 };
	const char *const args[] = { load_ptop(), "-F", "4000", "--budget", "off", "--history", "2M",
				     "-g", chains, NULL };
	pid_t load = start_mixed(script);
	struct view v;

	snprintf(peak, sizeof(peak), "mixed load, %s, peak memory after 60 s, 4000 Hz", how);
	snprintf(more, sizeof(more), "mixed load, %s, growth from 60 to 120 s, 4000 Hz", how);
	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, LATER_S * 1000);
	then.ptop = view_peak_mib(&v);
	view_run(&v, LATER_S * 1000);
	growth.ptop = view_peak_mib(&v) - then.ptop;
	view_close(&v);
	load_end(load);
	figure_print(&then);
	figure_print(&growth);
}

/* What a terminal at the end of a slow line has to take, once the first screen stands. */
static void
bench_bytes(void)
{
	struct figure f = { "mixed load, to the terminal of 160x50, a refresh each second", "KiB", FIGURE_MOST,
			    .perf = NAN, .limit = 3 };
	char script[LOAD_PATH_MAX], env[LOAD_PATH_MAX];
	struct view v;
	uint64_t before;
	pid_t load;

	load_source(script, "bench/mixed.sh");
	load_new_cache(env);
	load = start_mixed(script);
	view_open(&v, (const char *const[]){ load_ptop(), "--no-config", "-d", "1", NULL },
		  (const char *const[]){ env, NULL });
	view_run(&v, WARM_S * 1000);
	before = v.bytes;
	view_run(&v, REFRESHES * 1000);
	f.ptop = (double)(v.bytes - before) / REFRESHES / 1024;
	view_close(&v);
	load_end(load);
	figure_print(&f);
}

static void
bench_mixed(void)
{
	static const struct figure limits[2] = { { .rule = FIGURE_PART, .limit = 6 } };
	char script[LOAD_PATH_MAX], env[LOAD_PATH_MAX];
	struct cost perf, perf_whole, by_fp, whole, slow;
	struct view warm;
	pid_t load;

	load_source(script, "bench/mixed.sh");
	load_new_cache(env);
	/* What the load reads is in memory from here on, and so is the kernel's image. */
	load = start_mixed(script);
	view_open(&warm, (const char *const[]){ load_ptop(), NULL },
		  (const char *const[]){ env, NULL });
	view_run(&warm, WARM_S * 1000);
	view_close(&warm);
	load_end(load);

	/* Each beside the perf that takes the same chains; those of the default at 999 Hz: stacks.c. */
	perf = perf_beside_mixed(script, perf_args);
	by_fp = ptop_beside_mixed(script, "4000", "fp", env);
	perf_whole = perf_beside_mixed(script, perf_whole_args);
	whole = ptop_beside_mixed(script, "4000", "auto", env);
	slow = ptop_beside_mixed(script, "999", "auto", env);
	print_cost("mixed load", "4000 Hz, by frame pointers, 20 s", &perf, &by_fp, limits);
	print_cost("mixed load", "4000 Hz, whole stacks, 20 s", &perf_whole, &whole, no_limits);
	print_cost("mixed load", "999 Hz, whole stacks, 20 s", &perf_whole, &slow, no_limits);
	bench_growth(script, "fp", "by frame pointers", 34, env);
	bench_growth(script, "auto", "whole stacks", 48, env);
}

int
main(int argc, char **argv)
{
	view_init(argc, argv);
	if (argc == 2 && strcmp(argv[1], "hot") == 0)
		bench_hot();
	else if (argc == 2 && strcmp(argv[1], "mixed") == 0)
		bench_mixed();
	else if (argc == 2 && strcmp(argv[1], "bytes") == 0)
		bench_bytes();
	else
		return 2;
	return 0;
}
