/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long it takes from the start until there is something to see, with a loop in user code and
 * one in the kernel running, and again among many more processes, 600 and 10,000.
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include "base/clock.h"

#include <dirent.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <unistd.h>

enum { RUNS = 21, PERF_RUNS = 3, GIVE_UP_MS = 8000, KEEP_MS = 500, CALM_MS = 1500,
       CROWD = 10000, CROWD_MS = 30000, CROWD_SCREEN_MS = 200 };

/* What is waited for, in the order in which it is told. */
enum { SEEN_BYTE, SEEN_PAINT, SEEN_USER, SEEN_KERNEL, SEEN_COUNT };

static const char *const seen_names[SEEN_COUNT] = {
	[SEEN_BYTE] = "first byte",
	[SEEN_PAINT] = "first paint",
	[SEEN_USER] = "first user function named",
	[SEEN_KERNEL] = "first kernel function named",
};

/* The first line that can only be there when it has happened; the kernel's rows by program. */
static const char user_regex[] = "hot_loop|warm_loop";
static const char ptop_kernel_regex[] = "^k .* [A-Za-z_][A-Za-z0-9_.]* +\\[kernel\\]";
static const char perf_kernel_regex[] = "\\[k\\] [A-Za-z_]";

struct start {
	struct series seen[SEEN_COUNT];
};

struct watch {
	regex_t marks[SEEN_COUNT]; /* SEEN_BYTE has none */
	double ms[SEEN_COUNT];
	int left;
};

static void
watch_init(struct watch *w, const char *kernel)
{
	regcomp(&w->marks[SEEN_PAINT], "[A-Za-z]", REG_EXTENDED | REG_NOSUB);
	regcomp(&w->marks[SEEN_USER], user_regex, REG_EXTENDED | REG_NOSUB);
	regcomp(&w->marks[SEEN_KERNEL], kernel, REG_EXTENDED | REG_NOSUB | REG_NEWLINE);
	w->left = SEEN_COUNT;
	for (int i = 0; i < SEEN_COUNT; i++)
		w->ms[i] = NAN;
}

static void
watch_release(struct watch *w)
{
	for (int i = SEEN_PAINT; i < SEEN_COUNT; i++)
		regfree(&w->marks[i]);
}

/* Looks at a screen that changed. */
static void
watch_look(struct watch *w, const struct view *v)
{
	const char *screen = pty_screen(v->pty);

	for (int i = 0; i < SEEN_COUNT; i++) {
		if (!isnan(w->ms[i]) ||
		    (i != SEEN_BYTE && regexec(&w->marks[i], screen, 0, NULL, 0) != 0))
			continue;
		w->ms[i] = (double)(v->last_ns - v->exec_ns) / (double)NSEC_PER_MSEC;
		w->left--;
	}
}

static void
run_once(struct start *s, const char *const args[], const char *env, const char *kernel)
{
	uint64_t end = clock_mono_ns() + GIVE_UP_MS * NSEC_PER_MSEC;
	struct watch w;
	struct view v;

	watch_init(&w, kernel);
	view_open(&v, args, (const char *const[]){ env, NULL });
	while (w.left > 0 && clock_mono_ns() < end)
		if (view_step(&v, 100))
			watch_look(&w, &v);
	for (int i = 0; i < SEEN_COUNT; i++)
		series_add(&s->seen[i], w.ms[i]);
	view_run(&v, KEEP_MS); /* the image of the kernel is being kept */
	view_close(&v);
	watch_release(&w);
}

/* @cold: each run has a cache of its own.  Else they share one in which there is something. */
static void
run_ptop(struct start *s, bool cold)
{
	const char *const args[] = { load_ptop(), "-V", "functions", NULL };
	char env[LOAD_PATH_MAX];
	struct start unused = { 0 };

	if (!cold) {
		load_new_cache(env);
		run_once(&unused, args, env, ptop_kernel_regex);
	}
	for (int i = 0; i < RUNS; i++) {
		if (cold)
			load_new_cache(env);
		run_once(s, args, env, ptop_kernel_regex);
	}
}

static void
run_perf(struct start *s, const char *delay)
{
	const char *const args[] = { "perf", "top", "-g", "-F", "4000", delay != NULL ? "-d" : NULL,
				     delay, NULL };

	for (int i = 0; i < PERF_RUNS && load_has_perf(); i++)
		run_once(s, args, NULL, perf_kernel_regex);
}

