/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes with a recording, which is read and not sampled. */
#include "app/config_impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
config_refuse(const char *with, const struct wrong_option *rows, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].is_given)
			continue;
		err_set(err, ERR_USAGE, 0, "%s does not go with %s: %s", rows[i].name, with,
			rows[i].why);
		return rows[i].hint != NULL ? err_hint(err, "%s", rows[i].hint) : -1;
	}
	return 0;
}

/*
 * Not --delay, --iterations, --idle, --budget, --history: scripts give them whatever they read.
 * What is left out of what was recorded is a filter's or --call-graph none's.
 */
static int
check_sampling(const struct config *c, struct err *err)
{
	static const char recorded[] = "what is in a recording was chosen when it was made";
	const struct wrong_option rows[] = {
		{ c->engine.event_filter_count > 0, "--filter-event", recorded, NULL },
		{ c->engine.events != NULL, "--event", "a recording has its own events",
		  "--filter event=NAME keeps those of one" },
		{ c->engine.freq > 0, "--freq", recorded, NULL },
		{ c->engine.count > 0, "--count", recorded, NULL },
		{ c->chains_given && c->engine.call_graph != CALL_GRAPH_NONE, "--call-graph", recorded,
		  "--call-graph none leaves its stacks alone" },
		{ c->engine.attrs != NULL, "--attr", recorded, NULL },
		{ c->engine.clock != NULL, "--clockid", recorded, NULL },
		{ c->engine.mmap_pages > 0, "--mmap-pages", "nothing is sampled", NULL },
		{ c->engine.no_inherit, "--no-inherit", recorded, NULL },
		{ c->engine.compress, "--compress", "nothing is written", NULL },
		{ c->engine.raw_stacks, "--raw-stacks", "nothing is written", NULL },
		{ c->engine.overwrite, "--overwrite", recorded, NULL },
		{ c->engine.name_jit, "--name-jit", "its processes are over", NULL },
	};

	return config_refuse("--input", rows, ARRAY_SIZE(rows), err);
}

/* Its lines are the records, as they are. */
static int
check_dump(const struct config *c, struct err *err)
{
	static const char lines[] = "it prints all records, one a line";
	const struct wrong_option rows[] = {
		{ c->engine.format != FORMAT_COUNT, "--format", lines, NULL },
		{ c->view != VIEW_PROCESSES, "--view", lines, NULL },
		{ c->key_count > 0, "--by", lines, NULL },
		{ c->sort >= 0, "--sort", lines, NULL },
		{ c->filter != NULL, "--filter", lines, NULL },
		{ c->window_s < 0 || c->window_s > 0, "--window", lines, NULL },
		{ c->hide_kernel, "--hide-kernel", lines, NULL },
		{ c->hide_user, "--hide-user", lines, NULL },
		{ c->engine.relative, "--relative", lines, NULL },
	};

	return config_refuse("--dump", rows, ARRAY_SIZE(rows), err);
}

static int
check_without_input(const struct config *c, struct err *err)
{
	if (c->dump)
		return err_set(err, ERR_USAGE, 0, "--dump prints the records of a file: "
			       "it needs --input");
	if (c->engine.from != NULL || c->engine.to != NULL)
		return err_set(err, ERR_USAGE, 0, "%s is of a recording: it needs --input",
			       c->engine.from != NULL ? "--from" : "--to");
	if (c->engine.symfs != NULL)
		return err_set(err, ERR_USAGE, 0, "--symfs is of a recording: it needs --input");
	return 0;
}

/* Two windows, each of a time of its own. */
static int
check_diff(const struct config *c, struct err *err)
{
	static const char nothing[] = "there is nothing in it to compare";
	const struct view_def *view = &view_defs[c->view];
	char named[64];
	const struct wrong_option rows[] = {
		{ view->is_counted, named, "a recording has samples", NULL },
		{ view->is_code, named, "instructions are not compared",
		  "--view functions compares functions" },
		{ c->dump, "--dump", nothing, NULL },
	};

	if (c->engine.then_input == NULL)
		return 0;
	snprintf(named, sizeof(named), "--view %s", view->name);
	if (strcmp(c->engine.then_input, "-") == 0)
		return err_set(err, ERR_USAGE, 0, "--diff: it reads a file, not standard input");
	return config_refuse("--diff", rows, ARRAY_SIZE(rows), err);
}

int
config_check_input(const struct config *c, struct err *err)
{
	if (check_diff(c, err) < 0)
		return -1;
	if (c->engine.input == NULL)
		return check_without_input(c, err);
	if (strcmp(c->engine.input, "-") == 0 && isatty(STDIN_FILENO)) {
		err_set(err, ERR_USAGE, 0, "--input: standard input is a terminal");
		return err_hint(err, "perf record -o - ... | ptop -i -");
	}
	if (c->engine.pid_count + c->engine.tid_count + c->engine.uid_count + c->engine.cpu_count +
		c->engine.cgroup_count > 0) {
		err_set(err, ERR_USAGE, 0, "--input reads all of a recording: it takes no targets");
		return err_hint(err, "--filter keeps some rows, such as comm=nginx");
	}
	if (c->engine.record != NULL)
		return err_set(err, ERR_USAGE, 0, "--record writes what is sampled: "
			       "with --input nothing is");
	if (c->engine.command != NULL)
		return err_set(err, ERR_USAGE, 0, "--input reads a recording: "
			       "it cannot start a command");
	if (check_sampling(c, err) < 0)
		return -1;
	return c->dump ? check_dump(c, err) : 0;
}
