/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/config.h"
#include "engine/leaf/session_config.h"
#include "view/column.h"
#include "tests/asserts.h"

#include <config.h>

/* The words of a command line after "ptop". */
#define ARGV(...) ((char *[]){ (char *)"ptop", __VA_ARGS__ __VA_OPT__(,) NULL })
#define PARSE(c, ...) parse(c, ARGV(__VA_ARGS__))
#define REFUSED(code, why, ...) refused(code, why, ARGV(__VA_ARGS__))

static void
parse(struct config *c, char **argv)
{
	struct err err = { 0 };
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	if (config_parse(c, argc, argv, &err) < 0)
		fail_msg("refused: %s", err.text);
}

static void
refused(enum err_code code, const char *why, char **argv)
{
	struct err err = { 0 };
	struct config c;
	int argc = 0;

	while (argv[argc] != NULL)
		argc++;
	assert_int_equal(config_parse(&c, argc, argv, &err), -1);
	assert_string_equal(err.text, why);
	assert_int_equal(err.code, code);
	config_release(&c);
}

static void
defaults_are_those_of_the_manual(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "--idle");
	assert_true(c.engine.freq == 999 && c.engine.count == 0 && c.engine.delay_s == 1 &&
		    c.engine.iterations == 0);
	assert_int_equal(c.view, VIEW_PROCESSES);
	assert_int_equal(c.engine.memory_bytes, 24 << 20);
	assert_int_equal(c.sort, -1);
	assert_that(c.engine.budget, <, 0);
	assert_that(c.engine.mmap_pages, >, 0);
	assert_true((c.engine.mmap_pages & (c.engine.mmap_pages - 1)) == 0);
	assert_null(c.engine.command);
	config_release(&c);
}

static bool
asks_the_kernel_for_code(char **argv)
{
	struct config c;
	bool asks;

	parse(&c, argv);
	asks = capability_needs_of(&c.engine).code;
	config_release(&c);
	return asks;
}

/* It takes CAP_SYS_ADMIN. */
static void
reports_of_instructions_alone_ask_the_kernel_for_code_and_those_of_recordings_do_not(void **state)
{
	(void)state;
	assert_false(asks_the_kernel_for_code(ARGV("-b")));
	assert_true(asks_the_kernel_for_code(ARGV("-b", "-V", "annotate")));
	assert_true(asks_the_kernel_for_code(ARGV("-b", "--by", "instruction")));
	assert_false(asks_the_kernel_for_code(ARGV("-b", "-V", "annotate", "-i", "perf.data")));
	assert_false(asks_the_kernel_for_code(ARGV("-b", "--by", "instruction", "-i", "perf.data")));
}

static void
values_are_taken_in_each_way_of_writing(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-p", "1,2", "-p2,3", "--tid=7", "--delay", "0.5", "-n3", "-bKF", "max");
	assert_int_equal(c.engine.pid_count, 3);
	assert_true(c.engine.pids[0] == 1 && c.engine.pids[1] == 2 && c.engine.pids[2] == 3);
	assert_int_equal(c.engine.tid_count, 1);
	assert_int_equal(c.engine.tids[0], 7);
	assert_true(c.engine.delay_s == 0.5 && c.engine.iterations == 3 && c.batch &&
		    c.hide_kernel);
	assert_true(c.engine.freq == UINT64_MAX);
	config_release(&c);
	PARSE(&c, "--budget=0.5");
	assert_that(c.engine.budget, >, 0.49);
	assert_that(c.engine.budget, <, 0.51);
	config_release(&c);
	PARSE(&c, "--budget", "off");
	assert_that(c.engine.budget, <=, 0);
	assert_that(c.engine.budget, >=, 0);
	config_release(&c);
	PARSE(&c, "--budget=0");
	assert_that(c.engine.budget, <=, 0);
	assert_that(c.engine.budget, >=, 0);
	config_release(&c);
}

static void
filters_are_of_the_event_before_them(void **state)
{
	struct event_env env = { .root = "/nonexistent" };
	struct event_list list = { 0 };
	struct err err = { 0 };
	struct config c;

	(void)state;
	PARSE(&c, "-e", "2:7,cs", "-e2:8", "--filter-event", "pid == 1", "-e", "2:9",
	      "--filter-event=a > 2", "--filter-event=b", "-e", "cs");
	assert_int_equal(events_parse(&c.engine, &env, &list, &err), 0);
	assert_int_equal(list.len, 5);
	assert_null(list.items[0].filter);
	assert_string_equal(list.items[2].filter, "pid == 1");
	assert_string_equal(list.items[3].filter, "(a > 2) && (b)");
	assert_null(list.items[4].filter);
	event_list_release(&list);
	config_release(&c);
	PARSE(&c, "-e", "2:7,cs", "--filter-event", "pid == 1");
	assert_int_equal(events_parse(&c.engine, &env, &list, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.text, "--filter-event: "));
	event_list_release(&list);
	config_release(&c);
	PARSE(&c, "-n", "1");
	assert_int_equal(events_parse(&c.engine, &env, &list, &err), 0);
	assert_string_equal(list.items[0].name, "cycles:P");
	event_list_release(&list);
	config_release(&c);
}

