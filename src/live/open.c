/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open.h"

#include "event/site.h"
#include "live/limits.h"
#include "live/open_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PRECISE_MAX = 3 };

static void
init(struct open_plan *p, const struct event_env *env)
{
	*p = (struct open_plan){ .env = env };
	p->attr.size = sizeof(p->attr);
	p->attr.disabled = 1;
	/* One ring takes events of one clock only, and /proc's answers are ordered by this one. */
	p->attr.use_clockid = 1;
	p->attr.clockid = CLOCK_MONOTONIC;
	p->attr.sample_id_all = 1;
}

static void
init_dummy(struct open_plan *p, const char *name)
{
	p->spec.name = mem_strdup(name);
	p->spec.type = p->attr.type = PERF_TYPE_SOFTWARE;
	p->spec.config = p->attr.config = PERF_COUNT_SW_DUMMY;
	p->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU;
	/* A dummy counts nothing, but without these it would need the right to the kernel. */
	p->attr.exclude_kernel = p->attr.exclude_hv = 1;
}

static void
set_inherit(struct open_plan *p, const struct open_options *options)
{
	p->attr.inherit = options->inherit || options->inherit_thread;
	p->attr.inherit_thread = options->inherit_thread;
	p->attr.enable_on_exec = options->enable_on_exec;
}

static void
set_rate(struct open_plan *p, const struct open_options *options)
{
	uint64_t max;

	p->attr.freq = options->is_freq;
	p->attr.sample_period = options->rate;
	if (!options->is_freq)
		return;
	max = limits_max_rate(p->env);
	p->attr.sample_period = MIN(options->rate, max);
	p->was_capped = options->rate > max && options->rate != UINT64_MAX;
}

static void
set_spec(struct event_attr *attr, const struct event *spec)
{
	attr->type = spec->type;
	attr->config = spec->config;
	attr->config1 = spec->config1;
	attr->config2 = spec->config2;
	attr->bp_type = spec->bp_type;
	attr->exclude_user = spec->exclude_user;
	attr->exclude_kernel = spec->exclude_kernel;
	attr->exclude_hv = spec->exclude_hv;
	attr->exclude_host = spec->exclude_host;
	attr->exclude_guest = spec->exclude_guest;
	attr->exclude_idle = spec->exclude_idle;
	attr->pinned = spec->pinned;
	attr->exclusive = spec->exclusive;
	attr->precise_ip = (spec->precise_max ? PRECISE_MAX : spec->precise) & 3u;
}

void
open_plan_sampling(struct open_plan *p, const struct event_env *env, const struct event *spec,
		   const struct open_options *options)
{
	init(p, env);
	event_copy(&p->spec, spec);
	set_spec(&p->attr, spec);
	set_rate(p, options);
	set_inherit(p, options);
	p->attr.sample_type = options->sample_type;
	p->attr.read_format = PERF_FORMAT_ID;
	if (options->has_lost)
		p->attr.read_format |= ABI_FORMAT_LOST;
	p->attr.remove_on_exec = event_is_of_processes(spec); /* another program, other addresses */
	if (spec->is_clock && options->exclude_idle) {
		p->spec.exclude_idle = true;
		p->attr.exclude_idle = 1;
	}
}

void
open_plan_sideband(struct open_plan *p, const struct event_env *env,
		   const struct open_options *options)
{
	init(p, env);
	init_dummy(p, "side-band");
	set_inherit(p, options);
	p->is_sideband = true;
	p->attr.read_format = PERF_FORMAT_ID | ABI_FORMAT_LOST;
	p->attr.mmap = p->attr.mmap2 = 1;
	p->attr.comm = p->attr.comm_exec = 1;
	p->attr.task = 1;
	p->attr.namespaces = 1;
	p->attr.ksymbol = p->attr.bpf_event = 1;
	p->attr.cgroup = 1;
}

