/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ptop costs once it has begun, at frequencies from low to high, beside an idle machine and
 * beside one busy loop for each CPU, and what perf top -g costs there.  By turns, so that both see
 * the same.
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { WARM_S = 5, LONG_WARM_S = 15, LOOK_S = 10, LOADS_MAX = 256 };

static const char *const freqs[] = { "99", "999", "4000", "20000" };

/* Percent of a CPU for a while after the beginning. */
static double
look(const char *const args[], const char *env, int warm_s)
{
	struct view v;
	double before, used;

	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, warm_s * 1000);
	before = view_cpu_ms(&v);
	view_run(&v, LOOK_S * 1000);
	used = view_cpu_ms(&v) - before;
	view_close(&v);
	return used / (LOOK_S * 10);
}

static double
look_perf(const char *freq)
{
	if (!load_has_perf())
		return NAN;
	return look((const char *const[]){ "perf", "top", "-g", "-F", freq, NULL }, NULL, WARM_S);
}

static double
look_ptop(const char *freq, const char *budget, const char *env, int warm_s)
{
	return look((const char *const[]){ load_ptop(), "-F", freq, "--budget", budget, NULL }, env,
		    warm_s);
}

static void
print(const char *beside, const char *freq, const char *how, double perf, double ptop, double limit)
{
	char what[128];

	snprintf(what, sizeof(what), "%s, own CPU time, %s Hz%s", beside, freq, how);
	figure_print(&(struct figure){
		.what = what, .unit = "%", .perf = perf, .ptop = ptop, .limit = limit,
		.rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO,
	});
}

static void
bench_beside(const char *beside, const char *env)
{
	for (size_t i = 0; i < sizeof(freqs) / sizeof(*freqs); i++) {
		double perf = look_perf(freqs[i]);

		print(beside, freqs[i], "", perf, look_ptop(freqs[i], "off", env, WARM_S), 0);
	}
	/* As it comes: at most two percent up to 8 CPUs, but for what a look differs by. */
	print(beside, "20000", ", default --budget", NAN,
	      look((const char *const[]){ load_ptop(), "-F", "20000", NULL }, env, LONG_WARM_S),
	      sysconf(_SC_NPROCESSORS_ONLN) <= 8 ? 2 : 0);
	print(beside, "max", ", --budget 0.5", NAN, look_ptop("max", "0.5", env, LONG_WARM_S), 0.5);
}

int
main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char path[LOAD_PATH_MAX], env[LOAD_PATH_MAX];
	pid_t loads[LOADS_MAX];
	int n = 0;

	view_init(argc, argv);
	load_new_cache(env);
	look_ptop("99", "off", env, 1); /* the kernel's names are kept from here on */
	bench_beside("idle", env);
	while (n < cpus && n < LOADS_MAX)
		loads[n++] = load_start(load_built(path, "loads/hot"), NULL);
	bench_beside("a busy loop for each CPU", env);
	while (n > 0)
		load_end(loads[--n]);
	return 0;
}
