/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the options to what is done: what was not given is chosen, in an order that matters. */
#include "app/config_impl.h"

#include "base/file.h"
#include "event/event.h"
#include "live/carrier/copy_file.h"
#include "view/filter.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without --format, the ending of the file's name tells. */
static int
format_from_ending(struct config *c, struct err *err)
{
	enum export_format format = format_of_file(c->output);
	struct buf endings = { 0 };

	if (format != FORMAT_COUNT) {
		c->engine.format = format;
		return 0;
	}
	if (*c->output != '\0' && *file_name_of(c->output) == '\0') {
		err_set(err, ERR_USAGE, 0, "--output: '%.120s' is a folder", c->output);
		return err_hint(err, "name a file in it");
	}
	err_set(err, ERR_USAGE, 0, "--output: the ending of '%.120s' names no format", c->output);
	format_put_endings(&endings);
	err_hint(err, "use one of %s, or --format", buf_str(&endings));
	buf_release(&endings);
	return -1;
}

static void
free_functions(struct config *c)
{
	for (char **name = c->engine.functions; name != NULL && *name != NULL; name++)
		free(*name);
	free(c->engine.functions);
	c->engine.functions = NULL;
}

static bool
is_of_kernel(const char *function)
{
	return strncmp(function, "kprobe:", 7) == 0;
}

/* The event at its begin. */
static void
put_function(struct buf *b, const char *function)
{
	bool is_event = is_of_kernel(function) || strncmp(function, "uprobe:", 7) == 0;

	buf_addf(b, "%s%s", is_event ? "" : "uprobe:", function);
}

/* A list would be one of events, of which the second needs not be a function. */
static int
check_functions(const struct config *c, struct err *err)
{
	struct buf b = { 0 };

	for (char **name = c->engine.functions; name != NULL && *name != NULL; name++) {
		buf_reset(&b);
		put_function(&b, *name);
		if (event_len(buf_str(&b)) == b.len)
			continue;
		buf_release(&b);
		err_set(err, ERR_USAGE, 0, "--count-function takes one function, not '%.80s': give it once "
			"for each", *name);
		return err_hint(err, "--count-function NAME --count-function NAME");
	}
	buf_release(&b);
	return 0;
}

/* Where a function begins each call has a stack, in reports of stacks; no frame is set up yet. */
static void
sample_calls(struct config *c)
{
	struct buf b = { 0 };

	buf_add_str(&b, c->engine.events != NULL ? c->engine.events : "");
	for (char **name = c->engine.functions; *name != NULL; name++) {
		buf_add_str(&b, b.len > 0 ? "," : "");
		put_function(&b, *name);
		buf_add_str(&b, is_of_kernel(*name) || c->chains_given ? "" : "/call-graph=dwarf/");
	}
	free(c->engine.events);
	c->engine.events = b.data;
	free_functions(c);
}

/* Who names a function wants to see its calls. */
static int
choose_calls(struct config *c, struct err *err)
{
	if (check_functions(c, err) < 0)
		return -1;
	if (c->engine.functions != NULL && c->view == VIEW_PROCESSES && c->key_count == 0)
		c->view = VIEW_CALLS;
	if (c->engine.functions != NULL && view_defs[c->view].is_tree && c->batch)
		sample_calls(c);
	if (c->engine.functions != NULL && c->view != VIEW_CALLS && c->batch)
		return err_set(err, ERR_USAGE, 0, "--count-function is of --view calls, or of a view "
			       "of stacks: no other report has what it counts");
	if (c->view != VIEW_CALLS)
		return 0;
	if (c->engine.functions == NULL && c->batch) {
		err_set(err, ERR_USAGE, 0, "--view calls: no function is named");
		return err_hint(err, "--count-function NAME");
	}
	return 0;
}

/* On the screen there is the key w. */
static int
check_written(const struct config *c, struct err *err)
{
	const struct {
		const char *name;
		bool is_given;
	} rows[] = {
		{ "--compress", c->engine.compress },
		{ "--raw-stacks", c->engine.raw_stacks },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].is_given && c->batch && c->engine.record == NULL)
			return err_set(err, ERR_USAGE, 0, "%s is of a recording that is written: in "
				       "batch mode it needs --record", rows[i].name);
	return 0;
}

/*
 * Looks bring their stacks.  Waits by switches need them where a report tells what is waited for:
 * functions of libc say so, which seldom have frame pointers.
 */
static bool
tells_exact_waits(const struct config *c, const struct query *q)
{
	const key_set tell = KEY_BIT(KEY_SYMBOL) | KEY_BIT(KEY_STATE) | KEY_BIT(KEY_WAITKIND) |
			     KEY_BIT(KEY_ON);
	bool does = q->by_view || q->filter[0] != '\0';

	for (size_t i = 0; i < q->key_count; i++)
		does |= (tell & KEY_BIT(q->keys[i])) != 0;
	return does && c->engine.events != NULL && strstr(c->engine.events, "off-cpu/exact") != NULL;
}

