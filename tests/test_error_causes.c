/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Causes of refusals that this machine cannot be brought to: kernel, /proc and /sys are played.
 */
#include "app/run.h"
#include "live/open/open_error.h"
#include "live/sys/cpus.h"
#include "live/sys/rights.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"
#include "tests/asserts.h"
#include "tests/mock_sys.h"

enum { TASK = 4242, EVERY = -1 };

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

/* A process that holds a perf event. */
static void
write_holder(const struct fixture *f, int pid, const char *name)
{
	char path[128], link[256];

	snprintf(path, sizeof(path), "proc/%d/comm", pid);
	write_file(f, path, name);
	snprintf(path, sizeof(path), "proc/%d/fd/0", pid);
	write_file(f, path, "");
	snprintf(link, sizeof(link), "%s/proc/%d/fd/3", f->root, pid);
	assert_int_equal(symlink("anon_inode:[perf_event]", link), 0);
}

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	if (!fake_root_make(f->root))
		return -1;
	f->env.root = f->root;
	mock_sys_init(&f->mock);
	f->mock.makes_files = true;
	f->plan.env = &f->env;
	f->plan.spec.name = mem_strdup("cycles");
	f->plan.attr = (struct event_attr){ .type = PERF_TYPE_HARDWARE,
					    .size = sizeof(f->plan.attr),
					    .sample_period = 1,
					    .exclude_kernel = 1 };
	write_file(f, "proc/sys/kernel/perf_event_paranoid", "2\n");
	write_file(f, "proc/self/status", "CapEff:\t0000000000000000\nSeccomp:\t0\n");
	write_file(f, "proc/self/uid_map", "         0          0 4294967295\n");
	write_file(f, "sys/devices/system/cpu/online", "0-1\n");
	write_file(f, "sys/devices/system/cpu/possible", "0-3\n");
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

static void
has_all_capabilities(const struct fixture *f)
{
	write_file(f, "proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t0\n");
}

static const char *
next_descriptor(void)
{
	static char name[16];
	int fd = dup(STDERR_FILENO);

	snprintf(name, sizeof(name), "%d", fd);
	close(fd);
	return name;
}

/* On @pid and @cpu, @error has that name, cause and remedy. */
static void
says(struct fixture *f, int pid, int cpu, int error, const char *name, const char *cause,
     const char *remedy)
{
	char begin[80], before[16];

	strcpy(before, next_descriptor());
	f->err = (struct err){ 0 };
	assert_int_equal(open_error_set(&f->err, &f->mock.sys, &f->plan, pid, cpu, error), -1);
	assert_string_equal(next_descriptor(), before);
	assert_int_equal(f->err.sys, error);
	snprintf(begin, sizeof(begin), ": %s (%s): ", open_errno_name(error), name);
	if (strstr(f->err.text, begin) == NULL || strstr(f->err.text, cause) == NULL ||
	    strstr(f->err.hint, remedy) == NULL)
		fail_msg("'%s' '%s' '%s' are not in: %s (%s)", begin, cause, remedy, f->err.text,
			 f->err.hint);
}

static int
refuse_einval(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	return EINVAL;
}

static int
refuse_eacces(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	return EACCES;
}

static int
refuse_eperm(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	return EPERM;
}

static int
refuse_hardware(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->type == PERF_TYPE_SOFTWARE ? 0 : EPERM;
}

/* ---- rights */

static void
paranoid_3_and_4_of_distributions_are_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_eacces;
	write_file(f, "proc/sys/kernel/perf_event_paranoid", "3\n");
	says(f, 0, -1, EACCES, "PermissionDenied",
	     "forbids perf events to ordinary users (kernel.perf_event_paranoid is 3)",
	     "kernel.perf_event_paranoid=2");
	write_file(f, "proc/sys/kernel/perf_event_paranoid", "4\n");
	says(f, 0, -1, EACCES, "PermissionDenied", "kernel.perf_event_paranoid is 4", "setcap");
	/* An own counter opens: the level is not what it is. */
	f->mock.refuse = refuse_hardware;
	says(f, EVERY, 0, EPERM, "PermissionDenied", "whole CPUs", "paranoid=0");
}

