/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What perf_event_open(2) refuses, provoked for real: each error tells its name, its cause and what
 * helps, and leaves no descriptor open.  Every attempt is made in a child.
 */
#include "paranoid.h"
#include "session_fixture.h"

#include "live/open/open_error.h"
#include "live/sys/sys.h"
#include "tests/run.h"
#include "tests/skip.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/hw_breakpoint.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534, BAD_FD = 9999, ALL = -1, SELF = 0, PARANOID = 2 };

/* One attempt: who tries what, where. */
struct attempt {
	const char *event;   /* in perf's syntax */
	struct event_attr attr;
	enum event_place place;
	int pid, cpu;
	const struct sys *sys;
	void (*become)(struct attempt *a);
};

/* What came of it, in memory that the child shares. */
struct outcome {
	int error; /* 0: it was opened */
	struct err err;
	size_t before, after; /* descriptors */
};

static struct attempt
attempt(const char *name)
{
	struct event ev = event_of(name);
	struct attempt a = { .event = name, .pid = SELF, .cpu = -1, .sys = &sys_kernel };

	a.attr = (struct event_attr){
		.type = ev.type,
		.size = sizeof(a.attr),
		.config = ev.config,
		.sample_period = 100000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.disabled = 1,
		.exclude_user = ev.exclude_user,
		.exclude_kernel = ev.exclude_kernel,
		.exclude_hv = ev.exclude_hv,
	};
	event_release(&ev);
	return a;
}

static struct attempt
breakpoint(uint64_t address)
{
	struct attempt a = attempt("cpu-clock:u");

	a.event = "mem:breakpoint:w";
	a.attr.type = PERF_TYPE_BREAKPOINT;
	a.attr.config = 0;
	a.attr.bp_type = HW_BREAKPOINT_W;
	a.attr.config1 = address;
	a.attr.config2 = HW_BREAKPOINT_LEN_8;
	return a;
}

static void
try_it(struct attempt *a, struct outcome *o)
{
	struct event_env env = { "" };
	struct open_plan plan = { .env = &env, .attr = a->attr };
	char *name = mem_strdup(a->event);
	int fd;

	if (a->become != NULL)
		a->become(a);
	plan.spec.name = name;
	plan.spec.place = a->place;
	o->before = count_descriptors();
	fd = a->sys->open(a->sys, &a->attr, a->pid, a->cpu);
	o->error = fd < 0 ? errno : 0;
	if (fd < 0)
		open_error_set(&o->err, a->sys, &plan, a->pid, a->cpu, o->error);
	o->after = count_descriptors() - (fd >= 0);
	free(name);
}

/* It fails with @error, and says what is in @name, @cause and @remedy. */
static void
refused(struct attempt a, int error, const char *name, const char *cause, const char *remedy)
{
	struct outcome *o = mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct outcome got;
	char begin[160];
	int status, pid = run_fork();

	if (pid == 0) {
		try_it(&a, o);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	got = *o;
	munmap(o, sizeof(*o));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(got.error, error);
	assert_int_equal(got.err.sys, error);
	snprintf(begin, sizeof(begin), "cannot open event '%s' on ", a.event);
	assert_memory_equal(got.err.text, begin, strlen(begin));
	snprintf(begin, sizeof(begin), ": %s (%s): ", open_errno_name(error), name);
	assert_non_null(strstr(got.err.text, begin));
	assert_non_null(strstr(got.err.text, cause));
	assert_non_null(strstr(got.err.hint, remedy));
	assert_int_equal(got.before, got.after);
}

/* ---- who tries */

static void
become_nobody(struct attempt *a)
{
	(void)a;
	if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
}

/* In a new namespace, where it has all capabilities. */
static void
become_contained(struct attempt *a)
{
	become_nobody(a);
	if (unshare(CLONE_NEWUSER) < 0)
		_exit(1);
}

static void
become_filtered(uint32_t error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(1);
}

static void
become_filtered_enosys(struct attempt *a)
{
	(void)a;
	become_filtered(ENOSYS);
}

static void
become_filtered_eperm(struct attempt *a)
{
	(void)a;
	become_filtered(EPERM);
}

/* ---- calls that ptop itself does not make */

static int
open_in_bad_group(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	(void)self;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, BAD_FD, PERF_FLAG_FD_CLOEXEC);
}

