/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open_error.h"

#include "live/sys/limits.h"
#include "live/open/open_cause.h"
#include "live/open/open_lack.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define SETCAP(caps) OPEN_SETCAP(caps)
#define PARANOID(level) OPEN_PARANOID(level)

const struct open_kind_def open_kinds[OPEN_KIND_COUNT] = {
	[OPEN_TOO_BIG] = { "TooBig", ERR_UNSUPPORTED },
	[OPEN_PERMISSION_DENIED] = { "PermissionDenied", ERR_DENIED },
	[OPEN_BAD_DESCRIPTOR] = { "BadDescriptor", ERR_GONE },
	[OPEN_DEVICE_BUSY] = { "DeviceBusy", ERR_BUSY },
	[OPEN_BAD_ADDRESS] = { "BadAddress", ERR_IO },
	[OPEN_INTERRUPTED] = { "Interrupted", ERR_BUSY },
	[OPEN_FREQUENCY_TOO_HIGH] = { "FrequencyTooHigh", ERR_LIMIT },
	[OPEN_PERIOD_TOO_LONG] = { "PeriodTooLong", ERR_LIMIT },
	[OPEN_CPU_NOT_FOUND] = { "CpuNotFound", ERR_GONE },
	[OPEN_CPU_OFFLINE] = { "CpuOffline", ERR_GONE },
	[OPEN_SCOPE_NOT_SUPPORTED] = { "ScopeNotSupported", ERR_UNSUPPORTED },
	[OPEN_ATTRIBUTE_NOT_SUPPORTED] = { "AttributeNotSupported", ERR_UNSUPPORTED },
	[OPEN_GROUP_NOT_POSSIBLE] = { "GroupNotPossible", ERR_UNSUPPORTED },
	[OPEN_INVALID_COMBINATION] = { "InvalidCombination", ERR_UNSUPPORTED },
	[OPEN_PROBE_NOT_POSSIBLE] = { "ProbeNotPossible", ERR_UNSUPPORTED },
	[OPEN_PMU_NOT_FOUND] = { "PmuNotFound", ERR_UNSUPPORTED },
	[OPEN_PROCESS_RESOURCES] = { "ProcessResources", ERR_LIMIT },
	[OPEN_SYSTEM_RESOURCES] = { "SystemResources", ERR_LIMIT },
	[OPEN_CPU_FEATURE] = { "EventRequiresUnsupportedCpuFeature", ERR_UNSUPPORTED },
	[OPEN_EVENT_NOT_FOUND] = { "EventNotFound", ERR_UNSUPPORTED },
	[OPEN_TOO_MANY_BREAKPOINTS] = { "TooManyBreakpoints", ERR_LIMIT },
	[OPEN_NO_COUNTERS_LEFT] = { "NoCountersLeft", ERR_LIMIT },
	[OPEN_STACK_NOT_SUPPORTED] = { "SampleStackNotSupported", ERR_UNSUPPORTED },
	[OPEN_NO_PERF] = { "PerfNotAvailable", ERR_UNSUPPORTED },
	[OPEN_EVENT_NOT_SUPPORTED] = { "EventNotSupported", ERR_UNSUPPORTED },
	[OPEN_MAX_STACK_OVERFLOW] = { "SampleMaxStackOverflow", ERR_LIMIT },
	[OPEN_PROCESS_NOT_FOUND] = { "ProcessNotFound", ERR_GONE },
	[OPEN_RING_MEMORY] = { "RingMemory", ERR_LIMIT },
};