void
open_plan_owner(struct open_plan *p, const struct event_env *env, size_t ring_bytes)
{
	init(p, env);
	init_dummy(p, "ring");
	p->attr.watermark = 1;
	p->attr.wakeup_watermark = (uint32_t)(ring_bytes / 2);
}

void
open_plan_release(struct open_plan *p)
{
	event_release(&p->spec);
}

/* One attempt that failed. */
struct refusal {
	int sys;
	uint32_t size; /* as the kernel wrote it back */
};

static bool
size_refused(const struct open_plan *p, const struct refusal *r)
{
	return r->sys == E2BIG && r->size >= ABI_ATTR_SIZE_MIN && r->size < p->attr.size;
}

static void
take_size(struct open_plan *p, const struct refusal *r)
{
	p->attr.size = r->size;
}

static bool
descriptors_ran_out(const struct open_plan *p, const struct refusal *r)
{
	(void)p;
	return r->sys == EMFILE && limits_raise_descriptors();
}

static void
change_nothing(struct open_plan *p, const struct refusal *r)
{
	(void)p;
	(void)r;
}

static bool
rate_refused(const struct open_plan *p, const struct refusal *r)
{
	/* The kernel lowers its limit when interrupts take too long. */
	return r->sys == EINVAL && p->attr.freq &&
	       p->attr.sample_period > limits_max_rate(p->env);
}

static void
lower_rate(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.sample_period = limits_max_rate(p->env);
	p->was_capped = true;
}

static bool
namespaces_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->attr.namespaces && (r->sys == EACCES || r->sys == EPERM);
}

static void
drop_namespaces(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.namespaces = 0;
}

static bool
cgroup_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->attr.cgroup && r->sys == EINVAL;
}

static void
drop_cgroup(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.cgroup = 0;
}

static bool
lost_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->is_sideband && (p->attr.read_format & ABI_FORMAT_LOST) && r->sys == EINVAL;
}

static void
drop_lost(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.read_format &= ~(uint64_t)ABI_FORMAT_LOST;
}

static bool
inherit_thread_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->attr.inherit_thread && r->sys == EINVAL;
}

static void
drop_inherit_thread(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.inherit_thread = p->attr.inherit = 0;
}

static bool
remove_on_exec_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->attr.remove_on_exec && r->sys == EINVAL;
}

static void
drop_remove_on_exec(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.remove_on_exec = 0;
}

static bool
bpf_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->attr.ksymbol && r->sys == EINVAL;
}

static void
drop_bpf(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.ksymbol = p->attr.bpf_event = 0;
}

static bool
precise_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->spec.precise_max && p->attr.precise_ip > 0 &&
	       (r->sys == EOPNOTSUPP || r->sys == EINVAL || r->sys == ENOENT);
}

static void
lower_precise(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.precise_ip--;
}

static bool
guest_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->attr.exclude_guest && !p->attr.exclude_host &&
	       (r->sys == EOPNOTSUPP || r->sys == EINVAL);
}

static void
take_guests(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->spec.exclude_guest = false;
	p->attr.exclude_guest = 0;
}

/* A tracepoint fires in the kernel: without the kernel there would be nothing. */
static bool
kernel_refused(const struct open_plan *p, const struct refusal *r)
{
	return !p->attr.exclude_kernel && !p->attr.exclude_user && !p->spec.is_tracepoint &&
	       (r->sys == EACCES || r->sys == EPERM);
}

/* The name says it, as in perf: "cycles:Pu". */
static void
drop_kernel(struct open_plan *p, const struct refusal *r)
{
	struct buf name = { 0 };

	(void)r;
	buf_addf(&name, "%s%su", p->spec.name, strchr(p->spec.name, ':') != NULL ? "" : ":");
	free(p->spec.name);
	p->spec.name = mem_strdup(name.data);
	buf_release(&name);
	p->spec.exclude_kernel = true;
	p->attr.exclude_kernel = 1;
	p->spec.exclude_hv = true;
	p->attr.exclude_hv = 1;
}

