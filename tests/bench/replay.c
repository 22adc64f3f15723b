/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reading a recording costs: CPU time and memory of ptop, and of perf report on the same
 * file, both with warm caches, best of RUNS.  usage: replay busy|mixed
 */
#include "child.h"
#include "figure.h"
#include "load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOADS_MAX = 4 };

static char file[LOAD_PATH_MAX];

/* perf top's samples are of what runs; 12 s of 25 kHz, call chains. */
static void
record(void)
{
	static const char *const argv[] = { "perf", "record", "-q", "-a", "-g", "-F", "25000", "-o",
					    file, "--", "sleep", "12", NULL };

	child_run(argv);
}

static void
print_one(const char *load, const char *what, const struct child_cost *perf, const struct child_cost *ptop,
	  double part)
{
	struct figure f = { .rule = FIGURE_PART, .limit = part, .unit = "ms",
			    .perf = perf->cpu_ms, .ptop = ptop->cpu_ms };
	char text[128];

	snprintf(text, sizeof(text), "recording of %s, %s", load, what);
	f.what = text;
	figure_print(&f);
}

static void
print_memory(const char *load, const struct child_cost *perf, const struct child_cost *ptop, double most)
{
	struct figure f = { .rule = FIGURE_MOST, .limit = most, .unit = "MiB",
			    .perf = perf->peak_mib, .ptop = ptop->peak_mib };
	char text[128];

	snprintf(text, sizeof(text), "recording of %s, peak memory", load);
	f.what = text;
	figure_print(&f);
}

static void
measure(const char *load, double tree_part, double most_mib)
{
	const char *const perf_flat[] = { "perf", "report", "--stdio", "--no-children", "-g", "none",
					  "--sort", "comm,dso,symbol", "-i", file, NULL };
	const char *const perf_tree[] = { "perf", "report", "--stdio", "--children", "--sort",
					  "comm,dso,symbol", "-i", file, NULL };
	const char *const ptop_flat[] = { load_ptop(), "-i", file, "--by", "comm,dso,symbol",
					  "--format", "csv", NULL };
	const char *const ptop_tree[] = { load_ptop(), "-i", file, "--format", "folded", NULL };
	struct child_cost flat[2] = { child_best(perf_flat), child_best(ptop_flat) };
	struct child_cost tree[2] = { child_best(perf_tree), child_best(ptop_tree) };

	print_one(load, "by comm, dso, symbol", &flat[0], &flat[1], 8);
	print_one(load, "call tree, folded", &tree[0], &tree[1], tree_part);
	tree[1].peak_mib = fmax(tree[1].peak_mib, flat[1].peak_mib);
	print_memory(load, &tree[0], &tree[1], most_mib);
}

int
main(int argc, char **argv)
{
	bool mixed = argc == 2 && strcmp(argv[1], "mixed") == 0;
	char path[LOAD_PATH_MAX];
	pid_t loads[LOADS_MAX];
	int n = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mixed && (argc != 2 || strcmp(argv[1], "busy") != 0))
		return 2;
	if (!load_has_perf())
		return 0;
	load_scratch(file, "replay.data");
	for (int i = 0; i < 2; i++)
		loads[n++] = load_start(load_built(path, "loads/hot"), NULL);
	loads[n++] = load_start(load_built(path, "loads/deep"), NULL);
	if (mixed)
		loads[n++] = load_start(load_source(path, "bench/mixed.sh"), NULL);
	record();
	while (n > 0)
		load_end(loads[--n]);
	measure(argv[1], mixed ? 20 : 10, mixed ? 64 : 32);
	unlink(file);
	return 0;
}
