/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open_impl.h"

#include "live/open/attr_table.h"
#include "live/sys/limits.h"
#include "live/open/open_lack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWN_TASK = 0, ANY_CPU = -1, NEEDS_MAX = 2 };

struct setting {
	const char *field;
	uint64_t value;
};

/*
 * What came after the oldest kernels, newest first; the kernel refuses it with EINVAL, or with
 * E2BIG if it is a member that its attributes do not have.  Whether it was this is found out with a
 * dummy event that has it, and what it needs, and nothing else.
 */
static const struct open_feature {
	const char *field;
	uint64_t mask;   /* of the field */
	const char *notice; /* NULL: another one says it */
	struct setting needs[NEEDS_MAX];
	const char *along;  /* a field that makes no sense without it */
	uint64_t instead;   /* bits of the field that stand in */
	uint64_t only_with; /* bits of sample_type without which every kernel takes it */
	bool is_by_pmu;     /* a PMU may refuse it that the kernel knows: left out then, too */
} open_features[] = {
	{ "defer_callchain", 1, "call chains are taken at once: the kernel is older than 6.19",
	  .needs = { { "sample_type", PERF_SAMPLE_CALLCHAIN } } },
	{ "defer_output", 1, "call chains are not deferred: the kernel is older than 6.19" },
	{ "aux_start_paused", 1, "the AUX area begins at once here",
	  .is_by_pmu = true },
	{ "aux_pause", 1, "the AUX area is not paused here",
	  .is_by_pmu = true },
	{ "aux_resume", 1, "the AUX area is not resumed here",
	  .is_by_pmu = true },
	{ "branch_sample_type", ABI_BRANCH_COUNTERS, "branches carry no counters here",
	  .needs = { { "sample_type", PERF_SAMPLE_BRANCH_STACK },
		     { "branch_sample_type", PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY } },
	  .is_by_pmu = true },
	{ "branch_sample_type", ABI_BRANCH_PRIV_SAVE, "branches carry no privilege here",
	  .needs = { { "sample_type", PERF_SAMPLE_BRANCH_STACK },
		     { "branch_sample_type", PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY } },
	  .is_by_pmu = true },
	{ "read_format", ABI_FORMAT_LOST,
	  "losses may be more than are counted: the kernel is older than 6.0" },
	{ "inherit_thread", 1,
	  "threads that start later are not followed: the kernel is older than 5.13",
	  .needs = { { "inherit", 1 } }, .along = "inherit" },
	{ "sigtrap", 1, "no SIGTRAP is sent: the kernel is older than 5.13",
	  .needs = { { "remove_on_exec", 1 } }, .along = "sig_data" },
	{ "inherit", 1, "what starts later is not followed: with :S that needs kernel 6.12",
	  .needs = { { "sample_type", PERF_SAMPLE_READ | PERF_SAMPLE_TID } },
	  .along = "inherit_thread", .only_with = PERF_SAMPLE_READ },
	{ "remove_on_exec", 1, "events do not end at an exec: the kernel is older than 5.13" },
	{ "build_id", 1, "maps carry no build-id: the kernel is older than 5.12",
	  .needs = { { "mmap", 1 }, { "mmap2", 1 } } },
	{ "sample_type", ABI_SAMPLE_WEIGHT_STRUCT,
	  "weights have one part: the kernel is older than 5.12",
	  .instead = PERF_SAMPLE_WEIGHT },
	{ "sample_type", ABI_SAMPLE_CODE_PAGE_SIZE,
	  "samples carry no sizes of code pages: the kernel is older than 5.11" },
	{ "sample_type", ABI_SAMPLE_DATA_PAGE_SIZE,
	  "samples carry no sizes of data pages: the kernel is older than 5.11" },
	{ "text_poke", 1, "changes of kernel code are not recorded: the kernel is older than 5.9" },
	{ "sample_type", ABI_SAMPLE_CGROUP, "samples carry no cgroup here" },
	{ "cgroup", 1, "this kernel does not report cgroups" },
	{ "branch_sample_type", ABI_BRANCH_HW_INDEX, "branches carry no index here",
	  .needs = { { "sample_type", PERF_SAMPLE_BRANCH_STACK },
		     { "branch_sample_type", PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY } },
	  .is_by_pmu = true },
	{ "aux_sample_size", UINT32_MAX, "samples carry no AUX data here" },
	{ "sample_type", ABI_SAMPLE_AUX, NULL },
	{ "aux_output", 1, "samples do not go to an AUX area here", .is_by_pmu = true },
	{ "bpf_event", 1, NULL },
	{ "ksymbol", 1,
	  "BPF programs that are loaded later have no names: the kernel is older than 5.1" },
	{ "namespaces", 1, "this kernel does not report namespaces" },
	{ "sample_max_stack", UINT16_MAX, "max-stack has no effect: this kernel cannot limit call chains" },
	{ "write_backward", 1, "the ring is written forward by this kernel" },
	{ "comm_exec", 1, "this kernel does not mark names that an exec gives" },
};