static void
lists_events_and_filters_add_up(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-C", "8,0-2", "-C1,2", "-e", "cycles", "-ecpu/event=1,umask=2/", "--filter",
	      "comm=a", "--filter=pid=1", "--list=page*", "--memory", "2M", "-c", "1000");
	assert_int_equal(c.engine.cpu_count, 4);
	assert_true(c.engine.cpus[0] == 0 && c.engine.cpus[1] == 1 && c.engine.cpus[2] == 2 &&
		    c.engine.cpus[3] == 8);
	assert_string_equal(c.engine.events, "cycles,cpu/event=1,umask=2/");
	assert_string_equal(c.filter, "comm=a pid=1");
	assert_true(c.list);
	assert_string_equal(c.list_pattern, "page*");
	assert_true(c.engine.memory_bytes == 2 << 20 && c.engine.count == 1000);
	config_release(&c);
	PARSE(&c, "--list");
	assert_true(c.list && c.list_pattern == NULL);
	config_release(&c);
}

static void
a_value_that_may_be_missing_may_be_a_word_of_its_own(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "--list", "page*", "-c", "1000");
	assert_true(c.list && c.engine.count == 1000);
	assert_string_equal(c.list_pattern, "page*");
	config_release(&c);
	PARSE(&c, "--list", "-c", "1000");
	assert_true(c.list && c.list_pattern == NULL && c.engine.count == 1000);
	config_release(&c);
	PARSE(&c, "--list", "--", "true");
	assert_null(c.list_pattern);
	config_release(&c);
}

/* A report without callers does without, but where functions tell what is waited for. */
static void
stacks_are_copied_where_a_report_needs_them(void **state)
{
	static const struct {
		char *event, *by;
		enum event_call_graph how;
	} reports[] = {
		{ "cycles", "state,on", CALL_GRAPH_FP },
		{ "off-cpu/exact/", "comm,length,waker", CALL_GRAPH_FP },
		{ "off-cpu/exact/", "comm,state", CALL_GRAPH_AUTO },
		{ "cycles,off-cpu/exact,force/", "on", CALL_GRAPH_AUTO },
		{ "off-cpu/exact/", "waitkind", CALL_GRAPH_AUTO },
	};
	struct config c;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++) {
		PARSE(&c, "-b", "-e", reports[i].event, "--by", reports[i].by);
		assert_int_equal(c.engine.call_graph, reports[i].how);
		config_release(&c);
	}
	PARSE(&c, "-b", "-e", "off-cpu/exact/", "--by", "comm", "--filter", "state==lock");
	assert_int_equal(c.engine.call_graph, CALL_GRAPH_AUTO);
	config_release(&c);
	PARSE(&c, "-b", "-e", "off-cpu/exact/", "--by", "on", "-g", "fp");
	assert_int_equal(c.engine.call_graph, CALL_GRAPH_FP);
	config_release(&c);
}

static void
call_graphs_and_attributes_are_taken(void **state)
{
	struct config c;

	(void)state;
	parse(&c, ARGV("-F", "max", "-g", "dwarf"));
	assert_true(c.engine.call_graph == CALL_GRAPH_DWARF && c.engine.stack_bytes == 0 &&
		    c.engine.rate_given);
	config_release(&c);
	parse(&c, ARGV("-g", "dwarf,4001", "--attr", "pinned", "--attr=sample_type=ADDR"));
	assert_true(c.engine.stack_bytes == 4008 && c.engine.call_graph == CALL_GRAPH_DWARF &&
		    !c.engine.rate_given);
	assert_string_equal(c.engine.attrs, "pinned,sample_type=ADDR");
	config_release(&c);
	parse(&c, ARGV("-g", "fp,defer"));
	assert_true(c.engine.call_graph == CALL_GRAPH_FP && c.engine.defer_chains);
	config_release(&c);
	parse(&c, ARGV("-g", "fp,defer", "-g", "fp"));
	assert_false(c.engine.defer_chains);
	config_release(&c);
	parse(&c, ARGV("-g", "auto"));
	assert_int_equal(c.engine.call_graph, CALL_GRAPH_AUTO);
	config_release(&c);
	parse(&c, ARGV("-g", "auto", "-g", "dwarf"));
	assert_true(c.engine.call_graph == CALL_GRAPH_DWARF);
	config_release(&c);
	parse(&c, ARGV("-c5", "-g", "lbr", "--explain-event", "cycles", "--explain-event=cs"));
	assert_true(c.engine.call_graph == CALL_GRAPH_LBR && c.engine.rate_given);
	assert_string_equal(c.explain, "cycles,cs");
	config_release(&c);
	REFUSED(ERR_USAGE, "--call-graph: only dwarf takes a size", "-g", "fp,100");
	REFUSED(ERR_USAGE, "--call-graph: only dwarf takes a size", "-g", "lbr,defer");
	REFUSED(ERR_USAGE, "--call-graph: only dwarf takes a size", "-g", "auto,8192");
	REFUSED(ERR_USAGE, "--call-graph: only dwarf takes a size", "-g", "auto,defer");
	REFUSED(ERR_USAGE, "--call-graph: '70000' is not between 8 and 65528 bytes", "-g",
		"dwarf,70000");
	REFUSED(ERR_USAGE, "--call-graph: '' is not between 8 and 65528 bytes", "-g", "dwarf,");
	REFUSED(ERR_USAGE, "unknown call graph 'dwar': did you mean 'dwarf'?", "-g", "dwar");
	REFUSED(ERR_USAGE, "--push-token is of --push: nothing is pushed", "--push-token", "x");
	REFUSED(ERR_USAGE, "--spool is of --push: nothing is pushed", "--spool", "1M");
	REFUSED(ERR_USAGE, "--overwrite keeps what the key w writes: it needs the screen", "--overwrite", "-b");
	REFUSED(ERR_USAGE, "unknown clock 'realtimes': did you mean 'realtime'?", "--clockid", "realtimes");
	REFUSED(ERR_USAGE, "attribute pinned: 0x2 is more than 1 bits", "--attr", "pinned=2");
	REFUSED(ERR_USAGE, "--explain-event: '' is not an event", "--explain-event", "");
}

