/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_CPU_WATCH_H
#define PTOP_LIVE_SYS_CPU_WATCH_H
/*
 * Notices CPUs that go off line or come on line, also those that did both since the last look.  A
 * CPU that goes off line takes its events with it for good.  Their descriptors do not show it: they
 * can be polled, read and enabled as before, but nothing is sampled any more.  One thread.
 */
#include "live/sys/cpus.h"

struct cpu_watch {
	int list_fd;   /* of CPUs on line */
	int uevent_fd; /* uevents of CPUs, as udev gets them; -1: this user gets none */
	char last[512]; /* the list: long enough to see a change in all but absurd ones */
	int64_t asleep_ns; /* that the machine was suspended since it booted */
};

/* What a look has seen. */
struct cpu_changes {
	bool any;         /* look at the list of CPUs on line */
	bool all_off;     /* any may have been off line: the machine slept, or uevents were lost */
	struct cpus off;  /* were off line, whatever they are now; may have the same one twice */
};

void cpu_watch_open(struct cpu_watch *w, const struct event_env *env);

/* Readable when a uevent came; not every change has one: look now and then, too.  -1: never. */
int cpu_watch_fd(const struct cpu_watch *w);

/* Never blocks, and costs two cheap system calls.  To be released by cpu_changes_release(). */
void cpu_watch_look(struct cpu_watch *w, struct cpu_changes *out);

/* Makes the next look report a change. */
void cpu_watch_again(struct cpu_watch *w);

void cpu_watch_close(struct cpu_watch *w);

bool cpu_changes_were_off(const struct cpu_changes *c, unsigned cpu);
void cpu_changes_release(struct cpu_changes *c);

/* The CPU of which a kernel's message of @len bytes says that it went off line; -1: it does not. */
int cpu_watch_parse(const char *text, size_t len);

#endif
