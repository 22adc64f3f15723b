/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/check_event.h"

#include "base/file.h"
#include "base/own_file.h"
#include "live/proc/cgroup_list.h"
#include "live/open/breakpoint.h"
#include "live/open/open.h"
#include "live/open/open_error.h"
#include "live/open/open_lack.h"
#include "live/sys/rights.h"

#include <errno.h>
#include <limits.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	ALL_TASKS = -1,
	SELF = 0,
	ANY_CPU = -1,
	HZ = 99,
	PRECISE_MAX = 3,
	STACK_BYTES = 8192,
	BREAKPOINTS_MAX = 16,
	MAPS_BYTES_MAX = 1 << 20,
};

/* ---- one event */

/* User space alone: what needs the fewest rights. */
static struct event_attr
attr_of(uint32_t type, uint64_t config)
{
	return (struct event_attr){
		.type = type,
		.size = sizeof(struct event_attr),
		.config = config,
		.freq = 1,
		.sample_period = HZ,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static struct event_attr
clock_attr(void)
{
	return attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static struct event_attr
cycles_attr(void)
{
	return attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

/* A descriptor, or -1 with the reason. */
static int
open_attr(struct check *c, const char *name, struct event_attr attr, int pid, int cpu,
	  enum event_place place)
{
	struct open_plan plan = { .env = c->env, .attr = attr };
	char spec_name[64];
	int fd = c->sys->open(c->sys, &attr, pid, cpu), error = errno;

	/* An older kernel says how much it knows. */
	if (fd < 0 && error == E2BIG && attr.size < plan.attr.size) {
		plan.attr.size = attr.size;
		fd = c->sys->open(c->sys, &attr, pid, cpu);
		error = errno;
	}
	if (fd >= 0)
		return fd;
	snprintf(spec_name, sizeof(spec_name), "%s", name);
	plan.spec.name = spec_name;
	plan.spec.place = place;
	return open_error_set(&c->err, c->sys, &plan, pid, cpu, error);
}

static bool
opens(struct check *c, const char *name, struct event_attr attr, int pid, int cpu)
{
	int fd = open_attr(c, name, attr, pid, cpu, EVENT_PLACE_NONE);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int
first_cpu(const struct check *c)
{
	return c->cpus.len > 0 ? (int)c->cpus.items[0] : 0;
}

/* ---- whom */

bool
check_own(struct check *c)
{
	return opens(c, "cpu-clock:u", clock_attr(), SELF, first_cpu(c));
}

bool
check_system(struct check *c)
{
	return opens(c, "cpu-clock:u", clock_attr(), ALL_TASKS, first_cpu(c));
}

bool
check_kernel(struct check *c)
{
	struct event_attr attr = clock_attr();

	attr.exclude_kernel = attr.exclude_hv = 0;
	return opens(c, "cpu-clock", attr, SELF, first_cpu(c));
}

/* A process may end between being found and being opened: another one is as good. */
bool
check_other_user(struct check *c)
{
	struct rights_owner owner;

	for (size_t i = 0; i < c->pid_count; i++) {
		if (!rights_owner(c->env, c->pids[i], &owner) || owner.uid == geteuid())
			continue;
		c->err = (struct err){ 0 };
		if (opens(c, "cpu-clock:u", clock_attr(), c->pids[i], first_cpu(c)))
			return true;
		if (c->err.code != ERR_GONE)
			return false;
	}
	/* There is nobody else: the first process. */
	c->err = (struct err){ 0 };
	return opens(c, "cpu-clock:u", clock_attr(), 1, first_cpu(c));
}

/* ---- the PMU */

bool
check_hardware(struct check *c)
{
	c->may_hardware = opens(c, "cycles:u", cycles_attr(), SELF, ANY_CPU);
	return c->may_hardware;
}

static bool
needs_hardware(struct check *c)
{
	err_set(&c->err, ERR_UNSUPPORTED, 0, "it needs hardware events");
	return false;
}

bool
check_precise(struct check *c)
{
	struct event_attr attr = cycles_attr();
	unsigned level = PRECISE_MAX;

	if (!c->may_hardware)
		return needs_hardware(c);
	for (; level > 0; level--) {
		attr.precise_ip = level & 3u;
		if (opens(c, "cycles:pu", attr, SELF, ANY_CPU))
			break;
	}
	buf_addf(&c->text, "levels 0 to %u", level);
	return level > 0;
}

bool
check_branches(struct check *c)
{
	struct event_attr attr = cycles_attr();

	if (!c->may_hardware)
		return needs_hardware(c);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	return opens(c, "cycles:u", attr, SELF, ANY_CPU);
}

/* ---- places in programs and the kernel */

/* To read what tracefs tells is one thing, to sample it, which @level lets all do, another. */
static void
explain_tracefs(struct check *c, const char *level)
{
	const bool is_mounted = c->err.code == ERR_DENIED;
	struct buf text = { 0 };
	struct rights r;
	bool is_short;

	rights_read(&r, c->env);
	is_short = !rights_perfmon(&r) && r.paranoid > atoi(level);
	buf_add_str(&text, c->err.text);
	if (is_short) {
		buf_add_str(&text, ", and ");
		open_lack_put(&r, &text);
	}
	err_set(&c->err, ERR_DENIED, 0, "%s", buf_str(&text));
	err_hint(&c->err, "sudo mount %sgid=%u,mode=750%s /sys/kernel/tracing%s%s, or: "
		 "%ssudo setcap %scap_dac_read_search+ep " OWN_FILE_WORD,
		 is_mounted ? "-o remount," : "-t tracefs -o ", (unsigned)getegid(),
		 is_mounted ? "" : " tracefs",
		 is_short ? " && sudo sysctl kernel.perf_event_paranoid=" : "", is_short ? level : "",
		 is_mounted ? "" : "sudo mount -t tracefs tracefs /sys/kernel/tracing && ",
		 is_short ? "cap_perfmon," : "");
	buf_release(&text);
}

static bool
try_tracepoint(struct check *c, uint64_t more_sample_type, const char *level)
{
	static const char name[] = "sched:sched_switch";
	struct event_list list = { 0 };
	struct event_attr attr;
	bool can;

	if (event_parse(c->env, name, &list, &c->err) < 0) {
		if (c->err.code == ERR_DENIED || c->err.code == ERR_UNSUPPORTED)
			explain_tracefs(c, level);
		return false;
	}
	attr = attr_of(list.items[0].type, list.items[0].config);
	attr.freq = attr.exclude_kernel = attr.exclude_hv = 0;
	attr.sample_period = 1;
	attr.sample_type |= more_sample_type;
	can = opens(c, name, attr, SELF, ANY_CPU);
	event_list_release(&list);
	return can;
}

bool
check_tracepoint(struct check *c)
{
	return try_tracepoint(c, 0, "1");
}

bool
check_tracepoint_fields(struct check *c)
{
	return try_tracepoint(c, PERF_SAMPLE_RAW, "-1");
}

/* As many as there are, on a variable of ptop's own that nobody writes. */
bool
check_breakpoint(struct check *c)
{
	static const uint64_t variable;
	struct event_attr attr = attr_of(PERF_TYPE_BREAKPOINT, 0);
	int fds[BREAKPOINTS_MAX];
	unsigned n = 0;

	attr.freq = 0;
	attr.sample_period = 1;
	attr.bp_type = HW_BREAKPOINT_W;
	attr.config1 = (uintptr_t)&variable;
	attr.config2 = sizeof(variable);
	while (n < BREAKPOINTS_MAX) {
		fds[n] = c->sys->open(c->sys, &attr, SELF, ANY_CPU);
		if (fds[n] < 0)
			break;
		n++;
	}
	for (unsigned i = 0; i < n; i++)
		close(fds[i]);
	if (n == 0)
		return opens(c, "mem:variable:w", attr, SELF, ANY_CPU);
	if (!breakpoints_fire(c->sys)) {
		err_set(&c->err, ERR_UNSUPPORTED, 0, BREAKPOINTS_SILENT);
		err_hint(&c->err, BREAKPOINTS_HINT);
		return false;
	}
	buf_addf(&c->text, "%u at a time", n);
	return true;
}

/* The number of a PMU in sysfs; -1: there is none. */
static int64_t
pmu_type(struct check *c, const char *name)
{
	struct buf path = { 0 };
	int64_t type;

	buf_addf(&path, "%s/sys/bus/event_source/devices/%s/type", c->env->root, name);
	type = file_number(path.data, -1);
	buf_release(&path);
	if (type < 0)
		err_set(&c->err, ERR_UNSUPPORTED, 0, "this kernel has no PMU called %s", name);
	return type;
}

/* @config1 points to a name, @config2 is an offset. */
static bool
try_probe(struct check *c, const char *pmu, enum event_place place, const char *name,
	  uint64_t offset)
{
	int64_t type = pmu_type(c, pmu);
	struct event_attr attr;
	int fd;

	if (type < 0)
		return false;
	attr = attr_of((uint32_t)type, 0);
	attr.freq = attr.exclude_kernel = attr.exclude_hv = 0;
	attr.sample_period = 1;
	attr.config1 = (uintptr_t)name;
	attr.config2 = offset;
	fd = open_attr(c, pmu, attr, SELF, ANY_CPU, place);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The offset in its file of the code at @address of this process; false: it is in no map. */
static bool
file_offset(uintptr_t address, uint64_t *offset)
{
	struct buf maps = { 0 };
	bool found = false;

	file_read("/proc/self/maps", &maps, MAPS_BYTES_MAX);
	for (const char *line = buf_str(&maps); *line != '\0' && !found;) {
		unsigned long long start, end, at;

		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &at) == 3 &&
		    address >= start && address < end) {
			*offset = address - start + at;
			found = true;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	buf_release(&maps);
	return found;
}

bool
check_uprobe(struct check *c)
{
	char path[PATH_MAX];
	uint64_t offset;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0 || !file_offset((uintptr_t)check_uprobe, &offset)) {
		err_set(&c->err, ERR_IO, 0, "ptop's own file is not known");
		return false;
	}
	path[n] = '\0';
	return try_probe(c, "uprobe", EVENT_PLACE_UPROBE, path, offset);
}

bool
check_kprobe(struct check *c)
{
	return try_probe(c, "kprobe", EVENT_PLACE_KPROBE, "vfs_read", 0);
}

/* ---- what samples hold */

/* An event of a group's tasks, whoever they are, needs the right to all. */
static bool
opens_own_cgroup(struct check *c)
{
	int dir = cgroup_open_own(&c->text, &c->err), fd, error;
	struct open_plan plan = { .env = c->env, .attr = clock_attr() };
	char name[] = "cpu-clock:u";

	if (dir < 0)
		return false;
	plan.spec.name = name;
	fd = c->sys->open_cgroup(c->sys, &plan.attr, dir, first_cpu(c));
	error = errno;
	close(dir);
	if (fd < 0) {
		buf_reset(&c->text);
		open_error_set(&c->err, c->sys, &plan, ALL_TASKS, first_cpu(c), error);
		return false;
	}
	close(fd);
	buf_reset(&c->text);
	buf_add_str(&c->text, "in samples: --by cgroup, --filter cgroup=NAME");
	return true;
}

bool
check_cgroups(struct check *c)
{
	struct event_attr attr = clock_attr();

	attr.sample_type |= ABI_SAMPLE_CGROUP;
	attr.cgroup = 1;
	return opens(c, "cpu-clock:u", attr, SELF, first_cpu(c)) && opens_own_cgroup(c);
}

bool
check_stack_dump(struct check *c)
{
	struct event_attr attr = clock_attr();

	attr.sample_type |= PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = STACK_BYTES;
	if (!opens(c, "cpu-clock:u", attr, SELF, first_cpu(c)))
		return false;
	buf_addf(&c->text, "%d bytes", STACK_BYTES);
	return true;
}
