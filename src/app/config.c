/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/config.h"
#include "app/config_impl.h"

#include "base/own_rights.h"
#include "live/open/attr_table.h"
#include "view/column.h"
#include "view/filter.h"
#include "profile/count/label.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller nodes of trees are one in a text. */
#define TREE_LEAST 0.001

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
	err_set(err, ERR_USAGE, 0, "--output: the ending of '%.120s' names no format", c->output);
	format_put_endings(&endings);
	err_hint(err, "use one of %s, or --format", buf_str(&endings));
	buf_release(&endings);
	return -1;
}

#ifdef HAVE_ZSTD
enum { HAS_ZSTD = true };
#else
enum { HAS_ZSTD = false };
#endif

/* Of a report of stacks, which have no labels: the keys of its filter. */
static int
read_stack_filter(const struct config *c, key_set *keys, struct err *err)
{
	struct filter *f = filter_parse(c->filter, err);

	if (f == NULL)
		return -1;
	*keys = filter_keys(f);
	filter_free(f);
	for (enum key k = 0; k < KEY_COUNT; k++)
		if (*keys & KEY_BIT(k) && columns[k].labels != 0)
			return err_set(err, ERR_USAGE, 0, "--filter: stacks do not tell '%s'",
				       key_name(k));
	return 0;
}

/* The rows of these are no groups of samples by keys. */
static int
check_view_keys(const struct config *c, struct err *err)
{
	const struct view_def *view = &view_defs[c->view];

	if (c->key_count == 0 || !(view->is_tree || view->is_code || view->is_unnamed || view->is_locks ||
				   view->is_counted))
		return 0;
	err_set(err, ERR_USAGE, 0, "--view %s has rows of its own: it does not go with --by",
		view->name);
	return err_hint(err, "leave out one of the two");
}

/* What the views of stacks cannot do. */
static int
check_tree(const struct config *c, struct err *err)
{
	key_set keys;

	if (!view_defs[c->view].is_tree || !c->batch)
		return 0;
	if (c->filter == NULL || format_defs[c->engine.format].content != CONTENT_ROWS)
		return 0;
	if (read_stack_filter(c, &keys, err) < 0)
		return -1;
	if (c->view != VIEW_TREE && c->view != VIEW_FLAME && (keys & FUNCTION_KEYS) != 0 &&
	    (keys & ~FUNCTION_KEYS) != 0)
		return err_set(err, ERR_USAGE, 0, "--filter: --view %s takes functions (dso, symbol) or "
			       "threads (comm, pid, ...), not both", view_defs[c->view].name);
	return 0;
}

/* Whether the format can be written here, and of what was asked. */
static int
check_format(const struct config *c, struct err *err)
{
	const struct format_def *def = &format_defs[c->engine.format];
	key_set keys;

	if (c->engine.compress && !HAS_ZSTD)
		return err_set(err, ERR_UNSUPPORTED, 0, "--compress: this ptop is built without zstd");
	if (def->lacks != NULL)
		return err_set(err, ERR_UNSUPPORTED, 0, "--format %s: built without %s", def->name,
			       def->lacks);
	if (c->engine.then_input != NULL && c->engine.format == FORMAT_SPEEDSCOPE) {
		err_set(err, ERR_USAGE, 0, "--diff does not go with speedscope, which has no place for "
			"a second count");
		return err_hint(err, "--format folded, pprof or svg");
	}
	if (def->content == CONTENT_ROWS || c->filter == NULL)
		return 0;
	return read_stack_filter(c, &keys, err);
}

/* Who names a function wants to see its calls. */
static int
choose_calls(struct config *c, struct err *err)
{
	if (c->engine.functions != NULL && c->view == VIEW_PROCESSES && c->key_count == 0)
		c->view = VIEW_CALLS;
	if (c->engine.functions != NULL && c->view != VIEW_CALLS && c->batch)
		return err_set(err, ERR_USAGE, 0, "--count-function is of --view calls: no other "
			       "report has what it counts");
	if (c->view != VIEW_CALLS)
		return 0;
	if (c->engine.functions == NULL && c->batch) {
		err_set(err, ERR_USAGE, 0, "--view calls: no function is named");
		return err_hint(err, "--count-function NAME");
	}
	if (c->batch && c->engine.tid_count > 0) {
		err_set(err, ERR_USAGE, 0, "--view calls does not go with --tid");
		return err_hint(err, "name its process: --pid");
	}
	return 0;
}

