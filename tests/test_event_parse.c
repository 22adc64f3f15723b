/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf's syntax of events, on machines with PMUs of every kind made of files. */
#include "event_fixture.h"

#include "event/catalogue.h"
#include "event/site.h"
#include "event/term.h"
#include "tests/asserts.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#define DEVICES "sys/bus/event_source/devices/"

static const struct {
	const char *path, *text;
} machine[] = {
	{ "cpu/type", "4\n" },
	{ "cpu/format/event", "config:0-7,32-35\n" },
	{ "cpu/format/umask", "config:8-15\n" },
	{ "cpu/format/inv", "config:23\n" },
	{ "cpu/format/ldlat", "config1:0-15\n" },
	{ "cpu/format/offcore_rsp", "config2:0-63\n" },
	{ "cpu/format/third", "config3:4-7\n" },
	{ "cpu/format/fourth", "config4:63\n" },
	{ "cpu/format/broken", "confg:1\n" },
	{ "cpu/format/wide", "config:60-64\n" },
	{ "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ "cpu/events/mem-loads.unit", "events\n" },
	{ "cpu/events/odd", "no_such_field=1\n" },
	{ "cpu/events/asks", "event=0x1,umask=?\n" },
	{ "uprobe/type", "8\n" },
	{ "uprobe/format/retprobe", "config:0\n" },
	{ "uprobe/format/ref_ctr_offset", "config:32-63\n" },
	{ "kprobe/type", "7\n" },
	{ "kprobe/format/retprobe", "config:0\n" },
	{ "uncore_imc_0/type", "20\n" },
	{ "uncore_imc_0/format/event", "config:0-7\n" },
	{ "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ "uncore_imc_0/format/umask", "config:8-15\n" },
	{ "uncore_imc_0/cpumask", "0,18\n" },
	{ "uncore_imc_1/type", "21\n" },
	{ "uncore_imc_1/format/event", "config:0-7\n" },
	{ "uncore_imc_1/format/umask", "config:8-15\n" },
	{ "uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ "uncore_imc_1/cpumask", "0,18\n" },
	{ "uncore_imc_free_running/type", "22\n" },
};

static const struct {
	const char *path, *text;
} hybrid[] = {
	{ "cpu_core/type", "4\n" },
	{ "cpu_core/cpus", "0-3\n" },
	{ "cpu_core/format/event", "config:0-7\n" },
	{ "cpu_core/events/mem-loads", "event=0xcd\n" },
	{ "cpu_atom/type", "10\n" },
	{ "cpu_atom/cpus", "4-5\n" },
	{ "cpu_atom/format/event", "config:0-7\n" },
	{ "cpu_gone/type", "11\n" },
	{ "cpu_gone/cpus", "\n" },
};

static void
make_machine(const struct fixture *f)
{
	make_tracefs(f, "sys/kernel/tracing");
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
		char path[256];

		snprintf(path, sizeof(path), DEVICES "%s", machine[i].path);
		make_file(f, path, machine[i].text);
	}
}

static void
make_hybrid(const struct fixture *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(hybrid); i++) {
		char path[256];

		snprintf(path, sizeof(path), DEVICES "%s", hybrid[i].path);
		make_file(f, path, hybrid[i].text);
	}
}

/* What an attribute would have of each of these. */
static const struct expected {
	const char *text;
	uint32_t type;
	uint64_t config, config1, config2;
	uint32_t bp_type;
} expected[] = {
	{ "cycles", 0, 0 },
	{ "ref-cycles:k", 0, 9 },
	{ "cgroup-switches", 1, 11 },
	{ "bpf-output", 1, 10 },
	{ "dummy:u", 1, 9 },
	{ "LLC-prefetch-misses", 3, 0x10202 },
	{ "L2-speculative-load-miss", 3, 0x10202 },
	{ "Data-TLB-write-access", 3, 0x103 },
	{ "btb-miss", 3, 0x10005 },
	{ "r1c2", 4, 0x1c2 },
	{ "r0x1c2:u", 4, 0x1c2 },
	{ "r1c2/period=5/", 4, 0x1c2 },
	{ "rffffffffffffffff", 4, UINT64_MAX },
	{ "1:3", 1, 3 },
	{ "2:0x12c/max-stack=3/", 2, 300 },
	{ "cycles//u", 0, 0 },
	{ "cpu-clock/config=2/", 1, 2 },
	{ "cpu-clock/config1=0x10,config2=7/", 1, 0, 0x10, 7 },
	{ "cpu//", 4, 0 },
	{ "cpu/event=0x3c/", 4, 0x3c },
	{ "cpu/event=0xf3c,umask=0x12/", 4, UINT64_C(0xf0000123c) },
	{ "cpu/event=60,umask=1,inv/u", 4, 0x80013c },
	{ "cpu/inv=0/", 4, 0 },
	{ "cpu/r1234/", 4, 0x1234 },
	{ "cpu/config=0x5,config1=6/", 4, 5, 6 },
	{ "cpu/event=1,offcore_rsp=0xffffffffffffffff/", 4, 1, 0, UINT64_MAX },
	{ "cpu/cpu-cycles/", 4, 0x3c },
	{ "cpu/instructions/", 0, 1 },
	{ "cpu/L1-dcache-load-misses/", 3, 0x10000 },
	{ "cpu/mem-loads/", 4, 0x1cd, 3 },
	{ "cpu/mem-loads,ldlat=30/", 4, 0x1cd, 30 },
	{ "cpu/mem-loads,period=7,umask=2/ppu", 4, 0x2cd, 3 },
	{ "cpu/asks,umask=9/", 4, 0x901 },
	{ "mem-loads", 4, 0x1cd, 3 },
	{ "uncore_imc_1/event=4/", 21, 4 },
	{ "sched:sched_wakeup", 2, 301 },
	{ "mem:0x1000", 5, 0, 0x1000, 4, HW_BREAKPOINT_RW },
	{ "mem:4096:r", 5, 0, 0x1000, 4, HW_BREAKPOINT_R },
	{ "mem:0x1000:u", 5, 0, 0x1000, 4, HW_BREAKPOINT_RW },
	{ "mem:0x1000:x", 5, 0, 0x1000, sizeof(long), HW_BREAKPOINT_X },
	{ "mem:0x1000:wx", 5, 0, 0x1000, 4, HW_BREAKPOINT_W | HW_BREAKPOINT_X },
	{ "mem:0x1000/8:rw:u", 5, 0, 0x1000, 8, HW_BREAKPOINT_RW },
	{ "mem:0x1000/2/period=3/u", 5, 0, 0x1000, 2, HW_BREAKPOINT_RW },
	{ "mem:counter/1:w", 5, 0, 0, 1, HW_BREAKPOINT_W },
	{ "uprobe:malloc", 8, 0 },
	{ "uretprobe:malloc", 8, 1 },
	{ "uretprobe:/bin/sh:0x40/ref_ctr_offset=0x10/", 8, UINT64_C(0x1000000001) },
	{ "kprobe:vfs_read", 7, 0 },
	{ "kretprobe:vfs_read:k", 7, 1 },
};

static void
every_kind_becomes_its_attribute(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct expected *e = &expected[i];
		const struct event *ev = parse(f, e->text);

		if (ev == NULL)
			fail_msg("'%s': %s", e->text, f->err.text);
		if (ev->type != e->type || ev->config != e->config || ev->config1 != e->config1 ||
		    ev->config2 != e->config2 || ev->bp_type != e->bp_type)
			fail_msg("'%s': type %u config %#lx %#lx %#lx bp_type %u", e->text, ev->type,
				 ev->config, ev->config1, ev->config2, ev->bp_type);
		assert_int_equal(f->list.len, i + 1);
	}
	assert_int_equal(parse(f, "cpu/third=5/")->config3, 0x50);
	assert_int_equal(parse(f, "cpu/fourth/")->config4, UINT64_C(1) << 63);
	assert_int_equal(parse(f, "cpu/config4=9/")->config4, 9);
	assert_int_equal(parse(f, "cpu/cpu-cycles/")->unit, EVENT_COUNTS_CYCLES);
	assert_true(parse(f, "cpu/event=1/")->exclude_guest);
	assert_false(parse(f, "uncore_imc_0/event=1/")->exclude_guest);
}