/* Of a container, as Docker makes them: nothing that it can do itself helps. */
static void
root_with_few_capabilities_is_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_hardware;
	write_file(f, "proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t0\n");
	says(f, EVERY, 0, EACCES, "PermissionDenied",
	     "this root has no CAP_PERFMON (kernel.perf_event_paranoid is 2)",
	     "start the container with --cap-add PERFMON, or outside of it: sudo sysctl");
	says(f, 1, -1, EACCES, "PermissionDenied", "CAP_PERFMON is missing", "--cap-add PERFMON");
	/* A level that allows it is not what forbids it. */
	write_file(f, "proc/sys/kernel/perf_event_paranoid", "0\n");
	f->mock.refuse = refuse_eperm;
	write_file(f, "sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	says(f, EVERY, 0, EPERM, "PermissionDenied", "the kernel is locked down", "lockdown");
}

static void
lockdown_is_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_eperm;
	has_all_capabilities(f);
	write_file(f, "sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	says(f, 0, -1, EPERM, "PermissionDenied", "the kernel is locked down",
	     "lockdown=confidentiality");
	write_file(f, "sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	says(f, 0, -1, EPERM, "PermissionDenied", "a right is missing", "run as root");
}

static void
security_modules_are_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_eacces;
	has_all_capabilities(f);
	write_file(f, "proc/self/attr/current", "docker-default (enforce)\n");
	says(f, 0, -1, EACCES, "PermissionDenied",
	     "a security module forbids it (AppArmor: docker-default (enforce))", "aa-complain");
	write_file(f, "proc/self/attr/current", "docker-default (complain)\n");
	says(f, 0, -1, EACCES, "PermissionDenied", "a right is missing", "");
	write_file(f, "proc/self/attr/current", "user_u:user_r:user_t:s0");
	write_file(f, "sys/fs/selinux/enforce", "1");
	says(f, 0, -1, EACCES, "PermissionDenied", "(SELinux: user_u:user_r:user_t:s0)",
	     "setenforce 0");
	write_file(f, "sys/fs/selinux/enforce", "0");
	says(f, 0, -1, EACCES, "PermissionDenied", "a right is missing", "");
}

static void
yama_is_told(void **state)
{
	struct fixture *f = *state;
	char status[64];

	f->mock.refuse = refuse_eacces;
	write_file(f, "proc/sys/kernel/yama/ptrace_scope", "1\n");
	snprintf(status, sizeof(status), "State:\tS (sleeping)\nUid:\t%u\t%u\n",
		 (unsigned)geteuid(), (unsigned)geteuid());
	write_file(f, "proc/4242/status", status);
	write_file(f, "proc/4242/maps", "");
	says(f, TASK, -1, EACCES, "PermissionDenied", "kernel.yama.ptrace_scope is 1",
	     "kernel.yama.ptrace_scope=0");
	write_file(f, "proc/sys/kernel/yama/ptrace_scope", "0\n");
	says(f, TASK, -1, EACCES, "PermissionDenied", "CAP_PERFMON is missing", "setcap");
}

static void
a_user_namespace_is_known_by_its_map(void **state)
{
	struct fixture *f = *state;
	struct rights r;

	has_all_capabilities(f);
	rights_read(&r, &f->env);
	assert_true(rights_perfmon(&r) && rights_has(&r, CAP_NR_IPC_LOCK));
	write_file(f, "proc/self/uid_map", "         0       1000          1\n");
	rights_read(&r, &f->env);
	assert_true(r.in_user_ns);
	assert_false(rights_perfmon(&r) || rights_has(&r, CAP_NR_IPC_LOCK));
	write_file(f, "proc/self/uid_map", "");
	rights_read(&r, &f->env);
	assert_true(r.in_user_ns);
}