static void
a_command_follows_two_hyphens(void **state)
{
	char **argv = ARGV("-g", "none", "--", "make", "-b", "--help");
	struct config c;

	(void)state;
	parse(&c, argv);
	assert_ptr_equal(c.engine.command, &argv[4]);
	assert_true(c.engine.call_graph == CALL_GRAPH_NONE && !c.help);
	config_release(&c);
	REFUSED(ERR_USAGE, "no command after --", "--");
	REFUSED(ERR_USAGE, "--filter-event: there is no event before it", "--filter-event", "a");
	REFUSED(ERR_USAGE, "--filter-event: '' is not a filter", "-e", "2:7", "--filter-event=");
	REFUSED(ERR_USAGE, "unexpected argument 'make': a command goes after --", "make");
}

static void
users_are_names_or_numbers(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-u", "root,4242");
	assert_int_equal(c.engine.uid_count, 2);
	assert_int_equal(c.engine.uids[0], 0);
	assert_int_equal(c.engine.uids[1], 4242);
	config_release(&c);
	REFUSED(ERR_GONE, "no user 'rooot': did you mean 'root'?", "-u", "rooot");
}

static void
slips_are_named_with_the_nearest_right_thing(void **state)
{
	(void)state;
	REFUSED(ERR_USAGE, "unknown option '--viwe': did you mean '--view'?", "--viwe");
	REFUSED(ERR_USAGE, "unknown option '--iter': did you mean '--iterations'?", "--iter=3");
	REFUSED(ERR_USAGE, "unknown option '--zzzzzzzzz'", "--zzzzzzzzz");
	REFUSED(ERR_USAGE, "unknown option '-Q'", "-bQ");
	REFUSED(ERR_USAGE, "unknown view 'function': did you mean 'functions'?", "-Vfunction");
	REFUSED(ERR_USAGE, "unknown key 'simbol': did you mean 'symbol'?", "--by=comm,simbol");
	REFUSED(ERR_USAGE, "unknown format 'cvs': did you mean 'csv'?", "--format", "cvs");
	REFUSED(ERR_USAGE, "unknown format 'fold': did you mean 'folded'?", "--format", "fold");
	REFUSED(ERR_USAGE, "unknown column 'comn': did you mean 'comm'?", "-s", "comn");
	REFUSED(ERR_USAGE, "option '--delay' needs a value: SECS", "-d");
	REFUSED(ERR_USAGE, "option '--batch' takes no value", "--batch=yes");
}

static void
numbers_out_of_range_are_refused(void **state)
{
	(void)state;
	REFUSED(ERR_USAGE, "--delay: '0' is not between 0.1 and 3600", "-d0");
	REFUSED(ERR_USAGE, "--delay: 'x' is not between 0.1 and 3600", "-dx");
	REFUSED(ERR_USAGE, "--delay: 'inf' is not between 0.1 and 3600", "-d", "inf");
	REFUSED(ERR_USAGE, "--freq: '0' is not between 1 and 1000000", "-F0");
	REFUSED(ERR_USAGE, "--budget: '-1' is not between 0.01 and 100000", "--budget=-1");
	REFUSED(ERR_USAGE, "--iterations: '-1' is not between 1 and 1000000000000", "-n", "-1");
	REFUSED(ERR_USAGE, "--pid: '-1' is not the id of a process or thread", "-p", "1,-1");
	REFUSED(ERR_USAGE, "--pid: '' is not the id of a process or thread", "-p", "1,");
	REFUSED(ERR_USAGE, "--cpu: '3-1' is not a list of CPUs such as 0-3,8", "-C3-1");
	REFUSED(ERR_USAGE, "--mmap-pages: '3' is not a power of two", "-m3");
	REFUSED(ERR_USAGE, "--memory: '100K' is not between 1M and 65536M", "--memory=100K");
	REFUSED(ERR_USAGE, "--window: '0' is not between 0.1 and 86400", "-w0");
}

