/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From ptop's start until the function that a large running program is in has its name on the
 * screen, made anew and from the cache on disk, and what keys take meanwhile.  usage: large PROGRAM
 */
#include "figure.h"
#include "load.h"
#include "view.h"

#include "base/clock.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RUNS = 7,
	COLD_RUNS = 3,
	GIVE_UP_MS = 20000,
	KEEP_MS = 10000,
	FRAME_GAP_MS = 3,
	SETTLED_MS = 2500, /* files that changed so lately are not kept */
	CALM_MS = 1000,
};

struct times {
	struct series named, keys;
	unsigned lossy; /* runs in which samples were lost */
};

/* An image of a file is there, whole. */
static bool
has_kept(const char *env)
{
	char path[LOAD_PATH_MAX];
	DIR *d;
	struct dirent *e;
	bool found = false;

	snprintf(path, sizeof(path), "%s/ptop", strchr(env, '=') + 1);
	d = opendir(path);
	while (d != NULL && !found && (e = readdir(d)) != NULL)
		found = strncmp(e->d_name, "elf-", 4) == 0;
	if (d != NULL)
		closedir(d);
	return found;
}

/* The header's "lost N". */
static bool
has_lost(struct pty *p)
{
	const char *lost = strstr(pty_screen(p), "lost ");

	return lost != NULL && atoi(lost + 5) > 0;
}

/* @with_keys: pressed until the name is there; back to the first row, which may have fallen far. */
static void
run_once(struct times *t, const char *env, bool with_keys, bool keep)
{
	const char *const args[] = { load_ptop(), "-V", "functions", NULL };
	uint64_t end = clock_mono_ns() + GIVE_UP_MS * NSEC_PER_MSEC;
	struct view v;
	bool named = false;

	view_open(&v, args, (const char *const[]){ env, NULL });
	for (unsigned i = 0; !named && clock_mono_ns() < end; i++) {
		if (with_keys && strstr(pty_screen(v.pty), "[Functions]") != NULL) {
			const char *key = i % 2 == 0 ? "\033OB" : "\033[1~";
			double ms = pty_key_ms(v.pty, key, FRAME_GAP_MS);

			if (ms > 0)
				series_add(&t->keys, ms);
			view_run(&v, 5 + (int)(random() % 20));
		} else {
			view_step(&v, 100);
		}
		named = strstr(pty_screen(v.pty), "many_loop") != NULL;
	}
	if (!with_keys)
		series_add(&t->named,
			   named ? (double)(v.last_ns - v.exec_ns) / NSEC_PER_MSEC : NAN);
	for (int ms = 0; keep && ms < KEEP_MS && !has_kept(env); ms += 100)
		view_run(&v, 100);
	view_run(&v, CALM_MS);
	t->lossy += has_lost(v.pty);
	view_close(&v);
}

static void
print(const char *how, struct times *t, double limit)
{
	char what[128];
	struct figure f = { what, "ms", FIGURE_MOST, .perf = NAN, .limit = limit };
	struct figure keys = { what, "ms", FIGURE_MOST, .perf = NAN, .limit = 16,
			       .ptop = series_percentile(&t->keys, 99) };

	snprintf(what, sizeof(what), "500 MB program's function named, from the start, %s", how);
	figure_print_series(f, &t->named);
	snprintf(what, sizeof(what), "key to repaint meanwhile, %s, p99 of %zu", how, t->keys.len);
	figure_print(&keys);
	printf("note: %s: samples were lost in %u runs\n", how, t->lossy);
}

int
main(int argc, char **argv)
{
	static struct times cold, kept;
	char env[LOAD_PATH_MAX];
	pid_t load;

	view_init(argc, argv);
	if (argc < 2) {
		fprintf(stderr, "large: PROGRAM\n");
		return 2;
	}
	load = load_start(argv[1], NULL);
	usleep(SETTLED_MS * 1000);
	for (int i = 0; i < COLD_RUNS; i++) {
		load_new_cache(env);
		run_once(&cold, env, false, false);
		load_new_cache(env);
		run_once(&cold, env, true, i == COLD_RUNS - 1);
	}
	for (int i = 0; i < RUNS; i++) {
		run_once(&kept, env, false, false);
		run_once(&kept, env, true, false);
	}
	load_end(load);
	print("symbols made anew", &cold, 1000);
	print("from the cache", &kept, 50);
	return 0;
}
