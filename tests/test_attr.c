/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of attributes, and the way from an event to them. */
#include "live/open/attr_table.h"
#include "live/open/open.h"
#include "live/session/session.h"
#include "live/open/user_regs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum { RESERVED_BITS = 24 + 16 + 29 }; /* reserved_1, reserved_2, and those of aux_action */

static uint64_t
get(const struct event_attr *attr, const char *name)
{
	const struct attr_field *f = attr_find(name);

	if (f == NULL)
		fail_msg("no attribute '%s'", name);
	return attr_field_get(attr, f);
}

static void
every_bit_of_the_struct_is_in_the_table(void **state)
{
	struct event_attr attr;
	size_t count, set = 0;
	const struct attr_field *fields = attr_fields(&count);

	(void)state;
	memset(&attr, 0, sizeof(attr));
	for (size_t i = 0; i < count; i++)
		attr_field_set(&attr, &fields[i], UINT64_MAX);
	for (size_t i = 0; i < sizeof(attr); i++)
		set += (size_t)__builtin_popcount(((const unsigned char *)&attr)[i]);
	assert_int_equal(set, sizeof(attr) * 8 - RESERVED_BITS);
	assert_int_equal(attr.reserved_1, 0);
	assert_int_equal(attr.reserved_2, 0);
}

static void
every_row_has_a_name_of_its_own_and_a_meaning(void **state)
{
	size_t count;
	const struct attr_field *fields = attr_fields(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_that(strlen(fields[i].help), >, 3);
		assert_ptr_equal(attr_find(fields[i].name), &fields[i]);
		assert_that(fields[i].name_count, <=, 64);
	}
}