static void
what_contradicts_itself_is_refused(void **state)
{
	(void)state;
	REFUSED(ERR_USAGE, "--freq and --count exclude each other", "-F99", "-c5");
	REFUSED(ERR_USAGE, "--cpu: '99999999' is not a list of CPUs such as 0-3,8", "-C99999999");
	REFUSED(ERR_USAGE, "--hide-kernel and --hide-user together leave nothing", "-KU");
	REFUSED(ERR_USAGE, "--dump prints the records of a file: it needs --input", "--dump");
	REFUSED(ERR_USAGE, "--input reads all of a recording: it takes no targets", "-ix", "-p1");
	REFUSED(ERR_USAGE, "--input reads a recording: it cannot start a command", "-ix", "--", "ls");
#ifdef HAVE_ZSTD
	REFUSED(ERR_USAGE, "--compress is of a recording that is written: in batch mode it needs "
		"--record", "-b", "--compress");
	REFUSED(ERR_USAGE, "--raw-stacks is of a recording that is written: in batch mode it needs "
		"--record", "-b", "--raw-stacks");
#endif
	REFUSED(ERR_USAGE, "filter: column 1: unknown key 'conm': did you mean 'comm'?",
		"--filter=conm=x");
}

static void
a_recording_takes_no_options_of_sampling(void **state)
{
	static const char chosen[] = " does not go with --input: what is in a recording was chosen "
				     "when it was made";
	static const struct {
		const char *name, *value;
	} rows[] = {
		{ "--freq", "99" }, { "--count", "5" }, { "--call-graph", "dwarf" },
		{ "--call-graph", "fp" }, { "--attr", "pinned" }, { "--clockid", "tai" },
		{ "--overwrite", NULL }, { "--no-inherit", NULL },
	};
	struct config c;
	char why[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { "ptop", "-ix", (char *)(uintptr_t)rows[i].name,
				 (char *)(uintptr_t)rows[i].value, NULL };

		snprintf(why, sizeof(why), "%s%s", rows[i].name, chosen);
		refused(ERR_USAGE, why, argv);
	}
	REFUSED(ERR_USAGE, "--event does not go with --input: a recording has its own events",
		"-ix", "-e", "nonsense");
	REFUSED(ERR_USAGE, "--mmap-pages does not go with --input: nothing is sampled", "-ix", "-m8");
	REFUSED(ERR_USAGE, "--view counters does not go with --diff: a recording has samples", "-V",
		"counters", "--diff", "x");
	REFUSED(ERR_USAGE, "--view calls does not go with --diff: a recording has samples", "-V",
		"calls", "--diff", "x");
	REFUSED(ERR_USAGE, "--view annotate does not go with --diff: instructions are not compared", "-V",
		"annotate", "--diff", "x");
	REFUSED(ERR_USAGE, "--compress does not go with --input: nothing is written", "-ix",
		"--compress");
	REFUSED(ERR_USAGE, "--raw-stacks does not go with --input: nothing is written", "-ix",
		"--raw-stacks");
	/* These leave something out, or have always been given. */
	PARSE(&c, "-ix", "-g", "none", "-n1", "-d5", "--idle", "--budget=off", "--history=0");
	config_release(&c);
}

static void
reports_are_not_ordered_by_what_only_the_screen_has(void **state)
{
	(void)state;
	REFUSED(ERR_USAGE, "--sort rss: only the screen has this column", "-b", "-s", "rss");
	REFUSED(ERR_USAGE, "--sort trend: only the screen has this column", "-b", "-s", "trend");
	REFUSED(ERR_USAGE, "--sort error: only the screen has this column", "-b", "-s", "error");
}

static void
views_with_rows_of_their_own_take_no_keys(void **state)
{
	char *argv[] = { "ptop", "-b", "--by", "comm", "-V", NULL, NULL };
	struct config c;
	char why[120];
	int refusals = 0;

	(void)state;
	for (enum view_id v = 0; v < VIEW_COUNT; v++) {
		const struct view_def *d = &view_defs[v];
		bool groups = !d->is_tree && !d->is_code && !d->is_unnamed && !d->is_locks &&
			      !d->is_counted;

		argv[5] = (char *)(uintptr_t)view_defs[v].name;
		snprintf(why, sizeof(why), "--view %s has rows of its own: it does not go with --by",
			 view_defs[v].name);
		if (groups) {
			parse(&c, argv);
			config_release(&c);
			continue;
		}
		refused(ERR_USAGE, why, argv);
		refusals++;
	}
	assert_int_equal(refusals, 9);
}

