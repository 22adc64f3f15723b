/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event_fixture.h"

#include "base/arena.h"
#include "event/catalogue.h"
#include "event/event_table.h"
#include "event/tracepoint.h"
#include "tests/asserts.h"

#include <linux/perf_event.h>

static void
every_row_of_the_table_is_parsed_by_name_and_alias(void **state)
{
	struct fixture *f = *state;
	size_t count;
	const struct event_row *rows = event_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct event *ev = parse(f, rows[i].name);

		assert_non_null(ev);
		assert_string_equal(ev->name, rows[i].name);
		assert_int_equal(ev->type, rows[i].type);
		assert_int_equal(ev->config, rows[i].config);
		if (rows[i].alias != NULL)
			assert_int_equal(parse(f, rows[i].alias)->config, rows[i].config);
	}
}

static void
the_table_has_help_and_unique_names_and_codes(void **state)
{
	size_t count;
	const struct event_row *rows = event_table(&count);

	(void)state;
	assert_int_equal(count, 2 + 12 + 10 + 32);
	for (size_t i = 0; i < count; i++) {
		assert_that(strlen(rows[i].help), >, 5);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(rows[i].name, rows[j].name);
			assert_false(rows[i].type == rows[j].type &&
				     rows[i].config == rows[j].config &&
				     rows[i].looks == rows[j].looks);
		}
	}
}

static void
a_list_is_split_at_commas(void **state)
{
	struct fixture *f = *state;

	assert_non_null(parse(f, "cycles:u,page-faults,r1c2"));
	assert_int_equal(f->list.len, 3);
	assert_string_equal(f->list.items[0].name, "cycles:u");
	assert_true(f->list.items[0].exclude_kernel);
	assert_true(f->list.items[0].exclude_hv);
	assert_false(f->list.items[0].exclude_user);
	assert_int_equal(f->list.items[2].type, PERF_TYPE_RAW);
	assert_int_equal(f->list.items[2].config, 0x1c2);
}

static void
a_wrong_item_takes_back_those_before_it(void **state)
{
	struct fixture *f = *state;

	assert_non_null(parse(f, "faults"));
	assert_refused(f, "cycles,cs,nonsense-that-is-near-nothing", ERR_USAGE, "unknown event");
	assert_int_equal(f->list.len, 1);
	assert_refused(f, "cycles,,cs", ERR_USAGE, "no name");
	assert_refused(f, "", ERR_USAGE, "no name");
}

static void
modifiers_set_what_perf_sets(void **state)
{
	struct fixture *f = *state;
	const struct event *ev = parse(f, "cycles:k");

	assert_true(ev->exclude_user && ev->exclude_hv && !ev->exclude_kernel);
	assert_true(parse(f, "cycles")->exclude_guest);
	assert_false(parse(f, "cycles:G")->exclude_guest);
	assert_true(parse(f, "cycles:G")->exclude_host);
	assert_false(parse(f, "cycles:GH")->exclude_host);
	assert_false(parse(f, "page-faults")->exclude_guest);
	assert_int_equal(parse(f, "cycles:pp")->precise, 2);
	assert_true(parse(f, "cycles:P")->precise_max);
	assert_true(parse(f, "cycles:uP")->exclude_kernel);
	assert_true(parse(f, "cycles:I")->exclude_idle);
	assert_true(parse(f, "cycles:De")->pinned);
	assert_true(parse(f, "cycles:De")->exclusive);
	assert_false(parse(f, "cycles:uk")->exclude_kernel);
	assert_true(parse(f, "cycles:uk")->exclude_hv);
}

static void
a_wrong_modifier_is_named(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "cycles:uz", ERR_USAGE, "unknown modifier 'z'");
	assert_refused(f, "cycles:pppp", ERR_USAGE, "at most 'ppp'");
	assert_refused(f, "cycles:pP", ERR_USAGE, "both");
	assert_refused(f, "cycles:", ERR_USAGE, "no modifier");
}

static void
clocks_are_told_from_cycles_and_things(void **state)
{
	struct fixture *f = *state;

	assert_true(parse(f, "cpu-clock")->is_clock);
	assert_int_equal(parse(f, "task-clock:u")->unit, EVENT_COUNTS_TIME);
	assert_int_equal(parse(f, "cycles:P")->unit, EVENT_COUNTS_CYCLES);
	assert_int_equal(parse(f, "cs")->unit, EVENT_COUNTS_THINGS);
	assert_false(parse(f, "cycles")->is_clock);
}

