/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a key to the last byte of its answer on the screen: beside two busy loops, while the symbols
 * of a huge program are being loaded, and in a table of thousands of rows, those of the functions of
 * a program that has so many, that change with each refresh.  usage: keys [HUGE MANY]
 *
 * The screen changes by itself too, so an answer is told by what it must change: a move, the
 * selected line; the others, the place and view named above the table, which are drawn together
 * with the place's rows.  Its frame ends when no byte comes for a while; that while is not counted.
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEYS_MAX = 200,
	ROUNDS_MAX = 60,
	ROUND_KEYS_MAX = 60, /* of one round of loading */
	FRAME_GAP_MS = 3,
	LATE_MS = 300, /* no answer */
	READY_MS = 5000,
	ROUND_PAUSE_MS = 200,
	PERF_READY_MS = 15000,
	PERF_KEYS = 40,
	FILL_MS = 12000,     /* the window is full of samples */
	ROWS_SHOWN = 999,    /* all others are one */
	END_MS = 1000,
	CRUMBS_LINES = 8, /* how far down the line with the place is looked for */
};

#define UP "\033OA"
#define DOWN "\033OB"
#define ENTER "\r"
#define ESC "\033"
#define TAB "\t"
#define BACK_TAB "\033[Z"
#define HOME "\033OH"
#define END "\033OF"

struct key {
	const char *bytes;
	bool is_move;
};

/* A walk that ends where it began. */
static const struct key walk[] = {
	{ DOWN, true }, { UP, true }, { ENTER }, { ENTER }, { ESC }, { ESC }, { DOWN, true },
	{ TAB }, { DOWN, true }, { UP, true }, { TAB }, { DOWN, true }, { UP, true },
	{ BACK_TAB }, { BACK_TAB }, { UP, true },
};

/* In one table, and to the next view and back. */
static const struct key table_walk[] = {
	{ DOWN, true }, { DOWN, true }, { UP, true }, { TAB }, { BACK_TAB }, { DOWN, true }, { UP, true },
	{ UP, true }, { BACK_TAB }, { TAB },
};

struct keys {
	struct view view;
	const struct key *walk;
	size_t walk_len;
	struct series ms, esc, views; /* views: keys of a table_walk that are no moves */
	size_t at;         /* in the walk */
	size_t unanswered; /* not in ms */
};

/* What a move, or another key, changes on the screen. */
struct place {
	char crumbs[VIEW_WIDTH * 4];
	int selected;
};

static int
read_crumbs(struct pty *p, char crumbs[VIEW_WIDTH * 4])
{
	for (int y = 0; y < CRUMBS_LINES; y++) {
		const char *line = pty_line(p, y), *end = strchr(line, ']');

		if (strncmp(line, " All", 4) == 0 && end != NULL) {
			snprintf(crumbs, VIEW_WIDTH * 4, "%.*s", (int)(end - line), line);
			return y;
		}
	}
	crumbs[0] = '\0';
	return -1;
}

/* Below the place is the line of titles. */
static struct place
read_place(struct pty *p)
{
	struct place res = { .selected = -1 };
	int y = read_crumbs(p, res.crumbs);

	if (y < 0)
		return res;
	for (y += 2; y < VIEW_HEIGHT - 1 && res.selected < 0; y++)
		if (pty_line_is_reverse(p, y))
			res.selected = y;
	return res;
}

static bool
is_answer(struct keys *k, const struct key *key, const struct place *before)
{
	struct place now = read_place(k->view.pty);

	if (key->is_move)
		return now.selected != before->selected;
	return strcmp(now.crumbs, before->crumbs) != 0;
}

static double
ms_since(uint64_t start_ns, uint64_t ns)
{
	return (double)(ns - start_ns) / (double)NSEC_PER_MSEC;
}

/* In ms, NAN when nothing came that the key can have caused. */
static double
press(struct keys *k, const struct key *key)
{
	struct view *v = &k->view;
	struct place before;
	uint64_t start;
	bool answered = false;

	while (view_step(v, 1)) /* not in the midst of a frame */
		;
	before = read_place(v->pty);
	start = clock_mono_ns();
	pty_keys(v->pty, key->bytes);
	while (ms_since(start, clock_mono_ns()) < LATE_MS) {
		if (view_step(v, FRAME_GAP_MS))
			answered = answered || is_answer(k, key, &before);
		else if (answered)
			return ms_since(start, v->last_ns);
	}
	return NAN;
}