static void
locks_want_an_event_that_looks_at_who_waits(void **state)
{
	static const char why[] = "--view locks: off-cpu/exact/ does not tell who holds a lock";
	struct config c;

	(void)state;
	REFUSED(ERR_USAGE, why, "-b", "-Vlocks", "-eoff-cpu/exact/");
	REFUSED(ERR_USAGE, why, "-b", "-Vlocks", "-ecycles,off-cpu/exact,force/:u");
	PARSE(&c, "-Vlocks", "-eoff-cpu/exact/", "-eoff-cpu");
	config_release(&c);
	PARSE(&c, "-Vlocks", "-ewall-clock,off-cpu/exact/");
	config_release(&c);
	PARSE(&c, "-Vlocks");
	assert_string_equal(c.engine.events, "off-cpu");
	config_release(&c);
}

static void
a_key_of_a_field_names_it(void **state)
{
	char *named[] = { "ptop", "-b", "--by", "comm,field:prev_state,syscall", NULL };
	char *kept[] = { "ptop", "-b", "--filter", "syscall=read", NULL };
	char *nameless[] = { "ptop", "-b", "--by", "field", NULL };
	char *two[] = { "ptop", "-b", "--by", "field:arg2,comm,field:arg3", NULL };
	char *twice[] = { "ptop", "-b", "--by", "field:arg2,field:arg2", NULL };
	char *kept_nameless[] = { "ptop", "-b", "--filter", "field=9", NULL };
	struct config c;

	(void)state;
	parse(&c, named);
	assert_int_equal(c.key_count, 3);
	assert_int_equal(c.keys[1], KEY_FIELD);
	assert_int_equal(c.keys[2], KEY_SYSCALL);
	assert_string_equal(c.field, "prev_state");
	assert_true(c.engine.wants_fields);
	config_release(&c);
	parse(&c, kept);
	assert_true(c.engine.wants_fields);
	config_release(&c);
	refused(ERR_USAGE, "--by field: no field is named", nameless);
	refused(ERR_USAGE, "--by takes one field: choose field:arg2 or field:arg3", two);
	refused(ERR_USAGE, "key 'field' is given twice", twice);
	refused(ERR_USAGE, "--filter field: no field is named", kept_nameless);
}

static void
functions_that_are_counted_have_a_view_of_their_own(void **state)
{
	char *named[] = { "ptop", "-b", "--count-function", "f", "--count-function", "g", NULL };
	char *grouped[] = { "ptop", "-b", "--count-function", "f", "--by", "comm", NULL };
	char *unnamed[] = { "ptop", "-b", "-V", "calls", NULL };
	char *thread[] = { "ptop", "-b", "--count-function", "f", "-t", "1", NULL };
	char *cpu[] = { "ptop", "-b", "--count-function", "f", "--cpu", "0", NULL };
	char *list[] = { "ptop", "-b", "--count-function", "f,g", NULL };
	char *events[] = { "ptop", "-b", "-V", "tree", "--count-function", "f,kprobe:g", NULL };
	char *path[] = { "ptop", "-b", "--count-function", "/a,b/c:f", NULL };
	struct config c;

	(void)state;
	parse(&c, named);
	assert_int_equal(c.view, VIEW_CALLS);
	assert_string_equal(c.engine.functions[1], "g");
	assert_null(c.engine.functions[2]);
	config_release(&c);
	refused(ERR_USAGE, "--count-function is of --view calls, or of a view of stacks: no other "
		"report has what it counts", grouped);
	refused(ERR_USAGE, "--view calls: no function is named", unnamed);
	refused(ERR_USAGE, "--view calls: calls do not keep to --tid: enter a process, or name it with --pid", thread);
	refused(ERR_USAGE, "--view calls: calls do not keep to --cpu: leave it out", cpu);
	refused(ERR_USAGE, "--count-function takes one function, not 'f,g': give it once for each", list);
	refused(ERR_USAGE, "--count-function takes one function, not 'f,kprobe:g': give it once for each",
		events);
	parse(&c, path);
	config_release(&c);
}

/* Who makes them is in stacks: there is a sample where each begins. */
static void
callers_of_functions_that_are_counted_are_samples(void **state)
{
	char *tree[] = { "ptop", "-b", "-V", "tree", "--count-function", "f", "--count-function",
			 "kprobe:g", NULL };
	char *beside[] = { "ptop", "-b", "-V", "flame", "-e", "cycles", "-g", "fp", "--count-function",
			   "uprobe:f", NULL };
	struct config c;

	(void)state;
	parse(&c, tree);
	assert_int_equal(c.view, VIEW_TREE);
	assert_string_equal(c.engine.events, "uprobe:f/call-graph=dwarf/,kprobe:g");
	assert_null(c.engine.functions);
	config_release(&c);
	parse(&c, beside);
	assert_string_equal(c.engine.events, "cycles,uprobe:f");
	config_release(&c);
}

