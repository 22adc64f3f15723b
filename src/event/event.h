/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_EVENT_H
#define PTOP_EVENT_EVENT_H
/*
 * From an event's text, in perf's syntax, to what perf_event_open(2) is to be given.
 */
#include "base/err.h"

/* What an event counts decides what can be said of it. */
enum event_unit {
	EVENT_COUNTS_THINGS, /* faults, misses, calls */
	EVENT_COUNTS_TIME,   /* the period is nanoseconds: cpu-clock, task-clock */
	EVENT_COUNTS_CYCLES, /* time too, of a clock that varies */
};

struct event {
	char *name; /* as perf names it, modifiers included: "cycles:P", "sched:sched_switch" */
	uint32_t type;
	uint64_t config, config1, config2;
	enum event_unit unit;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest, exclude_idle;
	bool precise_max;     /* :P, as precise as this machine can */
	unsigned precise;     /* :p :pp :ppp */
	bool pinned, exclusive;
	bool is_clock;        /* cpu-clock, task-clock: IOC_PERIOD takes nanoseconds */
	bool is_tracepoint;   /* sampled with period 1 unless told otherwise */
};

struct event_list {
	struct event *items;
	size_t len, cap;
};

/*
 * Where the machine describes its events.  "" is the real root; tests give a folder.  Copies are
 * good as long as the one that was opened is.
 */
struct event_env {
	const char *root;  /* prefix of /sys and /proc paths */
	char tracefs[32];  /* a private mount, "": there is none */
	int tracefs_fd;    /* of that mount */
};

/*
 * The real machine.  Where tracefs is not mounted, or not for this user, it is mounted for this
 * process alone, if that is allowed.
 */
void event_env_open(struct event_env *env);
void event_env_close(struct event_env *env); /* of a zeroed one, too */

/*
 * Parses "cycles:u,page-faults" and appends to @list.  Name unknown: ERR_USAGE with the nearest
 * right one ("unknown event 'cylces': did you mean 'cycles'?").  Known, but the machine has it not
 * (a tracepoint whose tracefs is not mounted or not readable): another code, with a hint.
 */
int event_parse(const struct event_env *env, const char *text, struct event_list *list,
		struct err *err);

void event_list_release(struct event_list *list);
void event_copy(struct event *to, const struct event *from);
void event_release(struct event *ev);

#endif