static const struct malformed {
	const char *text;
	unsigned column;
	const char *says;
} malformed[] = {
	{ "cycles:z", 8, "event 'cycles:z': unknown modifier 'z'" },
	{ "cycles:uz", 9, "unknown modifier 'z'" },
	{ "cycles:uu", 9, "'u' is there twice" },
	{ "cycles:pppp", 11, "at most 'ppp'" },
	{ "cycles:Pp", 9, "both 'p' and 'P'" },
	{ "cycles:", 8, "no modifier" },
	{ "cycles//z", 9, "unknown modifier" },
	{ "cycles//:", 10, "no modifier" },
	{ "faults,cycles:z", 8, "event 'cycles:z'" },
	{ "", 1, "no name" },
	{ "cycles,", 8, "no name" },
	{ ",cycles", 1, "no name" },
	{ "cycles,,cs", 8, "no name" },
	{ "{}", 2, "no name" },
	{ "{cycles,}", 9, "no name" },
	{ "{cycles", 8, "'}' is missing" },
	{ "{cycles,cs", 11, "'}' is missing" },
	{ "{cycles,{cs}}", 9, "a group in a group" },
	{ "{cycles{cs}}", 8, "a group in a group" },
	{ "cycles}", 7, "brace" },
	{ "{cycles}x", 9, "',' or ':' is missing" },
	{ "{cycles}:", 10, "no modifier" },
	{ "{cycles}:z", 10, "unknown modifier 'z'" },
	{ "{cycles,cs:D}", 4, "only the first" },
	{ "{cycles:pp}:pp", 8, "at most 'ppp'" },
	{ "cycles/period=1", 16, "do not end with '/'" },
	{ "cycles/period=1,cs", 17, "unknown term 'cs'" },
	{ "cycles/perod=1/", 8, "unknown term 'perod'" },
	{ "cycles/period=/", 15, "has no value" },
	{ "cycles/period=x/", 15, "is no number" },
	{ "cycles/period=0/", 15, "from 1 to" },
	{ "cycles/period=1x/", 15, "is no number" },
	{ "cycles/period=99999999999999999999/", 15, "is no number" },
	{ "cycles/period=1,period=2/", 17, "is there twice" },
	{ "cycles/inherit,no-inherit/", 16, "is there twice" },
	{ "cycles/freq=9,period=2/", 15, "exclude each other" },
	{ "cycles/time=2/", 13, "from 0 to 1" },
	{ "cycles/name/", 12, "needs a value" },
	{ "cycles/name='a/", 13, "quote" },
	{ "cycles/name='a'b/", 16, "',' or '/' is missing" },
	{ "cycles/name=''/", 14, "no value" },
	{ "cycles/,/", 8, "a term is missing" },
	{ "cycles/period=1,/", 17, "a term is missing" },
	{ "cycles/=1/", 8, "a term is missing" },
	{ "cycles/call-graph=frames/", 19, "unknown value 'frames'" },
	{ "cycles/branch_type='any,odd'/", 25, "unknown value 'odd'" },
	{ "cycles/stack-size=65536/", 19, "from 1 to 65528" },
	{ "cycles/max-stack=65536/", 18, "from 1 to 65535" },
	{ "cycles/aux-action='pause,resume'/", 20, "unknown value" },
	{ "cpu/evnt=1/", 5, "unknown term 'evnt'" },
	{ "cpu/event=0x1000/", 11, "at most 0xfff" },
	{ "cpu/inv=2/", 9, "at most 0x1" },
	{ "cpu/event=many/", 11, "is no number" },
	{ "cpu/broken=1/", 5, "unknown term" },
	{ "cpu/wide=1/", 5, "unknown term" },
	{ "cpu/mem-loads.unit/", 5, "unknown term" },
	{ "cpu/../", 5, "unknown term" },
	{ "cpu/event=1", 12, "do not end" },
	{ "cpu/event=1//", 13, "a '/' too many" },
	{ "cpu/asks/", 5, "needs a value for 'umask'" },
	{ "r12345678901234567", 18, "more than 16 digits" },
	{ "1:", 3, "no number" },
	{ "1:2x", 4, "no number" },
	{ "4294967296:1", 1, "at most 32 bits" },
	{ "mem:", 5, "a name is missing" },
	{ "mem:0x", 5, "no number" },
	{ "mem:0x10z", 9, "'z' in an address" },
	{ "mem:0x11111111111111111", 5, "no number" },
	{ "mem:0x10/9", 10, "1 to 8 bytes" },
	{ "mem:0x10/0:w", 10, "1 to 8 bytes" },
	{ "mem:0x10/4w", 11, "'w' in a length" },
	{ "mem:0x10:rr", 11, "'r' is there twice" },
	{ "mem:0x10:rz", 10, "unknown modifier" },
	{ "mem:0x10:rw:z", 13, "unknown modifier" },
	{ "mem:0x10/config=1/", 10, "not for tracepoints" },
	{ "mem:a b", 6, "such a character" },
	{ "uprobe:", 8, "a name is missing" },
	{ "uprobe:+4", 8, "a name is missing" },
	{ "uprobe:/bin/sh", 15, "is missing" },
	{ "uprobe:/bin/sh:", 16, "a name is missing" },
	{ "uprobe:12", 8, "needs its file" },
	{ "uprobe:/bin/sh:0x12z", 16, "no number" },
	{ "uprobe:main/period=0/", 20, "from 1 to" },
	{ "uprobe:main/string=/", 20, "has no value" },
	{ "uprobe:main/string='a b'/", 21, "takes names of arguments" },
	{ "uprobe:main/string='a,'/", 21, "takes names of arguments" },
	{ "uprobe:main/string,string=a/", 20, "is there twice" },
	{ "kprobe:main/string/", 13, "for uprobes alone" },
	{ "cycles/string/", 8, "for uprobes alone" },
	{ "uretprobe:main+4", 15, "has no offset" },
	{ "kprobe:vfs_*", 12, "files alone" },
	{ "kretprobe:vfs_read+4", 19, "has no offset" },
	{ "sched:sched_switch/config=1/", 20, "not for tracepoints" },
	{ "sched:none*", 1, "no tracepoint fits" },
	{ "sched:sched_switch:z", 20, "unknown modifier" },
	{ "cs:u", 4, "in the kernel alone, which is left out" },
	{ "off-cpu/exact/:u", 16, "in the kernel alone, which is left out" },
	{ "sched:sched_switch:u", 20, "in the kernel alone, which is left out" },
	{ "sched:sched_swi*/max-stack=2/u", 30, "in the kernel alone, which is left out" },
	{ "kprobe:main:u", 13, "in the kernel alone, which is left out" },
};

