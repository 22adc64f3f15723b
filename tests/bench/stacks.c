/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What whole call chains cost, which are the default: CPU time and memory of ptop at 999 Hz, and of
 * perf top --call-graph dwarf beside the same load, by turns.  BENCH_LOOKS says how often, 3 if unset,
 * BENCH_SECONDS for how long each, STACKS_LOADS which of the loads.
 */
#include "figure.h"
#include "load.h"
#include "meter.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_S = 20, LOOKS = 3, LOADS_MAX = 2 };

struct cost {
	struct series cpu_percent, peak_mib;
	unsigned lossy; /* looks in which samples were lost */
};

/* What keeps the machine busy while one program looks: begun anew for each. */
struct surroundings {
	const char *name, *what;
	const char *load, *arg, *more;
	int loads;
	bool is_script;
	enum figure_rule rule;        /* of CPU time, with its limit */
	double limit;                 /* FIGURE_TIMES: of what frame pointers cost */
	double memory_part;           /* at most one of so many of perf's; 0: no limit */
};

static const struct surroundings all[] = {
	{ "mixed", "mixed load", "bench/mixed.sh", NULL, NULL, 1, true, FIGURE_PART, 7, 5 },
	{ "deep", "two programs with deep stacks", "loads/deep", NULL, NULL, 2, false, FIGURE_PART, 8, 3 },
	{ "hot", "two busy loops", "loads/hot", NULL, NULL, 2, false, FIGURE_TIMES, 1.1, 0 },
	{ "execs", "500 short programs a second", "loads/storm", "execs", "500", 1, false, FIGURE_MOST, 3, 0 },
};

static const char *const perf_args[] = { "perf", "top", "--call-graph", "dwarf", "-F", "999", NULL };

/* The header's "lost N". */
static bool
has_lost(struct pty *p)
{
	const char *lost = strstr(pty_screen(p), "lost ");

	return lost != NULL && atoi(lost + 5) > 0;
}

static void
look(const struct surroundings *s, const char *const args[], const char *env, struct cost *cost)
{
	int secs = meter_setting("BENCH_SECONDS", LOOK_S);
	char path[LOAD_PATH_MAX];
	pid_t loads[LOADS_MAX];
	struct view v;

	for (int i = 0; i < s->loads; i++)
		loads[i] = load_start_with(s->is_script ? load_source(path, s->load)
							: load_built(path, s->load),
					   s->arg, s->more);
	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, secs * 1000);
	cost->lossy += has_lost(v.pty);
	series_add(&cost->peak_mib, view_peak_mib(&v));
	series_add(&cost->cpu_percent, view_close(&v) / (secs * 10));
	for (int i = 0; i < s->loads; i++)
		load_end(loads[i]);
}

static void
look_ptop(const struct surroundings *s, const char *chains, const char *env, struct cost *cost)
{
	look(s,
	     (const char *const[]){ load_ptop(), "-F", "999", "--budget", "off", "-g", chains, NULL },
	     env, cost);
}

static double
middle(struct series *s)
{
	return s->len > 0 ? series_percentile(s, 50) : NAN;
}

static void
print(const struct surroundings *s, struct cost *perf, struct cost *whole, struct cost *by_fp)
{
	char what[128];

	snprintf(what, sizeof(what), "%s, whole stacks, CPU time", s->what);
	figure_print(&(struct figure){
		.what = what, .unit = "%", .perf = middle(&perf->cpu_percent),
		.ptop = middle(&whole->cpu_percent), .base = middle(&by_fp->cpu_percent),
		.limit = s->limit, .rule = s->rule });
	snprintf(what, sizeof(what), "%s, whole stacks, peak memory", s->what);
	figure_print(&(struct figure){
		.what = what, .unit = "MiB", .perf = middle(&perf->peak_mib),
		.ptop = middle(&whole->peak_mib), .limit = s->memory_part,
		.rule = s->memory_part > 0 ? FIGURE_PART : FIGURE_INFO });
	snprintf(what, sizeof(what), "%s, by frame pointers, CPU time", s->what);
	figure_print(&(struct figure){ .what = what, .unit = "%", .perf = NAN,
				       .ptop = middle(&by_fp->cpu_percent) });
	snprintf(what, sizeof(what), "%s, looks in which samples were lost", s->what);
	figure_print(&(struct figure){ .what = what, .unit = "", .perf = NAN,
				       .ptop = whole->lossy, .rule = FIGURE_MOST });
}

static void
bench(const struct surroundings *s, const char *env)
{
	struct cost perf = { 0 }, whole = { 0 }, by_fp = { 0 };
	int looks = meter_setting("BENCH_LOOKS", LOOKS);

	for (int i = 0; i < looks; i++) {
		if (load_has_perf())
			look(s, perf_args, NULL, &perf);
		look_ptop(s, "auto", env, &whole);
		look_ptop(s, "fp", env, &by_fp);
	}
	print(s, &perf, &whole, &by_fp);
}

int
main(int argc, char **argv)
{
	const char *wanted = getenv("STACKS_LOADS");
	char env[LOAD_PATH_MAX];
	struct cost warm = { 0 };

	view_init(argc, argv);
	load_new_cache(env);
	look_ptop(&all[0], "auto", env, &warm); /* images and rules are kept from here on */
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (wanted == NULL || strstr(wanted, all[i].name) != NULL)
			bench(&all[i], env);
	return 0;
}
