/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/config_impl.h"

#include "base/num.h"
#include "live/open/attr_table.h"
#include "view/filter.h"
#include "serve/address.h"
#include "view/name.h"

#include <stdlib.h>
#include <string.h>

static int
set_window(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	if (strcmp(value, "all") == 0) {
		c->window_s = -1;
		return 0;
	}
	if (option_set_seconds(target, def, value, err) < 0) {
		option_out_of_range(err, def, value);
		return err_hint(err, "or 'all'");
	}
	return 0;
}

static int
set_freq(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	if (strcmp(value, "max") == 0) {
		c->engine.freq = UINT64_MAX;
		return 0;
	}
	if (option_set_u64(target, def, value, err) < 0)
		return err_hint(err, "or 'max'");
	return 0;
}

static int
set_budget(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	if (strcmp(value, "off") == 0 || strcmp(value, "0") == 0) {
		c->engine.budget = 0;
		return 0;
	}
	if (option_set_seconds(target, def, value, err) < 0) {
		option_out_of_range(err, def, value);
		return err_hint(err, "a part of one CPU; 0 or 'off': no bound");
	}
	return 0;
}

static int
set_pages(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;
	uint64_t n;

	if (!num_u64(value, &n) || (double)n < def->min || (double)n > def->max)
		return option_out_of_range(err, def, value);
	if ((n & (n - 1)) != 0)
		return option_bad_value(err, def, value, "a power of two");
	c->engine.mmap_pages = (unsigned)n;
	c->engine.pages_given = true;
	return 0;
}

static void
join(char **text, char between, const char *more)
{
	size_t len = *text != NULL ? strlen(*text) : 0, more_len = strlen(more);

	*text = mem_realloc(*text, len + more_len + 2, 1);
	if (len > 0)
		(*text)[len++] = between;
	memcpy(*text + len, more, more_len + 1);
}

static int
set_events(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	if (*value == '\0')
		return option_bad_value(err, def, value, "an event");
	join(&c->engine.events, ',', value);
	return 0;
}

static int
set_event_filter(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;
	size_t n = c->engine.event_filter_count++;

	c->engine.event_filters =
		mem_realloc(c->engine.event_filters, n + 1, sizeof(*c->engine.event_filters));
	c->engine.event_filters[n] = (struct config_event_filter){ .text = mem_strdup(value) };
	if (*value == '\0')
		return option_bad_value(err, def, value, "a filter");
	if (c->engine.events == NULL) {
		err_set(err, ERR_USAGE, 0, "--%s: there is no event before it", def->name);
		return err_hint(err, "-e sched:sched_switch --%s 'prev_pid == 1'", def->name);
	}
	c->engine.event_filters[n].end = strlen(c->engine.events);
	return 0;
}

static int
set_filter(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;
	struct filter *f;

	join(&c->filter, ' ', value);
	if (strlen(c->filter) >= QUERY_FILTER_MAX)
		return err_set(err, ERR_USAGE, 0, "--%s: longer than %d bytes", def->name,
			       QUERY_FILTER_MAX - 1);
	f = filter_parse(value, err);
	filter_free(f);
	return f != NULL ? 0 : err_wrap(err, "filter");
}

/* The kernel takes whole words, and what fits a record. */
static int
set_stack_bytes(struct config *c, const struct option_def *def, const char *value, struct err *err)
{
	enum { LEAST = 8, MOST = 65528 };
	uint64_t n;

	if (c->engine.call_graph != CALL_GRAPH_DWARF)
		return err_set(err, ERR_USAGE, 0, "--%s: only dwarf takes a size", def->name);
	if (!num_size(value, &n) || n < LEAST || n > MOST)
		return err_set(err, ERR_USAGE, 0, "--%s: '%.80s' is not between %d and %d bytes",
			       def->name, value, LEAST, MOST);
	c->engine.stack_bytes = (uint32_t)(n + 7) & ~7u;
	return 0;
}