static void
cache_events_take_perfs_other_words(void **state)
{
	struct fixture *f = *state;
	uint64_t miss = PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;

	assert_int_equal(parse(f, "L1-dcache-load-misses")->config, miss);
	assert_int_equal(parse(f, "l1d-read-miss")->config, miss);
	assert_int_equal(parse(f, "L1-dcache-misses")->config, miss);
	assert_int_equal(parse(f, "L1-data")->config, PERF_COUNT_HW_CACHE_L1D);
	assert_refused(f, "iTLB-stores", ERR_USAGE, "unknown event 'iTLB-stores'");
	assert_refused(f, "branch-load-misses-x", ERR_USAGE, "'branch-load-misses'");
}

static void
a_slip_is_answered_with_the_nearest_name(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "cylces", ERR_USAGE, "unknown event 'cylces': did you mean 'cycles'?");
	assert_refused(f, "cylces:u", ERR_USAGE, "did you mean 'cycles:u'?");
	assert_refused(f, "page-fault", ERR_USAGE, "did you mean 'page-faults'?");
	assert_int_equal(err_status(&f->err), 2);
	make_tracefs(f, "sys/kernel/tracing");
	assert_refused(f, "cylces:u", ERR_USAGE, "did you mean 'cycles:u'?");
	assert_refused(f, "shced:sched_switch", ERR_USAGE, "did you mean 'sched:sched_switch'?");
	assert_refused(f, "sched:sched_swich", ERR_USAGE, "did you mean 'sched:sched_switch'?");
	assert_refused(f, "sched_switch", ERR_USAGE, "did you mean 'sched:sched_switch'?");
}

static void
a_tracepoint_is_found_in_tracefs(void **state)
{
	struct fixture *f = *state;
	const struct event *ev;

	make_tracefs(f, "sys/kernel/tracing");
	ev = parse(f, "sched:sched_wakeup:k");
	assert_non_null(ev);
	assert_int_equal(ev->type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(ev->config, 301);
	assert_true(ev->is_tracepoint && ev->exclude_user);
	assert_refused(f, "sched:sched_wakeup:x", ERR_USAGE, "unknown modifier");
}

static void
tracefs_is_found_where_the_mounts_say(void **state)
{
	struct fixture *f = *state;

	make_tracefs(f, "mnt/dbg/tracing");
	make_file(f, "proc/mounts", "proc /proc proc rw 0 0\ndebugfs /mnt/dbg debugfs rw 0 0\n");
	assert_int_equal(parse(f, "block:block_rq_issue")->config, 303);
}

static void
without_tracefs_the_message_says_how_to_mount_it(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "sched:sched_switch", ERR_UNSUPPORTED, "tracefs is not mounted");
	assert_non_null(strstr(f->err.hint, "mount -t tracefs"));
	assert_int_equal(err_status(&f->err), 1);
}

/* It may be a tracepoint without its group; a PMU's event is none. */
static void
without_tracefs_an_unknown_name_may_be_a_tracepoint(void **state)
{
	static const char *const names[] = { "sched_wakeup", "sched wake", "raw", "shced:x y" };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[128];

		snprintf(text, sizeof(text), "unknown event '%s', but tracepoints are missing: "
			 "tracefs is not mounted", names[i]);
		assert_refused(f, names[i], ERR_USAGE, text);
		assert_non_null(strstr(f->err.hint, "mount -t tracefs"));
	}
	assert_refused(f, "nowhere/event=1/", ERR_USAGE, "unknown event 'nowhere/event=1/'");
	assert_null(strstr(f->err.text, "tracepoints"));
	make_tracefs(f, "sys/kernel/tracing");
	assert_refused(f, "raw", ERR_USAGE, "unknown event 'raw'");
	assert_string_equal(f->err.hint, "ptop --list shows the events of this machine");
}

