/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What looks at threads that wait cost: ptop's CPU time beside 300 of them, above what it needs
 * with an event that counts nothing, and what a pair of threads that hand over to each other loses.
 * The ratio of a figure is to what the reads alone cost on the same machine at the same time, see
 * bare_looks.h.
 */
#include "bare_looks.h"
#include "figure.h"
#include "load.h"
#include "view.h"

#include "tests/run.h"

#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	WARM_S = 3, LOOK_S = 10, ROUNDS = 3, BUDGET = 2, LOOKS_HZ = 20,
	STEADY_S = 20,    /* by then each of thousands of threads has had its first look, and a name */
	TURN_S = 5,       /* so long all of them may take */
	PAIR_MS = 500, SETTLE_MS = 1500, PAUSE_MS = 200, PAIR_ROUNDS = 16, PAIR_ROUNDS_MOST = 60,
	PAIR_WIDTH = 1, /* percent: a narrower interval is good enough */
	US_PER_PERCENT = 10000, /* of a second of a CPU */
};

static void
open_at(struct view *v, const char *event, pid_t pid, const char *budget, const char *env)
{
	const char *const args[] = { load_ptop(), "--budget", budget, "-e", event, "-p",
				     (char[16]){ 0 }, NULL };

	snprintf((char *)(uintptr_t)args[6], 16, "%d", (int)pid);
	view_open(v, args, (const char *const[]){ env, NULL });
}

/* Percent of a CPU that it takes from now on. */
static double
own_percent(struct view *v)
{
	double before = view_cpu_ms(v);

	view_run(v, LOOK_S * 1000);
	return (view_cpu_ms(v) - before) / (LOOK_S * 10);
}

/* Percent of a CPU that ptop takes with that event for the process. */
static double
look(const char *event, pid_t pid, const char *budget, const char *env)
{
	struct view v;
	double percent;

	open_at(&v, event, pid, budget, env);
	view_run(&v, WARM_S * 1000);
	percent = own_percent(&v);
	view_close(&v);
	return percent;
}

static void
print_bare(const char *what, double us)
{
	char text[128];

	snprintf(text, sizeof(text), "bare reads of a thread, %s", what);
	figure_print(&(struct figure){
		.what = text, .unit = "us", .perf = NAN, .ptop = us, .rule = FIGURE_INFO,
	});
}

/* Of @pid, which has just been started; they are told. */
static struct bare_looks
find_bare(pid_t pid)
{
	struct bare_looks bare;

	usleep(500000);
	bare = bare_looks(pid);
	print_bare("first look", bare.first);
	print_bare("look", bare.look);
	print_bare("has not run", bare.same);
	return bare;
}

static void
bench_threads(const char *what, const char *count, const char *again_ms, double limit,
	      const char *env)
{
	char path[LOAD_PATH_MAX], text[128];
	struct series more = { .len = 0 };
	pid_t load = load_start_with(load_built(path, "bench/waiters"), count, again_ms);
	struct bare_looks bare = find_bare(load);
	double us = atoi(again_ms) < 0 ? bare.same : bare.look;

	for (int i = 0; i < ROUNDS; i++)
		series_add(&more, look("off-cpu", load, "off", env) -
				  look("dummy", load, "off", env));
	snprintf(text, sizeof(text), "%s threads that %s, off-cpu, own CPU time", count, what);
	figure_print(&(struct figure){
		.what = text, .unit = "%", .perf = NAN, .ptop = series_percentile(&more, 50),
		.limit = limit, .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO,
		.base = atoi(count) * LOOKS_HZ * us / US_PER_PERCENT,
	});
	load_end(load);
}

/* How long a turn of all threads takes, as the screen says; 0: it says nothing, they are often enough. */
static double
turn_s(struct view *v)
{
	static const char before[] = "are looked at only each ";
	const char *at = strstr(pty_screen(v->pty), before);

	return at != NULL ? strtod(at + sizeof(before) - 1, NULL) : 0;
}

/* The longest that it says from now on, and in @percent of a CPU what that takes. */
static double
longest_turn_s(struct view *v, double *percent)
{
	double most = 0, before = view_cpu_ms(v);

	for (int s = 0; s < LOOK_S; s++) {
		view_run(v, 1000);
		most = fmax(most, turn_s(v));
	}
	*percent = (view_cpu_ms(v) - before) / (LOOK_S * 10);
	return most;
}

/* Threads that do something, and what their looks cost at least: in us for each. */
struct crowd {
	const char *what, *count;
	double first_us, look_us;
};

