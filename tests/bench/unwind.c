/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What call chains from copies of stacks cost: in a recording, on top of reading it and in all, and
 * live; perf report and perf top on the same beside it.
 */
#include "child.h"
#include "figure.h"
#include "load.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 5, LIVE_S = 10, LOOKS = 3, REPORT_BYTES = 4096 };

static char file[LOAD_PATH_MAX];

static void
record(pid_t load)
{
	char number[16], secs[16];
	const char *const argv[] = { "perf", "record", "-q", "--call-graph", "dwarf", "-F", "2000",
				     "-p", number, "-o", file, "--", "sleep", secs, NULL };

	snprintf(number, sizeof(number), "%d", load);
	snprintf(secs, sizeof(secs), "%d", SECONDS);
	child_run(argv);
}

/* NAN: it cannot be told. */
static double
count_samples(void)
{
	char command[LOAD_PATH_MAX * 2 + 64], line[REPORT_BYTES] = "";
	double samples = NAN;
	FILE *f;

	snprintf(command, sizeof(command), "'%s' -b -i '%s' --by event --format csv", load_ptop(), file);
	f = popen(command, "r");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strchr(line, ',') != NULL)
			samples = strtod(strchr(line, ',') + 1, NULL);
	if (f != NULL)
		pclose(f);
	return samples;
}

/* The best of several runs counts: one that finds what the first of them, perf's or ptop's, kept. */
static void
bench_recording(void)
{
	const char *const perf_args[] = { "perf", "report", "--stdio", "--children", "--no-inline",
					  "-i", file, NULL };
	const char *const read_args[] = { load_ptop(), "-b", "-i", file, "-g", "none", "--by",
					  "symbol", "--format", "csv", NULL };
	const char *const tree_args[] = { load_ptop(), "-b", "-i", file, "--format", "folded", NULL };
	struct child_cost perf = child_best(perf_args), reads = child_best(read_args),
			  tree = child_best(tree_args);
	struct figure each = { "loads/deep, unwinding and call tree, on top of reading, a sample",
			       "us", FIGURE_MOST, .perf = NAN, .limit = 3 };
	struct figure all = { "loads/deep, whole recording", "ms", FIGURE_PART,
			      .perf = perf.cpu_ms, .ptop = tree.cpu_ms, .limit = 5 };
	struct figure memory = { "loads/deep, recording, peak memory", "MiB", FIGURE_INFO,
				 .perf = perf.peak_mib, .ptop = tree.peak_mib };

	each.ptop = (tree.cpu_ms - reads.cpu_ms) * 1e3 / count_samples();
	figure_print(&each);
	figure_print(&all);
	figure_print(&memory);
}

static struct child_cost
look(const char *const args[])
{
	struct child_cost best = { NAN, NAN };

	for (int i = 0; i < LOOKS; i++) {
		struct view v;

		view_open(&v, args, (const char *const[]){ NULL });
		view_run(&v, LIVE_S * 1000);
		best.peak_mib = fmax(best.peak_mib, view_peak_mib(&v));
		best.cpu_ms = fmin(best.cpu_ms, view_close(&v));
	}
	return best;
}

/* Of the load alone: what else runs costs either of them according to what it is. */
static void
bench_live(pid_t load)
{
	char number[16];
	const char *const perf_args[] = { "perf", "top", "--call-graph", "dwarf", "-F", "999", "-p",
					  number, NULL };
	const char *const ptop_args[] = { load_ptop(), "-g", "dwarf", "-F", "999", "--budget", "off", "-p", number, NULL };
	struct child_cost perf, ptop;
	struct figure cpu = { "loads/deep, live, -g dwarf, 999 Hz, CPU time", "%", FIGURE_PART,
			      .limit = 5 };
	struct figure memory = { "loads/deep, live, -g dwarf, 999 Hz, peak memory", "MiB",
				 FIGURE_MOST, .limit = 64 };

	snprintf(number, sizeof(number), "%d", load);
	perf = look(perf_args);
	ptop = look(ptop_args);
	cpu.perf = perf.cpu_ms / (LIVE_S * 10);
	cpu.ptop = ptop.cpu_ms / (LIVE_S * 10);
	memory.perf = perf.peak_mib;
	memory.ptop = ptop.peak_mib;
	figure_print(&cpu);
	figure_print(&memory);
}

int
main(int argc, char **argv)
{
	char path[LOAD_PATH_MAX];
	pid_t load;

	view_init(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!load_has_perf())
		return 0;
	load_scratch(file, "unwind.data");
	load = load_start(load_built(path, "loads/deep"), NULL);
	record(load);
	bench_recording();
	bench_live(load);
	load_end(load);
	return 0;
}