static void
malformed_text_is_refused_with_its_column_and_leaves_nothing(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	assert_non_null(parse(f, "faults"));
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		const struct malformed *m = &malformed[i];
		char column[32];
		size_t len;

		snprintf(column, sizeof(column), " at column %u", m->column);
		assert_refused(f, m->text, ERR_USAGE, m->says);
		len = strlen(f->err.text);
		if (len < strlen(column) ||
		    strcmp(f->err.text + len - strlen(column), column) != 0)
			fail_msg("'%s' does not end with '%s'", f->err.text, column);
		assert_string_not_equal(f->err.hint, "");
		assert_int_equal(f->list.len, 1);
	}
}

static void
what_the_machine_lacks_is_no_mistake(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "cpu/event=1/", ERR_UNSUPPORTED, "no hardware counters");
	assert_refused(f, "uprobe:malloc", ERR_UNSUPPORTED, "no uprobes");
	assert_non_null(strstr(f->err.hint, "CONFIG_UPROBE_EVENTS"));
	assert_refused(f, "kprobe:vfs_read", ERR_UNSUPPORTED, "no kprobes");
	assert_refused(f, "cycles/@sink=1/", ERR_UNSUPPORTED, "drivers");
	assert_refused(f, "sched:*", ERR_UNSUPPORTED, "tracefs");
	make_machine(f);
	assert_refused(f, "cpu/odd/", ERR_UNSUPPORTED, "no_such_field=1");
	assert_refused(f, "cup/event=1/", ERR_USAGE, "did you mean 'cpu/event=1/'?");
	assert_refused(f, "uncore_imc_7/event=1/", ERR_USAGE, "unknown event");
	assert_refused(f, "./filter.bpf.o", ERR_UNSUPPORTED, "ptop attaches none");
	assert_refused(f, "filter.c", ERR_UNSUPPORTED, "ptop attaches none");
	assert_refused(f, ".o", ERR_USAGE, "unknown event");
}