/* The level that grants it, if one does; what asks for a capability, or for the task, gets neither. */
static void
in_a_user_namespace_no_level_is_named_that_would_not_help(void **state)
{
	static const char outside[] = "run ptop outside of the container";
	static const struct {
		int pid, level;
		uint32_t type;
		enum event_place place;
		bool has_kernel, is_raw;
		const char *remedy; /* NULL: to be outside alone */
	} rows[] = {
		{ EVERY, 2, PERF_TYPE_HARDWARE, EVENT_PLACE_NONE, false, false, "=0" },
		{ EVERY, 2, PERF_TYPE_HARDWARE, EVENT_PLACE_NONE, true, false, "=0" },
		{ 0, 2, PERF_TYPE_HARDWARE, EVENT_PLACE_NONE, true, false, "=1" },
		{ 0, 0, PERF_TYPE_TRACEPOINT, EVENT_PLACE_NONE, true, true, "=-1" },
		{ TASK, 2, PERF_TYPE_HARDWARE, EVENT_PLACE_NONE, true, false, NULL },
		{ TASK, 0, PERF_TYPE_HARDWARE, EVENT_PLACE_NONE, false, false, NULL },
		{ TASK, -1, PERF_TYPE_HARDWARE, EVENT_PLACE_NONE, false, false, NULL },
		{ EVERY, 2, PERF_TYPE_HARDWARE, EVENT_PLACE_KPROBE, true, false, NULL },
		{ EVERY, 2, PERF_TYPE_HARDWARE, EVENT_PLACE_UPROBE, false, false, NULL },
	};
	struct fixture *f = *state;
	char text[128];

	has_all_capabilities(f);
	write_file(f, "proc/self/uid_map", "         0       1000          1\n");
	write_file(f, "proc/4242/status", "Uid:\t12345\t12345\t12345\t12345\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "%d\n", rows[i].level);
		write_file(f, "proc/sys/kernel/perf_event_paranoid", text);
		f->plan.attr.type = rows[i].type;
		f->plan.attr.exclude_kernel = !rows[i].has_kernel;
		f->plan.attr.sample_type = rows[i].is_raw ? PERF_SAMPLE_RAW : 0;
		f->plan.spec.place = rows[i].place;
		says(f, rows[i].pid, rows[i].pid == EVERY ? 0 : -1, EACCES, "PermissionDenied",
		     "capabilities of a user namespace do not count", outside);
		snprintf(text, sizeof(text), "%s%s%s", outside, rows[i].remedy == NULL ? "" :
			 ", or there: sudo sysctl kernel.perf_event_paranoid", rows[i].remedy == NULL ? "" :
			 rows[i].remedy);
		assert_string_equal(f->err.hint, text);
		assert_int_equal(strstr(f->err.text, "paranoid") != NULL, rows[i].remedy != NULL);
	}
}

static int
refuse_exclude_idle(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->exclude_idle ? EPERM : 0;
}

static void
eperm_of_an_attribute_that_is_not_supported_is_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_exclude_idle;
	has_all_capabilities(f);
	f->plan.attr.exclude_idle = 1;
	says(f, 0, -1, EPERM, "PermissionDenied", "without exclude_idle it opens", "modifier I");
	assert_that(f->mock.opened, >, 0);
}

static int
refuse_boottime(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->use_clockid && attr->clockid != CLOCK_MONOTONIC ? EINVAL : 0;
}

/* As the kernel does with all that is not counted by software: this machine has no PMU. */
static void
a_clock_that_is_not_for_nmis_is_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_boottime;
	f->plan.attr.use_clockid = 1;
	f->plan.attr.clockid = CLOCK_BOOTTIME;
	says(f, EVERY, 0, EINVAL, "AttributeNotSupported", "(--clockid boottime)",
	     "--clockid monotonic or monotonic_raw");
}