struct limits {
	const char *how;
	double ms[SEEN_COUNT];
};

static const struct limits limits[2] = {
	{ "no image kept", { [SEEN_PAINT] = 30, [SEEN_USER] = 100, [SEEN_KERNEL] = 250 } },
	{ "image kept", { [SEEN_PAINT] = 30, [SEEN_USER] = 100, [SEEN_KERNEL] = 100 } },
};

static void
print_times(struct start *s, const struct limits *l, struct start *perf)
{
	char what[128];

	for (int i = 0; i < SEEN_COUNT; i++) {
		struct figure f = { what, "ms", l->ms[i] > 0 ? FIGURE_MOST : FIGURE_INFO,
				    
				    .perf = series_percentile(&perf->seen[i], 50),
				    .limit = l->ms[i] };

		snprintf(what, sizeof(what), "%s, %s", seen_names[i], l->how);
		figure_print_series(f, &s->seen[i]);
	}
}

static void
print_many(struct start *s, const char *how, struct start *base)
{
	char what[128];

	for (int i = SEEN_PAINT; i < SEEN_COUNT; i++) {
		struct figure f = { what, "ms", FIGURE_TIMES, .perf = NAN, .limit = 1.2,
				    .base = series_percentile(&base->seen[i], 50) };

		snprintf(what, sizeof(what), "%s, %s, + 600 processes", seen_names[i], how);
		figure_print_series(f, &s->seen[i]);
	}
}

/* With rows on it: those of user code, which need no kernel symbols. */
static void
print_crowd(struct start *s)
{
	char what[128];

	for (int i = SEEN_PAINT; i <= SEEN_USER; i++) {
		struct figure f = { what, "ms", FIGURE_MOST, .perf = NAN,
				    .limit = CROWD_SCREEN_MS };

		snprintf(what, sizeof(what), "%s, image kept, + 10,000 processes", seen_names[i]);
		figure_print_series(f, &s->seen[i]);
	}
}

static size_t
count_processes(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (proc != NULL && (e = readdir(proc)) != NULL)
		n += e->d_name[0] >= '1' && e->d_name[0] <= '9';
	if (proc != NULL)
		closedir(proc);
	return n;
}

/* false: limits do not allow so many. */
static bool
run_crowd(struct start *s)
{
	char path[LOAD_PATH_MAX];
	pid_t sleepers = load_start(load_built(path, "bench/sleepers"), "10000");
	bool res;

	for (int ms = 0; ms < CROWD_MS && count_processes() < CROWD; ms += 100)
		usleep(100 * 1000);
	usleep(CALM_MS * 1000);
	res = count_processes() >= CROWD;
	if (res)
		run_ptop(s, false);
	else
		printf("note: 10,000 processes cannot be started (kernel.pid_max, ulimit -u)\n");
	load_end(sleepers);
	return res;
}

static void
print_perf_quick(struct start *perf)
{
	struct figure f = { "first user function named, perf top -d 1", "ms", FIGURE_INFO,
			    .perf = series_percentile(&perf->seen[SEEN_USER], 50), .ptop = NAN };

	figure_print(&f);
}

int
main(int argc, char **argv)
{
	static struct start few[2], many[2], crowd, perf, perf_quick;
	char path[LOAD_PATH_MAX];
	pid_t hot, kernel, sleepers;
	bool has_crowd;

	view_init(argc, argv);
	hot = load_start(load_built(path, "loads/hot"), NULL);
	kernel = load_start(load_built(path, "bench/kernel_loop"), NULL);
	usleep(CALM_MS * 1000);
	run_perf(&perf, NULL);
	run_perf(&perf_quick, "1");
	for (int i = 0; i < 2; i++)
		run_ptop(&few[i], i == 0);
	sleepers = load_start(load_built(path, "bench/sleepers"), "600");
	usleep(CALM_MS * 1000);
	for (int i = 0; i < 2; i++)
		run_ptop(&many[i], i == 0);
	load_end(sleepers);
	has_crowd = run_crowd(&crowd);
	load_end(kernel);
	load_end(hot);
	for (int i = 0; i < 2; i++)
		print_times(&few[i], &limits[i], &perf);
	print_perf_quick(&perf_quick);
	for (int i = 0; i < 2; i++)
		print_many(&many[i], limits[i].how, &few[i]);
	if (has_crowd)
		print_crowd(&crowd);
	return 0;
}