static void
put_precise(const struct open_plan *p, struct buf *b)
{
	if (p->attr.precise_ip > 0)
		buf_addf(b, "precise sampling reaches level %u of 3 here",
			 (unsigned)p->attr.precise_ip);
	else
		buf_add_str(b, "precise sampling is off: not supported here");
}

static void
put_kernel(const struct open_plan *p, struct buf *b)
{
	buf_addf(b, "kernel samples are off: perf_event_paranoid is %d", limits_paranoid(p->env));
}

/*
 * Tried in order after a failed open, until nothing applies; what applied is told by a notice,
 * fixed or made.
 */
static const struct open_fallback {
	bool (*applies)(const struct open_plan *p, const struct refusal *r);
	void (*apply)(struct open_plan *p, const struct refusal *r);
	const char *notice;
	void (*put_notice)(const struct open_plan *p, struct buf *b);
} open_fallbacks[] = {
	{ size_refused, take_size, NULL, NULL },
	{ descriptors_ran_out, change_nothing, NULL, NULL },
	{ rate_refused, lower_rate, NULL, NULL }, /* told by was_capped */
	{ namespaces_refused, drop_namespaces, NULL, NULL },
	{ lost_refused, drop_lost,
	  "losses are only known from records: the kernel is older than 6.0", NULL },
	{ inherit_thread_refused, drop_inherit_thread,
	  "threads that start later are not followed: the kernel is older than 5.13", NULL },
	{ remove_on_exec_refused, drop_remove_on_exec,
	  "breakpoints stay when their process executes another program: the kernel is older than "
	  "5.13", NULL },
	{ cgroup_refused, drop_cgroup, "cgroups are not told by this kernel", NULL },
	{ bpf_refused, drop_bpf,
	  "BPF programs that are loaded later have no names: the kernel is older than 5.1", NULL },
	{ precise_refused, lower_precise, NULL, put_precise },
	{ guest_refused, take_guests, "guests of virtual machines are counted too", NULL },
	{ kernel_refused, drop_kernel, NULL, put_kernel },
};

static bool
fall_back(struct open_plan *p, const struct refusal *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(open_fallbacks); i++) {
		if (open_fallbacks[i].applies(p, r)) {
			open_fallbacks[i].apply(p, r);
			p->applied |= 1u << i;
			return true;
		}
	}
	return false;
}

int
open_event(const struct sys *sys, struct open_plan *p, int pid, int cpu, struct err *err)
{
	struct open_plan before = *p;

	event_copy(&before.spec, &p->spec);
	for (;;) {
		struct event_attr attr = p->attr;
		int fd = sys->open(sys, &attr, pid, cpu);
		struct refusal r = { .sys = errno, .size = attr.size };

		if (fd >= 0) {
			open_plan_release(&before);
			return fd;
		}
		if (r.sys == EINTR)
			continue;
		if (fall_back(p, &r))
			continue;
		open_plan_release(p);
		*p = before;
		errno = r.sys;
		return open_error_set(err, p, pid, cpu, r.sys);
	}
}

size_t
open_plan_notices(const struct open_plan *p, char *notices[OPEN_NOTICES_MAX])
{
	struct buf b = { 0 };
	size_t n = 0;

	if (p->was_capped) {
		buf_addf(&b, "%llu Hz is the most that perf_event_max_sample_rate allows",
			 (unsigned long long)p->attr.sample_period);
		notices[n++] = mem_strdup(b.data);
	}
	for (size_t i = 0; i < ARRAY_SIZE(open_fallbacks) && n < OPEN_NOTICES_MAX; i++) {
		const struct open_fallback *f = &open_fallbacks[i];

		if (!(p->applied & 1u << i) || (f->notice == NULL && f->put_notice == NULL))
			continue;
		buf_reset(&b);
		if (f->notice != NULL)
			buf_add_str(&b, f->notice);
		else
			f->put_notice(p, &b);
		notices[n++] = mem_strdup(b.data);
	}
	buf_release(&b);
	return n;
}