static void
terms_go_where_the_attribute_is_made_of_them(void **state)
{
	struct fixture *f = *state;
	const struct event *ev = parse(f, "cycles/period=1000,name=x,call-graph=dwarf,"
					  "stack-size=4095,max-stack=9,no-inherit,overwrite,time=0,"
					  "percore,nr=3,aux-output,aux-sample-size=0x1000,"
					  "branch_type='any_call,u',aux-action=resume/u");

	assert_non_null(ev);
	assert_string_equal(ev->name, "x");
	assert_true(ev->exclude_kernel);
	assert_int_equal(ev->terms.period, 1000);
	assert_int_equal(ev->terms.call_graph, CALL_GRAPH_DWARF);
	assert_int_equal(ev->terms.stack_size, 4096);
	assert_int_equal(ev->terms.max_stack, 9);
	assert_false(ev->terms.inherit);
	assert_true(ev->terms.overwrite);
	assert_false(ev->terms.time);
	assert_true(ev->terms.percore);
	assert_int_equal(ev->terms.max_events, 3);
	assert_true(ev->terms.aux_output);
	assert_int_equal(ev->terms.aux_sample_size, 0x1000);
	assert_int_equal(ev->terms.aux_action, 4);
	assert_int_equal(ev->terms.branch_type,
			 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(ev->terms.given & (1u << TERM_FREQ | 1u << TERM_CONFIG), 0);
	assert_true(ev->terms.given & 1u << TERM_INHERIT);
	assert_true(ev->terms.given & 1u << TERM_TIME);
	assert_int_equal(parse(f, "cycles/branch_type=k/")->terms.branch_type,
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL);
	assert_int_equal(parse(f, "cycles/freq=99,metric-id=m/")->terms.freq, 99);
	assert_string_equal(parse(f, "cycles/name='a,b/c'/")->name, "a,b/c");
	assert_int_equal(parse(f, "cycles/inherit=0/")->terms.inherit, false);
}

static void
the_terms_have_help_and_unique_names(void **state)
{
	size_t count;
	const struct term_row *rows = term_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_that(strlen(rows[i].help), >, 5);
		assert_ptr_equal(term_table_find(rows[i].name, strlen(rows[i].name)), &rows[i]);
		assert_true(rows[i].size != 0 || rows[i].kind == TERM_TAKES_ANY);
	}
}