/* A report that shows no callers needs no stacks: frame pointers cost next to nothing. */
static void
choose_chains(struct config *c)
{
	struct query q;
	bool wants_stacks;

	if (c->chains_given)
		return;
	config_query(c, &q);
	wants_stacks = (!c->batch || c->engine.record != NULL || q.stacks || q.trees ||
			query_wants_nodes(&q) || tells_exact_waits(c, &q) || config_is_asked(c) || c->feed) &&
		       !c->engine.overwrite;
	c->engine.call_graph = wants_stacks ? CALL_GRAPH_AUTO : CALL_GRAPH_FP;
}

static int
check_overwrite(const struct config *c, struct err *err)
{
	const enum event_call_graph how = c->engine.call_graph;

	if (!c->engine.overwrite)
		return 0;
	if (c->batch || c->engine.history_bytes == 0)
		return err_set(err, ERR_USAGE, 0, "--overwrite keeps what the key w writes: it "
			       "needs %s", c->batch ? "the screen" : "--history");
	if (how != CALL_GRAPH_AUTO && how != CALL_GRAPH_DWARF)
		return 0;
	err_set(err, ERR_USAGE, 0, "--overwrite does not go with copies of stacks: they would fill "
		"its rings in a second");
	return err_hint(err, "--call-graph fp");
}

/*
 * A quarter of a second, where each sample brings 8 KiB of stack: the half that is left when a ring
 * wakes the engine is what it may have to wait for a CPU, where many wait.  Where the frequency has
 * no bound there is one for the ring: the budget will find another frequency.
 */
static unsigned
default_pages(const struct config *c)
{
	const enum event_call_graph how = c->engine.call_graph;
	bool has_stacks = how == CALL_GRAPH_DWARF || how == CALL_GRAPH_AUTO;
	const size_t least = has_stacks ? 2 << 20 : 256 << 10, most = has_stacks ? 16 << 20 : least;
	uint64_t needed = MIN(c->engine.freq, most / 2048) * 2048;
	size_t bytes = least;

	while (bytes < needed && bytes < most)
		bytes *= 2;
	return MAX((unsigned)(bytes / page_size()), 1u);
}

/* Only looks at what waits know of locks; stores want CPU time, and hosts are to be alike. */
static void
choose_event(struct config *c)
{
	if (view_defs[c->view].is_locks && c->engine.events == NULL && c->engine.input == NULL)
		c->engine.events = mem_strdup("off-cpu");
	if ((config_is_asked(c) || c->feed) && c->engine.events == NULL)
		c->engine.events = mem_strdup("cpu-clock");
}

/* What of a tracepoint's payload rows are told apart by, or filtered. */
static int
choose_fields(struct config *c, struct err *err)
{
	struct filter *f = c->filter != NULL ? filter_parse(c->filter, err) : NULL;
	const struct view_def *view = &view_defs[c->view];
	key_set by = 0, of_view = 0, keys = filter_keys(f);

	filter_free(f);
	for (size_t i = 0; i < c->key_count; i++)
		by |= KEY_BIT(c->keys[i]);
	for (size_t i = 0; i < view->key_count && c->key_count == 0; i++)
		of_view |= KEY_BIT(view->keys[i]);
	keys |= by;
	c->engine.wants_fields =
		((keys | of_view) & (KEY_BIT(KEY_SYSCALL) | KEY_BIT(KEY_FIELD))) != 0;
	if (!(keys & KEY_BIT(KEY_FIELD)) || (c->field != NULL && *c->field != '\0'))
		return 0;
	err_set(err, ERR_USAGE, 0, "--%s field: no field is named",
		by & KEY_BIT(KEY_FIELD) ? "by" : "filter");
	return err_hint(err, "--by field:NAME, one of /sys/kernel/tracing/events/GROUP/EVENT/format, "
			"or arg1 to arg6 of a uprobe");
}