_Static_assert(ARRAY_SIZE(open_features) <= 64, "bits of open_plan.dropped");

static void
drop_feature(struct open_plan *p, const struct open_feature *f)
{
	const struct attr_field *field = attr_find(f->field);
	uint64_t value = attr_field_get(&p->attr, field);

	attr_field_set(&p->attr, field, (value & ~f->mask) | f->instead);
	if (f->along != NULL)
		attr_field_set(&p->attr, attr_find(f->along), 0);
	p->dropped |= 1ULL << (f - open_features);
}

/* The bits of it that are asked for. */
static uint64_t
asked(const struct open_plan *p, const struct open_feature *f)
{
	if ((p->attr.sample_type & f->only_with) != f->only_with)
		return 0;
	return attr_field_get(&p->attr, attr_find(f->field)) & f->mask;
}

/* Whether the kernel does not know it at all. */
static bool
is_unknown(const struct sys *sys, const struct open_plan *p, const struct open_feature *f)
{
	const struct attr_field *field = attr_find(f->field);
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = p->attr.size,
		.config = PERF_COUNT_SW_DUMMY, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd;

	for (size_t i = 0; i < NEEDS_MAX && f->needs[i].field != NULL; i++)
		attr_field_set(&attr, attr_find(f->needs[i].field), f->needs[i].value);
	attr_field_set(&attr, field, attr_field_get(&attr, field) | asked(p, f));
	fd = sys->open(sys, &attr, OWN_TASK, ANY_CPU);
	if (fd >= 0) {
		close(fd);
		return false;
	}
	return errno == EINVAL || errno == E2BIG;
}

/* Leaves out one that the kernel does not know. */
static bool
drop_unknown(const struct sys *sys, struct open_plan *p, const struct refusal *r)
{
	if (r->sys != EINVAL)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(open_features); i++) {
		const struct open_feature *f = &open_features[i];

		if (asked(p, f) != 0 && is_unknown(sys, p, f)) {
			drop_feature(p, f);
			return true;
		}
	}
	return false;
}

/* Leaves out one that may be more than this PMU can. */
static bool
drop_refused(struct open_plan *p, const struct refusal *r)
{
	if (r->sys != EINVAL && r->sys != EOPNOTSUPP)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(open_features); i++) {
		const struct open_feature *f = &open_features[i];

		if (f->is_by_pmu && asked(p, f) != 0) {
			drop_feature(p, f);
			return true;
		}
	}
	return false;
}

static bool
is_beyond(const struct attr_field *field, uint32_t size)
{
	return (uint32_t)field->offset + field->bytes > size;
}

/* Whether all that would be cut off can be left out. */
static bool
size_refused(const struct open_plan *p, const struct refusal *r)
{
	struct open_plan rest = *p;
	size_t count;
	const struct attr_field *fields = attr_fields(&count);

	if (r->sys != E2BIG || r->size < ABI_ATTR_SIZE_MIN || r->size >= p->attr.size)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(open_features); i++)
		drop_feature(&rest, &open_features[i]);
	for (size_t i = 0; i < count; i++)
		if (is_beyond(&fields[i], r->size) && attr_field_get(&rest.attr, &fields[i]) != 0)
			return false;
	return true;
}

