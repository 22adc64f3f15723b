/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function by instruction: from the key to its first paint, what a refresh costs beside one of
 * the view of functions, and what memory it takes.  usage: annotate PROGRAM, which spends its time
 * in the function wide_loop of 5,000 instructions.
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	READY_MS = 10000,
	PAINTS = 21,      /* the first is the cold one */
	FRAME_GAP_MS = 5,
	LATE_MS = 2000,
	MEASURED_MS = 10000,
	REFRESHES = MEASURED_MS / 200,
};

/* From the key to the last byte of the frame that has @text in it; NAN: it did not come. */
static double
press(struct view *v, const char *key, const char *text)
{
	uint64_t start;
	bool is_there = false;

	while (view_step(v, 1)) /* not in the midst of a frame */
		;
	start = clock_mono_ns();
	pty_keys(v->pty, key);
	while (clock_mono_ns() - start < LATE_MS * NSEC_PER_MSEC) {
		if (view_step(v, FRAME_GAP_MS))
			is_there = is_there || pty_find_line(v->pty, text) >= 0;
		else if (is_there)
			return (double)(v->last_ns - start) / (double)NSEC_PER_MSEC;
	}
	return NAN;
}

static void
open_ptop(struct view *v, pid_t load, const char *env)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)load);
	view_open(v, (const char *const[]){ load_ptop(), "-V", "functions", "-d", "0.2", "-p", pid,
					    "-e", "cpu-clock", NULL },
		  (const char *const[]){ env, NULL });
	if (!pty_wait_match(v->pty, "[0-9.]+ .*wide_loop ", READY_MS))
		printf("note: no row of wide_loop came in %d ms\n", READY_MS);
	view_run(v, 1000);
}

/* CPU time of a refresh, in ms. */
static double
refresh_ms(struct view *v)
{
	double before;

	view_run(v, 1000);
	before = view_cpu_ms(v);
	view_run(v, MEASURED_MS);
	return (view_cpu_ms(v) - before) / REFRESHES;
}

static void
measure(pid_t load, const char *env)
{
	struct figure f = { .unit = "ms", .rule = FIGURE_MOST, .perf = NAN };
	struct series warm = { .len = 0 };
	double list_ms, code_ms, list_mib, code_mib, cold = NAN;
	struct view v;

	open_ptop(&v, load, env);
	list_ms = refresh_ms(&v);
	list_mib = view_peak_mib(&v);
	for (int i = 0; i < PAINTS; i++) {
		double ms = press(&v, "a", "imul");

		if (i == 0)
			cold = ms;
		else
			series_add(&warm, ms);
		press(&v, "\033", "[Functions]");
		view_run(&v, 50);
	}
	press(&v, "a", "imul");
	code_ms = refresh_ms(&v);
	code_mib = view_peak_mib(&v);
	view_close(&v);

	f.what = "annotate, 5,000 instructions: key to first paint, cold";
	f.ptop = cold;
	f.limit = 300;
	figure_print(&f);
	f.what = "annotate, 5,000 instructions: key to first paint, warm";
	f.limit = 50;
	figure_print_series(f, &warm);
	f.what = "annotate, 5,000 instructions: CPU of a refresh, beyond that of functions";
	f.ptop = code_ms - list_ms;
	f.limit = 1;
	figure_print(&f);
	f = (struct figure){ .what = "annotate, 5,000 instructions: memory in ptop, more at the peak",
			     .unit = "MiB", .rule = FIGURE_MOST, .perf = NAN, .limit = 8,
			     .ptop = code_mib - list_mib };
	figure_print(&f);
}

int
main(int argc, char **argv)
{
	char env[LOAD_PATH_MAX];
	pid_t load;

	view_init(argc, argv);
	if (argc != 2) {
		printf("note: usage: annotate PROGRAM\n");
		return 0;
	}
	load_new_cache(env);
	load = load_start(argv[1], NULL);
	measure(load, env);
	load_end(load);
	return 0;
}