static const struct open_error rows[] = {
	{ E2BIG, 0, OPEN_TOO_BIG, refused_size,
	  "the kernel is too old for these attributes", "use a newer kernel, or fewer terms" },
	{ E2BIG, 0, OPEN_TOO_BIG, NULL,
	  "the attributes are too long, or the values of the group too many",
	  "use fewer events in a group" },

	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_by_seccomp,
	  "a seccomp filter forbids perf events to this process",
	  "run ptop on the host, or the container with --cap-add PERFMON or another seccomp "
	  "profile" },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_to_all,
	  "this kernel forbids perf events to ordinary users", SETCAP("cap_perfmon")
	  ", or: " PARANOID("2") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_in_user_ns,
	  "capabilities of a user namespace do not count for perf events",
	  OPEN_REMEDY_USER_NS ", or there, if a level grants it: " PARANOID("LEVEL") },
	{ EPERM, EACCES, OPEN_PERMISSION_DENIED, denied_kernel_breakpoint,
	  "breakpoints in the kernel need CAP_SYS_ADMIN", "run ptop as root: sudo ptop ..." },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_uprobe, "uprobes need CAP_SYS_ADMIN",
	  "run ptop as root: sudo ptop ..." },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_poor_root,
	  "this root has no CAP_PERFMON", OPEN_REMEDY_POOR_ROOT },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_kprobe, "kprobes need CAP_PERFMON",
	  SETCAP("cap_perfmon") },
	{ EPERM, EACCES, OPEN_PERMISSION_DENIED, denied_raw_tracepoint,
	  "ordinary users may not read fields of tracepoints",
	  SETCAP("cap_perfmon,cap_dac_read_search") ", or: " PARANOID("-1") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_cpu,
	  "ordinary users may not watch whole CPUs", SETCAP("cap_perfmon") ", or: " PARANOID("0") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_tracepoint,
	  "ordinary users may not watch tracepoints, which are in the kernel",
	  SETCAP("cap_perfmon,cap_dac_read_search") ", or: " PARANOID("1") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_event_in_kernel,
	  "ordinary users may not watch what happens in the kernel alone",
	  SETCAP("cap_perfmon") ", or: " PARANOID("1") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_kernel,
	  "ordinary users may not watch the kernel",
	  SETCAP("cap_perfmon") ", or: " PARANOID("1") ", or: user space alone: -e EVENT:u" },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_other_user,
	  "the task belongs to another user", SETCAP("cap_perfmon,cap_sys_ptrace") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_closed_task,
	  "the task is closed to its own user", SETCAP("cap_perfmon,cap_sys_ptrace") },
	{ EPERM, 0, OPEN_PERMISSION_DENIED, denied_by_lockdown,
	  "the kernel is locked down",
	  "boot without lockdown=confidentiality (with secure boot: lockdown=integrity)" },
	{ EPERM, EACCES, OPEN_PERMISSION_DENIED, denied_attribute,
	  "one attribute is not permitted, or not supported", "leave it out" },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_by_module, "a security module forbids it",
	  "SELinux: a policy with perf_event, or: sudo setenforce 0, or, with AppArmor: "
	  "sudo aa-complain PROFILE" },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_by_ptrace_scope,
	  "Yama restricts what may be done to other tasks",
	  "sudo sysctl kernel.yama.ptrace_scope=0, or: " SETCAP("cap_sys_ptrace") },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, denied_without_capability,
	  "CAP_PERFMON is missing", OPEN_REMEDY },
	{ EACCES, EPERM, OPEN_PERMISSION_DENIED, NULL, "a right is missing", OPEN_REMEDY },

	{ EBADF, 0, OPEN_BAD_DESCRIPTOR, NULL,
	  "the event that leads the group, or the cgroup, is closed",
	  "choose the event or the cgroup again" },

	{ EBUSY, 0, OPEN_DEVICE_BUSY, busy_with_holders,
	  "another event keeps the counters to itself", "end the programs named, or wait for them" },
	{ EBUSY, 0, OPEN_DEVICE_BUSY, busy_with_watchdog,
	  "another event keeps the counters to itself: the NMI watchdog is on",
	  "sudo sysctl kernel.nmi_watchdog=0" },
	{ EBUSY, 0, OPEN_DEVICE_BUSY, NULL, "another event keeps the counters to itself",
	  "end other profilers: sudo lsof | grep perf_event" },

	{ EFAULT, 0, OPEN_BAD_ADDRESS, refused_probe,
	  "the kernel cannot read the name of the probe's file or function",
	  "name the file with its whole path" },
	{ EFAULT, 0, OPEN_BAD_ADDRESS, NULL, "the kernel cannot read the attributes",
	  "a bug in ptop: please report it with the output of ptop --version" },

	{ EINTR, 0, OPEN_INTERRUPTED, refused_probe,
	  "ftrace and perf cannot both use this probe",
	  "end what uses it: sudo cat /sys/kernel/tracing/uprobe_events" },
	{ EINTR, 0, OPEN_INTERRUPTED, refused_traced_probe,
	  "ftrace has this probe on, and perf cannot share it",
	  "switch it off: sudo sh -c 'echo 0 > /sys/kernel/tracing/events/GROUP/NAME/enable'" },
	{ EINTR, 0, OPEN_INTERRUPTED, NULL, "signals came while the kernel opened it",
	  "try it again" },

	{ EINVAL, 0, OPEN_GROUP_NOT_POSSIBLE, refused_by_leader,
	  "the group cannot take it: its events are of several PMUs, or more than there are counters",
	  "leave out the braces, or put :W behind them" },
	{ EINVAL, 0, OPEN_FREQUENCY_TOO_HIGH, refused_frequency,
	  "the frequency is above the kernel's limit",
	  "-F max, or: sudo sysctl kernel.perf_event_max_sample_rate=HZ" },
	{ EINVAL, 0, OPEN_PERIOD_TOO_LONG, refused_period, "the period is above 2^63 - 1",
	  "choose a shorter one with -c" },
	{ EINVAL, 0, OPEN_CPU_NOT_FOUND, refused_nothing_named,
	  "one event cannot watch all tasks on all CPUs", "name CPUs with -C, or processes with -p" },
	{ EINVAL, 0, OPEN_CPU_NOT_FOUND, refused_cpu_number, "there is no such CPU",
	  "choose others with -C: lscpu -e" },
	{ EINVAL, 0, OPEN_PERMISSION_DENIED, refused_kernel_address,
	  "the address is the kernel's, and kernel space is left out",
	  "leave out the modifier u; breakpoints there need CAP_SYS_ADMIN: sudo ptop ..." },
	{ EINVAL, 0, OPEN_ATTRIBUTE_NOT_SUPPORTED, refused_length,
	  "the processor watches no such length", "mem:ADDRESS/1, /2, /4 or /8" },
	{ EINVAL, 0, OPEN_ATTRIBUTE_NOT_SUPPORTED, refused_reads,
	  "the processor does not watch reads alone", "watch both: mem:ADDRESS:rw" },
	{ EINVAL, 0, OPEN_ATTRIBUTE_NOT_SUPPORTED, refused_kernel_code,
	  "the kernel takes no breakpoint in this code: it serves breakpoints itself, or there is "
	  "no CONFIG_KPROBES",
	  "/sys/kernel/debug/kprobes/blacklist, where it is, has what cannot be watched" },
	{ EINVAL, 0, OPEN_ATTRIBUTE_NOT_SUPPORTED, refused_alignment,
	  "the address must be a multiple of the length", "watch less: mem:ADDRESS/1" },
	{ EINVAL, 0, OPEN_SCOPE_NOT_SUPPORTED, refused_task_scope,
	  "this PMU counts what CPUs do, not what tasks do", "leave out -p, -t, -u and COMMAND" },
	{ EINVAL, 0, OPEN_PROBE_NOT_POSSIBLE, refused_probe,
	  "no probe can be set at this place",
	  "probe the first instruction of a function, in an ordinary file that is not written to" },
	{ EINVAL, 0, OPEN_EVENT_NOT_SUPPORTED, refused_sampling_alone,
	  "it can be counted but not sampled", "count it: -b --view counters" },
	{ EINVAL, 0, OPEN_ATTRIBUTE_NOT_SUPPORTED, refused_clock,
	  "only software events have this clock: others may be counted in an NMI",
	  "--clockid monotonic or monotonic_raw, which all events have; or -e cpu-clock" },
	{ EINVAL, 0, OPEN_ATTRIBUTE_NOT_SUPPORTED, refused_attribute,
	  "the event does not take one attribute", "leave it out" },
	{ EINVAL, 0, OPEN_PMU_NOT_FOUND, refused_pmu,
	  "this PMU does not have the event", "it needs another PMU, or other terms: ptop --list" },
	{ EINVAL, 0, OPEN_INVALID_COMBINATION, NULL, "these attributes do not go together",
	  "leave out modifiers and terms one by one; ptop --explain-event shows the attributes" },

	{ EMFILE, 0, OPEN_PROCESS_RESOURCES, limit_of_descriptors,
	  "too many descriptors of this process are open",
	  "raise the hard limit (ulimit -Hn, as root), or name fewer processes or CPUs (-C)" },
	{ ENFILE, 0, OPEN_SYSTEM_RESOURCES, limit_of_files,
	  "too many files are open on this machine", "sudo sysctl fs.file-max=1000000" },
	{ ENOMEM, 0, OPEN_SYSTEM_RESOURCES, NULL, "the kernel has no memory for it",
	  "name fewer processes or CPUs (-C), or smaller rings (-m)" },

	{ ENODEV, 0, OPEN_CPU_OFFLINE, refused_cpu_off_line, "the CPU is not on line",
	  "choose others with -C" },
	{ ENODEV, 0, OPEN_CPU_FEATURE, NULL, "this CPU lacks what the event needs",
	  "choose another event: ptop --list" },
	{ ENXIO, 0, OPEN_CPU_FEATURE, NULL, "the counters of this PMU are not set up",
	  "choose another event: ptop --list" },

	{ ENOENT, 0, OPEN_PROBE_NOT_POSSIBLE, refused_probe,
	  "there is no such function or file", "ptop needs the file's whole path, and for kprobes "
	  "a name of /proc/kallsyms" },
	{ ENOENT, 0, OPEN_EVENT_NOT_FOUND, is_tracepoint, "this kernel has no such tracepoint",
	  "ptop --list shows those that it has" },
	{ ENOENT, 0, OPEN_EVENT_NOT_FOUND, is_software, "this kernel has no such software event",
	  "ptop --list shows those that it has" },
	{ ENOENT, 0, OPEN_EVENT_NOT_FOUND, is_breakpoint, "this machine has no such breakpoints",
	  "other lengths may work: mem:ADDRESS/1" },
	{ ENOENT, 0, OPEN_EVENT_NOT_FOUND, is_core_event,
	  "this machine has no such hardware counter: it has no PMU (virtual machines often have "
	  "none)",
	  "software events work everywhere: -e cpu-clock" },
	{ ENOENT, 0, OPEN_PMU_NOT_FOUND, refused_pmu_number, "this machine has no such PMU",
	  "load its kernel module, or choose another event: ptop --list" },
	{ ENOENT, 0, OPEN_EVENT_NOT_FOUND, NULL, "this machine has no such hardware counter",
	  "choose another event: ptop --list, or -e cpu-clock" },

	{ ENOSPC, 0, OPEN_TOO_MANY_BREAKPOINTS, limit_of_breakpoints,
	  "all breakpoint registers are in use",
	  "end debuggers and profilers that hold some, or watch fewer addresses" },
	{ ENOSPC, 0, OPEN_NO_COUNTERS_LEFT, NULL, "all counters of this kind are in use",
	  "end other profilers, or use fewer events" },

	{ ENOSYS, 0, OPEN_NO_PERF, denied_by_seccomp,
	  "a seccomp filter hides perf_event_open(2) from this process",
	  "run ptop on the host, or the container with --cap-add PERFMON or another seccomp "
	  "profile" },
	{ ENOSYS, 0, OPEN_STACK_NOT_SUPPORTED, refused_stack_dump,
	  "this machine cannot dump user stacks", "--call-graph fp" },
	{ ENOSYS, 0, OPEN_NO_PERF, NULL, "the kernel is built without perf events",
	  "use a kernel with CONFIG_PERF_EVENTS=y" },

	{ EOPNOTSUPP, 0, OPEN_CPU_FEATURE, refused_attribute,
	  "this machine lacks what one attribute needs", "leave it out" },
	{ EOPNOTSUPP, 0, OPEN_EVENT_NOT_SUPPORTED, refused_sampling,
	  "it can be counted but not sampled here", "count it, or sample -e cpu-clock" },
	{ EOPNOTSUPP, 0, OPEN_EVENT_NOT_SUPPORTED, NULL, "this machine does not have it",
	  "try it without modifiers, or -e cpu-clock" },

	{ EOVERFLOW, 0, OPEN_MAX_STACK_OVERFLOW, refused_max_stack,
	  "call chains are asked to be longer than allowed",
	  "sudo sysctl kernel.perf_event_max_stack=FRAMES" },
	{ EOVERFLOW, 0, OPEN_MAX_STACK_OVERFLOW, NULL, "call chains are longer than allowed",
	  "ask for a lower max-stack" },

	{ ESRCH, 0, OPEN_PROCESS_NOT_FOUND, gone_zombie,
	  "the task is a zombie: it has ended, and its parent has not waited for it", "" },
	{ ESRCH, 0, OPEN_PROCESS_NOT_FOUND, gone_task, "there is no such task, or it has ended",
	  "ps -eL lists the tasks that there are" },
	{ ESRCH, 0, OPEN_PROCESS_NOT_FOUND, NULL, "the task has ended", "" },
};

