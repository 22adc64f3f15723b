/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening events on kernels and for users that are not here: the kernel's part is played. */
#include "base/own_file.h"
#include "live/sys/limits.h"
#include "live/open/open.h"
#include "live/session/session.h"
#include "live/sys/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"
#include "tests/asserts.h"
#include "live/open/breakpoint.h"
#include "tests/mock_sys.h"

enum { WAIT_MS = 60000 };

struct fixture {
	char root[FAKE_ROOT_BYTES];
	struct event_env env;
	struct mock_sys mock;
	struct open_plan plan;
	struct err err;
};

static void
write_file(const struct fixture *f, const char *path, const char *text)
{
	fake_root_write(f->root, path, text);
}

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	if (!fake_root_make(f->root))
		return -1;
	f->env.root = f->root;
	mock_sys_init(&f->mock);
	write_file(f, "proc/sys/kernel/perf_event_paranoid", "2\n");
	write_file(f, "proc/sys/kernel/perf_event_max_sample_rate", "4000\n");
	write_file(f, "sys/devices/system/cpu/online", "0-1\n");
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	int res = fake_root_remove(f->root);

	open_plan_release(&f->plan);
	free(f);
	return res;
}

/* Plans to sample the event called @name. */
static void
plan(struct fixture *f, const char *name, uint64_t hz)
{
	struct open_options options = { .sample_type = PERF_SAMPLE_IP, .is_freq = true,
					.rate = hz, .has_lost = true, .exclude_idle = true };
	struct event_list list = { 0 };

	if (event_parse(&f->env, name, &list, &f->err) < 0)
		fail_msg("%s", f->err.text);
	open_plan_release(&f->plan);
	open_plan_sampling(&f->plan, &f->env, &list.items[0], &options);
	event_list_release(&list);
}

static int
open_on_cpu_3(struct fixture *f)
{
	f->err = (struct err){ 0 };
	return open_event(&f->mock.sys, &f->plan, -1, 3, &f->err);
}

/* Exactly one notice, and it says so; NULL: none. */
static void
assert_notice(const struct fixture *f, const char *says)
{
	char *notices[OPEN_NOTICES_MAX];
	size_t n = open_plan_notices(&f->plan, notices);

	assert_int_equal(n, says != NULL ? 1 : 0);
	for (size_t i = 0; i < n; i++) {
		if (strstr(notices[i], says) == NULL)
			fail_msg("'%s' does not say '%s'", notices[i], says);
		free(notices[i]);
	}
}

static void
a_willing_kernel_gets_what_the_event_says(void **state)
{
	struct fixture *f = *state;

	plan(f, "cycles:u", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.calls, 1);
	assert_int_equal(f->mock.last.size, 144);
	assert_int_equal(f->mock.last.sample_period, 999);
	assert_true(f->mock.last.freq && f->mock.last.disabled && f->mock.last.sample_id_all);
	assert_true(f->mock.last.use_clockid && f->mock.last.exclude_guest);
	assert_true(f->mock.last.exclude_kernel && f->mock.last.exclude_hv);
	assert_int_equal(f->mock.last.read_format, PERF_FORMAT_ID | ABI_FORMAT_LOST);
	assert_notice(f, NULL);
}

static void
an_old_kernels_size_is_taken(void **state)
{
	struct fixture *f = *state;

	f->mock.size = 112;
	plan(f, "cpu-clock", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.last.size, 112);
	assert_int_equal(f->mock.calls, 2);
	assert_true(f->mock.last.exclude_idle);
	open_on_cpu_3(f); /* and remembered */
	assert_int_equal(f->mock.calls, 3);
	assert_notice(f, NULL);
}

static int
refuse_precise_above_1(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->precise_ip > 1 ? EOPNOTSUPP : 0;
}

static int
refuse_precise(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->precise_ip > 0 ? EINVAL : 0;
}

static void
precise_levels_are_tried_downwards(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_precise_above_1;
	plan(f, "cycles:P", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.last.precise_ip, 1);
	assert_notice(f, "level 1 of 3");
	f->mock.refuse = refuse_precise;
	plan(f, "cycles:P", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.last.precise_ip, 0);
	assert_true(f->mock.last.exclude_guest);
	assert_string_equal(f->plan.spec.name, "cycles:P");
	assert_notice(f, "precise sampling is off");
}

