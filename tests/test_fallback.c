/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels that lack what came later, and PMUs that refuse it, one thing at a time. */
#include "event/site.h"
#include "live/open/attr_table.h"
#include "live/open/open.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"
#include "tests/mock_sys.h"
#include "tests/skip.h"

enum { MISSING_MAX = 40, SIZE_4_18 = 112, LEADER_FD = 99 };

/* An attribute's bits, and what is said when they are left out; NULL: nothing. */
struct bits {
	const char *field;
	uint64_t mask;
	const char *notice;
};

/* All that the oldest kernels lack or a PMU refuses. */
static const struct bits features[] = {
	{ "defer_callchain", 1, "call chains are taken at once" },
	{ "defer_output", 1, "call chains are not deferred" },
	{ "aux_start_paused", 1, "begins at once" },
	{ "aux_pause", 1, "not paused" },
	{ "aux_resume", 1, "not resumed" },
	{ "branch_sample_type", ABI_BRANCH_COUNTERS, "no counters" },
	{ "branch_sample_type", ABI_BRANCH_PRIV_SAVE, "no privilege" },
	{ "branch_sample_type", ABI_BRANCH_HW_INDEX, "no index" },
	{ "read_format", ABI_FORMAT_LOST, "losses may be more" },
	{ "inherit_thread", 1, "threads that start later" },
	{ "sigtrap", 1, "no SIGTRAP" },
	{ "remove_on_exec", 1, "do not end at an exec" },
	{ "build_id", 1, "no build-id" },
	{ "sample_type", ABI_SAMPLE_WEIGHT_STRUCT, "weights have one part" },
	{ "sample_type", ABI_SAMPLE_CODE_PAGE_SIZE, "code pages" },
	{ "sample_type", ABI_SAMPLE_DATA_PAGE_SIZE, "data pages" },
	{ "text_poke", 1, "kernel code" },
	{ "sample_type", ABI_SAMPLE_CGROUP, "carry no cgroup" },
	{ "cgroup", 1, "this kernel does not report cgroups" },
	{ "aux_sample_size", UINT32_MAX, "no AUX data" },
	{ "sample_type", ABI_SAMPLE_AUX, NULL },
	{ "aux_output", 1, "AUX area here" },
	{ "bpf_event", 1, NULL },
	{ "ksymbol", 1, "BPF programs" },
	{ "namespaces", 1, "this kernel does not report namespaces" },
	{ "sample_max_stack", UINT16_MAX, "cannot limit call chains" },
	{ "write_backward", 1, "written forward" },
	{ "comm_exec", 1, "an exec gives" },
};

/* Sets each of them, with what they need. */
static const char all_features[] =
	"defer_callchain,defer_output,aux_start_paused,aux_pause,aux_resume,"
	"sample_type=CALLCHAIN|BRANCH_STACK|WEIGHT_STRUCT|CODE_PAGE_SIZE|DATA_PAGE_SIZE|CGROUP|AUX,"
	"branch_sample_type=USER|ANY|HW_INDEX|PRIV_SAVE|COUNTERS,read_format=LOST,"
	"inherit,inherit_thread,remove_on_exec,sigtrap,sig_data=5,build_id,mmap,mmap2,text_poke,"
	"cgroup,aux_sample_size=4096,aux_output,ksymbol,bpf_event,namespaces,sample_max_stack=64,"
	"write_backward,comm,comm_exec";

struct mock {
	struct mock_sys kernel; /* first: the functions get it */
	const struct bits *missing[MISSING_MAX]; /* EINVAL from the kernel, whatever is opened */
	size_t missing_count;
	const struct bits *refused; /* by the PMU of the event, with @why */
	int why;
	int tracepoints; /* are refused so */
	int always;     /* the event itself is refused for another cause */
	bool no_inherited_read; /* before 6.12 */
	bool no_copies; /* of stacks: the architecture has none */
	int no_group;   /* nothing is opened into a group */
	uint32_t size;  /* of the kernel's attributes; 0: any */
	unsigned calls;
};

static bool
has(const struct event_attr *attr, const struct bits *b)
{
	return (attr_field_get(attr, attr_find(b->field)) & b->mask) != 0;
}

/* As the kernel: longer attributes are taken if the rest of them is 0. */
static bool
is_too_long(const struct event_attr *attr, uint32_t size)
{
	/* It does not look at what is longer than a page. */
	if (attr->size > 4096)
		return true;
	for (size_t i = size; size > 0 && i < attr->size; i++)
		if (((const char *)attr)[i] != 0)
			return true;
	return false;
}

static bool
is_dummy(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
}

