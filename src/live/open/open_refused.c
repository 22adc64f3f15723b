/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel does not take or have: attributes, CPUs and PMUs. */
#include "base/file.h"
#include "live/sys/cpus.h"
#include "live/sys/limits.h"
#include "live/open/open_cause.h"

#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TOO_LONG_BYTES = 1 << 20 }; /* for the attributes of any kernel */

/* ---- numbers in the attributes */

bool
refused_frequency(struct open_refusal *r)
{
	const struct event_attr *attr = &r->plan->attr;
	uint64_t max = limits_max_rate(r->plan->env);

	if (!attr->freq || attr->sample_period <= max)
		return false;
	buf_addf(&r->found, "%llu Hz; kernel.perf_event_max_sample_rate is %llu",
		 (unsigned long long)attr->sample_period, (unsigned long long)max);
	return true;
}

bool
refused_period(struct open_refusal *r)
{
	const struct event_attr *attr = &r->plan->attr;

	if (attr->freq || !(attr->sample_period >> 63))
		return false;
	buf_addf(&r->found, "the period is %llu", (unsigned long long)attr->sample_period);
	return true;
}

bool
refused_max_stack(struct open_refusal *r)
{
	unsigned max = limits_max_stack(r->plan->env);

	if (r->plan->attr.sample_max_stack <= max)
		return false;
	buf_addf(&r->found, "%u frames; kernel.perf_event_max_stack is %u",
		 r->plan->attr.sample_max_stack, max);
	buf_addf(&r->remedy, "ask for %u, or: sudo sysctl kernel.perf_event_max_stack=%u", max,
		 r->plan->attr.sample_max_stack);
	return true;
}

/* How long this kernel's attributes are: it tells when they are too long.  0: it does not. */
static uint32_t
kernel_size(const struct open_refusal *r)
{
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = TOO_LONG_BYTES };
	int fd = r->sys->open(r->sys, &attr, r->pid, r->cpu);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == E2BIG && attr.size < TOO_LONG_BYTES ? attr.size : 0;
}

/* What is behind the part that it knows must be zero. */
bool
refused_size(struct open_refusal *r)
{
	const uint8_t *attr = (const uint8_t *)&r->plan->attr;
	uint32_t known = kernel_size(r);

	if (known == 0)
		return false;
	for (size_t i = known; i < sizeof(r->plan->attr); i++) {
		if (attr[i] == 0)
			continue;
		buf_addf(&r->found, "it knows %u bytes of them, %zu are needed", known, i + 1);
		return true;
	}
	return false;
}

/* ---- one attribute of several */

/* perf_event_set_clock(): what counts in an NMI cannot wait for clocks that are being set. */
bool
refused_clock(struct open_refusal *r)
{
	struct event_attr attr = r->plan->attr;

	attr.clockid = CLOCK_MONOTONIC;
	if (!attr.use_clockid || r->plan->attr.clockid == CLOCK_MONOTONIC ||
	    !retry_opens(r, attr, NULL))
		return false;
	for (size_t i = 0; i < CLOCK_DEFS; i++)
		if (clock_defs[i].id == r->plan->attr.clockid)
			buf_addf(&r->found, "--clockid %s", clock_defs[i].name);
	return true;
}

bool
refused_attribute(struct open_refusal *r)
{
	const struct retry_attribute *a = retry_find(r);

	if (a == NULL)
		return false;
	buf_addf(&r->found, strchr(a->name, ' ') != NULL ||
				(a->bits != 0 && (a->bits & (a->bits - 1)) == 0)
			     ? "without %s it opens" : "without %s %llu it opens", a->name,
		 (unsigned long long)retry_value(r, a));
	if (*a->remedy != '\0')
		buf_add_str(&r->remedy, a->remedy);
	return true;
}

/* It opens alone. */
bool
refused_by_leader(struct open_refusal *r)
{
	struct event_attr attr = r->plan->attr;
	int fd;

	if (r->plan->leader == NULL)
		return false;
	attr.disabled = 1;
	fd = r->sys->open(r->sys, &attr, r->pid, r->cpu);
	if (fd < 0)
		return false;
	close(fd);
	buf_addf(&r->found, "'%.80s' leads it", r->plan->leader->name);
	return true;
}