static void
names_never_lead_out_of_tracefs(void **state)
{
	struct fixture *f = *state;

	make_tracefs(f, "sys/kernel/tracing");
	make_file(f, "sys/kernel/secret/id", "7\n");
	assert_refused(f, "..:secret", ERR_USAGE, "unknown event");
	assert_refused(f, "sched/..:sched_switch", ERR_USAGE, "unknown event");
	assert_refused(f, "sched:../sched_switch", ERR_USAGE, "unknown event");
}

static const struct catalogue_event *
find(const struct catalogue *c, const char *name)
{
	for (size_t i = 0; i < c->len; i++) {
		if (strcmp(c->items[i].name, name) == 0)
			return &c->items[i];
	}
	return NULL;
}

static void
the_catalogue_lists_every_class_in_order_with_help(void **state)
{
	struct fixture *f = *state;
	struct catalogue *c, *again;

	make_tracefs(f, "sys/kernel/tracing");
	c = catalogue_new(&f->env);
	again = catalogue_get(c);
	catalogue_put(c);
	for (size_t i = 0; i < again->len; i++) {
		assert_that(strlen(again->items[i].help), >, 5);
		assert_string_equal(again->items[i].reason, "");
		assert_string_equal(again->items[i].remedy, "");
		if (i > 0)
			assert_that(again->items[i].class, >=, again->items[i - 1].class);
	}
	assert_string_equal(find(again, "syscalls:sys_enter_openat")->help,
			    "entry of system call openat");
	assert_string_equal(find(again, "sched:sched_switch")->help,
			    "a CPU switches from one task to another");
	assert_non_null(find(again, "ftrace:function"));
	assert_null(find(again, "ftrace:print"));
	assert_non_null(strstr(find(again, "context-switches")->help, "cs"));
	assert_int_equal(again->no_tracepoints.code, ERR_NONE);
	catalogue_put(again);
}

static void
the_catalogue_without_tracefs_has_the_builtin_events(void **state)
{
	struct fixture *f = *state;
	struct catalogue *c = catalogue_new(&f->env);

	assert_int_equal(c->len, 57);
	assert_int_equal(c->items[0].class, EVENT_TIME);
	assert_string_equal(c->items[0].name, "off-cpu");
	assert_string_equal(c->items[1].name, "off-cpu/exact/");
	assert_string_equal(c->items[2].name, "wall-clock");
	assert_int_equal(c->items[3].class, EVENT_SOFTWARE);
	assert_int_equal(c->no_tracepoints.code, ERR_UNSUPPORTED);
	catalogue_put(c);
}

static void
help_of_a_tracepoint_names_its_subsystem(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_string_equal(tracepoint_help(&arena, "sched", "sched_stick_numa"),
			    "scheduler: sched_stick_numa");
	assert_string_equal(tracepoint_help(&arena, "alarmtimer", "x"),
			    "timers that wake the machine: x");
	assert_string_equal(tracepoint_help(&arena, "xfs", "y"), "XFS file system: y");
	assert_string_equal(tracepoint_help(&arena, "mine", "z"), "mine: z");
	assert_string_equal(tracepoint_help(&arena, "xdp", "xdp_exception"),
			    "an XDP program failed");
	assert_string_equal(tracepoint_help(&arena, "block", "block_rq_issue"),
			    "a request is sent to a block device");
	arena_release(&arena);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(every_row_of_the_table_is_parsed_by_name_and_alias),
		TEST(the_table_has_help_and_unique_names_and_codes),
		TEST(a_list_is_split_at_commas),
		TEST(a_wrong_item_takes_back_those_before_it),
		TEST(modifiers_set_what_perf_sets),
		TEST(a_wrong_modifier_is_named),
		TEST(clocks_are_told_from_cycles_and_things),
		TEST(cache_events_take_perfs_other_words),
		TEST(a_slip_is_answered_with_the_nearest_name),
		TEST(a_tracepoint_is_found_in_tracefs),
		TEST(tracefs_is_found_where_the_mounts_say),
		TEST(without_tracefs_the_message_says_how_to_mount_it),
		TEST(without_tracefs_an_unknown_name_may_be_a_tracepoint),
		TEST(names_never_lead_out_of_tracefs),
		TEST(the_catalogue_lists_every_class_in_order_with_help),
		TEST(the_catalogue_without_tracefs_has_the_builtin_events),
		TEST(help_of_a_tracepoint_names_its_subsystem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