static void
shrink_attr(struct open_plan *p, const struct refusal *r)
{
	p->attr.size = r->size;
	for (size_t i = 0; i < ARRAY_SIZE(open_features); i++) {
		const struct open_feature *f = &open_features[i];
		bool is_cut = is_beyond(attr_find(f->field), r->size) ||
			      (f->along != NULL && is_beyond(attr_find(f->along), r->size) &&
			       attr_field_get(&p->attr, attr_find(f->along)) != 0);

		if (is_cut && asked(p, f) != 0)
			drop_feature(p, f);
	}
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

/* On architectures that cannot copy stacks (kernel/events/core.c, perf_copy_attr()). */
static bool
copies_refused(const struct open_plan *p, const struct refusal *r)
{
	return (p->attr.sample_type & PERF_SAMPLE_STACK_USER) && r->sys == ENOSYS;
}

static void
drop_copies(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER);
	p->attr.sample_regs_user = 0;
	p->attr.sample_stack_user = 0;
	p->attr.exclude_callchain_user = 0;
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
include_guests(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->spec.exclude_guest = false;
	p->attr.exclude_guest = 0;
}

/* Who may not have what a tracepoint tells may have the switches themselves. */
static bool
tracepoint_refused(const struct open_plan *p, const struct refusal *r)
{
	return p->spec.looks == EVENT_LOOKS_EXACT && p->attr.type == PERF_TYPE_TRACEPOINT &&
	       p->attr.config == p->spec.config && (r->sys == EACCES || r->sys == EPERM);
}

static void
count_switches(struct open_plan *p, const struct refusal *r)
{
	(void)r;
	p->spec.type = p->attr.type = PERF_TYPE_SOFTWARE;
	p->spec.config = p->attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	event_sites_release(&p->spec);
}

/* A tracepoint fires in the kernel, as others do: without the kernel there would be nothing. */
static bool
kernel_refused(const struct open_plan *p, const struct refusal *r)
{
	return !p->attr.exclude_kernel && !p->attr.exclude_user && !p->spec.is_tracepoint &&
	       !p->spec.is_in_kernel && (r->sys == EACCES || r->sys == EPERM);
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
	p->spec.lacks_kernel = p->spec.exclude_kernel = true;
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
	buf_addf(b, "kernel samples are off: " OPEN_PARANOID("1") " (it is %d)",
		 limits_paranoid(p->env));
}

static void
put_namespaces(const struct open_plan *p, struct buf *b)
{
	struct rights rights;

	rights_read(&rights, p->env);
	buf_add_str(b, "namespaces of tasks are not recorded: ");
	own_file_put(b, open_remedy_perfmon(&rights), OWN_FILE_LINK);
}

/*
 * What rights, limits and PMUs refuse.  Tried in order after a failed open, until nothing applies;
 * what applied has a notice, fixed or made.
 */
static const struct open_fallback {
	bool (*applies)(const struct open_plan *p, const struct refusal *r);
	void (*apply)(struct open_plan *p, const struct refusal *r);
	const char *notice;
	void (*put_notice)(const struct open_plan *p, struct buf *b);
} open_fallbacks[] = {
	{ size_refused, shrink_attr, NULL, NULL }, /* the features that it cut off have notices */
	{ descriptors_ran_out, change_nothing, NULL, NULL },
	{ rate_refused, lower_rate, NULL, NULL }, /* was_capped has a notice */
	{ copies_refused, drop_copies,
	  "call chains are by frame pointers alone: this kernel cannot copy stacks", NULL },
	{ namespaces_refused, drop_namespaces, NULL, put_namespaces },
	{ precise_refused, lower_precise, NULL, put_precise },
	{ guest_refused, include_guests, "guests of virtual machines are counted too", NULL },
	{ tracepoint_refused, count_switches, NULL, NULL }, /* is_without_wakeups() has a notice */
	{ kernel_refused, drop_kernel, NULL, put_kernel },
};

bool
fall_back(const struct sys *sys, struct open_plan *p, const struct refusal *r)
{
	if (drop_unknown(sys, p, r))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(open_fallbacks); i++) {
		if (open_fallbacks[i].applies(p, r)) {
			open_fallbacks[i].apply(p, r);
			p->applied |= 1u << i;
			return true;
		}
	}
	return drop_refused(p, r);
}