/* Of mmap(2) of the rings; they have no tests. */
static const struct open_error ring_rows[] = {
	{ EPERM, 0, OPEN_RING_MEMORY, NULL, "the limit of locked memory is reached, by all programs of this user together",
	  "smaller rings (-m), or: " SETCAP("cap_perfmon,cap_ipc_lock")
	  ", or: sudo sysctl kernel.perf_event_mlock_kb=KIB" },
	{ ENOMEM, 0, OPEN_RING_MEMORY, NULL, "there is not enough memory in one piece",
	  "smaller rings (-m), or fewer CPUs (-C)" },
};

static const struct {
	int sys;
	const char *name;
} errno_names[] = {
	{ E2BIG, "E2BIG" }, { EACCES, "EACCES" }, { EBADF, "EBADF" }, { EBUSY, "EBUSY" },
	{ EFAULT, "EFAULT" }, { EINTR, "EINTR" }, { EINVAL, "EINVAL" }, { EMFILE, "EMFILE" },
	{ ENFILE, "ENFILE" }, { ENODEV, "ENODEV" }, { ENOENT, "ENOENT" }, { ENOMEM, "ENOMEM" },
	{ ENOSPC, "ENOSPC" }, { ENOSYS, "ENOSYS" }, { ENXIO, "ENXIO" },
	{ EOPNOTSUPP, "EOPNOTSUPP" }, { EOVERFLOW, "EOVERFLOW" }, { EPERM, "EPERM" },
	{ ESRCH, "ESRCH" },
};

