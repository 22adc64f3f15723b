/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_WHO_H
#define PTOP_LIVE_CALLS_CALL_WHO_H
/*
 * Whose calls are counted: where probes are to be open for them, and what CPU time they use.  Reads
 * /proc: may block.  One thread.
 */
#include "base/err.h"
#include "live/calls/call_probe.h"
#include "live/sys/cpus.h"
#include "live/sys/targets.h"

enum {
	CALL_TASKS_MAX = 16,   /* more of them are probed by CPU */
};

struct call_process {
	int pid;
	uint64_t cpu_ns; /* as last read */
};

struct call_who {
	struct targets targets;
	struct tasks tasks;     /* as last looked at */
	bool is_machine;        /* no process is named: all are meant */
	bool is_for_cpus;       /* as call_whom has it */
	bool is_by_cpu;         /* probes are open for CPUs */
	bool hits_others;       /* those run into others, too, who map the same file */
	char *own_file;         /* that these alone run, which is why they are open for CPUs; NULL */
	struct cpus cpus;
	struct call_process *processes;
	size_t process_count, process_cap;
	uint64_t cpu_ns;        /* used by them since the first look */
};

/* A process that is named. */
struct call_root {
	int pid;
	bool with_children;
	uint32_t target; /* a number of whoever names it, 0: none */
};

/* Who is meant. */
struct call_whom {
	const struct call_root *roots; /* none: the machine */
	size_t root_count;
	bool is_for_cpus; /* who runs there is hit anyway */
	const char *file; /* that is probed, "": several, NULL: the kernel */
};

/* -1: there is no such process any more, see @err. */
int call_who_init(struct call_who *w, const struct event_env *env, const struct call_whom *whom,
		  struct err *err);
void call_who_release(struct call_who *w);

/*
 * One more; tasks of it come with the next look.  If its children do not count, what was open for CPUs
 * is to be open for tasks from then on.  If it is gone nothing changes.  One that was named before is
 * named anew: with its children, or without.
 */
void call_who_join(struct call_who *w, const struct call_root *root);

/*
 * Looks whether others run by now what these alone ran.  Then, from this call on, probes are open for
 * tasks, or hit those others, too: what probes took so far is not of these processes alone.
 */
bool call_who_meets_others(struct call_who *w);

/* Looks for tasks that have come or gone. */
void call_who_refresh(struct call_who *w);

/* Where probes are to be open now; to be freed. */
struct call_place *call_who_places(const struct call_who *w, size_t *count);

/* Nanoseconds of CPU that they have used since call_who_init(); of the machine 0. */
uint64_t call_who_cpu_ns(struct call_who *w);

#endif