static void
a_precise_level_that_was_asked_for_is_not_lowered(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_precise_above_1;
	plan(f, "cycles:pp", 999);
	assert_int_equal(open_on_cpu_3(f), -1);
	assert_int_equal(f->err.code, ERR_UNSUPPORTED);
}

static int
refuse_exclude_guest(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->exclude_guest ? EOPNOTSUPP : 0;
}

static void
guests_are_counted_where_they_cannot_be_left_out(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_exclude_guest;
	plan(f, "cycles", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_false(f->plan.spec.exclude_guest);
	assert_notice(f, "guests");
}

static int
refuse_kernel(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->exclude_kernel ? 0 : EACCES;
}

static void
without_the_right_to_the_kernel_user_space_is_sampled(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_kernel;
	plan(f, "cpu-clock", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_string_equal(f->plan.spec.name, "cpu-clock:u");
	assert_true(f->plan.spec.exclude_kernel && f->mock.last.exclude_hv);
	assert_notice(f, "kernel samples are off: sudo sysctl kernel.perf_event_paranoid=1 (it is 2)");
	plan(f, "cycles:P", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_string_equal(f->plan.spec.name, "cycles:Pu");
	plan(f, "cycles:k", 999);
	assert_int_equal(open_on_cpu_3(f), -1);
	assert_int_equal(f->err.code, ERR_DENIED);
}

static int
refuse_enoent(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->type == PERF_TYPE_SOFTWARE ? 0 : ENOENT;
}

static void
a_machine_without_counters_is_told_as_such(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_enoent;
	plan(f, "cycles:P", 999);
	assert_int_equal(open_on_cpu_3(f), -1);
	assert_int_equal(f->err.code, ERR_UNSUPPORTED);
	assert_int_equal(f->err.sys, ENOENT);
	assert_non_null(strstr(f->err.text,
			       "cannot open event 'cycles:P' on CPU 3: ENOENT (EventNotFound): "));
	assert_non_null(strstr(f->err.hint, "cpu-clock"));
	assert_notice(f, NULL); /* the plan is as it was */
	assert_int_equal(f->plan.attr.precise_ip, 3);
}

static int
refuse_all(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)cpu;
	return pid > 0 ? ESRCH : EACCES;
}

static void
a_denial_names_event_place_reason_and_remedy(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_all;
	plan(f, "cpu-clock", 999);
	assert_int_equal(open_on_cpu_3(f), -1);
	assert_int_equal(f->err.code, ERR_DENIED);
	assert_string_equal(f->err.text,
			    "cannot open event 'cpu-clock' on CPU 3: EACCES (PermissionDenied): "
			    "ordinary users may not watch whole CPUs "
			    "(kernel.perf_event_paranoid is 2)");
	assert_non_null(strstr(f->err.hint, "setcap cap_perfmon"));
	assert_string_equal(f->plan.spec.name, "cpu-clock");
	assert_int_equal(open_event(&f->mock.sys, &f->plan, 42, 3, &f->err), -1);
	assert_int_equal(f->err.code, ERR_GONE);
	assert_non_null(strstr(f->err.text,
			       "on task 42, CPU 3: ESRCH (ProcessNotFound): there is no such task, "
			       "or it has ended"));
}

static int
refuse_by_limit(const struct event_attr *attr, int pid, int cpu)
{
	struct rlimit r;

	(void)attr;
	(void)pid;
	(void)cpu;
	getrlimit(RLIMIT_NOFILE, &r);
	return r.rlim_cur < r.rlim_max ? EMFILE : 0;
}

static int
refuse_emfile(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	return EMFILE;
}

static void
the_limit_of_descriptors_is_raised_once(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, low;

	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = old.rlim_max - 1;
	setrlimit(RLIMIT_NOFILE, &low);
	f->mock.refuse = refuse_by_limit;
	plan(f, "cpu-clock", 999);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.calls, 2);
	f->mock.refuse = refuse_emfile;
	assert_int_equal(open_on_cpu_3(f), -1);
	assert_int_equal(f->err.code, ERR_LIMIT);
	assert_non_null(strstr(f->err.hint, "ulimit"));
	setrlimit(RLIMIT_NOFILE, &old);
}

static int
refuse_fast(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->freq && attr->sample_period > 500 ? EINVAL : 0;
}

static void
the_frequency_is_cut_to_the_kernels_limit(void **state)
{
	struct fixture *f = *state;

	plan(f, "cpu-clock", 10000);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.last.sample_period, 4000);
	assert_notice(f, "4000 Hz is the most");
	plan(f, "cpu-clock", UINT64_MAX);
	open_on_cpu_3(f);
	assert_int_equal(f->mock.last.sample_period, 4000);
	assert_notice(f, NULL);
	/* The kernel lowers its limit while ptop runs. */
	plan(f, "cpu-clock", 999);
	f->mock.refuse = refuse_fast;
	write_file(f, "proc/sys/kernel/perf_event_max_sample_rate", "500\n");
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_int_equal(f->mock.last.sample_period, 500);
	assert_notice(f, "500 Hz is the most");
}