static void
press_next(struct keys *k)
{
	const struct key *key = &k->walk[k->at];
	double ms = press(k, key);

	k->at = (k->at + 1) % k->walk_len;
	/* Esc waits for what could follow it in the sequence of another key. */
	if (isnan(ms))
		k->unanswered++;
	else if (k->walk == table_walk && !key->is_move)
		series_add(&k->views, ms);
	else
		series_add(strcmp(key->bytes, ESC) == 0 ? &k->esc : &k->ms, ms);
	/* Not in step with what the program does on its own. */
	view_run(&k->view, 5 + (int)(random() % 20));
}

static void
open_ptop(struct keys *k, const char *env)
{
	*k = (struct keys){ .walk = walk, .walk_len = ARRAY_SIZE(walk) };
	view_open(&k->view, (const char *const[]){ load_ptop(), NULL },
		  (const char *const[]){ env, NULL });
	pty_wait_text(k->view.pty, "hot_loop", READY_MS);
	view_run(&k->view, 1000);
}

static void
print_keys(struct keys *k, const char *when, double perf50, double perf99)
{
	struct figure half = { .unit = "ms", .rule = FIGURE_INFO, .perf = perf50 };
	struct figure most = { .unit = "ms", .rule = FIGURE_MOST, .perf = perf99, .limit = 8 };
	char what[128];

	half.what = most.what = what;
	snprintf(what, sizeof(what), "key to repaint, %s, median of %zu", when, k->ms.len);
	half.ptop = series_percentile(&k->ms, 50);
	figure_print(&half);
	snprintf(what, sizeof(what), "key to repaint, %s, p99 (max %.1f)", when,
		 series_percentile(&k->ms, 100));
	most.ptop = series_percentile(&k->ms, 99);
	figure_print(&most);
	if (k->unanswered > 0)
		printf("note: %zu keys more changed nothing in %d ms\n", k->unanswered, LATE_MS);
	if (k->esc.len == 0)
		return;
	half.perf = NAN;
	half.ptop = series_percentile(&k->esc, 50);
	snprintf(what, sizeof(what), "key to repaint, %s, Esc alone, median", when);
	figure_print(&half);
	most.perf = NAN;
	most.limit = 16;
	most.ptop = series_percentile(&k->esc, 99);
	snprintf(what, sizeof(what), "key to repaint, %s, Esc alone, p99 (max %.1f)", when,
		 series_percentile(&k->esc, 100));
	figure_print(&most);
}

/* perf: moves only, each to the last byte of what follows. */
static void
press_perf(struct series *ms)
{
	static const char *const args[] = { "perf", "top", "-g", "-F", "4000", NULL };
	struct view v;

	if (!load_has_perf())
		return;
	view_open(&v, args, NULL);
	pty_wait_text(v.pty, "hot_loop", PERF_READY_MS);
	for (int i = 0; i < PERF_KEYS; i++) {
		double took = pty_key_ms(v.pty, i % 2 == 0 ? DOWN : UP, FRAME_GAP_MS * 5);

		if (took > 0)
			series_add(ms, took);
		view_run(&v, 5 + (int)(random() % 20));
	}
	view_close(&v);
}

static void
press_all(struct keys *k)
{
	while (k->ms.len < KEYS_MAX && k->unanswered < KEYS_MAX)
		press_next(k);
}

static void
bench_calm(struct keys *k, const char *env)
{
	open_ptop(k, env);
	press_all(k);
	view_close(&k->view);
}

/* Of the table: those on the screen and the sum of those behind them say how many there are. */
static long
count_rows(struct view *v)
{
	long more = 0;
	int y;

	pty_keys(v->pty, END);
	pty_wait_text(v->pty, "more rows", END_MS);
	y = pty_find_line(v->pty, "more rows");
	if (y >= 0) {
		const char *line = pty_line(v->pty, y), *at = strstr(line, " more rows");

		while (at > line && at[-1] != ' ')
			at--;
		more = strtol(at, NULL, 10) + ROWS_SHOWN;
	}
	pty_keys(v->pty, HOME);
	view_run(v, END_MS);
	return more;
}