/* What is set by its name is what the compiler calls so. */
static void
bits_are_where_the_compiler_puts_them(void **state)
{
#define SAME(member, value) \
	do { \
		struct event_attr a = { 0 }, b = { .member = (value) }; \
		attr_field_set(&a, attr_find(#member), (value)); \
		assert_memory_equal(&a, &b, sizeof(a)); \
		assert_int_equal(get(&b, #member), (value)); \
	} while (0)
	(void)state;
	SAME(disabled, 1); SAME(inherit, 1); SAME(pinned, 1); SAME(exclusive, 1);
	SAME(exclude_user, 1); SAME(exclude_kernel, 1); SAME(exclude_hv, 1); SAME(exclude_idle, 1);
	SAME(mmap, 1); SAME(comm, 1); SAME(freq, 1); SAME(inherit_stat, 1); SAME(enable_on_exec, 1);
	SAME(task, 1); SAME(watermark, 1); SAME(precise_ip, 2); SAME(mmap_data, 1);
	SAME(sample_id_all, 1); SAME(exclude_host, 1); SAME(exclude_guest, 1);
	SAME(exclude_callchain_kernel, 1); SAME(exclude_callchain_user, 1); SAME(mmap2, 1);
	SAME(comm_exec, 1); SAME(use_clockid, 1); SAME(context_switch, 1); SAME(write_backward, 1);
	SAME(namespaces, 1); SAME(ksymbol, 1); SAME(bpf_event, 1); SAME(aux_output, 1);
	SAME(cgroup, 1); SAME(text_poke, 1); SAME(build_id, 1); SAME(inherit_thread, 1);
	SAME(remove_on_exec, 1); SAME(sigtrap, 1); SAME(defer_callchain, 1); SAME(defer_output, 1);
	SAME(type, 4); SAME(size, 144); SAME(config, 0x1234567890); SAME(bp_type, 3);
	SAME(sample_stack_user, 8192); SAME(sample_max_stack, 127); SAME(sig_data, UINT64_MAX);
	SAME(config3, 7); SAME(config4, 8);
#undef SAME
}

static void
names_of_bits_are_put_and_read_again(void **state)
{
	const struct attr_field *f = attr_find("sample_type");
	struct event_attr attr = { 0 };
	struct buf b = { 0 };
	struct err err = { 0 };

	(void)state;
	attr_put_names(&b, f, PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER | 1ULL << 40);
	assert_string_equal(b.data, "IP|STACK_USER|0x10000000000");
	buf_release(&b);
	assert_int_equal(attr_assign(&attr, "sample_type=ip|stack_user|0x10000000000,pinned", &err), 0);
	assert_int_equal(attr.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_STACK_USER | 1ULL << 40);
	assert_int_equal(attr.pinned, 1);
	assert_int_equal(attr_assign(&attr, "sample_type=TID,clockid=monotonic,aux_resume", &err), 0);
	assert_true(attr.sample_type & PERF_SAMPLE_TID && attr.sample_type & PERF_SAMPLE_IP);
	assert_int_equal(attr.clockid, CLOCK_MONOTONIC);
	assert_int_equal(attr.aux_action, 4);
}

static void
wrong_assignments_are_refused_with_the_reason(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "no attribute is named" },
		{ "pined=1", "did you mean 'pinned'?" },
		{ "xyzzy=1", "unknown attribute 'xyzzy'" },
		{ "pinned=2", "more than 1 bits" },
		{ "precise_ip=4", "more than 2 bits" },
		{ "pinned=", "no value" },
		{ "pinned=-1", "no value of it" },
		{ "size=5x", "no value of it" },
		{ "sample_type=CALLCHIAN", "did you mean 'CALLCHAIN'?" },
		{ "config=0x10000000000000000", "no value of it" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = { 0 };

		assert_int_equal(attr_assign(NULL, rows[i].text, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		if (strstr(err.text, rows[i].says) == NULL)
			fail_msg("'%s': '%s'", rows[i].text, err.text);
	}
}

/* How a session of these options opens @ev. */
static struct event_attr
attr_of(const struct event *ev, const struct session_config *config)
{
	struct event_env env = { "/nonexistent" };
	struct open_options options;
	struct open_plan plan;
	struct event_attr attr;

	session_open_options(config, &options);
	options.inherit = true;
	open_plan_sampling(&plan, &env, ev, &options);
	attr = plan.attr;
	open_plan_release(&plan);
	return attr;
}

static const struct session_config live = { .freq = 99, .call_chains = true, .idle = true };

static struct event
some_event(void)
{
	return (struct event){ .name = (char *)(uintptr_t)"some", .type = PERF_TYPE_RAW };
}

static void
what_an_event_is_becomes_its_attributes(void **state)
{
	struct event ev = some_event();
	struct event_attr a;

	(void)state;
	ev.type = PERF_TYPE_BREAKPOINT;
	ev.config1 = 0x1000;
	ev.config2 = 4;
	ev.config3 = 3;
	ev.config4 = 4;
	ev.bp_type = 2;
	ev.exclude_user = ev.exclude_hv = ev.exclude_host = ev.pinned = ev.exclusive = true;
	ev.precise = 2;
	a = attr_of(&ev, &live);
	assert_int_equal(a.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(a.bp_type, 2);
	assert_int_equal(a.config1, 0x1000);
	assert_int_equal(a.config2, 4);
	assert_int_equal(a.config3, 3);
	assert_int_equal(a.config4, 4);
	assert_true(a.exclude_user && a.exclude_hv && a.exclude_host && !a.exclude_kernel);
	assert_true(a.pinned && a.exclusive && a.precise_ip == 2);
	assert_true(!a.freq && a.sample_period == 1);
	ev.precise = 0;
	ev.precise_max = true;
	assert_int_equal(attr_of(&ev, &live).precise_ip, 3);
}

static void
rates_are_the_events_own_then_the_users_then_each_time(void **state)
{
	struct session_config given = live, count = { .period = 7, .rate_given = true };
	struct event ev = some_event();
	struct event_attr a;

	(void)state;
	given.rate_given = true;
	a = attr_of(&ev, &live);
	assert_true(a.freq && a.sample_period == 99);
	a = attr_of(&ev, &count);
	assert_true(!a.freq && a.sample_period == 7);
	ev.is_tracepoint = true;
	a = attr_of(&ev, &live);
	assert_true(!a.freq && a.sample_period == 1);
	a = attr_of(&ev, &given);
	assert_true(a.freq && a.sample_period == 99);
	ev.terms.given = 1u << TERM_PERIOD;
	ev.terms.period = 5000;
	a = attr_of(&ev, &given);
	assert_true(!a.freq && a.sample_period == 5000);
	ev.terms.given = 1u << TERM_FREQ;
	ev.terms.freq = 50;
	a = attr_of(&ev, &count);
	assert_true(a.freq && a.sample_period == 50);
	ev.is_tracepoint = false;
	ev.place = EVENT_PLACE_UPROBE;
	ev.terms.given = 0;
	assert_int_equal(attr_of(&ev, &live).sample_period, 1);
}

static void
call_graphs_ask_for_what_they_need(void **state)
{
	struct session_config none = { .freq = 99 };
	struct event ev = some_event();
	struct event_attr a = attr_of(&ev, &live);

	(void)state;
	assert_true(a.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(attr_of(&ev, &none).sample_type & PERF_SAMPLE_CALLCHAIN);
	ev.terms.given = 1u << TERM_CALL_GRAPH;
	ev.terms.call_graph = CALL_GRAPH_NONE;
	assert_false(attr_of(&ev, &live).sample_type & PERF_SAMPLE_CALLCHAIN);
	ev.terms.call_graph = CALL_GRAPH_FP;
	assert_true(attr_of(&ev, &none).sample_type & PERF_SAMPLE_CALLCHAIN);
	ev.terms.call_graph = CALL_GRAPH_DWARF;
	a = attr_of(&ev, &none);
	assert_int_equal(a.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					  PERF_SAMPLE_STACK_USER),
			 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	assert_int_equal(a.sample_stack_user, 8192);
	assert_int_equal(a.sample_regs_user, user_regs);
	assert_true(a.exclude_callchain_user);
	ev.terms.given |= 1u << TERM_STACK_SIZE;
	ev.terms.stack_size = 1001;
	assert_int_equal(attr_of(&ev, &none).sample_stack_user, 1008);
	ev.terms.stack_size = UINT32_MAX - 3;
	assert_that(attr_of(&ev, &none).sample_stack_user, <=, 65528);
	ev.terms.given = 1u << TERM_CALL_GRAPH;
	ev.terms.call_graph = CALL_GRAPH_LBR;
	a = attr_of(&ev, &none);
	assert_true(a.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_true(a.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_false(a.sample_type & PERF_SAMPLE_STACK_USER);
	ev.exclude_user = true;
	assert_int_equal(attr_of(&ev, &none).branch_sample_type, 0);
}

static void
other_terms_become_attributes(void **state)
{
	struct event ev = some_event();
	struct event_attr a;

	(void)state;
	ev.terms = (struct event_terms){
		.given = 1u << TERM_MAX_STACK | 1u << TERM_INHERIT | 1u << TERM_OVERWRITE |
			 1u << TERM_TIME | 1u << TERM_BRANCH_TYPE | 1u << TERM_AUX_OUTPUT |
			 1u << TERM_AUX_SAMPLE_SIZE | 1u << TERM_AUX_ACTION,
		.max_stack = 16, .overwrite = true, .branch_type = PERF_SAMPLE_BRANCH_ANY,
		.aux_output = true, .aux_sample_size = 4096, .aux_action = 2,
	};
	a = attr_of(&ev, &live);
	assert_int_equal(a.sample_max_stack, 16);
	assert_true(a.inherit && a.inherit_thread);
	assert_true(a.write_backward && a.aux_output);
	assert_false(a.sample_type & PERF_SAMPLE_TIME);
	assert_true(a.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(a.branch_sample_type, PERF_SAMPLE_BRANCH_ANY);
	assert_true(a.sample_type & ABI_SAMPLE_AUX);
	assert_int_equal(a.aux_sample_size, 4096);
	assert_int_equal(get(&a, "aux_pause"), 1);
}

static void
a_group_is_read_with_its_leader(void **state)
{
	struct event_env env = { "/nonexistent" };
	struct open_options options;
	struct event ev = some_event();
	struct open_plan plan;

	(void)state;
	session_open_options(&live, &options);
	ev.sample_read = true;
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_true(plan.attr.sample_type & PERF_SAMPLE_READ);
	assert_int_equal(plan.attr.read_format, PERF_FORMAT_ID);
	assert_int_equal(plan.attr.sample_period, 99);
	open_plan_release(&plan);
	options.in_group = true;
	options.enable_on_exec = true;
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_int_equal(plan.attr.read_format, PERF_FORMAT_ID | PERF_FORMAT_GROUP);
	assert_true(plan.attr.disabled && plan.attr.enable_on_exec);
	open_plan_release(&plan);
	options.is_member = options.is_read = true;
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_true(!plan.attr.freq && plan.attr.sample_period == 0);
	assert_true(plan.attr.sample_type & PERF_SAMPLE_READ);
	/* It begins with its leader. */
	assert_false(plan.attr.disabled || plan.attr.enable_on_exec);
	open_plan_release(&plan);
	ev.sample_read = false;
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_true(plan.attr.sample_type & PERF_SAMPLE_READ);
	assert_int_equal(plan.attr.sample_period, 0);
	open_plan_release(&plan);
	options.is_read = false;
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_int_equal(plan.attr.sample_period, 99);
	assert_false(plan.attr.disabled);
	open_plan_release(&plan);
}

static void
the_latency_of_retirement_is_a_weight_of_precise_samples(void **state)
{
	struct event ev = some_event();
	struct event_attr a;

	(void)state;
	ev.retire_latency = true;
	a = attr_of(&ev, &live);
	assert_true(a.sample_type & ABI_SAMPLE_WEIGHT_STRUCT);
	assert_int_equal(a.precise_ip, 1);
	ev.precise = 2;
	a = attr_of(&ev, &live);
	assert_int_equal(a.precise_ip, 2);
}

static const char *
notice_of(const struct event *ev)
{
	struct event_env env = { "/nonexistent" };
	struct open_options options;
	static char text[200];
	char *notices[OPEN_NOTICES_MAX];
	struct open_plan plan;
	size_t n;

	session_open_options(&live, &options);
	open_plan_sampling(&plan, &env, ev, &options);
	n = open_plan_notices(&plan, notices);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%s", notices[i]);
		free(notices[i]);
	}
	open_plan_release(&plan);
	return text;
}

static void
what_only_other_programs_of_perf_can_is_told(void **state)
{
	struct event ev = some_event();

	(void)state;
	assert_string_equal(notice_of(&ev), "");
	ev.is_bpf = true;
	assert_non_null(strstr(notice_of(&ev), ":b has no effect"));
	ev.is_bpf = false;
	ev.terms.given |= 1u << TERM_MAX_EVENTS;
	ev.terms.max_events = 3;
	assert_non_null(strstr(notice_of(&ev), "nr has no effect"));
	ev.terms.given = 0;
	ev.terms.percore = true;
	assert_non_null(strstr(notice_of(&ev), "percore has no effect"));
}

static void
attributes_by_name_come_last(void **state)
{
	struct session_config with = live;
	struct event ev = some_event();
	struct event_attr a;

	(void)state;
	with.attrs = "inherit_stat,sample_type=ADDR,precise_ip=1";
	a = attr_of(&ev, &with);
	assert_true(a.inherit_stat && a.precise_ip == 1);
	assert_true(a.sample_type & PERF_SAMPLE_ADDR && a.sample_type & PERF_SAMPLE_IP);
}

static void
what_the_rings_cannot_take_is_refused(void **state)
{
	static const struct {
		const char *attrs, *says;
	} rows[] = {
		{ "write_backward", "write_backward: " },
		{ "aux_output", "in the trace" },
		{ "aux_watermark=1", "over and over" },
		{ "sample_type=AUX", "AUX area" },
		{ "sigtrap,remove_on_exec", "it would end them" },
		{ "aux_pause", "AUX area" },
		{ "sample_id_all=0", "sample_id_all: " },
		{ "use_clockid=0", "use_clockid: " },
		{ "clockid=BOOTTIME", "clockid: " },
	};
	struct event_env env = { "/nonexistent" };
	struct event ev = some_event();
	struct open_options options;
	struct open_plan plan;
	struct err err = { 0 };

	(void)state;
	session_open_options(&live, &options);
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_int_equal(open_plan_check(&plan, &err), 0);
	open_plan_release(&plan);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		options.attrs = rows[i].attrs;
		open_plan_sampling(&plan, &env, &ev, &options);
		assert_int_equal(open_plan_check(&plan, &err), -1);
		assert_int_equal(err.code, ERR_UNSUPPORTED);
		if (strstr(err.text, rows[i].says) == NULL)
			fail_msg("'%s': '%s'", rows[i].attrs, err.text);
		open_plan_release(&plan);
	}
	options.attrs = NULL;
	ev.name = (char *)(uintptr_t)"intel_pt/tsc=0/u";
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_int_equal(open_plan_check(&plan, &err), -1);
	assert_non_null(strstr(err.text, "event 'intel_pt/tsc=0/u' cannot be shown live: what it traces "
			       "goes to an AUX area: put it before those"));
	open_plan_release(&plan);
	ev = some_event();
	ev.terms.given = 1u << TERM_TIME;
	open_plan_sampling(&plan, &env, &ev, &options);
	assert_int_equal(open_plan_check(&plan, &err), -1);
	assert_non_null(strstr(err.text, "by their time"));
	open_plan_release(&plan);
}

/* Of a group that such a PMU leads; none is here, so the names are written down. */
static void
what_needs_an_aux_area_is_taken_where_there_is_one(void **state)
{
	static const char *const names[] = { "intel_pt//", "cycles/aux-sample-size=4096/u",
					     "cycles/aux-action=pause/" };
	struct event_env env = { "/nonexistent" };
	struct open_options options;
	struct err err = { 0 };

	(void)state;
	session_open_options(&live, &options);
	for (int in_group = 0; in_group < 2; in_group++) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			struct event ev = some_event();
			struct open_plan plan;

			ev.name = (char *)(uintptr_t)names[i];
			ev.terms.aux_sample_size = i == 1 ? 4096 : 0;
			ev.terms.aux_action = i == 2 ? 2 : i == 0;
			options.in_aux_group = in_group;
			open_plan_sampling(&plan, &env, &ev, &options);
			assert_int_equal(open_plan_check(&plan, &err), in_group - 1);
			assert_int_equal(plan.attr.aux_sample_size, i == 1 ? 4096 : 0);
			assert_int_equal((plan.attr.sample_type & ABI_SAMPLE_AUX) != 0, i == 1);
			assert_int_equal(get(&plan.attr, "aux_start_paused"), i == 0);
			assert_int_equal(get(&plan.attr, "aux_pause"), i == 2);
			/* It takes no samples of its own: the kernel asks for a period. */
			assert_int_equal(plan.attr.sample_period, i == 0 ? 1 : plan.attr.sample_period);
			assert_int_equal(plan.attr.freq, i != 0 && live.period == 0);
			open_plan_release(&plan);
		}
	}
}

/* All events of a ring: those that are sampled, the side-band, and who owns it. */
static void
all_events_have_the_clock_that_was_chosen(void **state)
{
	struct event_env env = { "/nonexistent" };
	struct event ev = some_event();
	struct open_options options;
	struct open_plan plans[3];
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i <= CLOCK_DEFS; i++) {
		const struct clock_def *clock = i < CLOCK_DEFS ? &clock_defs[i] : NULL;
		const struct session_config config = { .freq = 99, .clock = clock };

		session_open_options(&config, &options);
		open_plan_sampling(&plans[0], &env, &ev, &options);
		open_plan_sideband(&plans[1], &env, &options);
		open_plan_owner(&plans[2], &env, clock);
		assert_int_equal(open_plan_check(&plans[0], &err), 0);
		for (int j = 0; j < 3; j++) {
			assert_true(plans[j].attr.use_clockid);
			assert_int_equal(plans[j].attr.clockid,
					 clock != NULL ? clock->id : CLOCK_MONOTONIC);
			open_plan_release(&plans[j]);
		}
	}
	options.attrs = "clockid=MONOTONIC";
	options.clock = &clock_defs[2];
	open_plan_sampling(&plans[0], &env, &ev, &options);
	assert_int_equal(open_plan_check(&plans[0], &err), -1);
	assert_non_null(strstr(err.text, "--clockid"));
	open_plan_release(&plans[0]);
}

static void
chains_that_come_later_go_to_the_events_own_ring(void **state)
{
	static const struct {
		struct session_config config;
		bool deferred;
	} rows[] = {
		{ { .call_chains = true, .call_graph = CALL_GRAPH_FP, .defer_chains = true }, true },
		{ { .call_chains = true, .call_graph = CALL_GRAPH_FP }, false },
		{ { .call_chains = true, .call_graph = CALL_GRAPH_DWARF, .defer_chains = true }, false },
		{ { .call_chains = false, .defer_chains = true }, false },
	};
	struct event_env env = { "/nonexistent" };
	struct event ev = some_event();
	struct open_options options;
	struct open_plan plan;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		session_open_options(&rows[i].config, &options);
		open_plan_sampling(&plan, &env, &ev, &options);
		assert_int_equal(plan.attr.defer_callchain, rows[i].deferred);
		assert_int_equal(plan.attr.defer_output, rows[i].deferred);
		open_plan_release(&plan);
	}
}

/* Copies of stacks in spite of a sample each time; where nothing asks for chains the kernel's part. */
static void
switches_tell_where_a_thread_waits(void **state)
{
	struct event ev = { .name = (char *)(uintptr_t)"off-cpu/exact/", .looks = EVENT_LOOKS_EXACT,
			    .type = PERF_TYPE_TRACEPOINT, .config = 300 };
	struct session_config config = live;
	struct event_attr attr;

	(void)state;
	config.call_chains = true;
	config.call_graph = CALL_GRAPH_AUTO;
	config.freq = 99;
	config.rate_given = true;
	attr = attr_of(&ev, &config);
	assert_true(attr.context_switch && !attr.freq && !attr.exclude_callchain_user);
	assert_int_equal(attr.sample_period, 1);
	assert_true(attr.sample_type & PERF_SAMPLE_RAW);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_int_equal(attr.sample_stack_user != 0, user_regs != 0);
	assert_int_equal(attr.sample_regs_user, user_regs);
	config.call_graph = CALL_GRAPH_FP;
	config.defer_chains = true;
	attr = attr_of(&ev, &config);
	assert_false(attr.defer_callchain || attr.exclude_callchain_user);
	assert_int_equal(attr.sample_stack_user, 0);
	config.call_chains = false;
	config.call_graph = CALL_GRAPH_NONE;
	attr = attr_of(&ev, &config);
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(attr.exclude_callchain_user);
}

static void
only_a_file_has_namespaces_and_changes_of_code(void **state)
{
	struct event_env env = { "/nonexistent" };
	struct open_plan plan;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct open_options options = { .for_file = i == 1 };

		open_plan_sideband(&plan, &env, &options);
		assert_int_equal(plan.attr.namespaces, i);
		assert_int_equal(plan.attr.text_poke, i);
		open_plan_release(&plan);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit_of_the_struct_is_in_the_table),
		cmocka_unit_test(every_row_has_a_name_of_its_own_and_a_meaning),
		cmocka_unit_test(bits_are_where_the_compiler_puts_them),
		cmocka_unit_test(names_of_bits_are_put_and_read_again),
		cmocka_unit_test(wrong_assignments_are_refused_with_the_reason),
		cmocka_unit_test(what_an_event_is_becomes_its_attributes),
		cmocka_unit_test(rates_are_the_events_own_then_the_users_then_each_time),
		cmocka_unit_test(call_graphs_ask_for_what_they_need),
		cmocka_unit_test(other_terms_become_attributes),
		cmocka_unit_test(a_group_is_read_with_its_leader),
		cmocka_unit_test(the_latency_of_retirement_is_a_weight_of_precise_samples),
		cmocka_unit_test(what_only_other_programs_of_perf_can_is_told),
		cmocka_unit_test(attributes_by_name_come_last),
		cmocka_unit_test(what_the_rings_cannot_take_is_refused),
		cmocka_unit_test(what_needs_an_aux_area_is_taken_where_there_is_one),
		cmocka_unit_test(all_events_have_the_clock_that_was_chosen),
		cmocka_unit_test(chains_that_come_later_go_to_the_events_own_ring),
		cmocka_unit_test(switches_tell_where_a_thread_waits),
		cmocka_unit_test(only_a_file_has_namespaces_and_changes_of_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
