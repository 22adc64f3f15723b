/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_OPEN_H
#define PTOP_LIVE_OPEN_OPEN_H
/*
 * Opens one event on one CPU or task.  plan.c makes its attributes, fallback.c asks for less where
 * the kernel refuses.  What was left out becomes notices; what cannot be opened, a typed error.
 * A plan belongs to one thread.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "event/event.h"
#include "live/sys/sys.h"

enum { OPEN_NOTICES_MAX = 40 };

/* How a session wants its events; what an event's own terms say goes before it. */
struct open_options {
	uint64_t sample_type;
	bool is_freq;
	uint64_t rate;       /* Hz (UINT64_MAX: the most there is) if is_freq, else the period */
	bool is_rate_given;  /* by the user: holds for tracepoints and breakpoints too */
	bool exclude_idle;   /* clocks only */
	bool inherit;        /* follow children */
	bool inherit_thread; /* follow new threads, not new processes */
	bool enable_on_exec;
	bool has_lost;       /* the kernel has FORMAT_LOST */
	bool in_group;       /* of several events: what is read is read of all of them */
	bool is_member;      /* of a group, not its leader */
	bool for_file;       /* the side-band has what only readers of a recording can use, too */
	bool has_fields;     /* samples of tracepoints carry them, as readers of a recording want them */
	bool lacks_fields;   /* they were to, but this process may not have them */
	bool for_stacks;     /* maps that are not executable: perf reads their .eh_frame there */
	bool in_aux_group;   /* whose leader is a PMU that writes an AUX area */
	bool is_read;        /* a member that the leader's samples read; it has none of its own */
	enum event_call_graph call_graph; /* 0: as sample_type says */
	uint32_t stack_bytes;             /* of CALL_GRAPH_DWARF and _AUTO, 0: the default */
	bool defer_chains;                /* of CALL_GRAPH_FP */
	const char *attrs;   /* for attr_assign(), after all else; NULL: none */
	int cgroup_fd;       /* of a CPU, its tasks of this control group alone; 0: all.  No groups of events */
	const struct clock_def *clock; /* of times, NULL: CLOCK_MONOTONIC */
};

/* An event into whose group another one is opened. */
struct open_leader {
	int fd;
	const char *name;
};

/* What is asked of the kernel next; the fallbacks that were needed stay for the next open. */
struct open_plan {
	const struct event_env *env;
	struct event spec; /* as reached: fallbacks change name and bits */
	struct event_attr attr;
	int32_t clock;     /* that all events of the session have */
	bool in_aux_group; /* of the options */
	const struct open_leader *leader; /* borrowed; NULL: it leads a group, or is in none */
	bool has_left_group; /* its group could not be opened as one */
	int cgroup_fd;     /* of the options */
	uint32_t applied;  /* bit i: open_fallbacks[i] */
	uint64_t dropped;  /* bit i: open_features[i] */
	bool lacks_fields; /* of the options: it would have some */
	bool was_capped;   /* the frequency asked for is above the kernel's limit */
	bool is_paced;     /* see open_is_paced() */
};

/* One sample each so many events; 0: it is sampled by frequency. */
uint64_t open_period(const struct event *spec, const struct open_options *options);

/*
 * What the kernel counts itself comes in bursts, which its frequencies do not follow.  Such an event
 * begins with each of its times as a sample; where they come too fast for the frequency, who
 * samples it raises the period.  Not if the user gave a rate, nor where values are read.
 */
bool open_is_paced(const struct event *spec, const struct open_options *options);

/* The period of a plan that is paced. */
void open_plan_set_period(struct open_plan *p, uint64_t period);

/*
 * For sampling @spec, disabled.  Tracepoints, breakpoints and probes without a rate of their own
 * are sampled each time, unless a rate was given.
 */
void open_plan_sampling(struct open_plan *p, const struct event_env *env, const struct event *spec,
			const struct open_options *options);

/* For counting @spec, disabled.  options: inherit, inherit_thread, enable_on_exec. */
void open_plan_counting(struct open_plan *p, const struct event_env *env, const struct event *spec,
			const struct open_options *options);

/* For the records of tasks and maps, disabled.  options: inherit, inherit_thread, clock. */
void open_plan_sideband(struct open_plan *p, const struct event_env *env,
			const struct open_options *options);

/*
 * For the disabled dummy that owns a ring of that clock, NULL: CLOCK_MONOTONIC.  With
 * attr.write_backward it owns one of the past.
 */
void open_plan_owner(struct open_plan *p, const struct event_env *env,
		     const struct clock_def *clock);

/* How call chains are taken, with @bytes of the stack, 0: the default. */
void open_options_set_chains(struct open_options *options, enum event_call_graph how,
			     uint32_t bytes);

/* Has samples carry registers and @bytes of the stack (0: the default). */
void open_plan_set_stack(struct open_plan *p, uint32_t bytes);

/* Has samples carry call chains as @options say, in place of how they did. */
void open_plan_set_chains(struct open_plan *p, const struct open_options *options);

/*
 * Whether the rings of a session can take its samples and their reader can read them; -1: not, and
 * why.
 */
int open_plan_check(const struct open_plan *p, struct err *err);

/* Whether its PMU writes an AUX area: samples of events that it leads can have a part of that. */
bool open_is_aux(const struct event *spec);

void open_plan_release(struct open_plan *p);

/* A descriptor, its filter set; or -1, the plan unchanged, and why.  pid -1: all tasks. */
int open_event(const struct sys *sys, struct open_plan *p, int pid, int cpu, struct err *err);

/* One attempt, into the group of the plan's leader if it has one; as sys->open. */
int open_attempt(const struct sys *sys, const struct open_plan *p, struct event_attr *attr, int pid,
		 int cpu);

/* What was left out, as sentences to be freed. */
size_t open_plan_notices(const struct open_plan *p, char *notices[OPEN_NOTICES_MAX]);

#endif
