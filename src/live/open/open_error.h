/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_OPEN_ERROR_H
#define PTOP_LIVE_OPEN_OPEN_ERROR_H
/*
 * Why perf_event_open(2) failed, or the mmap(2) of its ring: the event, the place, the error's
 * name, the cause as it was found by testing it, and what helps.  Any thread that may block.
 */
#include "live/open/open.h"

struct open_refusal;

/* Errors as programs tell them apart; several causes can be one error. */
enum open_kind {
	OPEN_TOO_BIG,
	OPEN_PERMISSION_DENIED,
	OPEN_BAD_DESCRIPTOR,
	OPEN_DEVICE_BUSY,
	OPEN_BAD_ADDRESS,
	OPEN_INTERRUPTED,
	OPEN_FREQUENCY_TOO_HIGH,
	OPEN_PERIOD_TOO_LONG,
	OPEN_CPU_NOT_FOUND,
	OPEN_CPU_OFFLINE,
	OPEN_SCOPE_NOT_SUPPORTED,
	OPEN_ATTRIBUTE_NOT_SUPPORTED,
	OPEN_GROUP_NOT_POSSIBLE,
	OPEN_INVALID_COMBINATION,
	OPEN_PROBE_NOT_POSSIBLE,
	OPEN_PMU_NOT_FOUND,
	OPEN_PROCESS_RESOURCES,
	OPEN_SYSTEM_RESOURCES,
	OPEN_CPU_FEATURE,
	OPEN_EVENT_NOT_FOUND,
	OPEN_TOO_MANY_BREAKPOINTS,
	OPEN_NO_COUNTERS_LEFT,
	OPEN_STACK_NOT_SUPPORTED,
	OPEN_NO_PERF,
	OPEN_EVENT_NOT_SUPPORTED,
	OPEN_MAX_STACK_OVERFLOW,
	OPEN_PROCESS_NOT_FOUND,
	OPEN_RING_MEMORY,
	OPEN_KIND_COUNT,
};

struct open_kind_def {
	const char *name;   /* "PermissionDenied" */
	enum err_code code;
};

extern const struct open_kind_def open_kinds[OPEN_KIND_COUNT];

/* A cause.  Of those with the same errno, the first whose test holds is it. */
struct open_error {
	int sys, sys_too;   /* errnos; sys_too: 0 if there is but one */
	enum open_kind kind;
	bool (*test)(struct open_refusal *r); /* NULL: where no other row fits */
	const char *why;    /* without capital and full stop */
	const char *remedy; /* "": nothing helps */
};

/* All rows, for the documentation: of perf_event_open(2), and of mmap(2). */
const struct open_error *open_errors(size_t *count);
const struct open_error *open_ring_errors(size_t *count);

/* "EACCES"; NULL: perf_event_open(2) does not have it. */
const char *open_errno_name(int sys);

/*
 * The failed open of @p on @pid and @cpu with the errno @sys.  Always -1.  The cause is looked for
 * with @kernel, which is asked to open the event with less; all of that is closed again.
 */
int open_error_set(struct err *err, const struct sys *kernel, const struct open_plan *p, int pid,
		   int cpu, int sys);

/* Rings of @bytes for each of @cpus that could not be mapped: needed and allowed.  Always -1. */
int open_error_ring(struct err *err, const struct event_env *env, size_t bytes, size_t cpus,
		    int sys);

#endif
