/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What many hosts on one screen cost: a refresh alone, while nothing comes, and a second in which all
 * of them send 300 rows, are counted and shown.
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include "base/util.h"

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	WARM_S = 15, LOOK_S = 10, VIEWS = 12, SETTLE_MS = 500, CHANGE_MS = 500, AGAIN_S = 2,
	FILL_MS = 3000,
	COMMAND_MAX = 2 * LOAD_PATH_MAX,
};

static void
print(unsigned hosts, const char *what, const char *unit, double limit, struct series *values)
{
	char text[96];

	snprintf(text, sizeof(text), "%u hosts: %s, own CPU time", hosts, what);
	figure_print_series((struct figure){ .what = text, .unit = unit, .perf = NAN, .limit = limit,
					     .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO }, values);
}

/* Each notes its number, so that it can be stopped. */
static void
open_hosts(struct view *v, unsigned hosts, const char *delay)
{
	char feeds[LOAD_PATH_MAX], pids[LOAD_PATH_MAX], command[COMMAND_MAX];
	char *list = mem_calloc(hosts, 16), *at = list;

	for (unsigned i = 0; i < hosts; i++)
		at += sprintf(at, "%sbusy-%u", i > 0 ? "," : "", i);
	load_scratch(pids, "pids");
	unlink(pids);
	snprintf(command, sizeof(command), "echo $$ >>%s; exec %s \"$1\"", pids, load_built(feeds, "feeds"));
	view_open(v, (const char *const[]){ load_ptop(), "--no-config", "--hosts", list, "--hosts-command",
					    command, "-d", delay, NULL }, NULL);
	free(list);
	view_run(v, WARM_S * 1000);
}

static void
signal_feeds(int sig)
{
	char pids[LOAD_PATH_MAX];
	FILE *f = fopen(load_scratch(pids, "pids"), "r");
	int pid;

	while (f != NULL && fscanf(f, "%d", &pid) == 1)
		kill(pid, sig);
	if (f != NULL)
		fclose(f);
}

static void
bench_second(unsigned hosts)
{
	struct series ms = { .len = 0 };
	struct view v;

	open_hosts(&v, hosts, "1");
	for (int i = 0; i < LOOK_S; i++) {
		double before = view_cpu_ms(&v);

		view_run(&v, 1000);
		series_add(&ms, view_cpu_ms(&v) - before);
	}
	view_close(&v);
	print(hosts, "a second, all counted and shown", "ms", 0, &ms);
}

/* The view that is on the screen, which is in brackets. */
static void
print_view(struct view *v, unsigned hosts, double ms)
{
	const char *name = pty_screen(v->pty);
	char text[96];
	int len;

	do
		name = strchr(name, '[');
	while (name != NULL && !isupper((unsigned char)*++name));
	len = name != NULL ? (int)strcspn(name, "]\n") : 0;
	snprintf(text, sizeof(text), "%u hosts: of these, %.*s", hosts, len, name != NULL ? name : "");
	figure_print(&(struct figure){ .what = text, .unit = "ms", .perf = NAN, .ptop = ms,
				       .rule = FIGURE_INFO });
}

/* In each view a picture a second, while nothing comes; and the way from one view to the next. */
static void
bench_refresh(unsigned hosts, double limit)
{
	struct series change_ms = { .len = 0 }, again_ms = { .len = 0 };
	struct view v;

	open_hosts(&v, hosts, "1");
	for (int i = 0; i < VIEWS; i++) {
		double before;

		signal_feeds(SIGSTOP);
		view_run(&v, SETTLE_MS);
		before = view_cpu_ms(&v);
		view_run(&v, AGAIN_S * 1000);
		series_add(&again_ms, (view_cpu_ms(&v) - before) / AGAIN_S);
		print_view(&v, hosts, again_ms.values[again_ms.len - 1]);
		before = view_cpu_ms(&v);
		pty_keys(v.pty, "\t");
		view_run(&v, CHANGE_MS);
		series_add(&change_ms, view_cpu_ms(&v) - before);
		signal_feeds(SIGCONT);
		view_run(&v, FILL_MS); /* the window has rows again */
	}
	signal_feeds(SIGKILL);
	view_close(&v);
	print(hosts, "a refresh, with its picture", "ms", limit, &again_ms);
	print(hosts, "the way to another view", "ms", 0, &change_ms);
}

int
main(int argc, char **argv)
{
	view_init(argc, argv);
	bench_refresh(50, 16);
	bench_second(50);
	bench_refresh(200, 0);
	bench_second(200);
	return 0;
}