bool
refused_stack_dump(struct open_refusal *r)
{
	struct event_attr attr = r->plan->attr;

	if (!(attr.sample_type & PERF_SAMPLE_STACK_USER))
		return false;
	attr.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 0;
	return retry_opens(r, attr, NULL);
}

/* A counter whose overflow raises no interrupt. */
bool
refused_sampling(struct open_refusal *r)
{
	return r->plan->attr.sample_period != 0 && retry_opens(r, retry_minimal(r), NULL);
}

/* The same, of one that says EINVAL, as it does of much else. */
bool
refused_sampling_alone(struct open_refusal *r)
{
	struct event_attr attr = retry_minimal(r);

	attr.sample_period = r->plan->attr.sample_period;
	attr.freq = r->plan->attr.freq;
	return refused_sampling(r) && !retry_opens(r, attr, NULL);
}

/* ---- breakpoints: bp_addr is config1, bp_len config2 */

bool
refused_kernel_address(struct open_refusal *r)
{
	const struct event_attr *attr = &r->plan->attr;

	/* Also what ptop tried without the kernel in the end, since its rights were not enough. */
	if (!is_breakpoint(r) || !(attr->config1 >> 63) ||
	    (!attr->exclude_kernel && rights_perfmon(&r->rights)))
		return false;
	if (!rights_perfmon(&r->rights))
		buf_addf(&r->found, "kernel.perf_event_paranoid is %d", r->rights.paranoid);
	return true;
}

bool
refused_length(struct open_refusal *r)
{
	uint64_t len = r->plan->attr.config2;

	if (!is_breakpoint(r))
		return false;
	if (r->plan->attr.bp_type == HW_BREAKPOINT_X && len != sizeof(long))
		buf_addf(&r->remedy, "of instructions it watches /%zu alone", sizeof(long));
	else if (len != 0 && (len & (len - 1)) == 0 && len <= sizeof(uint64_t))
		return false;
	buf_addf(&r->found, "%llu bytes", (unsigned long long)len);
	return true;
}

bool
refused_reads(struct open_refusal *r)
{
	struct event_attr attr = retry_minimal(r);

	attr.bp_type = HW_BREAKPOINT_RW;
	return is_breakpoint(r) && r->plan->attr.bp_type == HW_BREAKPOINT_R &&
	       retry_opens(r, attr, NULL);
}

/* arch_check_bp_in_kernelspace(): where a breakpoint would hit its own handler. */
bool
refused_kernel_code(struct open_refusal *r)
{
	const struct event_attr *attr = &r->plan->attr;

	return is_breakpoint(r) && attr->bp_type == HW_BREAKPOINT_X && attr->config1 >> 63;
}

bool
refused_alignment(struct open_refusal *r)
{
	const struct event_attr *attr = &r->plan->attr;

	return is_breakpoint(r) && attr->config2 > 0 && attr->config1 % attr->config2 != 0;
}

/* ---- CPUs */

bool
refused_nothing_named(struct open_refusal *r)
{
	return r->pid < 0 && r->cpu < 0;
}

bool
refused_cpu_number(struct open_refusal *r)
{
	unsigned possible = cpus_possible(r->plan->env);

	if (r->cpu < 0 || (unsigned)r->cpu < possible)
		return false;
	buf_addf(&r->found, "there can be %u CPUs, numbered from 0", possible);
	return true;
}

bool
refused_cpu_off_line(struct open_refusal *r)
{
	struct cpus cpus;
	bool is_off;

	if (r->cpu < 0 || cpus_read_online(r->plan->env, &cpus, NULL) < 0)
		return false;
	is_off = !cpus_has(&cpus, (unsigned)r->cpu);
	cpus_release(&cpus);
	if (is_off)
		buf_addf(&r->remedy, "choose other CPUs with -C, or: echo 1 | sudo tee "
			 "/sys/devices/system/cpu/cpu%d/online", r->cpu);
	return is_off;
}

/* ---- PMUs */

enum { PMUS_MAX = 4096 };