/* Two tracepoints, one, or none that can be seen. */
static void
waits_that_are_exact_are_made_of_switches(void **state)
{
	struct fixture *f = *state;
	const struct event *ev = parse(f, "off-cpu/exact/");

	assert_int_equal(ev->looks, EVENT_LOOKS_EXACT);
	assert_int_equal(ev->unit, EVENT_COUNTS_TIME);
	assert_int_equal(ev->type, PERF_TYPE_SOFTWARE);
	assert_int_equal(ev->config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_int_equal(ev->site_count, 0);
	make_machine(f);
	ev = parse(f, "off-cpu/exact,force/");
	assert_string_equal(ev->name, "off-cpu/exact,force/");
	assert_int_equal(ev->type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(ev->config, 300);
	assert_int_equal(ev->site_count, 1);
	assert_true(ev->terms.force);
	make_file(f, "sys/kernel/tracing/events/sched/sched_waking/id", "77\n");
	ev = parse(f, "off-cpu/exact/");
	assert_int_equal(ev->site_count, 2);
	assert_false(event_is_second(ev, 0));
	assert_true(event_is_second(ev, 1));
	assert_int_equal(ev->sites[1].at, 77);
	assert_int_equal(parse(f, "off-cpu/exact=0/")->looks, EVENT_LOOKS_ALONE);
	assert_refused(f, "cs/exact/", ERR_USAGE, "term 'exact' is for off-cpu alone at column 4");
	assert_refused(f, "wall-clock/force/", ERR_USAGE, "off-cpu alone");
	assert_non_null(parse(f, "{cs,off-cpu/exact/}"));
	assert_int_equal(event_group_check(&f->list.items[f->list.len - 2], 2, &f->err), -1);
}

/* Both tracepoints are there, or it is refused. */
static void
times_between_tracepoints_have_both(void **state)
{
	struct fixture *f = *state;
	const struct event *ev;

	make_machine(f);
	make_file(f, "sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "21\n");
	assert_refused(f, "syscall-time", ERR_DENIED, "raw_syscalls:sys_exit");
	make_file(f, "sys/kernel/tracing/events/raw_syscalls/sys_exit/id", "20\n");
	assert_refused(f, "syscall-time:u", ERR_USAGE, "in the kernel alone, which is left out");
	ev = parse(f, "syscall-time:k");
	assert_string_equal(ev->name, "syscall-time:k");
	assert_int_equal(ev->type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(ev->unit, EVENT_COUNTS_TIME);
	assert_int_equal(ev->config, 21);
	assert_int_equal(ev->site_count, 2);
	assert_true(event_is_second(ev, 1));
	assert_int_equal(ev->sites[1].at, 20);
	assert_false(event_second_is_elsewhere(ev));
	assert_non_null(parse(f, "{cs,syscall-time}"));
	assert_int_equal(event_group_check(&f->list.items[f->list.len - 2], 2, &f->err), -1);
}

/* The kernel gives those of the kernel no samples then, and says nothing. */
static void
tracepoints_without_the_kernel_are_system_calls_and_uprobes(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	assert_non_null(parse(f, "syscalls:sys_enter_openat:u"));
	make_file(f, "sys/kernel/tracing/events/probe_libc/malloc/id", "1700\n");
	make_file(f, "sys/kernel/tracing/events/probe_libc/mall/id", "1701\n");
	make_file(f, "sys/kernel/tracing/uprobe_events",
		  "p:probe_libc/malloc /usr/lib/libc.so.6:0x000000000009a0e0\n");
	assert_non_null(parse(f, "probe_libc:malloc:u"));
	assert_refused(f, "probe_libc:mall:u", ERR_USAGE, "in the kernel alone, which is left out");
	assert_non_null(parse(f, "{sched:sched_switch,faults}:u"));
}

static void
names_tell_events_apart_and_are_perfs_else(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	assert_string_equal(parse(f, "cycles/period=9/u")->name, "cycles/period=9/u");
	assert_string_equal(parse(f, "sched:sched_switch:k")->name, "sched:sched_switch:k");
	assert_string_equal(parse(f, "sched:sched_swi*/max-stack=2/k")->name,
			    "sched:sched_switch/max-stack=2/k");
	assert_string_equal(parse(f, "{cs:u}:kuS")->name, "cs:ukS");
	assert_string_equal(parse(f, "{faults}:u")->name, "faults:u");
	assert_string_equal(parse(f, "{faults/period=2/}:u")->name, "faults/period=2/u");
	assert_string_equal(parse(f, "{faults/name=x/}:u")->name, "x");
	assert_string_equal(parse(f, "imc/event=1/k")->name, "uncore_imc_1/event=1/k");
	assert_string_equal(parse(f, "cas_count_read:k")->name, "uncore_imc_1/cas_count_read/:k");
	assert_string_equal(parse(f, "mem-loads:k")->name, "mem-loads:k");
	assert_string_equal(parse(f, "cpu/event=1,name=one/u")->name, "one");
	assert_string_equal(parse(f, "mem:counter:w:u")->name, "mem:counter:w:u");
}

static void
groups_have_numbers_and_share_modifiers(void **state)
{
	struct fixture *f = *state;
	const struct event *ev;

	assert_non_null(parse(f, "cs,{faults:u,cycles:p}:kpS,faults,two{cs,cs}:DW"));
	ev = f->list.items;
	assert_int_equal(ev[0].group, 0);
	assert_int_equal(ev[1].group, 1);
	assert_int_equal(ev[2].group, 1);
	assert_int_equal(ev[3].group, 0);
	assert_int_equal(ev[4].group, 2);
	assert_false(ev[1].exclude_user || ev[1].exclude_kernel);
	assert_true(ev[1].exclude_hv && ev[1].sample_read);
	assert_true(ev[2].exclude_user && ev[2].sample_read);
	assert_int_equal(ev[2].precise, 2);
	assert_false(ev[0].sample_read || ev[3].sample_read);
	assert_true(ev[4].pinned && ev[4].is_weak);
	assert_true(!ev[5].pinned && ev[5].is_weak);
	assert_int_equal(parse(f, "{cs}")->group, 3);
}

static void
all_modifiers_are_kept(void **state)
{
	struct fixture *f = *state;
	const struct event *ev = parse(f, "cycles:kIHpppSDWebR");

	assert_true(ev->exclude_user && ev->exclude_hv && !ev->exclude_kernel);
	assert_true(ev->exclude_idle && ev->exclude_guest && !ev->exclude_host);
	assert_int_equal(ev->precise, 3);
	assert_true(ev->sample_read && ev->pinned && ev->is_weak && ev->exclusive);
	assert_true(ev->is_bpf && ev->retire_latency);
	assert_false(parse(f, "cycles:h")->exclude_hv);
}

static void
patterns_open_every_tracepoint_that_fits(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	assert_non_null(parse(f, "cs,s*:s*_[sw]*/max-stack=4/k"));
	assert_int_equal(f->list.len, 3);
	assert_int_equal(f->list.last, 1);
	assert_string_equal(f->list.items[1].name, "sched:sched_switch/max-stack=4/k");
	assert_string_equal(f->list.items[2].name, "sched:sched_wakeup/max-stack=4/k");
	assert_int_equal(f->list.items[2].config, 301);
	assert_int_equal(f->list.items[2].terms.max_stack, 4);
	assert_true(f->list.items[1].exclude_user && f->list.items[2].exclude_user);
	assert_string_equal(parse(f, "ftrace:*")->name, "ftrace:function");
	assert_int_equal(f->list.len, 4);
	assert_non_null(parse(f, "sched:sched_?akeup"));
}

static void
a_pattern_of_too_many_is_refused(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 4097; i++) {
		char path[128];

		snprintf(path, sizeof(path), "sys/kernel/tracing/events/g/n%d/id", i);
		make_file(f, path, "7\n");
	}
	assert_refused(f, "g:*", ERR_USAGE, "more than 4096 tracepoints");
	assert_int_equal(f->list.len, 0);
	assert_non_null(parse(f, "g:n4*"));
}

static void
places_are_kept_for_whoever_finds_them(void **state)
{
	struct fixture *f = *state;
	const struct event *ev;

	make_machine(f);
	ev = parse(f, "mem:ns::data+0x10/8:w:u");
	assert_int_equal(ev->place, EVENT_PLACE_DATA);
	assert_string_equal(ev->symbol, "ns::data");
	assert_int_equal(ev->symbol_offset, 0x10);
	assert_true(ev->exclude_kernel);
	ev = parse(f, "uprobe:/bin/a,{b}:main+0x4:u");
	assert_int_equal(ev->place, EVENT_PLACE_UPROBE);
	assert_string_equal(ev->path, "/bin/a,{b}");
	assert_string_equal(ev->symbol, "main");
	assert_int_equal(ev->symbol_offset, 4);
	ev = parse(f, "uprobe:./prog:dir.c:42/period=2/k");
	assert_string_equal(ev->path, "./prog");
	assert_string_equal(ev->symbol, "dir.c:42");
	assert_int_equal(ev->terms.period, 2);
	assert_true(ev->exclude_user);
	ev = parse(f, "{uretprobe:mal*,cs}");
	assert_int_equal(f->list.items[3].place, EVENT_PLACE_URETPROBE);
	assert_null(f->list.items[3].path);
	assert_string_equal(f->list.items[3].symbol, "mal*");
	ev = parse(f, "uprobe:/bin/sh:0x1234");
	assert_null(ev->symbol);
	assert_int_equal(ev->symbol_offset, 0x1234);
	/* A source file that is named in full is a line of the programs, not a program. */
	ev = parse(f, "uprobe:/src/a b.c:42:u");
	assert_null(ev->path);
	assert_string_equal(ev->symbol, "/src/a b.c:42");
	assert_int_equal(ev->symbol_offset, 0);
	assert_true(ev->exclude_kernel);
	assert_string_equal(parse(f, "uprobe:./dir/x.rs:7")->symbol, "dir/x.rs:7");
	ev = parse(f, "uprobe:/src/libc.c:0x42");
	assert_string_equal(ev->path, "/src/libc.c");
	assert_int_equal(ev->symbol_offset, 0x42);
	ev = parse(f, "uprobe:/src/a.c:main");
	assert_string_equal(ev->path, "/src/a.c");
	assert_string_equal(ev->symbol, "main");
	ev = parse(f, "uprobe:/lib/libc.so.6:120");
	assert_string_equal(ev->path, "/lib/libc.so.6");
	assert_int_equal(ev->symbol_offset, 120);
	ev = parse(f, "uprobe:libc.so.6:malloc+4:u");
	assert_string_equal(ev->path, "libc.so.6");
	assert_string_equal(ev->symbol, "malloc");
	assert_string_equal(parse(f, "uretprobe:libstdc++.so:std::terminate*")->symbol,
			    "std::terminate*");
	assert_null(parse(f, "uprobe:my.sort:u")->path);
	ev = parse(f, "kretprobe:do_exit");
	assert_int_equal(ev->place, EVENT_PLACE_KRETPROBE);
	assert_int_equal(parse(f, "kprobe:vfs_read+0x8")->symbol_offset, 8);
	assert_null(parse(f, "uprobe:main")->strings);
	assert_string_equal(parse(f, "uprobe:main/string/")->strings, "");
	assert_string_equal(parse(f, "uprobe:main/string='a,arg2',period=3/")->strings, "a,arg2");
	ev = parse(f, "uprobe:operator+4x");
	assert_string_equal(ev->symbol, "operator+4x");
	assert_int_equal(ev->symbol_offset, 0);
}

static void
pmus_of_one_kind_open_together_on_their_cpus(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	assert_non_null(parse(f, "uncore_imc/cas_count_read/,imc/event=4/,uncore_*_1/event=2/"));
	assert_int_equal(f->list.len, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct event *ev = &f->list.items[i];

		assert_int_equal(ev->type, i == 4 ? 21 : 20 + i % 2);
		assert_int_equal(ev->cpu_count, 2);
		assert_int_equal(ev->cpus[1], 18);
	}
	assert_int_equal(f->list.items[1].config, 0x304);
	assert_non_null(parse(f, "cas_count_read"));
	assert_int_equal(f->list.len, 7);
}

static void
the_catalogue_lists_the_events_of_pmus(void **state)
{
	struct fixture *f = *state;
	struct catalogue *c;
	size_t n = 0;

	make_machine(f);
	c = catalogue_new(&f->env);
	for (size_t i = 0; i < c->len; i++) {
		if (c->items[i].class != EVENT_PMU)
			continue;
		n++;
		assert_that(strlen(c->items[i].help), >, 5);
		if (strcmp(c->items[i].name, "cpu/mem-loads/") == 0)
			assert_non_null(strstr(c->items[i].help, "event=0xcd,umask=0x1,ldlat=3"));
	}
	assert_int_equal(n, 6);
	catalogue_put(c);
}

static void
on_a_hybrid_machine_one_name_is_of_all_core_pmus(void **state)
{
	struct fixture *f = *state;
	const struct event *ev;

	make_hybrid(f);
	ev = parse(f, "cycles:u");
	assert_int_equal(ev->type, PERF_TYPE_HARDWARE);
	assert_int_equal(ev->config, UINT64_C(4) << 32);
	assert_int_equal(ev->more_count, 1);
	assert_int_equal(ev->more_types[0], 10);
	assert_int_equal(parse(f, "LLC-load-misses")->config, UINT64_C(4) << 32 | 0x10002);
	ev = parse(f, "r1c2");
	assert_int_equal(ev->type, 4);
	assert_int_equal(ev->more_types[0], 10);
	ev = parse(f, "cpu_atom/cycles/");
	assert_int_equal(ev->type, PERF_TYPE_HARDWARE);
	assert_int_equal(ev->config, UINT64_C(10) << 32);
	assert_int_equal(ev->more_count, 0);
	assert_int_equal(ev->cpu_count, 2);
	assert_int_equal(ev->cpus[0], 4);
	ev = parse(f, "cpu_core/event=0x3c/");
	assert_int_equal(ev->type, 4);
	assert_int_equal(ev->more_count, 0);
	assert_int_equal(ev->cpu_count, 4);
	assert_int_equal(parse(f, "cs")->more_count, 0);
	ev = parse(f, "mem-loads");
	assert_int_equal(ev->type, 4);
	assert_int_equal(ev->config, 0xcd);
}

static void
a_filter_is_of_the_last_event(void **state)
{
	struct fixture *f = *state;

	make_machine(f);
	assert_non_null(parse(f, "sched:sched_switch,sched:*"));
	assert_int_equal(event_set_filter(&f->list, "prev_pid > 1", &f->err), 0);
	assert_null(f->list.items[0].filter);
	assert_string_equal(f->list.items[1].filter, "prev_pid > 1");
	assert_string_equal(f->list.items[2].filter, "prev_pid > 1");
	assert_non_null(parse(f, "kprobe:vfs_read"));
	assert_int_equal(event_set_filter(&f->list, "pid == 1", &f->err), 0);
	assert_non_null(parse(f, "mem:counter"));
	assert_int_equal(event_set_filter(&f->list, "pid == 1", &f->err), -1);
	assert_int_equal(f->err.code, ERR_USAGE);
	assert_non_null(parse(f, "cycles"));
	assert_int_equal(event_set_filter(&f->list, "pid == 1", &f->err), -1);
	assert_non_null(strstr(f->err.text, "'cycles' has no fields"));
}

static void
names_of_libpfm4_are_taken_if_it_is_there(void **state)
{
	struct fixture *f = *state;
	const struct event *ev = parse(f, "pfm:perf::PERF_COUNT_SW_CONTEXT_SWITCHES:u");

	if (f->err.code == ERR_UNSUPPORTED) {
		assert_non_null(strstr(f->err.text, "built without libpfm4"));
		return;
	}
	assert_non_null(ev);
	assert_int_equal(ev->type, PERF_TYPE_SOFTWARE);
	assert_int_equal(ev->config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_true(ev->exclude_kernel);
	f->env.root = "";
	ev = parse(f, "PERF_COUNT_SW_PAGE_FAULTS");
	assert_int_equal(ev->config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_refused(f, "pfm:NO_SUCH_EVENT", ERR_USAGE, "at column 5");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(every_kind_becomes_its_attribute),
		TEST(malformed_text_is_refused_with_its_column_and_leaves_nothing),
		TEST(what_the_machine_lacks_is_no_mistake),
		TEST(terms_go_where_the_attribute_is_made_of_them),
		TEST(the_terms_have_help_and_unique_names),
		TEST(waits_that_are_exact_are_made_of_switches),
		TEST(times_between_tracepoints_have_both),
		TEST(tracepoints_without_the_kernel_are_system_calls_and_uprobes),
		TEST(names_tell_events_apart_and_are_perfs_else),
		TEST(groups_have_numbers_and_share_modifiers),
		TEST(all_modifiers_are_kept),
		TEST(patterns_open_every_tracepoint_that_fits),
		TEST(a_pattern_of_too_many_is_refused),
		TEST(places_are_kept_for_whoever_finds_them),
		TEST(pmus_of_one_kind_open_together_on_their_cpus),
		TEST(the_catalogue_lists_the_events_of_pmus),
		TEST(on_a_hybrid_machine_one_name_is_of_all_core_pmus),
		TEST(a_filter_is_of_the_last_event),
		TEST(names_of_libpfm4_are_taken_if_it_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