static void
a_function_is_named_for_the_view_of_one_function_alone(void **state)
{
	char *named[] = { "ptop", "-b", "-V", "annotate", "--symbol", "main", "--dso", "cc1", NULL };
	char *elsewhere[] = { "ptop", "-b", "--symbol", "main", NULL };
	char *stacks[] = { "ptop", "-V", "annotate", "--format", "folded", NULL };
	char *keys[] = { "ptop", "-b", "-V", "annotate", "--filter", "weight=1", NULL };
	char *empty[] = { "ptop", "-b", "-V", "annotate", "--symbol", "", NULL };
	struct query q;
	struct config c;

	(void)state;
	parse(&c, named);
	config_query(&c, &q);
	assert_int_equal(q.view, VIEW_ANNOTATE);
	assert_string_equal(q.symbol, "main");
	assert_string_equal(q.symbol_dso, "cc1");
	config_release(&c);
	refused(ERR_USAGE, "--symbol is of --view annotate", elsewhere);
	refused(ERR_USAGE, "--view annotate does not go with --format folded: it writes stacks",
		stacks);
	refused(ERR_USAGE, "--filter: instructions do not tell 'weight'", keys);
	refused(ERR_USAGE, "--symbol: '' is not a name", empty);
}

static void
a_dump_takes_no_options_of_reports(void **state)
{
	static const struct {
		const char *name, *value;
	} rows[] = {
		{ "--format", "csv" }, { "--by", "comm" }, { "--view", "tree" }, { "--sort", "comm" },
		{ "--filter", "comm=x" }, { "--window", "all" }, { "--hide-kernel", NULL },
		{ "--hide-user", NULL },
	};
	struct config c;
	char why[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { "ptop", "--dump", "-ix", (char *)(uintptr_t)rows[i].name,
				 (char *)(uintptr_t)rows[i].value, NULL };

		snprintf(why, sizeof(why), "%s does not go with --dump: it prints all records, one a "
			 "line", rows[i].name);
		refused(ERR_USAGE, why, argv);
	}
	PARSE(&c, "--dump", "-ix", "-o", "records", "--force", "-d5", "-n1", "-b");
	config_release(&c);
}

static void
a_filter_longer_than_a_query_takes_is_refused(void **state)
{
	char text[QUERY_FILTER_MAX + 1];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	REFUSED(ERR_USAGE, "--filter: longer than 255 bytes", "--filter", text);
}

static void
the_ending_of_the_output_names_the_format(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-o", "x.csv");
	assert_true(c.batch && c.engine.format == FORMAT_CSV);
	config_release(&c);
	PARSE(&c, "-o", "x.csv", "--format=text");
	assert_int_equal(c.engine.format, FORMAT_TEXT);
	config_release(&c);
#ifdef HAVE_JANSSON
	PARSE(&c, "-o", "x.ndjson");
	assert_int_equal(c.engine.format, FORMAT_NDJSON);
	config_release(&c);
#endif
	PARSE(&c, "-ox.dat", "--format=csv");
	assert_int_equal(c.engine.format, FORMAT_CSV);
	config_release(&c);
	PARSE(&c, "-o", "x.folded");
	assert_int_equal(c.engine.format, FORMAT_FOLDED);
	config_release(&c);
	REFUSED(ERR_USAGE, "--output: the ending of 'x.jso' names no format", "-o", "x.jso");
	REFUSED(ERR_USAGE, "--output: the ending of '.csv' names no format", "-o", ".csv");
	REFUSED(ERR_USAGE, "--output: 'folder/' is a folder", "-o", "folder/");
}

static void
json_is_there_if_jansson_is(void **state)
{
#ifdef HAVE_JANSSON
	struct config c;
	struct query q;

	(void)state;
	PARSE(&c, "--format=json");
	config_query(&c, &q);
	assert_true(c.batch && c.engine.format == FORMAT_JSON && q.sort == COLUMN_PERIOD &&
		    !q.stacks);
	config_release(&c);
	PARSE(&c, "-o", "x.json");
	assert_int_equal(c.engine.format, FORMAT_JSON);
	config_release(&c);
#else
	(void)state;
	REFUSED(ERR_UNSUPPORTED, "--format json: built without jansson", "--format=json");
	REFUSED(ERR_UNSUPPORTED, "--format json: built without jansson", "-o", "x.json");
#endif
}

static void
folded_asks_for_stacks_and_filters_that_they_can_tell(void **state)
{
	struct config c;
	struct query q;

	(void)state;
	PARSE(&c, "--format=folded", "--filter", "comm=x dso!=y");
	config_query(&c, &q);
	assert_true(c.batch && q.stacks && q.all_events);
	config_release(&c);
	PARSE(&c, "-b");
	config_query(&c, &q);
	assert_false(q.stacks);
	config_release(&c);
	REFUSED(ERR_USAGE, "--filter: stacks do not tell 'cpu'", "--format=folded",
		"--filter=comm=x cpu=3");
	REFUSED(ERR_USAGE, "--filter: stacks do not tell 'branch'", "--format=folded",
		"--filter=branch=x");
}

/* As perf_event_open(2) has it. */
static void
the_task_0_is_ptop_itself(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-p", "0,1", "-t", "0");
	assert_int_equal(c.engine.pids[0], getpid());
	assert_int_equal(c.engine.pids[1], 1);
	assert_int_equal(c.engine.tids[0], getpid());
	config_release(&c);
}