static void
print_figure(const struct crowd *c, const char *of, struct figure f)
{
	char text[128];

	snprintf(text, sizeof(text), "%s threads that %s, %s", c->count, c->what, of);
	f.what = text;
	f.perf = NAN;
	figure_print(&f);
}

/* Of a CPU, beside what the reads of @us for each thread cost in so many seconds. */
static void
print_percent(const struct crowd *c, const char *of, double percent, double us, double seconds)
{
	print_figure(c, of, (struct figure){
		.unit = "%", .rule = FIGURE_MOST, .limit = BUDGET, .ptop = percent,
		.base = atoi(c->count) * us / seconds / US_PER_PERCENT,
	});
}

/*
 * Beside the turn of the reads alone for the same CPU time: that is what a look costs by all that
 * ptop does, as a multiple of them.
 */
static void
print_turn(const struct crowd *c, const char *of, struct view *v)
{
	double percent, s = longest_turn_s(v, &percent);

	print_figure(c, of, (struct figure){
		.unit = "s", .rule = FIGURE_MOST, .limit = TURN_S, .ptop = s,
		.base = atoi(c->count) * c->look_us / (percent * US_PER_PERCENT),
	});
}

static struct crowd
crowd_of(pid_t load, const char *what, const char *count, bool runs)
{
	struct bare_looks bare = find_bare(load);

	return (struct crowd){ what, count, bare.first, runs ? bare.look : bare.same };
}

/*
 * As it comes: more threads are looked at in turn, all of ptop within its budget.  The first turn is
 * dear, and told for itself.
 */
static void
bench_default(const char *what, const char *count, const char *again_ms, const char *env)
{
	char path[LOAD_PATH_MAX];
	pid_t load = load_start_with(load_built(path, "bench/waiters"), count, again_ms);
	struct crowd c = crowd_of(load, what, count, atoi(again_ms) >= 0);
	struct view v;

	open_at(&v, "off-cpu", load, "2", env);
	view_run(&v, WARM_S * 1000);
	print_percent(&c, "default --budget, first turn", own_percent(&v), c.first_us, LOOK_S);
	view_run(&v, (STEADY_S - LOOK_S - WARM_S) * 1000);
	print_percent(&c, "then", own_percent(&v), c.look_us, TURN_S);
	print_turn(&c, "a turn of all", &v);
	view_close(&v);
	load_end(load);
}

/* In its process each of the threads has stacks of its own, which elsewhere are the process's. */
static void
bench_inside(const char *env)
{
	char path[LOAD_PATH_MAX];
	pid_t load = load_start_with(load_built(path, "bench/waiters"), "10000", "-1");
	struct crowd c = crowd_of(load, "wait", "10000", false);
	struct view v;

	open_at(&v, "off-cpu", load, "2", env);
	view_run(&v, STEADY_S * 1000);
	pty_keys(v.pty, "\r");
	print_percent(&c, "their process entered, first seconds", own_percent(&v), c.look_us, TURN_S);
	view_run(&v, (STEADY_S - LOOK_S) * 1000);
	print_percent(&c, "in it, then", own_percent(&v), c.look_us, TURN_S);
	print_turn(&c, "in it, a turn of all", &v);
	figure_print(&(struct figure){
		.what = "its peak of memory", .unit = "MiB", .perf = NAN, .ptop = view_peak_mib(&v),
		.rule = FIGURE_INFO,
	});
	view_close(&v);
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

static void
bench_few(const char *env)
{
	bench_threads("wait", "300", "-1", 1, env);
}

static void
bench_again(const char *env)
{
	bench_threads("run each 40 ms", "300", "40", 6, env);
}

static void
bench_thousands(const char *env)
{
	bench_threads("wait", "5000", "-1", 0, env);
}

static void
bench_often(const char *env)
{
	bench_default("run each 40 ms", "5000", "40", env);
}

static void
bench_still(const char *env)
{
	bench_default("wait", "10000", "-1", env);
}

static void
bench_seldom(const char *env)
{
	bench_default("run each second", "10000", "1000", env);
}

static const struct {
	const char *name;
	void (*run)(const char *env);
} parts[] = {
	{ "few", bench_few }, { "again", bench_again }, { "thousands", bench_thousands },
	{ "often", bench_often }, { "still", bench_still }, { "seldom", bench_seldom },
	{ "inside", bench_inside }, { "pair", bench_pair },
};

/* The name of a part: that alone. */
int
main(int argc, char **argv)
{
	char env[LOAD_PATH_MAX];

	view_init(argc, argv);
	load_new_cache(env);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (argc < 2 || strcmp(argv[1], parts[i].name) == 0)
			parts[i].run(env);
	return 0;
}