/* ---- EBUSY, ENOSPC */

static void
who_holds_the_counters_is_named(void **state)
{
	struct fixture *f = *state;

	write_holder(f, 77, "perf\n");
	write_holder(f, 78, "evil\x1b[31m\n");
	write_file(f, "proc/79/fd/0", "");
	says(f, EVERY, 1, EBUSY, "DeviceBusy", "perf (pid 77)", "end the programs named");
	assert_non_null(strstr(f->err.text, "evil\\x1b[31m (pid 78)"));
	assert_null(strstr(f->err.text, "79"));
	assert_non_null(strstr(f->err.text, "event 'cycles' on CPU 1: EBUSY"));
	assert_int_equal(f->err.code, ERR_BUSY);
	write_holder(f, 80, "ptop\n");
	write_holder(f, 81, "ptop\n");
	says(f, EVERY, 1, EBUSY, "DeviceBusy", " and 1 more)", "");
	f->plan.attr.type = PERF_TYPE_BREAKPOINT;
	says(f, EVERY, 1, ENOSPC, "TooManyBreakpoints", "perf (pid 77)", "debuggers");
}

static void
the_nmi_watchdog_is_told(void **state)
{
	struct fixture *f = *state;

	write_file(f, "proc/sys/kernel/nmi_watchdog", "1\n");
	says(f, EVERY, 1, EBUSY, "DeviceBusy", "the NMI watchdog is on",
	     "kernel.nmi_watchdog=0");
	write_file(f, "proc/sys/kernel/nmi_watchdog", "0\n");
	says(f, EVERY, 1, EBUSY, "DeviceBusy", "another event keeps the counters", "lsof");
	says(f, EVERY, 1, ENOSPC, "NoCountersLeft", "all counters", "other profilers");
}

/* ---- CPUs, PMUs, attributes */

static void
a_cpu_that_is_off_line_is_told(void **state)
{
	struct fixture *f = *state;

	says(f, EVERY, 3, ENODEV, "CpuOffline", "on CPU 3: ENODEV",
	     "echo 1 | sudo tee /sys/devices/system/cpu/cpu3/online");
	assert_int_equal(f->err.code, ERR_GONE);
	says(f, EVERY, 1, ENODEV, "EventRequiresUnsupportedCpuFeature", "this CPU lacks",
	     "ptop --list");
	says(f, EVERY, 1, ENXIO, "EventRequiresUnsupportedCpuFeature", "not set up", "");
}

static void
a_pmu_that_counts_no_tasks_is_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_einval;
	f->plan.attr.type = 23;
	write_file(f, "sys/bus/event_source/devices/uncore_imc/type", "23\n");
	write_file(f, "sys/bus/event_source/devices/uncore_imc/cpumask", "0\n");
	says(f, TASK, 0, EINVAL, "ScopeNotSupported", "PMU uncore_imc has a cpumask",
	     "leave out -p");
	says(f, EVERY, 0, EINVAL, "PmuNotFound", "does not have the event (PMU uncore_imc",
	     "another PMU");
}

static int
refuse_precise(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->precise_ip != 0 ? EOPNOTSUPP : 0;
}

static int
refuse_sampling(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->sample_period != 0 ? EOPNOTSUPP : 0;
}

static void
what_a_counter_cannot_do_is_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_precise;
	f->plan.attr.precise_ip = 2;
	says(f, 0, -1, EOPNOTSUPP, "EventRequiresUnsupportedCpuFeature",
	     "without precise_ip 2 it opens", "modifier p");
	f->plan.attr.precise_ip = 0;
	f->mock.refuse = refuse_sampling;
	says(f, 0, -1, EOPNOTSUPP, "EventNotSupported", "counted but not sampled", "cpu-clock");
	write_file(f, "sys/bus/event_source/devices/cpu/type", "4\n");
	says(f, 0, -1, ENOENT, "EventNotFound", "no such hardware counter", "ptop --list");
}