static bool
has_type(const char *dir, const char *name, uint32_t type)
{
	struct buf path = { 0 };
	bool fits;

	buf_addf(&path, "%s/%s/type", dir, name);
	fits = file_number(path.data, -1) == (int64_t)type;
	buf_release(&path);
	return fits;
}

/* The folder of the PMU with this number in sysfs; false: there is none. */
static bool
pmu_find(const struct event_env *env, uint32_t type, struct buf *path)
{
	struct dirent *e;
	bool found = false;
	DIR *dir;

	buf_addf(path, "%s/sys/bus/event_source/devices", env->root);
	dir = opendir(path->data);
	for (unsigned n = 0; dir != NULL && !found && n < PMUS_MAX && (e = readdir(dir)) != NULL;
	     n++) {
		if (*e->d_name == '.' || !has_type(path->data, e->d_name, type))
			continue;
		buf_addf(path, "/%s", e->d_name);
		found = true;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* PMUs outside of the cores count what CPUs do, not tasks: they say on which CPUs in a file. */
bool
refused_task_scope(struct open_refusal *r)
{
	struct buf path = { 0 };
	bool has_mask = false;

	if (r->pid >= 0 && pmu_find(r->plan->env, r->plan->attr.type, &path)) {
		size_t len = path.len;

		buf_add_str(&path, "/cpumask");
		has_mask = access(path.data, F_OK) == 0;
		path.data[len] = '\0';
		if (has_mask)
			buf_addf(&r->found, "PMU %s has a cpumask", strrchr(path.data, '/') + 1);
	}
	buf_release(&path);
	return has_mask;
}

/* The event alone is not taken either. */
bool
refused_pmu(struct open_refusal *r)
{
	struct buf path = { 0 };

	if (retry_opens(r, retry_minimal(r), NULL))
		return false;
	if (pmu_find(r->plan->env, r->plan->attr.type, &path))
		buf_addf(&r->found, "PMU %s, config %#llx", strrchr(path.data, '/') + 1,
			 (unsigned long long)r->plan->attr.config);
	buf_release(&path);
	return true;
}

bool
refused_pmu_number(struct open_refusal *r)
{
	struct buf path = { 0 };
	bool found = true;

	if (r->plan->attr.type >= PERF_TYPE_MAX) {
		found = pmu_find(r->plan->env, r->plan->attr.type, &path);
		buf_addf(&r->found, "no PMU in /sys/bus/event_source/devices has the type %u",
			 r->plan->attr.type);
	}
	buf_release(&path);
	return !found;
}

bool
refused_probe(struct open_refusal *r)
{
	return r->plan->spec.place >= EVENT_PLACE_UPROBE;
}

/* Only uprobes that were made in tracefs say EINTR again and again. */
bool
refused_traced_probe(struct open_refusal *r)
{
	const char *colon = strchr(r->plan->spec.name, ':');

	if (!is_tracepoint(r))
		return false;
	if (colon != NULL)
		buf_addf(&r->remedy, "switch it off: sudo sh -c 'echo 0 > /sys/kernel/tracing/events/"
			 "%.*s/%.*s/enable'", (int)(colon - r->plan->spec.name),
			 r->plan->spec.name, (int)strcspn(colon + 1, ":/"), colon + 1);
	return true;
}

bool
is_tracepoint(struct open_refusal *r)
{
	return r->plan->attr.type == PERF_TYPE_TRACEPOINT;
}

bool
is_software(struct open_refusal *r)
{
	return r->plan->attr.type == PERF_TYPE_SOFTWARE;
}

bool
is_breakpoint(struct open_refusal *r)
{
	return r->plan->attr.type == PERF_TYPE_BREAKPOINT;
}

/* An event of the cores, on a machine whose cores have no counters. */
bool
is_core_event(struct open_refusal *r)
{
	struct buf path = { 0 };
	uint32_t type = r->plan->attr.type;
	bool is_core = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
		       type == PERF_TYPE_RAW;

	if (is_core && pmu_find(r->plan->env, PERF_TYPE_RAW, &path))
		is_core = false;
	buf_release(&path);
	return is_core;
}