/* What follows the word: a size, or whether chains of user space come later. */
static int
set_chain_detail(struct config *c, const struct option_def *def, const char *value,
		 struct err *err)
{
	c->engine.defer_chains = c->engine.call_graph == CALL_GRAPH_FP &&
				 strcmp(value, "defer") == 0;
	return c->engine.defer_chains ? 0 : set_stack_bytes(c, def, value, err);
}

static int
set_attrs(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	(void)def;
	if (attr_assign(NULL, value, err) < 0)
		return -1;
	join(&c->engine.attrs, ',', value);
	return 0;
}

static int
set_clock(void *target, const struct option_def *def, const char *value, struct err *err)
{
	const char *names[CLOCK_DEFS];
	struct config *c = target;

	(void)def;
	for (size_t i = 0; i < CLOCK_DEFS; i++) {
		names[i] = clock_defs[i].name;
		if (strcmp(names[i], value) != 0)
			continue;
		c->engine.clock = &clock_defs[i];
		return 0;
	}
	return name_unknown(err, "unknown clock", value, names, CLOCK_DEFS);
}

static int
set_explain(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	if (*value == '\0')
		return option_bad_value(err, def, value, "an event");
	join(&c->explain, ',', value);
	return 0;
}

static int
set_call_graph(void *target, const struct option_def *def, const char *value, struct err *err)
{
	static const char *const names[] = { "fp", "dwarf", "lbr", "none", "auto" };
	static const enum event_call_graph kinds[] = { CALL_GRAPH_FP, CALL_GRAPH_DWARF,
						       CALL_GRAPH_LBR, CALL_GRAPH_NONE,
						       CALL_GRAPH_AUTO };
	struct config *c = target;
	size_t len = strcspn(value, ",");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) != len || strncmp(names[i], value, len) != 0)
			continue;
		c->chains_given = true;
		c->engine.call_graph = kinds[i];
		c->engine.stack_bytes = 0;
		c->engine.defer_chains = false;
		return value[len] != '\0' ? set_chain_detail(c, def, value + len + 1, err) : 0;
	}
	return name_unknown(err, "unknown call graph", value, names, ARRAY_SIZE(names));
}

static int
set_list(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	(void)def;
	(void)err;
	c->list = true;
	free(c->list_pattern);
	c->list_pattern = *value != '\0' ? mem_strdup(value) : NULL;
	return 0;
}

/* "": none has this name. */
static int
set_symbol(void *target, const struct option_def *def, const char *value, struct err *err)
{
	char **text = (char **)(void *)((char *)target + def->offset);

	if (*value == '\0' || strlen(value) >= QUERY_SYMBOL_MAX)
		return option_bad_value(err, def, value, "a name");
	free(*text);
	*text = mem_strdup(value);
	return 0;
}

static int
set_theme(void *target, const struct option_def *def, const char *value, struct err *err)
{
	(void)def;
	return theme_parse(value, &((struct config *)target)->theme, err);
}

static int
set_debuginfod(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	(void)def;
	(void)err;
	c->engine.debuginfod = true;
	free(c->engine.debuginfod_urls);
	c->engine.debuginfod_urls = *value != '\0' ? mem_strdup(value) : NULL;
	return 0;
}

static int
set_serve(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	(void)def;
	(void)err;
	free(c->serve);
	c->serve = mem_strdup(*value != '\0' ? value : SERVE_ADDRESS_DEFAULT);
	return 0;
}

static int
set_push(void *target, const struct option_def *def, const char *value, struct err *err)
{
	struct config *c = target;

	if (*value == '\0')
		return option_bad_value(err, def, value, "the address of a store");
	free(c->push);
	c->push = mem_strdup(value);
	return 0;
}

static int
set_file(void *target, const struct option_def *def, const char *value, struct err *err)
{
	char **path = (char **)(void *)((char *)target + def->offset);

	if (*value == '\0')
		return option_bad_value(err, def, value, "a file");
	free(*path);
	*path = mem_strdup(value);
	return 0;
}

/* Which moment it is, the recording says. */
static int
set_moment(void *target, const struct option_def *def, const char *value, struct err *err)
{
	char **text = (char **)(void *)((char *)target + def->offset);

	if (*value == '\0')
		return option_bad_value(err, def, value, "a time: 10:41:30, 12.5 or -5m");
	free(*text);
	*text = mem_strdup(value);
	return 0;
}