/* Notices in the making. */
struct notices {
	char **items;
	size_t len;
};

static void
add_notice(struct notices *n, const char *text)
{
	if (text != NULL && *text != '\0' && n->len < OPEN_NOTICES_MAX)
		n->items[n->len++] = mem_strdup(text);
}

static void
put_applied(struct notices *n, const struct open_plan *p)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(open_fallbacks); i++) {
		const struct open_fallback *f = &open_fallbacks[i];

		/* Opened again it is asked for without, and lacks it all the same. */
		if (!(p->applied & 1u << i) &&
		    !(f->apply == drop_kernel && p->spec.lacks_kernel))
			continue;
		buf_reset(&b);
		if (f->put_notice != NULL)
			f->put_notice(p, &b);
		add_notice(n, f->notice != NULL ? f->notice : buf_str(&b));
	}
	buf_release(&b);
}

static bool
is_bpf(const struct event *ev)
{
	return ev->is_bpf;
}

static bool
is_per_core(const struct event *ev)
{
	return ev->terms.percore;
}

static bool
has_max_events(const struct event *ev)
{
	return ev->terms.given & 1u << TERM_MAX_EVENTS;
}

static bool
is_without_wakeups(const struct event *ev)
{
	return ev->looks == EVENT_LOOKS_EXACT && ev->site_count < 2;
}

/* What the text may say for the sake of other programs of perf's, and no attribute stands for. */
static const struct {
	bool (*applies)(const struct event *ev);
	const char *notice;
} unapplied[] = {
	{ is_bpf, ":b has no effect: only perf stat can count by BPF programs" },
	{ is_per_core, "percore has no effect: only counts of perf stat are added up by core" },
	{ is_without_wakeups, "the time in the run queue behind a wait counts as waiting: wakeups are "
	  "seen with the right to all tracepoints, where there are less than 50,000 switches a second" },
	{ has_max_events, "nr has no effect: only what perf trace prints is limited by it" },
};

static void
add_fields_notice(struct notices *n, const struct event_env *env)
{
	struct rights rights;
	struct buf b = { 0 };

	rights_read(&rights, env);
	buf_add_str(&b, "tracepoints have no fields: ");
	open_lack_put(&rights, &b);
	buf_add_str(&b, ": ");
	own_file_put(&b, open_remedy(&rights), OWN_FILE_LINK);
	add_notice(n, buf_str(&b));
	buf_release(&b);
}

/* What ptop itself makes less of than was asked for. */
static void
put_own(struct notices *n, const struct open_plan *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(unapplied); i++)
		if (unapplied[i].applies(&p->spec))
			add_notice(n, unapplied[i].notice);
	if (p->lacks_fields)
		add_fields_notice(n, p->env);
	if (p->has_left_group)
		add_notice(n, "sampled on its own: the group could not be opened as one");
}

size_t
open_plan_notices(const struct open_plan *p, char *notices[OPEN_NOTICES_MAX])
{
	struct notices n = { .items = notices };
	struct buf b = { 0 };

	if (p->was_capped) {
		buf_addf(&b, "%llu Hz is the most that perf_event_max_sample_rate allows",
			 (unsigned long long)p->attr.sample_period);
		add_notice(&n, b.data);
	}
	for (size_t i = 0; i < ARRAY_SIZE(open_features); i++)
		if (p->dropped & 1ULL << i)
			add_notice(&n, open_features[i].notice);
	put_applied(&n, p);
	put_own(&n, p);
	buf_release(&b);
	return n.len;
}