static int
refuse_samples(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->sample_period != 0 ? EINVAL : 0;
}

static int
refuse_unknown_bits(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->sample_type >> 25 != 0 ? EINVAL : 0;
}

static void
einval_of_what_can_only_be_counted_is_told_from_others(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_samples;
	says(f, 0, -1, EINVAL, "EventNotSupported", "counted but not sampled", "--view counters");
	f->mock.refuse = refuse_unknown_bits;
	f->plan.attr.sample_type = UINT64_C(1) << 63 | PERF_SAMPLE_IP;
	says(f, 0, -1, EINVAL, "AttributeNotSupported", "bits of sample_type that this kernel does not",
	     "a newer kernel");
}

static int
refuse_stack_enosys(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->sample_type & PERF_SAMPLE_STACK_USER ? ENOSYS : 0;
}

static int
refuse_enosys(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	return ENOSYS;
}

static void
stack_dumps_that_the_machine_cannot_make_are_told(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_stack_enosys;
	f->plan.attr.sample_type = PERF_SAMPLE_STACK_USER;
	f->plan.attr.sample_stack_user = 8192;
	says(f, 0, -1, ENOSYS, "SampleStackNotSupported", "cannot dump user stacks",
	     "--call-graph fp");
	f->mock.refuse = refuse_enosys;
	says(f, 0, -1, ENOSYS, "PerfNotAvailable", "built without perf events",
	     "CONFIG_PERF_EVENTS");
}

/* ---- breakpoints */

static int
refuse_reads(const struct event_attr *attr, int pid, int cpu)
{
	(void)pid;
	(void)cpu;
	return attr->bp_type == HW_BREAKPOINT_R ? EINVAL : 0;
}

static void
what_no_breakpoint_can_watch_is_told(void **state)
{
	struct fixture *f = *state;
	struct event_attr *attr = &f->plan.attr;

	f->mock.refuse = refuse_reads;
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->config1 = 0x1000;
	attr->config2 = 4;
	attr->bp_type = HW_BREAKPOINT_R;
	says(f, 0, -1, EINVAL, "AttributeNotSupported", "does not watch reads alone", ":rw");
	f->mock.refuse = refuse_einval;
	attr->bp_type = HW_BREAKPOINT_W;
	attr->config2 = 3;
	says(f, 0, -1, EINVAL, "AttributeNotSupported", "no such length (3 bytes)", "/8");
	attr->config1 = 0x1001;
	attr->config2 = 4;
	says(f, 0, -1, EINVAL, "AttributeNotSupported", "a multiple of the length", "/1");
	attr->config1 = UINT64_MAX - 7;
	says(f, 0, -1, EINVAL, "PermissionDenied",
	     "the address is the kernel's, and kernel space is left out (kernel.perf_event_paranoid",
	     "CAP_SYS_ADMIN");
	attr->exclude_kernel = 0; /* it was tried without in the end */
	says(f, 0, -1, EINVAL, "PermissionDenied", "kernel space is left out", "CAP_SYS_ADMIN");
	/* Root of a container is root already. */
	f->mock.refuse = refuse_eperm;
	write_file(f, "proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t0\n");
	says(f, 0, -1, EPERM, "PermissionDenied", "need CAP_SYS_ADMIN", "--cap-add SYS_ADMIN");
}

/* ---- the rest */

static int
refuse_eintr(const struct event_attr *attr, int pid, int cpu)
{
	(void)attr;
	(void)pid;
	(void)cpu;
	return EINTR;
}