static int
open_bad_cgroup(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	(void)self;
	(void)pid;
	return (int)syscall(SYS_perf_event_open, attr, BAD_FD, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
}

static int
open_with_garbage_behind(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	uint8_t bytes[512];
	int fd;

	(void)self;
	memset(bytes, 0xff, sizeof(bytes));
	memcpy(bytes, attr, sizeof(*attr));
	((struct event_attr *)bytes)->size = sizeof(bytes);
	fd = (int)syscall(SYS_perf_event_open, bytes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	attr->size = ((struct event_attr *)bytes)->size;
	return fd;
}

static int
open_nowhere(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	(void)self;
	(void)attr;
	return (int)syscall(SYS_perf_event_open, (void *)8, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static const struct sys bad_group = { .open = open_in_bad_group };
static const struct sys bad_cgroup = { .open = open_bad_cgroup };
static const struct sys garbage_behind = { .open = open_with_garbage_behind };
static const struct sys nowhere = { .open = open_nowhere };

/* ---- EACCES, EPERM */

static void
whole_cpus_are_denied_to_an_ordinary_user(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.become = become_nobody;
	a.pid = ALL;
	a.cpu = 0;
	refused(a, EACCES, "PermissionDenied",
		"on CPU 0: EACCES (PermissionDenied): ordinary users may not watch whole CPUs "
		"(kernel.perf_event_paranoid is 2)",
		"sudo sysctl kernel.perf_event_paranoid=0");
}

static void
the_kernel_is_denied_to_an_ordinary_user(void **state)
{
	struct attempt a = attempt("cpu-clock");

	(void)state;
	a.become = become_nobody;
	refused(a, EACCES, "PermissionDenied",
		"ordinary users may not watch the kernel (kernel.perf_event_paranoid is 2)",
		"kernel.perf_event_paranoid=1");
}

static void
another_users_task_is_denied(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.become = become_nobody;
	a.pid = getpid();
	refused(a, EACCES, "PermissionDenied",
		"the task belongs to another user (its user is 0, ptop's 65534",
		"sudo setcap cap_perfmon,cap_sys_ptrace+ep");
}

/* A process of its own that cannot be dumped; the test's end is its end. */
static void
become_nobody_with_a_secret(struct attempt *a)
{
	int ready[2];
	char byte;

	become_nobody(a);
	if (pipe(ready) < 0)
		_exit(1);
	a->pid = run_fork();
	if (a->pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		_exit(1);
}

static void
a_task_that_is_not_dumpable_is_denied(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.become = become_nobody_with_a_secret;
	refused(a, EACCES, "PermissionDenied",
		"the task is closed to its own user (it is not dumpable", "cap_sys_ptrace");
}

static void
capabilities_of_a_user_namespace_do_not_count(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.become = become_contained;
	a.pid = ALL;
	a.cpu = 0;
	refused(a, EACCES, "PermissionDenied", "capabilities of a user namespace do not count",
		"outside of the container");
}

static void
fields_of_tracepoints_are_denied_to_an_ordinary_user(void **state)
{
	struct attempt a = attempt("cpu-clock:u");
	struct event_env env;
	struct event_list list = { 0 };
	struct err err = { 0 };

	(void)state;
	event_env_open(&env);
	if (event_parse(&env, "sched:sched_switch", &list, &err) < 0)
		fail_msg("%s", err.text);
	a.event = "sched:sched_switch";
	a.attr.type = list.items[0].type;
	a.attr.config = list.items[0].config;
	a.attr.sample_type |= PERF_SAMPLE_RAW;
	a.become = become_nobody;
	refused(a, EPERM, "PermissionDenied", "ordinary users may not read fields of tracepoints",
		"sudo sysctl kernel.perf_event_paranoid=-1");
	event_list_release(&list);
	event_env_close(&env);
}

static void
breakpoints_in_the_kernel_are_denied_to_an_ordinary_user(void **state)
{
	struct attempt a = breakpoint(UINT64_C(0xffffffff81000000));

	(void)state;
	a.attr.exclude_kernel = 0;
	a.become = become_nobody;
	paranoid_set(1);
	refused(a, EPERM, "PermissionDenied", "breakpoints in the kernel need CAP_SYS_ADMIN",
		"sudo ptop");
	paranoid_set(PARANOID);
}

static int64_t
read_number(const char *path)
{
	int64_t number = -1;
	FILE *file = fopen(path, "r");
	long value;

	if (file != NULL && fscanf(file, "%ld", &value) == 1)
		number = value;
	if (file != NULL)
		fclose(file);
	return number;
}

static struct attempt
uprobe(const char *path, uint64_t offset)
{
	int64_t type = read_number("/sys/bus/event_source/devices/uprobe/type");
	struct attempt a = attempt("cpu-clock:u");

	if (type < 0)
		skip_for("this kernel has no PMU called uprobe");
	a.event = "uprobe:x";
	a.place = EVENT_PLACE_UPROBE;
	a.attr.type = (uint32_t)type;
	a.attr.config = 0;
	a.attr.config1 = (uintptr_t)path;
	a.attr.config2 = offset;
	return a;
}

static void
probes_are_denied_to_an_ordinary_user(void **state)
{
	struct attempt a = uprobe("/bin/sh", 4096);

	(void)state;
	a.become = become_nobody;
	refused(a, EACCES, "PermissionDenied", "uprobes need CAP_SYS_ADMIN",
		"sudo ptop");
}

static void
a_seccomp_filter_is_found(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.become = become_filtered_enosys;
	refused(a, ENOSYS, "PerfNotAvailable", "seccomp filter hides perf_event_open",
		"--cap-add PERFMON");
	a.become = become_filtered_eperm;
	refused(a, EPERM, "PermissionDenied",
		"a seccomp filter forbids perf events to this process (Seccomp is 2",
		"--cap-add PERFMON");
}

/* ---- E2BIG, EBADF, EFAULT */

static void
attributes_of_a_later_kernel_are_too_big(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.sys = &garbage_behind;
	refused(a, E2BIG, "TooBig", "the attributes are too long", "fewer");
}

static void
a_part_of_the_attributes_that_the_kernel_does_not_know_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");
	int fd;

	(void)state;
	a.attr.config4 = 1; /* of 144 bytes the last 8: kernels up to 6.18 know 136 */
	fd = a.sys->open(a.sys, &a.attr, a.pid, a.cpu);
	if (fd >= 0) {
		close(fd);
		skip_for("this kernel knows all attributes");
	}
	a.attr.size = sizeof(a.attr);
	refused(a, E2BIG, "TooBig", "the kernel is too old for these attributes (it knows ",
		"a newer kernel");
}

static void
a_group_or_cgroup_that_is_closed_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.sys = &bad_group;
	refused(a, EBADF, "BadDescriptor", "the event that leads the group, or the cgroup",
		"again");
	a.sys = &bad_cgroup;
	a.pid = ALL;
	a.cpu = 0;
	refused(a, EBADF, "BadDescriptor", "on CPU 0: EBADF", "again");
}

static void
a_bad_address_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.sys = &nowhere;
	refused(a, EFAULT, "BadAddress", "cannot read the attributes", "please report");
	refused(uprobe((const char *)8, 0), EFAULT, "BadAddress", "the name of the probe's file",
		"whole path");
}

/* ---- EINVAL */

static void
a_frequency_above_the_limit_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.attr.freq = 1;
	a.attr.sample_period = 3000000;
	refused(a, EINVAL, "FrequencyTooHigh",
		"3000000 Hz; kernel.perf_event_max_sample_rate is ", "-F max");
	a.attr.freq = 0;
	a.attr.sample_period = UINT64_C(1) << 63;
	refused(a, EINVAL, "PeriodTooLong", "the period is 9223372036854775808", "-c");
}

static void
a_cpu_that_is_not_there_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.cpu = 9000;
	refused(a, EINVAL, "CpuNotFound", "on ptop itself, CPU 9000: EINVAL (CpuNotFound): "
		"there is no such CPU", "lscpu");
	a.pid = ALL;
	a.cpu = -1;
	refused(a, EINVAL, "CpuNotFound", "on all CPUs: ", "-C");
}