const struct open_error *
open_errors(size_t *count)
{
	*count = ARRAY_SIZE(rows);
	return rows;
}

const struct open_error *
open_ring_errors(size_t *count)
{
	*count = ARRAY_SIZE(ring_rows);
	return ring_rows;
}

const char *
open_errno_name(int sys)
{
	for (size_t i = 0; i < ARRAY_SIZE(errno_names); i++) {
		if (errno_names[i].sys == sys)
			return errno_names[i].name;
	}
	return NULL;
}

static const struct open_error *
find(struct open_refusal *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct open_error *e = &rows[i];

		if (e->sys != r->error && e->sys_too != r->error)
			continue;
		buf_reset(&r->found);
		buf_reset(&r->remedy);
		if (e->test == NULL || e->test(r))
			return e;
	}
	return NULL;
}

static void
put_place(struct buf *b, int pid, int cpu)
{
	if (pid > 0)
		buf_addf(b, "task %d", pid);
	else if (pid == 0)
		buf_add_str(b, "ptop itself");
	if (cpu >= 0)
		buf_addf(b, "%sCPU %d", b->len > 0 ? ", " : "", cpu);
	if (b->len == 0)
		buf_add_str(b, "all CPUs");
}

static void
put_error(struct err *err, const struct open_refusal *r, const struct open_error *e,
	  const char *place)
{
	const struct open_kind_def *kind = &open_kinds[e->kind];
	bool has_found = r->found.len > 0;

	err_set(err, kind->code, 0, "cannot open event '%.80s' on %s: %s (%s): %s%s%s%s",
		r->plan->spec.name, place, open_errno_name(r->error), kind->name, e->why,
		has_found ? " (" : "", buf_str(&r->found), has_found ? ")" : "");
	err_hint(err, "%s", r->remedy.len > 0 ? r->remedy.data : e->remedy);
	err->sys = r->error;
}