static void
interruptions_have_an_end(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_eintr;
	assert_int_equal(open_event(&f->mock.sys, &f->plan, 0, -1, &f->err), -1);
	assert_non_null(strstr(f->err.text, "EINTR (Interrupted): signals came"));
	f->plan.spec.place = EVENT_PLACE_UPROBE;
	says(f, 0, -1, EINTR, "Interrupted", "ftrace and perf cannot both use this probe",
	     "uprobe_events");
	f->plan.spec.place = EVENT_PLACE_NONE;
	f->plan.attr.type = PERF_TYPE_TRACEPOINT;
	free(f->plan.spec.name);
	f->plan.spec.name = mem_strdup("probe_libc:malloc");
	says(f, 0, -1, EINTR, "Interrupted", "ftrace has this probe on",
	     "events/probe_libc/malloc/enable");
}

static void
a_tracepoint_is_not_to_be_had_without_the_kernel(void **state)
{
	struct fixture *f = *state;

	f->mock.refuse = refuse_hardware;
	f->plan.attr.type = PERF_TYPE_TRACEPOINT;
	f->plan.attr.exclude_kernel = 0;
	says(f, 0, 0, EACCES, "PermissionDenied", "tracepoints, which are in the kernel", "setcap");
	assert_null(strstr(f->err.hint, "EVENT:u"));
}

static void
what_the_machine_has_too_little_of_is_told(void **state)
{
	struct fixture *f = *state;

	write_file(f, "proc/sys/fs/file-max", "777\n");
	says(f, 0, -1, ENFILE, "SystemResources", "fs.file-max is 777", "fs.file-max=1554");
	says(f, 0, -1, ENOMEM, "SystemResources", "no memory", "-m");
	says(f, 0, -1, EOVERFLOW, "SampleMaxStackOverflow", "longer than allowed", "max-stack");
	says(f, 0, -1, ESRCH, "ProcessNotFound", "on ptop itself: ESRCH", "");
	write_file(f, "proc/sys/kernel/perf_event_mlock_kb", "99\n");
	assert_int_equal(open_error_ring(&f->err, &f->env, 320 << 10, 2, EPERM), -1);
	assert_non_null(strstr(f->err.text, "320K for each of 2 CPUs wanted; "
			       "kernel.perf_event_mlock_kb is 99, RLIMIT_MEMLOCK is "));
	assert_non_null(strstr(f->err.hint, "kernel.perf_event_mlock_kb=320"));
	/* It would do, if others had nothing. */
	write_file(f, "proc/sys/kernel/perf_event_mlock_kb", "516\n");
	assert_int_equal(open_error_ring(&f->err, &f->env, 40 << 10, 2, EPERM), -1);
	assert_non_null(strstr(f->err.hint, "kernel.perf_event_mlock_kb=556"));
	assert_int_equal(open_error_ring(&f->err, &f->env, 320 << 10, 2, ENOMEM), -1);
	assert_non_null(strstr(f->err.text, "ENOMEM (RingMemory): "));
}

static void
too_few_descriptors_for_the_list_of_cpus_are_told(void **state)
{
	struct fixture *f = *state;
	struct rlimit before, none;
	struct cpus cpus;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)atoi(next_descriptor());
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(cpus_read_online(&f->env, &cpus, &f->err), -1);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(f->err.code, ERR_LIMIT);
	assert_non_null(strstr(f->err.text, "Too many open files"));
	assert_non_null(strstr(f->err.hint, "ulimit -n"));
}

static void
an_errno_that_is_not_known_is_told_as_it_is(void **state)
{
	struct fixture *f = *state;

	open_error_set(&f->err, &f->mock.sys, &f->plan, TASK, 1, ETIMEDOUT);
	assert_non_null(strstr(f->err.text, "'cycles' on task 4242, CPU 1: Connection timed out"));
	assert_int_equal(f->err.sys, ETIMEDOUT);
	assert_null(open_errno_name(ETIMEDOUT));
}