static void
the_attribute_that_is_refused_is_named(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.attr.sample_type |= PERF_SAMPLE_STACK_USER;
	a.attr.sample_stack_user = 12;
	refused(a, EINVAL, "AttributeNotSupported", "without dumps of the user stack it opens",
		"--call-graph fp");
	a = attempt("cpu-clock:u");
	a.attr.inherit_thread = 1;
	refused(a, EINVAL, "AttributeNotSupported", "without inherit_thread it opens",
		"--no-inherit");
	a = attempt("cpu-clock:u");
	a.attr.read_format = 1 << 20;
	refused(a, EINVAL, "AttributeNotSupported", "without read_format 1048576 it opens", "");
}

static void
attributes_that_do_not_go_together_are_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	/* Each of the two is bad alone. */
	a.attr.read_format = 1 << 20;
	a.attr.inherit_thread = 1;
	refused(a, EINVAL, "InvalidCombination", "do not go together", "--explain-event");
}

static void
an_event_that_its_pmu_does_not_have_is_told(void **state)
{
	int64_t type = read_number("/sys/bus/event_source/devices/msr/type");
	struct attempt a = attempt("cpu-clock");

	(void)state;
	if (type < 0)
		skip_for("this machine has no PMU called msr");
	a.event = "msr/config=0x4711/";
	a.attr.type = (uint32_t)type;
	a.attr.config = 0x4711;
	refused(a, EINVAL, "PmuNotFound",
		"this PMU does not have the event (PMU msr, config 0x4711)", "another PMU");
}