int
open_error_set(struct err *err, const struct sys *kernel, const struct open_plan *p, int pid,
	       int cpu, int sys)
{
	struct open_refusal r = { .sys = kernel, .plan = p, .pid = pid, .cpu = cpu, .error = sys };
	const struct open_error *e;
	struct buf place = { 0 };

	if (err == NULL)
		return -1;
	if (sys == EACCES || sys == EPERM || sys == ENOSYS || sys == EINVAL)
		rights_read(&r.rights, p->env);
	put_place(&place, pid, cpu);
	e = find(&r);
	if (e == NULL)
		err_set(err, ERR_IO, sys, "cannot open event '%.80s' on %s", p->spec.name,
			buf_str(&place));
	else
		put_error(err, &r, e, buf_str(&place));
	buf_release(&place);
	buf_release(&r.found);
	buf_release(&r.remedy);
	return -1;
}

/* "unlimited" or KiB. */
static void
put_memlock(struct buf *b)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		buf_add_str(b, "unlimited");
	else
		buf_addf(b, "%lluK", (unsigned long long)limit.rlim_cur >> 10);
}

/* The size stands at the end of the remedy. */
static void
put_ring_remedy(struct err *err, const struct open_error *e, uint64_t kib)
{
	const char *end = strstr(e->remedy, "KIB");

	if (end == NULL)
		err_hint(err, "%s", e->remedy);
	else
		err_hint(err, "%.*s%llu", (int)(end - e->remedy), e->remedy, (unsigned long long)kib);
}

int
open_error_ring(struct err *err, const struct event_env *env, size_t bytes, size_t cpus, int sys)
{
	struct buf memlock = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ring_rows); i++) {
		const struct open_error *e = &ring_rows[i];

		if (e->sys != sys)
			continue;
		put_memlock(&memlock);
		err_set(err, ERR_LIMIT, 0, "cannot map rings: %s (%s): %s (%zuK for each of %zu "
			"CPUs wanted; kernel.perf_event_mlock_kb is %llu, RLIMIT_MEMLOCK is %s)",
			open_errno_name(sys), open_kinds[e->kind].name, e->why, bytes >> 10, cpus,
			(unsigned long long)limits_mlock_kb(env), memlock.data);
		put_ring_remedy(err, e, limits_mlock_kb_for(env, bytes));
		if (err != NULL)
			err->sys = sys;
		buf_release(&memlock);
		return -1;
	}
	return err_set(err, ERR_LIMIT, sys, "cannot map rings of %zuK", bytes >> 10);
}