static int
refuse(const struct mock *m, const struct event_attr *attr)
{
	for (size_t i = 0; i < m->missing_count; i++)
		if (has(attr, m->missing[i]))
			return EINVAL;
	/* What only makes sense together, and what needs an AUX area, which no dummy has. */
	if ((attr->inherit_thread && !attr->inherit) || (attr->sigtrap && !attr->remove_on_exec))
		return EINVAL;
	if (m->no_copies && (attr->sample_type & PERF_SAMPLE_STACK_USER))
		return ENOSYS;
	if (m->no_inherited_read && attr->inherit && (attr->sample_type & PERF_SAMPLE_READ))
		return EINVAL;
	if (is_dummy(attr))
		return 0;
	if (m->refused != NULL && has(attr, m->refused))
		return m->why;
	if (attr->type == PERF_TYPE_TRACEPOINT && m->tracepoints != 0)
		return m->tracepoints;
	return m->always;
}

static int
mock_open(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	struct mock *m = (struct mock *)(uintptr_t)self;

	m->calls++;
	if (is_too_long(attr, m->size)) {
		attr->size = m->size;
		errno = E2BIG;
		return -1;
	}
	errno = refuse(m, attr);
	return errno == 0 ? mock_sys_open(self, attr, pid, cpu) : -1;
}

static int
mock_open_in(const struct sys *self, struct event_attr *attr, int pid, int cpu, int leader_fd)
{
	const struct mock *m = (const struct mock *)(const void *)self;

	errno = leader_fd == LEADER_FD ? m->no_group : EBADF;
	return errno == 0 ? mock_open(self, attr, pid, cpu) : -1;
}

static int
mock_set_filter(const struct sys *self, int fd, const char *filter)
{
	(void)self;
	errno = fd >= 0 && strcmp(filter, "fine") == 0 ? 0 : EINVAL;
	return errno == 0 ? 0 : -1;
}

struct fixture {
	struct event_env env;
	struct event ev;
	struct mock mock;
	struct open_plan plan;
	struct err err;
};

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	f->env.root = "/nonexistent";
	f->ev.name = mem_strdup("some");
	f->ev.type = PERF_TYPE_RAW;
	mock_sys_init(&f->mock.kernel);
	f->mock.kernel.makes_files = true;
	f->mock.kernel.sys.open = mock_open;
	f->mock.kernel.sys.set_filter = mock_set_filter;
	f->mock.kernel.sys.open_in = mock_open_in;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	open_plan_release(&f->plan);
	event_release(&f->ev);
	free(f);
	return 0;
}

static void
plan(struct fixture *f, const char *attrs)
{
	const struct open_options options = { .sample_type = PERF_SAMPLE_IP, .rate = 5,
					      .attrs = attrs };

	open_plan_release(&f->plan);
	open_plan_sampling(&f->plan, &f->env, &f->ev, &options);
}

static int
try_it(struct fixture *f)
{
	int fd = open_event(&f->mock.kernel.sys, &f->plan, -1, 0, &f->err);

	if (fd >= 0)
		close(fd);
	return fd;
}

/* How many of the notices say @text; all of them in @count. */
static unsigned
count_notices(const struct fixture *f, const char *text, size_t *count)
{
	char *notices[OPEN_NOTICES_MAX];
	unsigned n = 0;

	*count = open_plan_notices(&f->plan, notices);
	for (size_t i = 0; i < *count; i++) {
		n += text != NULL && strstr(notices[i], text) != NULL;
		free(notices[i]);
	}
	return n;
}

static void
what_one_kernel_lacks_is_left_out_alone_and_told(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct bits *b = &features[i];
		size_t count;

		f->mock.missing[0] = b;
		f->mock.missing_count = 1;
		plan(f, all_features);
		if (try_it(f) < 0)
			fail_msg("%s: %s", b->field, f->err.text);
		assert_false(has(&f->plan.attr, b));
		assert_int_equal(count_notices(f, b->notice, &count), b->notice != NULL);
		/* What needs it goes with it: SIGTRAP comes with remove_on_exec alone. */
		if (strcmp(b->field, "remove_on_exec") == 0)
			continue;
		assert_int_equal(count, b->notice != NULL);
		for (size_t j = 0; j < ARRAY_SIZE(features); j++)
			if (j != i && !has(&f->plan.attr, &features[j]))
				fail_msg("without %s, %s is left out, too", b->field,
					 features[j].field);
	}
}