static int
config_finish(struct config *c, struct err *err)
{
	bool has_format = c->engine.format != FORMAT_COUNT;

	if (c->engine.host_count > 0 && !c->view_given)
		c->view = VIEW_HOSTS;
	/* Those first: that --hosts has a view of its own is no fault of --serve. */
	if (config_check_hosts(c, err) < 0 || config_check_feed(c, err) < 0 ||
	    config_check_serve(c, err) < 0 || config_check_input(c, err) < 0 ||
	    config_check_files(c, err) < 0 || config_check_copies(c, err) < 0 ||
	    config_check_servers(c, err) < 0)
		return -1;
	if (c->engine.count > 0 && c->engine.freq > 0)
		return err_set(err, ERR_USAGE, 0, "--freq and --count exclude each other");
	c->engine.rate_given = c->engine.count > 0 || c->engine.freq > 0;
	if (c->engine.freq == 0)
		c->engine.freq = 999;
	if (c->engine.name_jit && c->read_only)
		return err_set(err, ERR_USAGE, 0, "--name-jit asks processes to do something, which "
			       "--read-only forbids");
	if (c->hide_kernel && c->hide_user)
		return err_set(err, ERR_USAGE, 0,
			       "--hide-kernel and --hide-user together leave nothing");
	if (!has_format)
		c->engine.format = FORMAT_TEXT;
	if (c->output != NULL && !has_format && !c->dump && format_from_ending(c, err) < 0)
		return -1;
	if (config_check_format(c, err) < 0)
		return -1;
	if (has_format || c->output != NULL || config_is_asked(c) || c->feed || !isatty(STDOUT_FILENO))
		c->batch = true;
#ifndef HAVE_NCURSES
	c->batch = true;
#endif
	if (check_written(c, err) < 0 || check_overwrite(c, err) < 0 ||
	    config_check_keys(c, err) < 0 || choose_calls(c, err) < 0 ||
	    config_check_locks(c, err) < 0 || config_check_tree(c, err) < 0)
		return -1;
	c->engine.events_given = c->engine.events != NULL;
	choose_event(c);
	choose_chains(c);
	if (c->engine.mmap_pages == 0)
		c->engine.mmap_pages = default_pages(c);
	if (config_check_annotate(c, err) < 0 || choose_fields(c, err) < 0)
		return -1;
	return config_check_counted(c, err);
}

static bool
shows_code(const struct config *c)
{
	for (size_t i = 0; i < c->key_count; i++)
		if (c->keys[i] == KEY_INSTRUCTION)
			return true;
	return view_defs[c->view].is_code;
}

void
config_set_defaults(struct config *c)
{
	*c = (struct config){
		.sort = -1,
		.engine.delay_s = 1,
		.engine.memory_bytes = 24 << 20,
		.engine.budget = -1,
		.engine.history_bytes = 16 << 20,
		.engine.format = FORMAT_COUNT, /* not given */
		.spool_bytes = UINT64_MAX,
	};
}

int
config_parse_with(struct config *c, const struct rc_line *const *lines, size_t count, char **argv,
		  struct err *err)
{
	char **rest;

	config_set_defaults(c);
	for (size_t i = 0; i < count; i++)
		if (options_set(config_options, config_option_count, c, lines[i]->name,
				lines[i]->value, err) < 0)
			return -1;
	c->view_given = false;
	if (options_parse(config_options, config_option_count, c, argv, &rest, err) < 0)
		return -1;
	if (rest != NULL && *rest == NULL)
		return err_set(err, ERR_USAGE, 0, "no command after --");
	c->engine.command = rest;
	/* What only prints a text does so whatever else is asked. */
	if (!c->help && !c->version && config_finish(c, err) < 0)
		return -1;
	c->engine.is_watched = !c->batch;
	c->engine.is_asked = config_is_asked(c) || c->feed;
	c->engine.is_fed = c->feed;
	c->engine.writes_report = c->output != NULL;
	c->engine.makes_socket = config_makes_socket(c);
	c->engine.shows_code = shows_code(c);
	return 0;
}

int
config_parse(struct config *c, int argc, char **argv, struct err *err)
{
	(void)argc;
	return config_parse_with(c, NULL, 0, argv, err);
}

void
config_release(struct config *c)
{
	free(c->engine.pids);
	free(c->engine.tids);
	free(c->engine.uids);
	for (size_t i = 0; i < c->engine.cgroup_count; i++)
		free(c->engine.cgroups[i]);
	free(c->engine.cgroups);
	free(c->engine.cpus);
	free(c->engine.events);
	free(c->engine.attrs);
	free(c->explain);
	free(c->explain_word);
	for (size_t i = 0; i < c->engine.event_filter_count; i++)
		free(c->engine.event_filters[i].text);
	free(c->engine.event_filters);
	free(c->list_pattern);
	free(c->field);
	free(c->filter);
	free(c->symbol);
	free(c->dso);
	free(c->output);
	free(c->serve);
	free(c->serve_token);
	free(c->push);
	free(c->push_token);
	free(c->engine.input);
	free(c->engine.then_input);
	for (size_t i = 0; i < c->engine.host_count; i++)
		free(c->engine.hosts[i]);
	free(c->engine.hosts);
	free(c->engine.hosts_command);
	free(c->copy);
	copy_file_free(c->engine.copy);
	free(c->engine.record);
	free(c->engine.vmlinux);
	free(c->engine.kallsyms);
	free(c->engine.symfs);
	free(c->engine.from);
	free(c->engine.to);
	for (char **dir = c->engine.source_dirs; dir != NULL && *dir != NULL; dir++)
		free(*dir);
	free(c->engine.source_dirs);
	free_functions(c);
	free(c->engine.debuginfod_urls);
	free(c->engine.command_env);
	rcfile_release(&c->rc);
	rcfile_release(&c->last);
	free(c->named);
	*c = (struct config){ 0 };
}
