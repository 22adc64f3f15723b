/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample costs, and what memory it takes, from machines of three sizes that
 * tests/scale/generate makes up: each at a million samples a second, flat and with call chains.
 * And how such a recording is to be used.
 *
 * A sample's cost is that of a longer recording less that of a brief one, so that neither the start
 * nor what tasks need to be there is in it.
 */
#include "child.h"
#include "figure.h"
#include "load.h"
#include "view.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RUNS = 6, /* the best of: others use the caches of the machine as well */
	BRIEF_S = 1,
	LONG_S = 3,
	RATE = 1000000, /* samples a second */
	DEPTH = 12,     /* frames of a call chain */
	KEYS = 60,
	SCREEN_MS = 60000,
	FRAME_GAP_MS = 3,
	BUDGET_MIB = 64, /* --memory as it is, symbols, and what a fold takes for a moment */
	TASK_KIB = 1,    /* with its names, maps and functions */
};

/* The smallest has 25 processes: as many programs run on all, so that all have the same functions. */
static const struct size {
	unsigned cpus, tasks, programs;
} sizes[] = { { 2, 100, 25 }, { 64, 10000, 25 }, { 512, 100000, 25 } },
  varied = { 512, 100000, 100 };

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* Writes @seconds of it; the number of samples, 0 if it cannot be written. */
static uint64_t
generate(const char *path, const struct size *size, bool with_chains, unsigned seconds)
{
	char program[LOAD_PATH_MAX], images[LOAD_PATH_MAX], command[LOAD_PATH_MAX * 4];
	uint64_t samples = 0;
	FILE *out;

	snprintf(command, sizeof(command),
		 "'%s' --cpus %u --tasks %u --samples %d --seconds %u --depth %d --forks 200"
		 " --execs 50 --mmaps 200 --programs %u --images '%s' '%s'",
		 load_built(program, "scale/generate"), size->cpus, size->tasks, RATE, seconds,
		 with_chains ? DEPTH : 0, size->programs, load_scratch(images, "images"), path);
	out = popen(command, "r");
	if (out == NULL || fscanf(out, "samples %" SCNu64, &samples) != 1)
		samples = 0;
	return out != NULL && pclose(out) == 0 ? samples : 0;
}

static struct child_cost
read_best(const char *path, bool with_chains)
{
	const char *const flat[] = { load_ptop(), "-i", path, "--by", "comm,dso,symbol",
				     "--format", "csv", NULL };
	const char *const tree[] = { load_ptop(), "-i", path, "--format", "folded", NULL };
	struct child_cost best = { NAN, NAN };

	for (int i = 0; i < RUNS; i++) {
		struct child_cost c = child_run(with_chains ? tree : flat);

		best.cpu_ms = fmin(best.cpu_ms, c.cpu_ms);
		best.peak_mib = fmax(best.peak_mib, c.peak_mib);
	}
	return best;
}

struct cost {
	double sample_ns, peak_mib;
};

static struct cost
measure(const struct size *size, bool with_chains)
{
	char path[LOAD_PATH_MAX];
	struct child_cost brief, lasting;
	uint64_t few, many;

	load_scratch(path, "scale.data");
	few = generate(path, size, with_chains, BRIEF_S);
	brief = read_best(path, with_chains);
	many = generate(path, size, with_chains, LONG_S);
	lasting = read_best(path, with_chains);
	unlink(path);
	return (struct cost){ (lasting.cpu_ms - brief.cpu_ms) * 1e6 / (double)(many - few),
			      lasting.peak_mib };
}