/* What of a tracepoint's payload rows are told apart by, or filtered. */
static int
choose_fields(struct config *c, struct err *err)
{
	struct filter *f = c->filter != NULL ? filter_parse(c->filter, err) : NULL;
	key_set by = 0, keys = filter_keys(f);

	filter_free(f);
	for (size_t i = 0; i < c->key_count; i++)
		by |= KEY_BIT(c->keys[i]);
	keys |= by;
	c->engine.wants_fields = (keys & (KEY_BIT(KEY_SYSCALL) | KEY_BIT(KEY_FIELD))) != 0;
	if (!(keys & KEY_BIT(KEY_FIELD)) || (c->engine.field != NULL && *c->engine.field != '\0'))
		return 0;
	err_set(err, ERR_USAGE, 0, "--%s field: no field is named",
		by & KEY_BIT(KEY_FIELD) ? "by" : "filter");
	return err_hint(err, "--by field:NAME, one of /sys/kernel/tracing/events/GROUP/EVENT/format");
}

/* What the views of what is counted, which sample nothing, cannot do. */
static int
check_counted(const struct config *c, struct err *err)
{
	char format[64];
	const struct {
		bool is_given;
		const char *what;
	} wrong[] = {
		{ c->engine.input != NULL, "--input: a recording has samples" },
		{ format_defs[c->engine.format].content != CONTENT_ROWS, format },
		/* The screen samples beside it. */
		{ c->batch && c->engine.uid_count > 0, "--uid: name processes with --pid" },
		{ c->batch && c->engine.cgroup_count > 0, "--cgroup: name processes with --pid" },
		{ c->batch && c->engine.record != NULL, "--record: it writes samples" },
		{ c->batch && c->filter != NULL, "--filter: it keeps samples" },
		{ c->batch && c->engine.relative, "--relative: counters have no shares" },
		{ c->batch && c->hide_kernel, "--hide-kernel: -e EVENT:u counts so" },
		{ c->batch && c->hide_user, "--hide-user: -e EVENT:k counts so" },
	};

	snprintf(format, sizeof(format), "--format %s: it writes stacks",
		 format_defs[c->engine.format].name);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (wrong[i].is_given && view_defs[c->view].is_counted)
			return err_set(err, ERR_USAGE, 0, "--view %s does not go with %s",
				       view_defs[c->view].name, wrong[i].what);
	return 0;
}

/* What is of the view of one function alone, and what that cannot do. */
static int
check_annotate(const struct config *c, struct err *err)
{
	const struct format_def *format = &format_defs[c->engine.format];
	struct filter *f;
	key_set keys;

	if (!view_defs[c->view].is_code) {
		if (c->symbol == NULL && c->dso == NULL)
			return 0;
		err_set(err, ERR_USAGE, 0, "%s is of --view annotate", c->symbol != NULL ? "--symbol"
											 : "--dso");
		return err_hint(err, "--filter 'symbol=NAME dso=NAME' keeps rows of other views");
	}
	if (format->content != CONTENT_ROWS)
		return err_set(err, ERR_USAGE, 0, "--view annotate does not go with --format %s: it "
			       "writes stacks", format->name);
	f = c->filter != NULL ? filter_parse(c->filter, err) : NULL;
	keys = filter_keys(f);
	filter_free(f);
	for (enum key k = 0; k < KEY_COUNT; k++)
		if ((keys & KEY_BIT(k)) && columns[k].labels != 0 && k != KEY_CPU)
			return err_set(err, ERR_USAGE, 0, "--filter: instructions do not tell '%s'",
				       key_name(k));
	return 0;
}

/* Other threads open it, whatever they take a path for: it is made whole. */
static int
check_named_file(const char *option, char **path, mode_t type, struct err *err)
{
	char *whole = *path != NULL ? realpath(*path, NULL) : NULL;
	struct stat st;

	if (*path == NULL)
		return 0;
	if (whole == NULL || stat(whole, &st) < 0)
		return err_set(err, ERR_GONE, errno, "%s: cannot open '%.200s'", option, *path);
	free(*path);
	*path = whole;
	if ((st.st_mode & S_IFMT) == type)
		return 0;
	return err_set(err, ERR_GONE, 0, "%s: '%.200s' is not a %s", option, whole,
		       type == S_IFDIR ? "folder" : "file");
}