static void
cgroups_are_paths_from_the_root_on(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-G", "docker/1,/a/*/", "--cgroup", "/");
	assert_int_equal(c.engine.cgroup_count, 3);
	assert_string_equal(c.engine.cgroups[0], "/docker/1");
	assert_string_equal(c.engine.cgroups[1], "/a/*");
	assert_string_equal(c.engine.cgroups[2], "/");
	config_release(&c);
	REFUSED(ERR_USAGE, "--cgroup: '' is not the path of a control group", "-G", "/a,");
	REFUSED(ERR_USAGE, "--input reads all of a recording: it takes no targets", "-i", "perf.data",
		"-G", "/a");
}

static void
what_samples_tell_can_be_asked_of_all_of_them(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "-i", "perf.data", "--by", "cgroup,comm", "--filter", "cgroup=/system*");
	assert_int_equal(c.keys[0], KEY_CGROUP);
	config_release(&c);
	PARSE(&c, "--by", "time,data_src,weight,id,stream_id,branch,srcline,cgroup", "--filter", "cgroup=/x");
	config_release(&c);
}

static void
a_report_asks_for_what_happened_since_the_last_one(void **state)
{
	struct config c;
	struct query q;

	(void)state;
	PARSE(&c, "--format=csv", "--by", "tid,symbol", "--filter", "comm=x");
	config_query(&c, &q);
	assert_true(q.window_ns == 0 && q.all_events && q.max_rows == 0 && !q.trends && !q.by_view);
	assert_int_equal(q.key_count, 2);
	assert_int_equal(q.keys[0], KEY_TID);
	assert_int_equal(q.sort, COLUMN_PERIOD);
	assert_false(q.ascending);
	assert_string_equal(q.filter, "comm=x");
	config_release(&c);
	PARSE(&c, "-b", "-s", "comm", "-w", "2.5", "-V", "threads", "--", "true");
	config_query(&c, &q);
	assert_true(q.window_ns == 2500000000 && q.by_view && q.ascending);
	assert_int_equal(q.sort, COLUMN_COMM);
	assert_int_equal(q.key_count, 3);
	config_release(&c);
	PARSE(&c, "-b", "--", "true");
	config_query(&c, &q);
	assert_true(q.window_ns == UINT64_MAX);
	config_release(&c);
}

static void
the_screen_asks_for_ten_seconds_of_the_event_shown(void **state)
{
	struct config c;
	struct query q;

	(void)state;
	PARSE(&c, "-K");
	c.batch = false; /* standard output of a test is no terminal */
	config_query(&c, &q);
	assert_true(q.window_ns == 10 * NSEC_PER_SEC && !q.all_events && q.trends);
	assert_true(q.max_rows == 1000 && q.hide_kernel && q.sort == COLUMN_SHARE);
	c.window_s = -1;
	config_query(&c, &q);
	assert_true(q.window_ns == UINT64_MAX);
	assert_false(q.idle);
	config_release(&c);
}

/* Percent of what is shown, unless it is a report: those are of all, so that they compare. */
static void
shares_are_of_what_is_shown_on_the_screen_and_of_all_in_reports(void **state)
{
	static const struct {
		bool relative, batch;
		enum shares want;
	} rows[] = {
		{ false, false, SHARES_OF_SHOWN }, { false, true, SHARES_OF_ALL },
		{ true, false, SHARES_OF_SHOWN },  { true, true, SHARES_OF_SHOWN },
	};
	struct config c;
	struct query q;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].relative)
			PARSE(&c, "--relative");
		else
			PARSE(&c, "-K");
		c.batch = rows[i].batch;
		config_query(&c, &q);
		assert_int_equal(q.shares, rows[i].want);
		config_release(&c);
	}
	REFUSED(ERR_USAGE, "--view counters does not go with --relative: counters have no shares",
		"-b", "--relative", "--view", "counters");
}

static void
of_a_recording_the_screen_leaves_nothing_out(void **state)
{
	struct config c;
	struct query q;

	(void)state;
	PARSE(&c, "-i", "perf.data");
	c.batch = false;
	config_query(&c, &q);
	assert_true(q.idle && q.window_ns == UINT64_MAX);
	config_release(&c);
}

static void
help_and_manual_show_every_option(void **state)
{
	struct buf help = { 0 }, roff = { 0 };

	(void)state;
	config_put_help(&help);
	config_put_roff(&roff);
	assert_non_null(strstr(help.data, "  -p, --pid PID,..."));
	assert_non_null(strstr(help.data, "      --list[=PATTERN]"));
	assert_non_null(strstr(roff.data, "\\fB\\-\\-call\\-graph\\fR \\fIWHAT\\fR\n"));
	assert_non_null(strstr(roff.data, "symbol\\(ti\\(hangx_"));
	for (const char *line = help.data; line != NULL && *line != '\0';) {
		const char *end = strchr(line, '\n');

		assert_that(end - line, <=, 130);
		line = end + 1;
	}
	buf_release(&help);
	buf_release(&roff);
}

