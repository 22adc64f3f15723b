/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_OPEN_CAUSE_H
#define PTOP_LIVE_OPEN_OPEN_CAUSE_H
/*
 * Tests for what is behind an errno of perf_event_open(2): they read sysctls, limits, rights and
 * tasks, or open the event again with less.  Each is true if it is the cause.  May block.
 */
#include "live/open/open.h"
#include "live/sys/rights.h"

/* An open that failed, and what tests find out about it. */
struct open_refusal {
	const struct sys *sys;
	const struct open_plan *plan;
	int pid, cpu, error;
	struct rights rights;
	struct buf found;  /* what was seen, for the brackets behind the reason */
	struct buf remedy; /* better than the table's, since numbers are known */
};

/* open_denied.c: rights */
bool denied_by_seccomp(struct open_refusal *r);
bool denied_to_all(struct open_refusal *r);
bool denied_in_user_ns(struct open_refusal *r);
bool denied_poor_root(struct open_refusal *r);
bool denied_by_lockdown(struct open_refusal *r);
bool denied_kernel_breakpoint(struct open_refusal *r);
bool denied_uprobe(struct open_refusal *r);
bool denied_kprobe(struct open_refusal *r);
bool denied_raw_tracepoint(struct open_refusal *r);
bool denied_cpu(struct open_refusal *r);
bool denied_tracepoint(struct open_refusal *r);
bool denied_event_in_kernel(struct open_refusal *r);
bool denied_kernel(struct open_refusal *r);
bool denied_other_user(struct open_refusal *r);
bool denied_closed_task(struct open_refusal *r);
bool denied_attribute(struct open_refusal *r);
bool denied_by_module(struct open_refusal *r);
bool denied_by_ptrace_scope(struct open_refusal *r);
bool denied_without_capability(struct open_refusal *r);

/* open_refused.c: attributes, CPUs and PMUs */
bool refused_frequency(struct open_refusal *r);
bool refused_period(struct open_refusal *r);
bool refused_nothing_named(struct open_refusal *r);
bool refused_cpu_number(struct open_refusal *r);
bool refused_cpu_off_line(struct open_refusal *r);
bool refused_task_scope(struct open_refusal *r);
bool refused_attribute(struct open_refusal *r);
bool refused_clock(struct open_refusal *r);
bool refused_by_leader(struct open_refusal *r);
bool refused_stack_dump(struct open_refusal *r);
bool refused_max_stack(struct open_refusal *r);
bool refused_sampling(struct open_refusal *r);
bool refused_sampling_alone(struct open_refusal *r);
bool refused_kernel_address(struct open_refusal *r);
bool refused_reads(struct open_refusal *r);
bool refused_length(struct open_refusal *r);
bool refused_kernel_code(struct open_refusal *r);
bool refused_alignment(struct open_refusal *r);
bool refused_size(struct open_refusal *r);
bool refused_pmu(struct open_refusal *r);
bool refused_pmu_number(struct open_refusal *r);
bool refused_probe(struct open_refusal *r);
bool refused_traced_probe(struct open_refusal *r);
bool is_tracepoint(struct open_refusal *r);
bool is_software(struct open_refusal *r);
bool is_breakpoint(struct open_refusal *r);
bool is_core_event(struct open_refusal *r);

/* open_limit.c: what is used up, or held by others */
bool limit_of_breakpoints(struct open_refusal *r);
bool limit_of_descriptors(struct open_refusal *r);
bool limit_of_files(struct open_refusal *r);
bool busy_with_holders(struct open_refusal *r);
bool busy_with_watchdog(struct open_refusal *r);
bool gone_task(struct open_refusal *r);
bool gone_zombie(struct open_refusal *r);

/* open_retry.c: the event with less, disabled and closed at once */

/* Whether @attr opens now.  @error, if not NULL: why not. */
bool retry_opens(const struct open_refusal *r, struct event_attr attr, int *error);

/* The event alone, counted: nothing else is asked of the kernel. */
struct event_attr retry_minimal(const struct open_refusal *r);

/* The attribute that, left out alone, lets the event open; its remedy may be "".  NULL: none. */
struct retry_attribute {
	const char *name;
	size_t at, size; /* of the field */
	uint64_t bits;   /* in it; 0: all */
	const char *remedy;
};
const struct retry_attribute *retry_find(const struct open_refusal *r);

/* The value that the plan gives it. */
uint64_t retry_value(const struct open_refusal *r, const struct retry_attribute *a);

#endif
