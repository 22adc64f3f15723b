/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_TRACEPOINT_H
#define PTOP_EVENT_TRACEPOINT_H
/* Tracepoints, as tracefs shows them.  Reads files: not for threads that must not block. */
#include "base/arena.h"
#include "base/buf.h"
#include "event/event.h"

enum { TRACEPOINT_GROUPS_MAX = 4096, TRACEPOINT_NAMES_MAX = 65536 };

/* With a group: the mode alone would not let users read the ids of tracepoints. */
#define TRACEFS_OPTIONS "mode=750,gid=\"$(id -g)\""
/* To sample them takes more than to find them.  What stands behind is a command. */
#define TRACEFS_AS_ROOT_OR "run as root, or, with cap_perfmon or kernel.perf_event_paranoid 1: "
#define TRACEFS_REMEDY \
	TRACEFS_AS_ROOT_OR "sudo mount -o remount," TRACEFS_OPTIONS " /sys/kernel/tracing"

/*
 * The path of tracefs's "events" folder.  0; or -1: not mounted (ERR_UNSUPPORTED) or not readable
 * (ERR_DENIED).
 */
int tracepoint_dir(const struct event_env *env, struct buf *path, struct err *err);

/* Of the group "ftrace" only the function tracer can be opened; the rest are formats. */
bool tracepoint_can_open(const char *group, const char *name);

/* Calls @each for every tracepoint below @dir, in no order. */
void tracepoint_list(const char *dir, void (*each)(void *self, const char *group, const char *name),
		     void *self);

/*
 * The tracepoint that was meant by @text ("shced:sched_switch", "sched_switch"), "" if nothing is
 * near.
 */
void tracepoint_nearest(const struct event_env *env, const char *text, struct buf *out);

/* One line of help, in @arena or constant. */
const char *tracepoint_help(struct arena *arena, const char *group, const char *name);

/*
 * Makes @ev one of the switches between tasks: the tracepoint sched_switch, and sched_waking beside
 * it, or where tracefs does not show them the software event that comes at the same place.
 */
void switches_choose(const struct event_env *env, struct event *ev);

/* Its number, for attr.config; 0: there is none of that name, or not for this user. */
uint64_t tracepoint_id(const struct event_env *env, const char *name);

/*
 * Adds the names of the fields of the tracepoint @name ("sched:sched_switch:u"), with blanks
 * between them.  False: they cannot be read.
 */
bool tracepoint_fields(const struct event_env *env, const char *name, struct buf *out);

/*
 * Adds what the kernel finds wrong with @filter, "column 11: Field not found".  Only tracefs says
 * so: the filter is set in an instance made for that and removed again.  False: nothing was added,
 * since tracefs cannot be written, accepts the filter, or does not say what is wrong.
 */
bool tracepoint_filter_fault(const struct event_env *env, const char *name, const char *filter,
			     struct buf *out);

/* The text of the format of the tracepoint @name, for the caller to free; NULL: it cannot be read. */
char *tracepoint_format(const struct event_env *env, const char *name);

struct traced {
	char *name;   /* "sched:sched_switch:u" */
	char *format; /* its text, NULL: as tracefs has it now */
};

/*
 * The formats of tracepoints as perf keeps them in a recording (the head of trace.dat, version
 * 0.6): without them it reads no file that has a tracepoint.  May block.  Adds those of @list, of
 * which others than tracepoints are passed over, to @out.  -1: tracefs cannot be read.
 */
int tracing_data_build(const struct event_env *env, const struct traced *list, size_t count,
		       struct buf *out, struct err *err);

#endif