static void
what_belongs_to_it_goes_or_stands_in(void **state)
{
	struct fixture *f = *state;
	static const struct bits missing[] = {
		{ "inherit_thread", 1, NULL }, { "sigtrap", 1, NULL },
		{ "sample_type", ABI_SAMPLE_WEIGHT_STRUCT, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		f->mock.missing[f->mock.missing_count++] = &missing[i];
	plan(f, all_features);
	assert_that(try_it(f), >=, 0);
	assert_int_equal(f->plan.attr.inherit, 0);
	assert_int_equal(f->plan.attr.sig_data, 0);
	assert_true(f->plan.attr.sample_type & PERF_SAMPLE_WEIGHT);
}

static void
a_refusal_for_another_cause_leaves_out_nothing(void **state)
{
	struct fixture *f = *state;
	size_t count;

	plan(f, all_features);
	f->mock.always = EINVAL;
	assert_int_equal(try_it(f), -1);
	assert_int_equal(f->err.sys, EINVAL);
	assert_int_equal(count_notices(f, NULL, &count), 0);
	assert_int_equal(count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		assert_true(has(&f->plan.attr, &features[i]));
	f->mock.always = EBUSY;
	f->mock.calls = 0;
	assert_int_equal(try_it(f), -1);
	assert_int_equal(f->mock.calls, 1);
}

static void
what_a_pmu_refuses_is_left_out(void **state)
{
	static const struct bits refused[] = {
		{ "branch_sample_type", ABI_BRANCH_COUNTERS, "no counters" },
		{ "branch_sample_type", ABI_BRANCH_HW_INDEX, "no index" },
		{ "aux_output", 1, "AUX area here" },
		{ "aux_pause", 1, "not paused" },
	};
	struct fixture *f = *state;
	size_t count;

	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		f->mock.refused = &refused[i];
		f->mock.why = i % 2 == 0 ? EOPNOTSUPP : EINVAL;
		plan(f, all_features);
		assert_that(try_it(f), >=, 0);
		assert_false(has(&f->plan.attr, &refused[i]));
		assert_int_equal(count_notices(f, refused[i].notice, &count), 1);
	}
}

/* Whatever 4.18 does not know, at the size of its attributes. */
static void
linux_4_18_opens_what_it_can(void **state)
{
	static const char *const old[] = { "namespaces", "sample_max_stack", "write_backward",
					   "comm_exec" };
	struct fixture *f = *state;
	size_t count, told = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		bool is_old = false;

		for (size_t j = 0; j < ARRAY_SIZE(old); j++)
			is_old |= strcmp(features[i].field, old[j]) == 0;
		if (is_old)
			continue;
		f->mock.missing[f->mock.missing_count++] = &features[i];
		told += features[i].notice != NULL;
	}
	f->mock.size = SIZE_4_18;
	plan(f, all_features);
	if (try_it(f) < 0)
		fail_msg("%s", f->err.text);
	assert_int_equal(f->plan.attr.size, SIZE_4_18);
	assert_int_equal(f->plan.attr.sig_data, 0);
	assert_int_equal(f->plan.attr.aux_action, 0);
	assert_true(f->plan.attr.namespaces && f->plan.attr.write_backward);
	assert_int_equal(f->plan.attr.sample_max_stack, 64);
	assert_int_equal(count_notices(f, "AUX data", &count), 1);
	assert_int_equal(count, told);
	/* What was learned stays: the next one needs no attempt. */
	f->mock.calls = 0;
	assert_that(try_it(f), >=, 0);
	assert_int_equal(f->mock.calls, 1);
}

static void
an_event_that_an_old_kernel_cannot_count_is_refused(void **state)
{
	static const struct {
		const char *attrs;
		uint32_t size;
	} rows[] = {
		{ "config3=1", 128 }, { "config4=1", 136 }, { "config3=1,aux_sample_size=8", 112 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f->mock.size = rows[i].size;
		plan(f, rows[i].attrs);
		assert_int_equal(try_it(f), -1);
		assert_int_equal(f->err.sys, E2BIG);
		assert_int_equal(f->plan.attr.size, 144);
	}
}

static void
a_filter_is_set_when_the_event_is_opened(void **state)
{
	struct fixture *f = *state;
	int fd;

	f->ev.filter = mem_strdup("fine");
	f->ev.is_tracepoint = true;
	plan(f, NULL);
	assert_that(try_it(f), >=, 0);
	free(f->ev.filter);
	f->ev.filter = mem_strdup("no_such_field == 1");
	plan(f, NULL);
	fd = memfd_create("next", MFD_CLOEXEC);
	close(fd);
	assert_int_equal(try_it(f), -1);
	assert_int_equal(f->err.code, ERR_USAGE);
	assert_int_equal(f->err.sys, EINVAL);
	assert_non_null(strstr(f->err.text, "filter 'no_such_field == 1' of event 'some'"));
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* and the event is closed again */
	f->ev.is_tracepoint = false;
	plan(f, NULL);
	assert_int_equal(try_it(f), -1);
	assert_string_equal(f->err.hint, "filters are for tracepoints");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* What is not read with samples is inherited everywhere. */
static void
before_6_12_what_is_read_with_samples_is_not_inherited(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->mock.no_inherited_read = true;
	plan(f, "inherit,sample_type=TID");
	assert_that(try_it(f), >=, 0);
	assert_int_equal(f->plan.attr.inherit, 1);
	plan(f, "inherit,inherit_thread,sample_type=TID|READ");
	assert_that(try_it(f), >=, 0);
	assert_false(f->plan.attr.inherit || f->plan.attr.inherit_thread);
	assert_true(f->plan.attr.sample_type & PERF_SAMPLE_READ);
	assert_int_equal(count_notices(f, "kernel 6.12", &count), 1);
	assert_int_equal(count, 1);
	f->mock.no_inherited_read = false;
	plan(f, "inherit,sample_type=TID|READ");
	assert_that(try_it(f), >=, 0);
	assert_int_equal(f->plan.attr.inherit, 1);
}

/* Whatever was asked for, what is left is the way that each kernel has. */
static void
a_kernel_without_copies_of_stacks_follows_frame_pointers(void **state)
{
	static const enum event_call_graph ways[] = { CALL_GRAPH_AUTO, CALL_GRAPH_DWARF };
	struct fixture *f = *state;

	f->ev.type = PERF_TYPE_SOFTWARE;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const struct open_options options = {
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, .rate = 999,
			.call_graph = ways[i], .stack_bytes = 8192,
		};
		const struct event_attr *attr = &f->plan.attr;
		size_t count;

		open_plan_release(&f->plan);
		open_plan_sampling(&f->plan, &f->env, &f->ev, &options);
		if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
			skip_for("stacks of this machine are not unwound");
		f->mock.no_copies = true;
		assert_that(try_it(f), >=, 0);
		assert_true(attr->sample_type & PERF_SAMPLE_CALLCHAIN);
		assert_false(attr->sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER));
		assert_int_equal(attr->sample_regs_user, 0);
		assert_int_equal(attr->sample_stack_user, 0);
		assert_false(attr->exclude_callchain_user);
		assert_int_equal(count_notices(f, "this kernel cannot copy stacks", &count), 1);
		assert_int_equal(count, 1);
	}
}

/* Whoever may not have tracepoints has the switches all the same. */
static void
switches_are_counted_where_tracepoints_are_denied(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->ev.looks = EVENT_LOOKS_EXACT;
	f->ev.type = PERF_TYPE_TRACEPOINT;
	f->ev.config = 300;
	event_add_site(&f->ev, NULL, 300, 0);
	event_add_site(&f->ev, NULL, 301, 0);
	plan(f, NULL);
	assert_that(try_it(f), >=, 0);
	assert_int_equal(f->plan.attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(count_notices(f, NULL, &count) + count, 0);
	f->mock.tracepoints = EACCES;
	assert_that(try_it(f), >=, 0);
	assert_int_equal(f->plan.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(f->plan.attr.config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_true(f->plan.attr.context_switch);
	assert_int_equal(f->plan.spec.site_count, 0);
	assert_int_equal(count_notices(f, "time in the run queue behind a wait", &count), 1);
	/* Where the kernel is denied, too, there is nothing of it. */
	f->mock.always = EACCES;
	assert_int_equal(try_it(f), -1);
	assert_int_equal(f->err.code, ERR_DENIED);
}

static void
what_its_group_cannot_take_is_told_with_the_leader(void **state)
{
	const struct open_leader leader = { .fd = LEADER_FD, .name = "first" };
	struct fixture *f = *state;

	plan(f, "disabled=0");
	f->plan.leader = &leader;
	assert_that(try_it(f), >=, 0);
	f->mock.no_group = EINVAL;
	assert_int_equal(try_it(f), -1);
	assert_non_null(strstr(f->err.text, "'some'"));
	assert_non_null(strstr(f->err.text, "GroupNotPossible"));
	assert_non_null(strstr(f->err.text, "('first' leads it)"));
	assert_non_null(strstr(f->err.hint, ":W"));
	/* What is refused alone, too, is not for its group. */
	f->mock.always = EINVAL;
	assert_int_equal(try_it(f), -1);
	assert_null(strstr(f->err.text, "GroupNotPossible"));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(what_one_kernel_lacks_is_left_out_alone_and_told),
		TEST(what_belongs_to_it_goes_or_stands_in),
		TEST(a_refusal_for_another_cause_leaves_out_nothing),
		TEST(what_a_pmu_refuses_is_left_out),
		TEST(linux_4_18_opens_what_it_can),
		TEST(an_event_that_an_old_kernel_cannot_count_is_refused),
		TEST(a_filter_is_set_when_the_event_is_opened),
		TEST(before_6_12_what_is_read_with_samples_is_not_inherited),
		TEST(a_kernel_without_copies_of_stacks_follows_frame_pointers),
		TEST(switches_are_counted_where_tracepoints_are_denied),
		TEST(what_its_group_cannot_take_is_told_with_the_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
