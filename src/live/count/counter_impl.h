/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_COUNT_COUNTER_IMPL_H
#define PTOP_LIVE_COUNT_COUNTER_IMPL_H
/*
 * The inside of counters, shared by the counter*.c files alone.  A slot is one kind of descriptor:
 * an event is one slot, or one for each core PMU of a hybrid machine, or for each of its sites.  A
 * place is a task or a CPU.  There is a descriptor for each place and slot, but where one could not
 * be opened.
 */
#include "live/count/counter.h"
#include "live/sys/cpu_watch.h"
#include "live/open/open.h"
#include "live/sys/targets.h"

struct counter_slot {
	size_t event;           /* whose count it is part of */
	unsigned group;         /* slots with the same one are opened as a group, 0: alone */
	struct open_plan plan;  /* as reached */
	size_t opened;          /* descriptors */
	size_t site;            /* of the event's, SIZE_MAX: it has none */
	bool is_user_only;      /* as asked for: that the kernel is left out is no fallback */
	bool is_alone;          /* its group has no room for it */
	bool is_refused;
};

struct counter_place {
	int tid, cpu;           /* -1: any */
	int owner;              /* the process or thread that was named, 0: none */
	enum follow follow;     /* what of it is inherited */
};

struct counter_fd {
	int fd;                 /* -1: none */
	uint64_t id;
	bool leads;             /* a group, or itself alone */
};

struct counter_event {
	char *why, *remedy, *note;
	bool is_refused;
};

struct counters {
	const struct sys *sys;
	const struct event_env *env;
	struct counter_target target;
	struct targets targets;
	int *owners;            /* of tasks, by the number of their target, less one */
	struct cpus cpus;       /* of the target; len 0: any, of tasks */
	uint64_t format;        /* PERF_FORMAT_* that this kernel takes */
	struct counter_event *events;
	size_t event_count;
	struct counter_slot *slots;
	size_t slot_count, slot_cap;
	struct counter_place *places;
	size_t place_count, place_cap;
	struct counter_fd *fds; /* by place, then slot */
	struct counter_value *ended; /* by slot: of descriptors that went with their CPU */
	struct cpu_watch watch; /* of the machine's counters */
};

static inline struct counter_fd *
counters_fd(const struct counters *c, size_t place, size_t slot)
{
	return &c->fds[place * c->slot_count + slot];
}

static inline bool
counters_are_of_machine(const struct counters *c)
{
	return c->target.pid == 0 && c->target.tid == 0;
}

/* A right was missing: the kernel's part is not counted. */
static inline bool
counter_lost_kernel(const struct counter_slot *s)
{
	return s->plan.attr.exclude_kernel && !s->is_user_only;
}

/* counter_slot.c */
void counters_add_slots(struct counters *c, const struct event *events, size_t count);

/* false: a slot that is open at other places was refused, so that all has to begin anew. */
bool counters_open_place(struct counters *c, size_t place);

void counters_close_place(struct counters *c, size_t place);
void counters_refuse(struct counters *c, size_t slot, const char *why);

/* counter_read.c: adds what the place's descriptors tell to @sums, by slot. */
void counters_read_place(const struct counters *c, size_t place, struct counter_value *sums);

/* As counters_read(), of the descriptors that there are. */
uint64_t counters_sum(const struct counters *c, struct counter_value *values);

/* counter_cpus.c: closes and opens what CPUs that went and came ask for. */
void counters_follow_cpus(struct counters *c);

#endif