static void
version_tells_commit_and_libraries(void **state)
{
	struct buf b = { 0 };
	unsigned libraries = 0, commits = 0;
	char *rest, *line;

	(void)state;
	config_put_version(&b);
	line = strtok_r(b.data, "\n", &rest);
	assert_int_equal(strncmp(line, "ptop ", 5), 0);
	while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
		char commit[41], name[40], version[40];
		int year, month, day;

		if (sscanf(line, "commit %40[0-9a-f] of %d-%d-%d", commit, &year, &month, &day) == 4) {
			assert_int_equal(strlen(commit), 40);
			assert_true(year >= 2026 && month >= 1 && month <= 12 && day >= 1);
			commits++;
		} else if (sscanf(line, "with %39[a-z0-9] %39[0-9.]", name, version) == 2 ||
			   sscanf(line, "with %39[a-z0-9] (", name) == 1 ||
			   sscanf(line, "without %39[a-z0-9] (", name) == 1) {
			libraries++;
		} else {
			fail_msg("what is '%s'?", line);
		}
	}
	assert_true(commits <= 1); /* of a tree that is neither git's nor make dist's there is none */
	assert_that(libraries, >=, 12);
	buf_release(&b);
}

#if defined(HAVE_DEBUGINFOD) && defined(HAVE_ZLIB)

static void
what_is_pushed_is_cpu_time_of_what_runs_here(void **state)
{
	struct config c;

	(void)state;
	PARSE(&c, "--push", "http://store:4040");
	assert_true(c.engine.is_asked && c.batch);
	assert_string_equal(c.engine.events, "cpu-clock");
	assert_int_equal(c.engine.call_graph, CALL_GRAPH_AUTO);
	assert_true(c.spool_bytes == UINT64_MAX);
	config_release(&c);
	PARSE(&c, "--push", "otlp+https://store", "--spool", "0", "-e", "off-cpu");
	assert_string_equal(c.engine.events, "off-cpu");
	assert_true(c.spool_bytes == 0);
	config_release(&c);
	REFUSED(ERR_USAGE, "--push: 'store:4040' names no store", "--push", "store:4040");
	REFUSED(ERR_USAGE, "--push: a name or password in the address is for all to see", "--push",
		"http://me:secret@store");
	REFUSED(ERR_USAGE, "--format does not go with --push: what is pushed has it all", "--push",
		"http://store", "--format", "csv");
	REFUSED(ERR_USAGE, "--push: '' is not the address of a store", "--push", "");
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_manual),
		cmocka_unit_test(
			reports_of_instructions_alone_ask_the_kernel_for_code_and_those_of_recordings_do_not),
		cmocka_unit_test(values_are_taken_in_each_way_of_writing),
		cmocka_unit_test(filters_are_of_the_event_before_them),
		cmocka_unit_test(lists_events_and_filters_add_up),
		cmocka_unit_test(a_value_that_may_be_missing_may_be_a_word_of_its_own),
		cmocka_unit_test(call_graphs_and_attributes_are_taken),
		cmocka_unit_test(stacks_are_copied_where_a_report_needs_them),
		cmocka_unit_test(a_command_follows_two_hyphens),
		cmocka_unit_test(users_are_names_or_numbers),
		cmocka_unit_test(slips_are_named_with_the_nearest_right_thing),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(what_contradicts_itself_is_refused),
		cmocka_unit_test(a_recording_takes_no_options_of_sampling),
		cmocka_unit_test(reports_are_not_ordered_by_what_only_the_screen_has),
		cmocka_unit_test(views_with_rows_of_their_own_take_no_keys),
		cmocka_unit_test(locks_want_an_event_that_looks_at_who_waits),
		cmocka_unit_test(a_key_of_a_field_names_it),
		cmocka_unit_test(functions_that_are_counted_have_a_view_of_their_own),
		cmocka_unit_test(callers_of_functions_that_are_counted_are_samples),
		cmocka_unit_test(a_function_is_named_for_the_view_of_one_function_alone),
		cmocka_unit_test(a_dump_takes_no_options_of_reports),
		cmocka_unit_test(a_filter_longer_than_a_query_takes_is_refused),
		cmocka_unit_test(the_ending_of_the_output_names_the_format),
		cmocka_unit_test(json_is_there_if_jansson_is),
		cmocka_unit_test(folded_asks_for_stacks_and_filters_that_they_can_tell),
		cmocka_unit_test(the_task_0_is_ptop_itself),
		cmocka_unit_test(cgroups_are_paths_from_the_root_on),
		cmocka_unit_test(what_samples_tell_can_be_asked_of_all_of_them),
		cmocka_unit_test(a_report_asks_for_what_happened_since_the_last_one),
		cmocka_unit_test(the_screen_asks_for_ten_seconds_of_the_event_shown),
		cmocka_unit_test(shares_are_of_what_is_shown_on_the_screen_and_of_all_in_reports),
		cmocka_unit_test(of_a_recording_the_screen_leaves_nothing_out),
		cmocka_unit_test(help_and_manual_show_every_option),
#if defined(HAVE_DEBUGINFOD) && defined(HAVE_ZLIB)
		cmocka_unit_test(what_is_pushed_is_cpu_time_of_what_runs_here),
#endif
		cmocka_unit_test(version_tells_commit_and_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