/* Linux 4.18: none of what came later. */
static int
refuse_news(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->ksymbol || attr->bpf_event || attr->cgroup || attr->inherit_thread ||
			       (attr->read_format & ABI_FORMAT_LOST) ?
		       EINVAL :
		       0;
}

static void
an_old_kernel_gets_a_side_band_without_what_it_lacks(void **state)
{
	struct fixture *f = *state;
	struct open_options options = { .inherit_thread = true, .for_file = true,
					.for_stacks = true };
	char *notices[OPEN_NOTICES_MAX];
	size_t n;

	f->mock.refuse = refuse_news;
	open_plan_sideband(&f->plan, &f->env, &options);
	assert_int_equal(open_on_cpu_3(f), MOCK_FD);
	assert_true(f->mock.last.mmap2 && f->mock.last.task && f->mock.last.comm_exec);
	assert_true(f->mock.last.namespaces && f->mock.last.mmap_data);
	n = open_plan_notices(&f->plan, notices);
	assert_int_equal(n, 4);
	while (n-- > 0)
		free(notices[n]);
}

static int
refuse_namespaces(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->namespaces ? EACCES : 0;
}

/* The kernel asks for the capability: no level is named. */
static void
without_the_right_to_namespaces_what_gives_it_is_told(void **state)
{
	static const struct {
		const char *status, *uid_map, *says;
	} rows[] = {
		{ "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\n", "0 0 4294967295\n",
		  "namespaces of tasks are not recorded: sudo setcap cap_perfmon+ep " },
		{ "Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\n", "0 0 4294967295\n",
		  "namespaces of tasks are not recorded: start the container with --cap-add PERFMON" },
		{ "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n", "0 1000 1\n",
		  "namespaces of tasks are not recorded: run ptop outside of the container" },
	};
	struct fixture *f = *state;
	struct open_options options = { .for_file = true };

	f->mock.refuse = refuse_namespaces;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		write_file(f, "proc/self/status", rows[i].status);
		write_file(f, "proc/self/uid_map", rows[i].uid_map);
		open_plan_release(&f->plan);
		open_plan_sideband(&f->plan, &f->env, &options);
		assert_int_equal(open_on_cpu_3(f), MOCK_FD);
		assert_notice(f, rows[i].says);
	}
}

static int
refuse_system(const struct event_attr *attr, int pid, int cpu)
{
	(void)cpu;
	if (attr->namespaces || !attr->exclude_kernel)
		return EACCES;
	return pid < 0 ? EACCES : 0;
}

static struct session *
session_of_cgroup(struct fixture *f, struct queue *answers, int cgroup_fd)
{
	const struct session_config config = {
		.env = f->env, .sys = &f->mock.sys, .freq = 999, .inherit = true,
		.cgroup_fd = cgroup_fd,
	};

	f->mock.makes_files = true;
	return session_new(&config, answers, &f->err);
}

static struct session *
session_with(struct fixture *f, struct queue *answers)
{
	return session_of_cgroup(f, answers, 0);
}