static void
print_costs(const struct cost costs[SIZES], const char *how)
{
	char what[128];

	for (int i = 0; i < SIZES; i++) {
		struct figure f = { what, "ns", i == SIZES - 1 ? FIGURE_TIMES : FIGURE_INFO,
				    .perf = NAN, .ptop = costs[i].sample_ns, .limit = 1.5,
				    .base = costs[0].sample_ns };
		struct figure m = { what, "MiB", FIGURE_MOST, .perf = NAN,
				    .ptop = costs[i].peak_mib,
				    .limit = BUDGET_MIB + sizes[i].tasks * TASK_KIB / 1024.0 };

		snprintf(what, sizeof(what), "a sample of %u CPUs, %u tasks, %s", sizes[i].cpus,
			 sizes[i].tasks, how);
		figure_print(&f);
		snprintf(what, sizeof(what), "peak memory, %u CPUs, %u tasks, %s", sizes[i].cpus,
			 sizes[i].tasks, how);
		figure_print(&m);
	}
}

/* The largest once more, of four times as many programs: more to tell apart costs more. */
static void
bench_varied(const char *how, bool with_chains)
{
	char what[128];
	struct figure f = { what, "ns", FIGURE_INFO, .perf = NAN,
			    .ptop = measure(&varied, with_chains).sample_ns };

	snprintf(what, sizeof(what), "a sample of %u CPUs, %u tasks, %u programs, %s", varied.cpus,
		 varied.tasks, varied.programs, how);
	figure_print(&f);
}

static void
bench_costs(bool with_chains)
{
	const char *how = with_chains ? "call chains" : "flat";
	struct cost costs[SIZES];

	for (int i = 0; i < SIZES; i++)
		costs[i] = measure(&sizes[i], with_chains);
	print_costs(costs, how);
	bench_varied(how, with_chains);
}

/* Bytes are taken until @is_there is so of the screen; in ms since the start, NAN if it never is. */
static double
wait_until(struct view *v, bool (*is_there)(struct pty *p))
{
	uint64_t end = clock_mono_ns() + SCREEN_MS * NSEC_PER_MSEC;

	while (clock_mono_ns() < end)
		if (view_step(v, 100) && is_there(v->pty))
			return (double)(v->last_ns - v->exec_ns) / (double)NSEC_PER_MSEC;
	return NAN;
}

static bool
has_rows(struct pty *p)
{
	return strstr(pty_screen(p), "program-0") != NULL;
}

static bool
is_read(struct pty *p)
{
	return strstr(pty_line(p, 0), "FILE ") != NULL;
}

static void
press_keys(struct view *v, struct series *ms)
{
	for (int i = 0; i < KEYS; i++) {
		double took = pty_key_ms(v->pty, i % 2 == 0 ? "\033OB" : "s", FRAME_GAP_MS);

		if (took > 0)
			series_add(ms, took);
		view_run(v, 20);
	}
}

/* The first rows, then keys while all of it is there. */
static void
bench_view(const char *path, const char *name)
{
	const char *const args[] = { load_ptop(), "-i", path, "-V", name, NULL };
	struct series *ms = mem_calloc(1, sizeof(*ms));
	char what[128];
	struct figure first = { what, "ms", FIGURE_INFO, .perf = NAN };
	struct figure keys = { what, "ms", FIGURE_MOST, .perf = NAN, .limit = 50 };
	struct view v;

	view_open(&v, args, NULL);
	first.ptop = wait_until(&v, has_rows);
	snprintf(what, sizeof(what), "first rows of 100,000 tasks, %s", name);
	figure_print(&first);
	first.ptop = wait_until(&v, is_read);
	snprintf(what, sizeof(what), "all of a million samples, %s", name);
	figure_print(&first);
	view_run(&v, 500);
	press_keys(&v, ms);
	snprintf(what, sizeof(what), "key to repaint of 100,000 tasks, %s, p90", name);
	keys.ptop = series_percentile(ms, 90);
	figure_print(&keys);
	view_close(&v);
	free(ms);
}

int
main(int argc, char **argv)
{
	char path[LOAD_PATH_MAX];

	view_init(argc, argv);
	bench_costs(false);
	bench_costs(true);
	if (generate(load_scratch(path, "scale.data"), &sizes[SIZES - 1], false, 1) > 0) {
		bench_view(path, "processes");
		bench_view(path, "functions");
	}
	unlink(path);
	return 0;
}