/* Every row can be reached, and says what helps. */
static void
the_table_is_in_order(void **state)
{
	size_t count;
	const struct open_error *rows = open_errors(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_non_null(open_errno_name(rows[i].sys));
		assert_true(rows[i].sys_too == 0 || open_errno_name(rows[i].sys_too) != NULL);
		assert_that(strlen(rows[i].why), >, 0);
		assert_that(strlen(rows[i].why), <, 120);
		assert_that(strlen(rows[i].remedy), <, sizeof(((struct err *)0)->hint));
		for (size_t j = 0; j < i; j++)
			if (rows[j].sys == rows[i].sys)
				assert_non_null(rows[j].test);
	}
	for (int k = 0; k < OPEN_KIND_COUNT; k++) {
		assert_non_null(open_kinds[k].name);
		for (int j = 0; j < k; j++)
			assert_string_not_equal(open_kinds[j].name, open_kinds[k].name);
	}
}

/* ---- --check on such a machine */

static void
check_tells_of_a_kernel_that_forbids_all(void **state)
{
	static const char *const denied[] = {
		"\nsystem-wide              no ", "\nkernel                   no ",
		"\nother users' processes   no ", "\nhardware events          no ",
		"\nbreakpoints              no ", "\nuprobes                  no ",
		"\ncgroups                  no ", "\nuser stack dumps         no ",
		"\nring memory              no ", "\nkernel symbols           no ",
	};
	struct fixture *f = *state;
	struct config config = { .engine.mmap_pages = 64 };
	struct buf b = { 0 };

	f->mock.refuse = refuse_eacces;
	write_file(f, "proc/sys/kernel/perf_event_paranoid", "4\n");
	assert_false(check_put(&b, &f->mock.sys, &f->env, &config));
	assert_non_null(strstr(b.data, "perf_event_paranoid 4\n"));
	assert_non_null(strstr(b.data, "\nown processes            no  EACCES (PermissionDenied): "
			       "this kernel forbids perf\n"));
	assert_non_null(strstr(b.data, "    or: sudo sysctl kernel.perf_event_paranoid=2\n"));
	for (size_t i = 0; i < ARRAY_SIZE(denied); i++)
		assert_non_null(strstr(b.data, denied[i]));
	buf_release(&b);
}

#define CAUSE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		CAUSE_TEST(paranoid_3_and_4_of_distributions_are_told),
		CAUSE_TEST(root_with_few_capabilities_is_told),
		CAUSE_TEST(lockdown_is_told),
		CAUSE_TEST(security_modules_are_told),
		CAUSE_TEST(yama_is_told),
		CAUSE_TEST(a_user_namespace_is_known_by_its_map),
		CAUSE_TEST(in_a_user_namespace_no_level_is_named_that_would_not_help),
		CAUSE_TEST(eperm_of_an_attribute_that_is_not_supported_is_told),
		CAUSE_TEST(a_clock_that_is_not_for_nmis_is_told),
		CAUSE_TEST(who_holds_the_counters_is_named),
		CAUSE_TEST(the_nmi_watchdog_is_told),
		CAUSE_TEST(a_cpu_that_is_off_line_is_told),
		CAUSE_TEST(a_pmu_that_counts_no_tasks_is_told),
		CAUSE_TEST(what_a_counter_cannot_do_is_told),
		CAUSE_TEST(stack_dumps_that_the_machine_cannot_make_are_told),
		CAUSE_TEST(interruptions_have_an_end),
		CAUSE_TEST(what_no_breakpoint_can_watch_is_told),
		CAUSE_TEST(einval_of_what_can_only_be_counted_is_told_from_others),
		CAUSE_TEST(a_tracepoint_is_not_to_be_had_without_the_kernel),
		CAUSE_TEST(what_the_machine_has_too_little_of_is_told),
		CAUSE_TEST(too_few_descriptors_for_the_list_of_cpus_are_told),
		CAUSE_TEST(an_errno_that_is_not_known_is_told_as_it_is),
		cmocka_unit_test(the_table_is_in_order),
		CAUSE_TEST(check_tells_of_a_kernel_that_forbids_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