/* ---- what is not there */

static void
an_event_that_is_not_there_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.attr.config = 99;
	refused(a, ENOENT, "EventNotFound", "no such software event", "ptop --list");
	a.attr.type = 4711;
	refused(a, ENOENT, "PmuNotFound", "devices has the type 4711", "module");
	refused(uprobe("/does/not/exist", 0), ENOENT, "ProbeNotPossible",
		"there is no such function or file", "whole path");
}

static void
cycles_without_a_pmu_are_told(void **state)
{
	(void)state;
	if (access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("this machine has a PMU");
	refused(attempt("cycles:u"), ENOENT, "EventNotFound", "it has no PMU", "-e cpu-clock");
}

static void
what_a_software_event_cannot_have_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");

	(void)state;
	a.attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	a.attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	refused(a, EOPNOTSUPP, "EventRequiresUnsupportedCpuFeature",
		"without branch stacks it opens", "without branch stacks");
}

static void
a_dead_task_is_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");
	char cause[80];

	(void)state;
	a.pid = run_fork();
	if (a.pid == 0)
		_exit(0);
	/* Dead, and not yet asked for. */
	assert_int_equal(waitid(P_PID, (id_t)a.pid, NULL, WEXITED | WNOWAIT), 0);
	refused(a, ESRCH, "ProcessNotFound", "its parent has not waited for it", "");
	waitpid(a.pid, NULL, 0);
	snprintf(cause, sizeof(cause), "on task %d: ESRCH (ProcessNotFound): there is no such "
		 "task, or it has ended", a.pid);
	refused(a, ESRCH, "ProcessNotFound", cause, "ps -eL");
}

/* ---- limits */

static uint64_t watched[5];

/* Its breakpoints are all in use. */
static void
become_watcher(struct attempt *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(watched) - 1; i++) {
		struct event_attr attr = a->attr;

		attr.config1 = (uintptr_t)&watched[i];
		if (a->sys->open(a->sys, &attr, a->pid, a->cpu) < 0)
			_exit(1);
	}
}

static void
one_breakpoint_too_many_is_told(void **state)
{
	struct attempt a = breakpoint((uintptr_t)&watched[4]);

	(void)state;
#if !defined(__x86_64__)
	skip_for("this processor may have more than four breakpoints");
#endif
	a.become = become_watcher;
	refused(a, ENOSPC, "TooManyBreakpoints",
		"all breakpoint registers are in use (a CPU has 4; perf events are held by ",
		"fewer addresses");
}

static void
call_chains_longer_than_the_limit_are_told(void **state)
{
	struct attempt a = attempt("cpu-clock:u");
	int64_t max = read_number("/proc/sys/kernel/perf_event_max_stack");
	char cause[96], remedy[96];

	(void)state;
	a.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	a.attr.sample_max_stack = (uint16_t)(max + 1);
	snprintf(cause, sizeof(cause), "%d frames; kernel.perf_event_max_stack is %d",
		 (int)max + 1, (int)max);
	snprintf(remedy, sizeof(remedy), "sudo sysctl kernel.perf_event_max_stack=%d",
		 (int)max + 1);
	refused(a, EOVERFLOW, "SampleMaxStackOverflow", cause, remedy);
}