/* Two of the program, which call functions in no order: hardly a row is the same a second later. */
static long
bench_rows(struct keys *k, const char *many, const char *env)
{
	pid_t loads[] = { load_start(many, NULL), load_start(many, NULL) };
	long rows;

	*k = (struct keys){ .walk = table_walk, .walk_len = ARRAY_SIZE(table_walk) };
	view_open(&k->view, (const char *const[]){ load_ptop(), "-V", "functions", NULL },
		  (const char *const[]){ env, NULL });
	view_run(&k->view, FILL_MS);
	rows = count_rows(&k->view);
	press_all(k);
	view_close(&k->view);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		load_end(loads[i]);
	return rows;
}

/* A file of its own, as its symbols would not be loaded again.  false: no room. */
static bool
copy_huge(const char *huge, const char *path)
{
	char command[LOAD_PATH_MAX * 2 + 16];

	snprintf(command, sizeof(command), "cp '%s' '%s'", huge, path);
	return system(command) == 0;
}

/* Whether a row is on the screen that names the function of the program @name. */
static bool
has_named(struct pty *p, const char *name)
{
	for (int y = 0; y < VIEW_HEIGHT; y++) {
		const char *line = pty_line(p, y);

		if (strstr(line, "many_loop") != NULL && strstr(line, name) != NULL)
			return true;
	}
	return false;
}

/* Presses keys from the start of @path until its function has a name.  That time in ms. */
static double
press_while_loading(struct keys *k, const char *path, const char *name)
{
	uint64_t start = clock_mono_ns();
	pid_t load = load_start(path, NULL);
	double took = NAN;

	for (int i = 0; i < ROUND_KEYS_MAX && isnan(took); i++) {
		press_next(k);
		if (has_named(k->view.pty, name))
			took = ms_since(start, clock_mono_ns());
	}
	load_end(load);
	return took;
}

static void
bench_loading(struct keys *k, struct series *named, const char *huge, const char *env)
{
	open_ptop(k, env);
	for (int i = 0; i < ROUNDS_MAX && k->ms.len < KEYS_MAX; i++) {
		char name[32], path[LOAD_PATH_MAX];

		snprintf(name, sizeof(name), "many-%03d", i);
		if (!copy_huge(huge, load_scratch(path, name)))
			break;
		view_run(&k->view, ROUND_PAUSE_MS);
		series_add(named, press_while_loading(k, path, name));
		unlink(path);
	}
	view_close(&k->view);
}

/* The way into the table is a report of all its rows. */
static void
print_rows(struct keys *k, long rows)
{
	struct figure f = { .unit = "ms", .rule = FIGURE_INFO, .perf = NAN };
	char when[64], what[128];

	snprintf(when, sizeof(when), "in %ld rows that change", rows);
	print_keys(k, when, NAN, NAN);
	snprintf(what, sizeof(what), "key to repaint, into these rows and out, median of %zu", k->views.len);
	f.what = what;
	f.ptop = series_percentile(&k->views, 50);
	figure_print(&f);
	snprintf(what, sizeof(what), "key to repaint, into these rows and out, p99");
	f.ptop = series_percentile(&k->views, 99);
	figure_print(&f);
}

static void
print_loading(struct keys *k, struct series *named)
{
	struct figure f = { .unit = "ms", .rule = FIGURE_INFO, .perf = NAN };
	char what[128];

	print_keys(k, "500,000 symbols loading", NAN, NAN);
	snprintf(what, sizeof(what), "first of 500,000 symbols named, %zu starts", named->len);
	f.what = what;
	figure_print_series(f, named);
}

int
main(int argc, char **argv)
{
	static struct keys calm, loading, rows;
	static struct series perf, named;
	char path[LOAD_PATH_MAX], env[LOAD_PATH_MAX];
	pid_t loads[2];
	long count = 0;

	view_init(argc, argv);
	load_new_cache(env);
	for (int i = 0; i < 2; i++)
		loads[i] = load_start(load_built(path, "loads/hot"), NULL);
	press_perf(&perf);
	bench_calm(&calm, env);
	load_end(loads[1]);
	if (argc == 3)
		bench_loading(&loading, &named, argv[1], env);
	load_end(loads[0]);
	if (argc == 3)
		count = bench_rows(&rows, argv[2], env);
	print_keys(&calm, "two busy loops", series_percentile(&perf, 50),
		   series_percentile(&perf, 99));
	if (argc != 3)
		return 0;
	print_loading(&loading, &named);
	print_rows(&rows, count);
	return 0;
}
