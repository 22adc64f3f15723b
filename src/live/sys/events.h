/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_EVENTS_H
#define PTOP_LIVE_SYS_EVENTS_H
/*
 * The descriptors of an event, and the event as engine and opener share it: the opener makes it
 * and reads what never changes; descriptors and the rest belong to the engine from the moment
 * that it was given away.
 */
#include "event/event.h"
#include "live/sys/sys.h"
#include "live/sys/tally.h"

enum { AUX_BYTES = 1 << 20 }; /* of an AUX area, a power of two: samples have its last bytes */

struct event_fd {
	int fd;
	void *aux; /* its AUX area, NULL: it has none */
	unsigned cpu;
	bool is_past; /* beside the one that is read: it writes what is kept of the past */
	int tid; /* the task it was opened for, 0: all */
	uint32_t target; /* number of the target that the task belongs to, 0: none */
	uint64_t id;
};

struct event_fds {
	struct event_fd *items;
	size_t len, cap;
};

void event_fds_add(struct event_fds *fds, struct event_fd fd);
void event_fds_enable(const struct event_fds *fds, const struct sys *sys);
void event_fds_disable(const struct event_fds *fds, const struct sys *sys);

/*
 * The same, each from its own CPU.  Disabling from another one interrupts the CPU, perhaps in the
 * middle of a tracepoint: what that has counted by then is neither sampled nor counted as lost
 * (kernel 6.18).
 */
void event_fds_disable_there(const struct event_fds *fds, const struct sys *sys);

void event_fds_append(struct event_fds *to, struct event_fds *from); /* empties @from */

/* Moves those of the CPUs in @cpus, and of @target (0: none), to @out. */
void event_fds_take(struct event_fds *fds, const unsigned *cpus, size_t count, uint32_t target,
		    struct event_fds *out);

/* Adds what they, all of @read_format, have counted and lost; not those of the past. */
void event_fds_tally(const struct event_fds *fds, const struct sys *sys, uint64_t read_format,
		     struct tallies *sum);

void event_fds_close(struct event_fds *fds); /* may block: see closer.h */
void event_fds_release(struct event_fds *fds);

struct session_event {
	unsigned refs; /* the engine's, the opener's, and those of messages under way */
	/* never changes */
	uint32_t token;
	bool is_freq, is_clock, is_paced, inherits, is_probe;
	uint64_t read_format;
	/* the engine's */
	bool is_closed, is_stopped;
	uint64_t rate;
	struct tallies gone; /* of descriptors that are closed */
	struct event_fds fds;
};

struct session_event *session_event_get(struct session_event *ev);
void session_event_put(struct session_event *ev); /* NULL is allowed */

#endif