static struct session_opened_msg *
ask(struct fixture *f, struct session *s, struct queue *answers, const char *name)
{
	struct event_list list = { 0 };
	struct msg *m;

	assert_int_equal(event_parse(&f->env, name, &list, &f->err), 0);
	session_open(s, 5, list.items, list.len);
	event_list_release(&list);
	m = queue_wait(answers, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->type, SESSION_MSG_OPENED);
	return (struct session_opened_msg *)m;
}

static void
without_the_right_to_cpus_own_processes_are_sampled(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s;

	f->mock.refuse = refuse_system;
	s = session_with(f, answers);
	assert_non_null(s);
	assert_int_equal(session_scope(s), SESSION_TASKS);
	assert_string_equal(session_notice(s, 0),
			    "only your own processes: perf_event_paranoid is 2");
	assert_non_null(strstr(session_remedy(s, 0), "setcap"));
	session_free(s);
	queue_free(answers);
}

static void
without_any_right_the_session_says_why_and_opens_nothing(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session_opened_msg *m;
	struct session *s;
	size_t rings;

	f->mock.refuse = refuse_all;
	s = session_with(f, answers);
	assert_non_null(s);
	assert_int_equal(session_scope(s), SESSION_NONE);
	session_rings(s, &rings);
	assert_int_equal(rings, 0);
	for (size_t i = 0; session_notice(s, i) != NULL; i++) {
		if (strstr(session_notice(s, i), "nothing can be sampled") != NULL)
			assert_non_null(strstr(session_remedy(s, i), "run as root"));
	}
	m = ask(f, s, answers, "cpu-clock");
	assert_null(m->event);
	assert_int_equal(m->err.code, ERR_DENIED);
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

/* As Debian's kernel (3) and Ubuntu's (4) have it; others take these for 2. */
static void
a_level_that_forbids_all_is_all_that_is_told(void **state)
{
	static const char *const levels[] = { "3", "4" };
	struct fixture *f = *state;
	struct buf remedy = { 0 };

	own_file_put(&remedy, "sudo setcap cap_perfmon+ep " OWN_FILE_WORD ", or: "
		     "sudo sysctl kernel.perf_event_paranoid=2", OWN_FILE_LINK);
	f->mock.refuse = refuse_all;
	write_file(f, "proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\n");
	write_file(f, "proc/self/uid_map", "         0          0 4294967295\n");
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		struct queue *answers = queue_new();
		char level[64];
		struct session *s;

		write_file(f, "proc/sys/kernel/perf_event_paranoid", levels[i]);
		snprintf(level, sizeof(level), "(kernel.perf_event_paranoid is %s)", levels[i]);
		s = session_with(f, answers);
		assert_non_null(s);
		assert_int_equal(session_scope(s), SESSION_NONE);
		assert_non_null(strstr(session_notice(s, 0), "nothing can be sampled: "));
		assert_non_null(strstr(session_notice(s, 0), level));
		assert_string_equal(session_remedy(s, 0), buf_str(&remedy));
		assert_null(session_notice(s, 1));
		session_free(s);
		queue_free(answers);
	}
	buf_release(&remedy);
}