static int
add_file(void *target, const struct option_def *def, const char *value, struct err *err)
{
	char ***paths = (char ***)(void *)((char *)target + def->offset);
	size_t count = 0;

	if (*value == '\0')
		return option_bad_value(err, def, value, "a file");
	while (*paths != NULL && (*paths)[count] != NULL)
		count++;
	*paths = mem_realloc(*paths, count + 2, sizeof(**paths));
	(*paths)[count] = mem_strdup(value);
	(*paths)[count + 1] = NULL;
	return 0;
}

static int
add_function(void *target, const struct option_def *def, const char *value, struct err *err)
{
	if (*value == '\0')
		return option_bad_value(err, def, value, "a function");
	return add_file(target, def, value, err);
}

#define OF_RUN .is_of_run = true
#define AT(member) .offset = offsetof(struct config, member)
#define FLAG(letter, name, help, member) { letter, name, NULL, help, NULL, AT(member) }
#define RUN_FLAG(letter, name, help, member) \
	{ letter, name, NULL, help, NULL, AT(member), OF_RUN }

const struct option_def config_options[] = {
	{ .help = "Targets (default: every CPU, every process)" },
	{ 'p', "pid", "PID,...", "these processes, with all their threads and children; 0: ptop itself",
	  target_set_tasks, OF_RUN },
	{ 't', "tid", "TID,...", "these threads", target_set_tasks, OF_RUN },
	{ 'u', "uid", "USER,...", "processes of these users, by name or number", target_set_users,
	  OF_RUN },
	{ 'G', "cgroup", "NAME,...", "control groups with all below them, such as /system.slice/docker-*",
	  target_set_cgroups, OF_RUN },
	{ 'C', "cpu", "LIST", "these CPUs, such as 0-3,8", target_set_cpus, OF_RUN },
	FLAG(0, "no-inherit", "do not follow children", engine.no_inherit),

	{ .help = "Many hosts" },
	{ 0, "hosts", "NAME,...", "show what these hosts count, as ssh names them, or those in @FILE; "
	  "ptop must be there, too", hosts_set, OF_RUN },
	{ 0, "hosts-command", "COMMAND", "run this by sh in place of ssh: $1 is the host, $2 what runs "
	  "there", set_file, AT(engine.hosts_command), OF_RUN },
	{ 0, "copy", "FILE", "a host without such a ptop gets the static FILE, or this program if "
	  "static, for the time being", hosts_set_copy, .optional = true, OF_RUN },
	RUN_FLAG(0, "feed", "write what is counted each second, for the ptop of another host", feed),

	{ .help = "Recordings" },
	{ 'i', "input", "FILE", "read a perf.data file (-: perf's pipe format) instead of sampling",
	  set_file, AT(engine.input), OF_RUN },
	{ 0, "from", "TIME", "with --input: only samples from then on: 10:41:30, seconds since its beginning, "
	  "or -5m: before its end", set_moment, AT(engine.from), OF_RUN },
	{ 0, "to", "TIME", "with --input: only samples before that", set_moment, AT(engine.to),
	  OF_RUN },
	RUN_FLAG(0, "dump", "with --input: print its records, one a line, or write them to --output",
		 dump),
	{ 'r', "record", "FILE", "write the samples to a new perf.data file, while they are shown",
	  set_file, AT(engine.record), OF_RUN },
	FLAG(0, "compress", "compress what --record and the key w write, as perf record -z",
	     engine.compress),
	FLAG(0, "raw-stacks", "write registers and copies of stacks, not the call chains unwound",
	     engine.raw_stacks),
	{ 0, "history", "SIZE",
	  "what the flight recorder holds for the key w, default 16M; 0: nothing", option_set_bytes,
	  AT(engine.history_bytes), 0, 4.0 * (1 << 30) },
	FLAG(0, "overwrite",
	     "have the kernel keep it: a second set of the events writes rings that are read by w "
	     "alone",
	     engine.overwrite),

	{ .help = "Events and sampling" },
	{ 'e', "event", "SPEC", "what to sample, in perf's syntax; repeatable", set_events },
	{ 0, "filter-event", "EXPR",
	  "which events of the last --event, a tracepoint, count: "
	  "'prev_pid == 1', in the kernel's syntax",
	  set_event_filter },
	{ 0, "count-function", "NAME",
	  "count calls of this function, with the time inside: NAME, FILE:NAME, kprobe:NAME; "
	  "repeatable", add_function, AT(engine.functions), OF_RUN },
	FLAG(0, "force-probe", "probe what is named however much that slows its program",
	     engine.force_probe),
	{ 'F', "freq", "HZ", "samples per second per CPU, default 999; max: the kernel's limit",
	  set_freq, AT(engine.freq), 1, 1000000 },
	{ 'c', "count", "N", "one sample each N events, instead of --freq", option_set_u64,
	  AT(engine.count), 1, 1e12 },
	{ 'g', "call-graph", "WHAT",
	  "auto (default: whole stacks), fp, fp,defer (kernel 6.19), "
	  "dwarf[,BYTES], lbr, none",
	  set_call_graph },
	{ 0, "attr", "NAME=VALUE,...",
	  "set attributes of perf_event_open(2); bits, joined by |, "
	  "are added",
	  set_attrs },
	{ 0, "clockid", "NAME",
	  "the clock of records that are written: monotonic (default), "
	  "monotonic_raw, realtime, boottime, tai",
	  set_clock },
	{ 'm', "mmap-pages", "N", "ring size per CPU in pages, a power of two", set_pages,
	  AT(engine.mmap_pages), 1, 65536 },
	{ 0, "explain-event", "SPEC",
	  "print which attributes an event is opened with, what each "
	  "means, and whether the kernel takes them",
	  set_explain, OF_RUN },
	{ 0, "list", "PATTERN", "list the events of this machine and whether they can be opened",
	  set_list, .optional = true, OF_RUN },

	{ .help = "Time and view" },
	{ 'd', "delay", "SECS", "time between refreshes, default 1", option_set_seconds,
	  AT(engine.delay_s), 0.1, 3600 },
	{ 'n', "iterations", "N", "stop after N refreshes", option_set_u64, AT(engine.iterations),
	  1, 1e12, OF_RUN },
	{ 'w', "window", "SECS",
	  "the past that each refresh shows, or all; default 10; "
	  "in batch mode, since the last report",
	  set_window, AT(window_s), 0.1, 86400 },
	{ 'V', "view", "NAME", "the view to begin with, default processes", shown_set_view },
	{ 0, "symbol", "NAME", "with --view annotate: the function, default the hottest; of several "
	  "NAME@0xADDR",
	  set_symbol, AT(symbol), OF_RUN },
	{ 0, "dso", "NAME", "the program or library that it is in, if others have one of its name",
	  set_symbol, AT(dso), OF_RUN },
	{ 0, "by", "KEY,...", "group samples by these keys instead of a view's own", shown_set_by },
	{ 's', "sort", "COLUMN",
	  "order by a column; COLUMN:asc and COLUMN:desc choose the "
	  "direction",
	  shown_set_sort },
	{ 0, "filter", "EXPR", "rows to keep: comm=nginx 'dso!=libc*' symbol~^ngx_", set_filter },
	FLAG(0, "clock-times", "--by time has the time of day, not seconds since the start",
	     engine.clock_times),
	{ 0, "diff", "FILE",
	  "compare with this recording: shares now and then, and which differences are no chance",
	  set_file, AT(engine.then_input), OF_RUN },
	FLAG(0, "relative",
	     "reports have percent of what is shown, as the screen does, not of all", engine.relative),
	FLAG('K', "hide-kernel", "leave out kernel samples", hide_kernel),
	FLAG('U', "hide-user", "leave out user samples", hide_user),
	FLAG(0, "idle", "count the idle loop like work", engine.idle),

	{ 0, "theme", "NAME",
	  "colours of the screen: default, light, colour-blind, mono, solarized, own", set_theme },

	{ .help = "Output" },
	RUN_FLAG('b', "batch", "no screen: print a report each refresh", batch),
	{ 0, "format", "NAME",
	  "text (default), csv, json, ndjson; or stacks: folded, pprof, speedscope, "
	  "svg; implies --batch",
	  shown_set_format },
	{ 'o', "output", "FILE",
	  "write the report to a new file, its ending names the format; "
	  "implies --batch",
	  set_file, AT(output), OF_RUN },
	FLAG(0, "inline",
	     "call trees and stacks show inlined functions, too; reads debug data, which "
	     "takes time",
	     engine.inlines),
	{ 0, "serve", "ADDRESS",
	  "no screen: answer over HTTP (profiles, metrics), at 127.0.0.1:7070 or unix:/PATH",
	  set_serve, .optional = true, OF_RUN },
	{ 0, "serve-token", "FILE",
	  "with --serve: its first line is wanted of clients; other addresses need it",
	  set_file, AT(serve_token), OF_RUN },
	{ 0, "push", "URL",
	  "no screen: push a profile every 15 s, to http(s)://... of Pyroscope, or "
	  "otlp+http(s)://... of OTLP",
	  set_push, OF_RUN },
	{ 0, "push-token", "FILE", "with --push: its first line is sent as a bearer token",
	  set_file, AT(push_token), OF_RUN },
	{ 0, "spool", "SIZE",
	  "with --push: so much waits on the disk while the store is away, default 64M; 0: nothing",
	  option_set_bytes, AT(spool_bytes), 0, 64.0 * (1 << 30), OF_RUN },
	RUN_FLAG(0, "force", "let --output and --record replace a file", engine.force),

	{ .help = "ptop itself" },
	{ 0, "memory", "SIZE",
	  "bound of the tables, default 24M; symbols of files may take "
	  "4 times as much",
	  option_set_bytes, AT(engine.memory_bytes), 1 << 20, 64.0 * (1 << 30) },
	{ 0, "budget", "PERCENT",
	  "bound of ptop's own CPU time; default 0.25 for each CPU, at least 2, "
	  "not below 199 Hz; 0, off: none",
	  set_budget, AT(engine.budget), 0.01, 100000 },
	{ 0, "vmlinux", "FILE", "the kernel's own symbols from its ELF file", set_file,
	  AT(engine.vmlinux), OF_RUN },
	{ 0, "kallsyms", "FILE", "the kernel's symbols from a copy of /proc/kallsyms", set_file,
	  AT(engine.kallsyms), OF_RUN },
	{ 0, "symfs", "DIR", "with --input: look for the recorded files below DIR", set_file,
	  AT(engine.symfs), OF_RUN },
	{ 0, "source-dir", "DIR", "look for source files below DIR, too; may be given again",
	  add_file, AT(engine.source_dirs), OF_RUN },
	{ 0, "debuginfod", "URLS",
	  "download debug files, sources, and programs of recordings, from these servers, "
	  "or from DEBUGINFOD_URLS",
	  set_debuginfod, .optional = true },
	RUN_FLAG(0, "no-config", "read no configuration, and nothing of last time", no_config),
	FLAG(0, "read-only", "no process actions: there is no process that could do them", read_only),
	RUN_FLAG(0, "name-jit",
		 "have runtimes (JVM 17, .NET 8, Python 3.14) of what is sampled write the names of "
		 "their code",
		 engine.name_jit),
	FLAG(0, "no-demangle", "show names as the linker has them", engine.no_demangle),
	{ 0, "explain", "WORD", "what a column, key, sign, view, word of the header or option means", set_symbol,
	  AT(explain_word), OF_RUN },
	RUN_FLAG(0, "json-schema", "print what JSON reports are: a JSON schema", json_schema),
	RUN_FLAG(0, "check", "what this user may measure on this machine, and what would grant it",
		 check),
	RUN_FLAG('h', "help", "print this text", help),
	RUN_FLAG(0, "version", "print the version, the commit, and the libraries in use", version),
};

const size_t config_option_count = ARRAY_SIZE(config_options);