/* EMFILE leaves no descriptor to count descriptors with: this one is counted by hand. */
static int
run_out_of_descriptors(struct err *err)
{
	struct event_env env = { "" };
	struct event ev = event_of("cpu-clock:u");
	struct open_options options = { .sample_type = PERF_SAMPLE_IP, .is_freq = true,
					.rate = 999 };
	size_t before = count_descriptors();
	struct rlimit few = { 0, 0 };
	struct open_plan plan;
	int fds[64], n = 0, fd;

	open_plan_sampling(&plan, &env, &ev, &options);
	fds[n] = open("/dev/null", O_RDONLY);
	few.rlim_cur = few.rlim_max = (rlim_t)fds[n++] + 10;
	if (setrlimit(RLIMIT_NOFILE, &few) < 0)
		return 1;
	while (n < 64 && (fds[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	fd = open_event(&sys_kernel, &plan, SELF, -1, err);
	while (n > 0)
		close(fds[--n]);
	open_plan_release(&plan);
	event_release(&ev);
	if (fd >= 0)
		return 2;
	return count_descriptors() == before ? 0 : 3;
}

static void
the_limit_of_descriptors_is_told(void **state)
{
	struct err *err = mmap(NULL, sizeof(*err), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, pid = run_fork();

	(void)state;
	if (pid == 0)
		_exit(run_out_of_descriptors(err));
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(err->sys, EMFILE);
	assert_int_equal(err->code, ERR_LIMIT);
	assert_non_null(strstr(err->text, "'cpu-clock:u' on ptop itself: EMFILE "
			       "(ProcessResources): too many descriptors"));
	assert_non_null(strstr(err->hint, "ulimit -Hn"));
	munmap(err, sizeof(*err));
}

/* Whatever it is that cannot be opened. */
static void
few_descriptors_are_told_with_what_helps(void **state)
{
	(void)state;
	for (int n = 5; n < 20; n++) {
		struct run_result r;
		char command[128];

		snprintf(command, sizeof(command),
			 "ulimit -n %d; exec \"$0\" -b -n 1 -d 0.2 -e off-cpu -p %d", n, (int)getpid());
		run_program(&r, 60, (char *[]){ (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c",
						command, (char *)(uintptr_t)run_ptop(), NULL });
		print_message("# %d: %s", n, r.err);
		assert_int_not_equal(r.status, 0);
		assert_non_null(strstr(r.err, "ulimit"));
		run_release(&r);
	}
}

/* ---- */

static int
begin_at_paranoid_2(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return 0;
	if (!paranoid_take())
		return -1;
	paranoid_set(PARANOID);
	return 0;
}

static int
give_paranoid_back(void **state)
{
	(void)state;
	paranoid_give_back();
	return 0;
}

static int
as_root(void **state)
{
	(void)state;
	need_root();
	return 0;
}

#define ROOT_TEST(name) cmocka_unit_test_setup(name, as_root)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		ROOT_TEST(whole_cpus_are_denied_to_an_ordinary_user),
		ROOT_TEST(the_kernel_is_denied_to_an_ordinary_user),
		ROOT_TEST(another_users_task_is_denied),
		ROOT_TEST(a_task_that_is_not_dumpable_is_denied),
		ROOT_TEST(capabilities_of_a_user_namespace_do_not_count),
		ROOT_TEST(fields_of_tracepoints_are_denied_to_an_ordinary_user),
		ROOT_TEST(breakpoints_in_the_kernel_are_denied_to_an_ordinary_user),
		ROOT_TEST(probes_are_denied_to_an_ordinary_user),
		ROOT_TEST(a_seccomp_filter_is_found),
		cmocka_unit_test(attributes_of_a_later_kernel_are_too_big),
		cmocka_unit_test(a_part_of_the_attributes_that_the_kernel_does_not_know_is_told),
		ROOT_TEST(a_group_or_cgroup_that_is_closed_is_told),
		ROOT_TEST(a_bad_address_is_told),
		cmocka_unit_test(a_frequency_above_the_limit_is_told),
		ROOT_TEST(a_cpu_that_is_not_there_is_told),
		cmocka_unit_test(the_attribute_that_is_refused_is_named),
		cmocka_unit_test(attributes_that_do_not_go_together_are_told),
		ROOT_TEST(an_event_that_its_pmu_does_not_have_is_told),
		ROOT_TEST(an_event_that_is_not_there_is_told),
		cmocka_unit_test(cycles_without_a_pmu_are_told),
		cmocka_unit_test(what_a_software_event_cannot_have_is_told),
		cmocka_unit_test(a_dead_task_is_told),
		cmocka_unit_test(one_breakpoint_too_many_is_told),
		cmocka_unit_test(call_chains_longer_than_the_limit_are_told),
		cmocka_unit_test(the_limit_of_descriptors_is_told),
		cmocka_unit_test(few_descriptors_are_told_with_what_helps),
	};

	return cmocka_run_group_tests(tests, begin_at_paranoid_2, give_paranoid_back);
}