static void
losses_are_summed_over_descriptors(void **state)
{
	struct fixture *f = *state;
	struct tallies sum = { 0 };
	struct queue *answers = queue_new();
	struct session *s = session_with(f, answers);
	struct session_opened_msg *m;

	assert_non_null(s);
	assert_int_equal(session_scope(s), SESSION_SYSTEM);
	m = ask(f, s, answers, "cycles:P,cpu-clock");
	assert_string_equal(m->spec.name, "cycles:P");
	assert_int_equal(m->token, 5);
	assert_int_equal(m->id_count, 2);
	assert_int_equal(session_lost(s, m->event), 14);
	session_stop(s, m->event, false);
	session_tally(s, m->event, &sum);
	session_tally(s, m->event, &sum);
	assert_int_equal(sum.len, 2);
	assert_that(sum.items[0].cpu, <, sum.items[1].cpu);
	assert_int_equal(tallies_lost(&sum), 28);
	tallies_release(&sum);
	assert_int_equal(session_set_freq(s, m->event, 100000), 4000);
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

/* What was opened last on each CPU. */
static struct {
	uint32_t type;
	uint64_t config;
} on_cpu[2];

/* CPU 0 has the core PMU 10, CPU 1 has 4. */
static int
refuse_other_cores(const struct event_attr *attr, int pid, int cpu)
{
	bool is_big = attr->type == PERF_TYPE_RAW ||
		      (attr->type == PERF_TYPE_HARDWARE && attr->config >> 32 == PERF_TYPE_RAW);

	(void)pid;
	if (attr->type == PERF_TYPE_SOFTWARE)
		return 0;
	if (cpu >= 0 && cpu < 2) {
		on_cpu[cpu].type = attr->type;
		on_cpu[cpu].config = attr->config;
	}
	return is_big == (cpu == 1) ? 0 : ENOENT;
}

static struct session_opened_msg *
ask_for(struct session *s, struct queue *answers, const struct event *ev)
{
	session_open(s, 5, ev, 1);
	return (struct session_opened_msg *)queue_wait(answers, WAIT_MS);
}

static void
an_event_of_hybrid_cpus_is_opened_on_each_core_pmu(void **state)
{
	uint32_t more[] = { 10 };
	unsigned cpus[] = { 1 };
	struct event ev = { .name = (char *)(uintptr_t)"r1", .type = PERF_TYPE_RAW, .config = 1,
			    .cpus = cpus, .cpu_count = 1, .more_types = more, .more_count = 1 };
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s = session_with(f, answers);
	struct session_opened_msg *m;

	assert_non_null(s);
	f->mock.refuse = refuse_other_cores;
	m = ask_for(s, answers, &ev);
	assert_non_null(m->event);
	assert_int_equal(m->id_count, 2);
	assert_true(on_cpu[0].type == 10 && on_cpu[1].type == PERF_TYPE_RAW);
	msg_free(&m->msg);
	ev.type = PERF_TYPE_HARDWARE;
	ev.config = (uint64_t)PERF_TYPE_RAW << 32 | 1;
	m = ask_for(s, answers, &ev);
	assert_non_null(m->event);
	assert_int_equal(m->id_count, 2);
	assert_int_equal(on_cpu[0].config, UINT64_C(10) << 32 | 1);
	assert_int_equal(on_cpu[1].config, (uint64_t)PERF_TYPE_RAW << 32 | 1);
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

static void
an_event_is_opened_only_where_its_pmu_counts(void **state)
{
	unsigned cpus[] = { 1 };
	struct event ev = { .name = (char *)(uintptr_t)"uncore", .type = 30, .cpus = cpus,
			    .cpu_count = 1 };
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s = session_with(f, answers);
	struct session_opened_msg *m;

	assert_non_null(s);
	m = ask_for(s, answers, &ev);
	assert_non_null(m->event);
	assert_int_equal(m->id_count, 1);
	msg_free(&m->msg);
	cpus[0] = 77;
	m = ask_for(s, answers, &ev);
	assert_null(m->event);
	assert_int_equal(m->err.code, ERR_GONE);
	assert_non_null(strstr(m->err.hint, "CPU 77"));
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

static void
an_old_kernel_has_no_count_of_losses(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session_opened_msg *m;
	struct session *s;

	f->mock.refuse = refuse_news;
	s = session_with(f, answers);
	assert_non_null(s);
	assert_non_null(session_notice(s, 0));
	m = ask(f, s, answers, "cpu-clock");
	assert_non_null(m->event);
	assert_int_equal(m->notice_count, 0); /* was told by the session */
	assert_int_equal(session_lost(s, m->event), 0);
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

static void
a_cpu_that_comes_gets_rings_and_events(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s = session_with(f, answers);
	struct session_opened_msg *m;
	struct session_rings_msg *r;
	size_t rings;

	m = ask(f, s, answers, "cpu-clock");
	msg_free(&m->msg);
	write_file(f, "sys/devices/system/cpu/online", "1-3\n");
	r = (struct session_rings_msg *)queue_wait(answers, WAIT_MS);
	assert_non_null(r);
	assert_int_equal(r->msg.type, SESSION_MSG_RINGS);
	assert_true(r->tells_cpus);
	assert_int_equal(r->cpus_known, 4);
	assert_string_equal(r->missing, "CPU 0 is off line: 3 of 4 CPUs are sampled");
	assert_int_equal(r->gone_count, 1);
	assert_int_equal(r->gone[0], 0);
	assert_int_equal(r->added_count, 4);
	assert_int_equal(r->id_count, 2);
	assert_int_equal(r->tokens[0], 5);
	session_adopt_rings(s, r);
	msg_free(&r->msg);
	assert_true(session_rings(s, &rings)[0].is_closing);
	assert_int_equal(rings, 8);
	session_drop_ring(s, 0);
	session_drop_ring(s, 0);
	assert_false(session_rings(s, &rings)[0].is_closing);
	assert_int_equal(rings, 6);
	session_free(s);
	queue_free(answers);
}

/* Into a group, as the leader's descriptor says; the attributes as of the last open. */
static int
mock_open_in(const struct sys *self, struct event_attr *attr, int pid, int cpu, int leader_fd)
{
	char path[64], target[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", leader_fd);
	if (readlink(path, target, sizeof(target) - 1) < 0 || strstr(target, "event") == NULL) {
		errno = EBADF;
		return -1;
	}
	if (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES) {
		errno = EINVAL;
		return -1;
	}
	return mock_sys_open(self, attr, pid, cpu);
}

static struct session_opened_msg *
ask_group(struct fixture *f, struct session *s, struct queue *answers, const char *text)
{
	const uint32_t tokens[] = { 5, 6 };
	struct event_list list = { 0 };

	f->mock.sys.open_in = mock_open_in;
	assert_int_equal(event_parse(&f->env, text, &list, &f->err), 0);
	assert_int_equal(event_group_len(list.items, list.len), 2);
	session_open_group(s, tokens, list.items, list.len);
	event_list_release(&list);
	return (struct session_opened_msg *)queue_wait(answers, WAIT_MS);
}

static void
a_group_is_opened_on_each_cpu_and_on_those_that_come(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s = session_with(f, answers);
	struct session_opened_msg *m = ask_group(f, s, answers, "{cpu-clock,page-faults}:S");
	struct session_rings_msg *r;

	assert_non_null(m->event);
	assert_non_null(m->next);
	assert_int_equal(m->token, 5);
	assert_int_equal(m->next->token, 6);
	assert_int_equal(m->id_count + m->next->id_count, 4);
	assert_true(m->attr.disabled);
	assert_that(m->attr.sample_period, >, 0);
	assert_false(m->next->attr.disabled || m->next->attr.sample_period > 0);
	msg_free(&m->msg);
	write_file(f, "sys/devices/system/cpu/online", "0-2\n");
	r = (struct session_rings_msg *)queue_wait(answers, WAIT_MS);
	assert_int_equal(r->id_count, 2);
	assert_int_equal(r->tokens[0], 5);
	assert_int_equal(r->tokens[1], 6);
	session_adopt_rings(s, r);
	msg_free(&r->msg);
	session_free(s);
	queue_free(answers);
}

static void
a_group_that_is_refused_is_told_or_opened_one_by_one(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s = session_with(f, answers);
	struct session_opened_msg *m = ask_group(f, s, answers, "{page-faults,cs}");

	assert_null(m->event);
	assert_int_equal(m->token, 5);
	assert_non_null(strstr(m->err.text, "'cs'"));
	assert_non_null(strstr(m->err.text, "('page-faults' leads it)"));
	msg_free(&m->msg);
	m = ask_group(f, s, answers, "{page-faults,cs}:W");
	assert_non_null(m->event);
	assert_non_null(m->next->event);
	assert_int_equal(m->next->id_count, 2);
	assert_true(m->next->attr.disabled);
	assert_non_null(strstr(m->next->notices[0], "could not be opened as one"));
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

enum { CGROUP_FD = 77 };

static unsigned opened_in_cgroup;

static int
mock_open_cgroup(const struct sys *self, struct event_attr *attr, int cgroup_fd, int cpu)
{
	opened_in_cgroup += cgroup_fd == CGROUP_FD && cpu >= 0;
	return mock_sys_open(self, attr, -1, cpu);
}

/* But for groups of events, which have a descriptor in the same place of the call. */
static void
events_of_one_control_group_are_the_kernels_to_sort_out(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct session *s = session_of_cgroup(f, answers, CGROUP_FD);
	struct session_opened_msg *m;

	f->mock.sys.open_cgroup = mock_open_cgroup;
	m = ask(f, s, answers, "cpu-clock");
	assert_non_null(m->event);
	assert_int_equal(m->id_count, 2);
	assert_int_equal(opened_in_cgroup, 2);
	msg_free(&m->msg);
	m = ask_group(f, s, answers, "{cpu-clock,page-faults}");
	assert_non_null(m->event);
	assert_int_equal(opened_in_cgroup, 2);
	msg_free(&m->msg);
	session_free(s);
	queue_free(answers);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static int
reads_nothing(const struct sys *self, int fd, uint64_t *values, size_t count)
{
	(void)self;
	(void)fd;
	values[0] = 0;
	return (int)(count * sizeof(*values));
}

static int
has_no_breakpoints(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->type == PERF_TYPE_BREAKPOINT ? ENOSPC : 0;
}

/* One that is opened and counts nothing; those that cannot be opened have a reason of their own. */
static void
breakpoints_that_never_fire_are_found_out(void **state)
{
	const struct event watch = { .name = (char *)"mem:x:w", .type = PERF_TYPE_BREAKPOINT };
	const struct event clock = { .name = (char *)"cpu-clock", .type = PERF_TYPE_SOFTWARE };
	struct fixture *f = *state;
	struct err err = { 0 };

	assert_true(breakpoints_fire(&f->mock.sys));
	assert_int_equal(f->mock.last.type, PERF_TYPE_BREAKPOINT);
	assert_true(f->mock.last.exclude_kernel && f->mock.last.exclude_hv);
	f->mock.sys.read = reads_nothing;
	assert_false(breakpoints_fire(&f->mock.sys));
	assert_int_equal(breakpoint_check(&f->mock.sys, &watch, &err), -1);
	assert_non_null(strstr(err.text, "event 'mem:x:w' would count nothing: "));
	assert_non_null(strstr(err.hint, "uprobe:FUNCTION"));
	assert_int_equal(breakpoint_check(&f->mock.sys, &clock, &err), 0);
	f->mock.refuse = has_no_breakpoints;
	assert_true(breakpoints_fire(&f->mock.sys));
	assert_int_equal(breakpoint_check(&f->mock.sys, &watch, &err), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(breakpoints_that_never_fire_are_found_out),
		TEST(a_willing_kernel_gets_what_the_event_says),
		TEST(an_old_kernels_size_is_taken),
		TEST(precise_levels_are_tried_downwards),
		TEST(a_precise_level_that_was_asked_for_is_not_lowered),
		TEST(guests_are_counted_where_they_cannot_be_left_out),
		TEST(without_the_right_to_the_kernel_user_space_is_sampled),
		TEST(a_machine_without_counters_is_told_as_such),
		TEST(a_denial_names_event_place_reason_and_remedy),
		TEST(the_limit_of_descriptors_is_raised_once),
		TEST(the_frequency_is_cut_to_the_kernels_limit),
		TEST(an_old_kernel_gets_a_side_band_without_what_it_lacks),
		TEST(without_the_right_to_namespaces_what_gives_it_is_told),
		TEST(without_the_right_to_cpus_own_processes_are_sampled),
		TEST(without_any_right_the_session_says_why_and_opens_nothing),
		TEST(a_level_that_forbids_all_is_all_that_is_told),
		TEST(losses_are_summed_over_descriptors),
		TEST(an_event_of_hybrid_cpus_is_opened_on_each_core_pmu),
		TEST(an_event_is_opened_only_where_its_pmu_counts),
		TEST(an_old_kernel_has_no_count_of_losses),
		TEST(a_cpu_that_comes_gets_rings_and_events),
		TEST(a_group_is_opened_on_each_cpu_and_on_those_that_come),
		TEST(a_group_that_is_refused_is_told_or_opened_one_by_one),
		TEST(events_of_one_control_group_are_the_kernels_to_sort_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
