/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_CATALOGUE_H
#define PTOP_EVENT_CATALOGUE_H
/*
 * All events of this machine, with what they count.  Made by a thread that may block; immutable and
 * shared afterwards.
 */
#include "event/event.h"

enum event_class {
	EVENT_PRESET, /* in no catalogue: what a screen has beside it, a question with its event */
	EVENT_TIME, EVENT_SOFTWARE, EVENT_HARDWARE, EVENT_CACHE, EVENT_PMU, EVENT_TRACEPOINT, EVENT_CLASSES,
};

enum event_state {
	EVENT_UNKNOWN, /* not tried yet */
	EVENT_CAN,     /* can be opened now */
	EVENT_CANNOT,  /* cannot be opened: see reason */
};

struct catalogue_event {
	const char *name;
	const char *help; /* one line: what it counts */
	enum event_class class;
	enum event_state state;
	const char *reason; /* why it cannot be opened, "" else */
	const char *remedy; /* what would change that, "": nothing is known */
};

struct catalogue {
	struct catalogue_event *items; /* by class, then name */
	size_t len;
	struct err no_tracepoints; /* why there are none, ERR_NONE: there are */
	struct arena *arena;
	unsigned refs;
};

/*
 * Reads the list: time, software, hardware and cache events from built-in tables, those of PMUs from
 * sysfs, tracepoints from tracefs (one line of help each from a table of subsystems, else the
 * fields they carry). States are EVENT_UNKNOWN.  Never NULL; where tracefs cannot be read there are no
 * tracepoints.
 */
struct catalogue *catalogue_new(const struct event_env *env);

struct catalogue *catalogue_get(struct catalogue *c);
void catalogue_put(struct catalogue *c); /* NULL is allowed; the last frees.  Thread-safe */

extern const char *const event_class_names[EVENT_CLASSES]; /* "software", ... */

#endif