static int
check_named_files(struct config *c, struct err *err)
{
	const struct {
		const char *option;
		char **path;
		mode_t type;
	} rows[] = {
		{ "--vmlinux", &c->engine.vmlinux, S_IFREG },
		{ "--kallsyms", &c->engine.kallsyms, S_IFREG },
		{ "--symfs", &c->engine.symfs, S_IFDIR },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (check_named_file(rows[i].option, rows[i].path, rows[i].type, err) < 0)
			return -1;
	for (char **dir = c->engine.source_dirs; dir != NULL && *dir != NULL; dir++)
		if (check_named_file("--source-dir", dir, S_IFDIR, err) < 0)
			return -1;
	return 0;
}

static int
check_symbol_files(struct config *c, struct err *err)
{
	struct own_rights kept;
	int res;

	own_rights_begin(&kept);
	res = check_named_files(c, err);
	own_rights_end(&kept);
	return res;
}

/* Whose libraries would otherwise ask the servers by themselves, and wait. */
#define SERVERS "DEBUGINFOD_URLS"

static int
check_servers(struct config *c, struct err *err)
{
	const char *env = getenv(SERVERS);

	if (!c->engine.debuginfod)
		return 0;
#ifndef HAVE_DEBUGINFOD
	return err_set(err, ERR_UNSUPPORTED, 0, "--debuginfod: ptop was built without it");
#endif
	if (own_rights_are_lent()) {
		err_set(err, ERR_DENIED, 0, "--debuginfod: not with capabilities of ptop's file");
		return err_hint(err, "downloads are kept in your cache, which such a ptop leaves "
				"alone: sudo ptop ..., or use a copy of it without them");
	}
	if (c->engine.debuginfod_urls == NULL && env != NULL && env[strspn(env, " ")] != '\0')
		c->engine.debuginfod_urls = mem_strdup(env);
	if (c->engine.debuginfod_urls != NULL)
		return 0;
	err_set(err, ERR_GONE, 0, "--debuginfod: no server is named");
	return err_hint(err, "--debuginfod=https://debuginfod.elfutils.org, or " SERVERS
			" in the environment, which sudo takes out of it");
}

/* What libraries or ptop take for names of files and folders: not for rights that are lent. */
static const char *const file_variables[] = {
	"HOME", "XDG_CACHE_HOME", "DEBUGINFOD_CACHE_PATH",
	"TERMINFO", "TERMINFO_DIRS", "TERMCAP", "TERMPATH",
};

void
config_hide_environment(struct config *c)
{
	size_t count = 0;

	while (environ[count] != NULL)
		count++;
	c->engine.command_env = mem_calloc(count + 1, sizeof(*c->engine.command_env));
	memcpy(c->engine.command_env, environ, count * sizeof(*c->engine.command_env));
	unsetenv(SERVERS);
	for (size_t i = 0; own_rights_are_lent() && i < ARRAY_SIZE(file_variables); i++)
		unsetenv(file_variables[i]);
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

/* Looks bring their stacks: frame pointers would leave out who waits in switches. */
static bool
shows_waits_in(const struct config *c, const struct query *q)
{
	return (q->view == VIEW_PROCESSES || q->view == VIEW_THREADS) && q->by_view &&
	       c->engine.events != NULL && strstr(c->engine.events, "off-cpu/exact") != NULL;
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
			query_wants_nodes(&q) || shows_waits_in(c, &q)) && !c->engine.overwrite;
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

/* Only events that look at what waits know of locks. */
static void
choose_event(struct config *c)
{
	if (view_defs[c->view].is_locks && c->engine.events == NULL && c->engine.input == NULL)
		c->engine.events = mem_strdup("off-cpu");
}

static int
config_finish(struct config *c, struct err *err)
{
	bool has_format = c->engine.format != FORMAT_COUNT;

	if (config_check_input(c, err) < 0 || check_symbol_files(c, err) < 0 ||
	    check_servers(c, err) < 0)
		return -1;
	if (c->engine.count > 0 && c->engine.freq > 0)
		return err_set(err, ERR_USAGE, 0, "--freq and --count exclude each other");
	c->engine.rate_given = c->engine.count > 0 || c->engine.freq > 0;
	if (c->engine.freq == 0)
		c->engine.freq = 999;
	if (c->hide_kernel && c->hide_user)
		return err_set(err, ERR_USAGE, 0,
			       "--hide-kernel and --hide-user together leave nothing");
	if (!has_format)
		c->engine.format = FORMAT_TEXT;
	if (c->output != NULL && !has_format && !c->dump && format_from_ending(c, err) < 0)
		return -1;
	if (check_format(c, err) < 0)
		return -1;
	if (has_format || c->output != NULL || !isatty(STDOUT_FILENO))
		c->batch = true;
#ifndef HAVE_NCURSES
	c->batch = true;
#endif
	if (check_written(c, err) < 0 || check_overwrite(c, err) < 0 ||
	    check_view_keys(c, err) < 0 || choose_calls(c, err) < 0 || check_tree(c, err) < 0)
		return -1;
	choose_event(c);
	choose_chains(c);
	if (c->engine.mmap_pages == 0)
		c->engine.mmap_pages = default_pages(c);
	if (check_annotate(c, err) < 0 || choose_fields(c, err) < 0)
		return -1;
	return check_counted(c, err);
}

static bool
shows_code(const struct config *c)
{
	for (size_t i = 0; i < c->key_count; i++)
		if (c->keys[i] == KEY_INSTRUCTION)
			return true;
	return view_defs[c->view].is_code;
}

int
config_parse(struct config *c, int argc, char **argv, struct err *err)
{
	char **rest;

	(void)argc;
	*c = (struct config){
		.sort = -1,
		.engine.delay_s = 1,
		.engine.memory_bytes = 24 << 20,
		.engine.budget = -1,
		.engine.history_bytes = 16 << 20,
		.engine.format = FORMAT_COUNT, /* not given */
	};
	if (options_parse(config_options, config_option_count, c, argv, &rest, err) < 0)
		return -1;
	if (rest != NULL && *rest == NULL)
		return err_set(err, ERR_USAGE, 0, "no command after --");
	c->engine.command = rest;
	/* What only prints a text does so whatever else is asked. */
	if (!c->help && !c->version && config_finish(c, err) < 0)
		return -1;
	c->engine.is_watched = !c->batch;
	c->engine.writes_report = c->output != NULL;
	c->engine.shows_code = shows_code(c);
	return 0;
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
	free(c->engine.field);
	free(c->engine.attrs);
	free(c->explain);
	for (size_t i = 0; i < c->engine.event_filter_count; i++)
		free(c->engine.event_filters[i].text);
	free(c->engine.event_filters);
	free(c->list_pattern);
	free(c->filter);
	free(c->symbol);
	free(c->dso);
	free(c->output);
	free(c->engine.input);
	free(c->engine.then_input);
	free(c->engine.record);
	free(c->engine.vmlinux);
	free(c->engine.kallsyms);
	free(c->engine.symfs);
	free(c->engine.from);
	free(c->engine.to);
	for (char **dir = c->engine.source_dirs; dir != NULL && *dir != NULL; dir++)
		free(*dir);
	free(c->engine.source_dirs);
	for (char **name = c->engine.functions; name != NULL && *name != NULL; name++)
		free(*name);
	free(c->engine.functions);
	free(c->engine.debuginfod_urls);
	free(c->engine.command_env);
	*c = (struct config){ 0 };
}

void
config_put_help(struct buf *b)
{
	buf_add_str(b, "Usage: ptop [OPTION...] [-- COMMAND [ARG...]]\n"
		    "Shows which functions of which processes keep the machine busy, live.\n\n");
	options_put_help(b, config_options, config_option_count);
	buf_add_str(b, "\nKeys and views are explained in ptop(1), and on the screen by h.\n");
}

void
config_put_roff(struct buf *b)
{
	options_put_roff(b, config_options, config_option_count);
}

void
config_put_version(struct buf *b)
{
	static const struct {
		const char *name, *what;
		bool is_in;
	} libraries[] = {
		{ "libelf", "symbols", true },
#ifdef HAVE_NCURSES
		{ "ncurses", "screen", true },
#else
		{ "ncurses", "screen", false },
#endif
#ifdef HAVE_LIBDW
		{ "libdw", "source lines", true },
#else
		{ "libdw", "source lines", false },
#endif
#ifdef HAVE_LIBIBERTY
		{ "libiberty", "demangling", true },
#else
		{ "libiberty", "demangling", false },
#endif
#ifdef HAVE_JANSSON
		{ "jansson", "JSON reports", true },
#else
		{ "jansson", "JSON reports", false },
#endif
#ifdef HAVE_ZLIB
		{ "zlib", "pprof reports", true },
#else
		{ "zlib", "pprof reports", false },
#endif
		{ "libzstd", "compressed recordings", HAS_ZSTD },
#ifdef HAVE_LZMA
		{ "liblzma", "names packed into stripped files", true },
#else
		{ "liblzma", "names packed into stripped files", false },
#endif
#ifdef HAVE_DEBUGINFOD
		{ "libcurl", "debug files from debuginfod, with --debuginfod", true },
#else
		{ "libcurl", "debug files from debuginfod, with --debuginfod", false },
#endif
#ifdef HAVE_CAPSTONE
		{ "libcapstone", "instructions in listings of code", true },
#else
		{ "libcapstone", "instructions in listings of code", false },
#endif
#ifdef HAVE_LIBPFM4
		{ "libpfm4", "its names of events", true },
#else
		{ "libpfm4", "its names of events", false },
#endif
	};

	buf_add_str(b, "ptop " PACKAGE_VERSION "\n");
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		buf_addf(b, "%s %s (%s)\n", libraries[i].is_in ? "with" : "without",
			 libraries[i].name, libraries[i].what);
}

static uint64_t
window_ns(const struct config *c)
{
	bool whole_life = c->engine.input != NULL ||
			  (c->engine.command != NULL && c->engine.iterations == 0);

	if (c->window_s < 0)
		return UINT64_MAX;
	if (c->window_s > 0)
		return (uint64_t)(c->window_s * (double)NSEC_PER_SEC);
	if (!c->batch && c->engine.input == NULL)
		return 10 * NSEC_PER_SEC;
	if (c->batch && format_defs[c->engine.format].is_whole)
		return UINT64_MAX;
	return whole_life ? UINT64_MAX : 0;
}

/* Numbers of processes say nothing in another recording: rows are told apart by what is left. */
static void
group_by_names(struct query *q)
{
	size_t n = 0;

	q->sums = true;
	if (q->locks)
		return;
	for (size_t i = 0; i < q->key_count; i++)
		if (q->keys[i] != KEY_PID && q->keys[i] != KEY_TID)
			q->keys[n++] = q->keys[i];
	q->by_view &= n == q->key_count;
	q->key_count = n;
}

void
config_query(const struct config *c, struct query *q)
{
	const struct view_def *view = &view_defs[c->view];

	*q = (struct query){
		.view = c->view,
		.by_view = c->key_count == 0,
		.sort = c->sort,
		.ascending = c->sort_ascending,
		.window_ns = window_ns(c),
		.hide_kernel = c->hide_kernel,
		.hide_user = c->hide_user,
		/* In a report and in a recording swapper is a comm like any other. */
		.idle = c->engine.idle || c->batch || c->engine.input != NULL,
		.all_events = c->batch,
		.max_rows = c->batch ? 0 : 1000,
		.trends = !c->batch,
		.sums = !c->batch,
		.shares = !c->batch || c->engine.relative ? SHARES_OF_SHOWN : SHARES_OF_ALL,
		.least_share = c->batch && c->engine.format == FORMAT_TEXT ? TREE_LEAST : 0,
	};
	q->unnamed = q->by_view && view->is_unnamed;
	q->locks = q->by_view && view->is_locks;
	if (c->batch)
		format_set_query(c->engine.format, q);
	q->key_count = q->by_view ? view->key_count : c->key_count;
	memcpy(q->keys, q->by_view ? view->keys : c->keys, q->key_count * sizeof(q->keys[0]));
	if (c->engine.then_input != NULL)
		q->compare = COMPARE_RECORDING;
	if (c->engine.then_input != NULL && c->batch)
		group_by_names(q);
	if (c->filter != NULL)
		strncpy(q->filter, c->filter, sizeof(q->filter) - 1);
	if (c->symbol != NULL)
		strncpy(q->symbol, c->symbol, sizeof(q->symbol) - 1);
	if (c->dso != NULL)
		strncpy(q->symbol_dso, c->dso, sizeof(q->symbol_dso) - 1);
	if (q->sort < 0) {
		bool is_data = format_defs[c->engine.format].content == CONTENT_ROWS &&
			       c->engine.format != FORMAT_TEXT;

		q->sort = c->batch && is_data ? COLUMN_PERIOD : COLUMN_SHARE;
		if (q->compare != COMPARE_NOTHING)
			q->sort = COLUMN_DELTA;
		q->ascending = false;
	}
}
