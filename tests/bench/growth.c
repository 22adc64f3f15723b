/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What memory grows by when a machine is looked at for long: at 4000 Hz with call chains, beside
 * loads that never do the same twice.  GROWTH_SECONDS for each load, ten minutes if unset;
 * GROWTH_LOADS names those that are wanted.
 */
#include "figure.h"
#include "load.h"
#include "meter.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_S = 600, SETTLED_S = 60, LOADS_MAX = 2, LIMIT_MIB = 2 };

static const struct growth {
	const char *name, *what;
	const char *script, *program, *args[2]; /* of the sources, of the build */
	int count;
} growths[] = {
	{ "sprawl", "2 programs without symbols", NULL, "loads/sprawl", { NULL, NULL }, 2 },
	{ "mixed", "mixed load", "bench/mixed.sh", NULL, { NULL, NULL }, 1 },
	{ "churn", "200 programs a second", NULL, "loads/storm", { "execs", "200" }, 1 },
	{ "forks", "500 forks a second", NULL, "loads/storm", { "forks", "500" }, 1 },
	{ "names", "200 names a second", NULL, "loads/storm", { "names", "200" }, 1 },
};

static pid_t
start(const struct growth *g)
{
	char path[LOAD_PATH_MAX];

	if (g->script != NULL)
		load_source(path, g->script);
	else
		load_built(path, g->program);
	return load_start_with(path, g->args[0], g->args[1]);
}

static void
print(const struct growth *g, const char *text, double mib, int limit)
{
	char what[128];
	struct figure f = { what, "MiB", limit > 0 ? FIGURE_MOST : FIGURE_INFO, .perf = NAN,
			    .ptop = mib, .limit = limit };

	snprintf(what, sizeof(what), "%s, %s", g->what, text);
	figure_print(&f);
}

static void
measure(const struct growth *g, int secs, const char *env)
{
	/* The flight recorder is full when it is settled. */
	const char *const args[] = { load_ptop(), "-F", "4000", "--budget", "off", "--history", "2M",
				     NULL };
	int settled_s = secs < 2 * SETTLED_S ? secs / 2 : SETTLED_S;
	pid_t loads[LOADS_MAX] = { 0 };
	struct meter then, end;
	char text[64];
	struct view v;

	for (int i = 0; i < g->count; i++)
		loads[i] = start(g);
	view_open(&v, args, (const char *const[]){ env, NULL });
	view_run(&v, settled_s * 1000);
	meter_read(&then, pty_pid(v.pty));
	view_run(&v, (secs - settled_s) * 1000);
	meter_read(&end, pty_pid(v.pty));
	view_close(&v);
	for (int i = 0; i < g->count; i++)
		load_end(loads[i]);
	snprintf(text, sizeof(text), "peak memory after %d s", settled_s);
	print(g, text, then.peak_mib, 0);
	snprintf(text, sizeof(text), "growth from %d to %d s", settled_s, secs);
	print(g, text, end.peak_mib - then.peak_mib, LIMIT_MIB);
}

int
main(int argc, char **argv)
{
	int secs = meter_setting("GROWTH_SECONDS", DEFAULT_S);
	const char *wanted = getenv("GROWTH_LOADS");
	char env[LOAD_PATH_MAX];

	view_init(argc, argv);
	load_new_cache(env);
	for (size_t i = 0; i < sizeof(growths) / sizeof(growths[0]); i++)
		if (wanted == NULL || strstr(wanted, growths[i].name) != NULL)
			measure(&growths[i], secs, env);
	return 0;
}
