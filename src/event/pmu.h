/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_PMU_H
#define PTOP_EVENT_PMU_H
/*
 * The PMUs that sysfs describes: their numbers, fields, named events and CPUs.  Reads files: not
 * for threads that must not block.
 */
#include "base/buf.h"
#include "event/names.h"
#include "event/spec.h"

struct pmu {
	char *name, *dir;
	uint32_t type;
	bool is_core;   /* what counts cycles and instructions: it may see guests */
	bool is_hybrid; /* one of several such: its CPUs are not all */
	unsigned *cpus; /* it counts on these alone, NULL: on all */
	size_t cpu_count;
};

enum { PMU_CONFIGS = 5 };

/* Whether there is a PMU of the @len bytes at @name; to be released then. */
bool pmu_open(const struct event_env *env, const char *name, size_t len, struct pmu *pmu);
void pmu_release(struct pmu *pmu);

/* The names of all. */
void pmu_names(const struct event_env *env, struct names *names);

/* The names of its events ("events"), or of the fields of its configs ("format"). */
void pmu_files(const struct pmu *pmu, const char *folder, struct names *names);

/*
 * Puts the text of the PMU's own event of that name, such as "event=0x3c,umask=1", in @out.
 * False: it has no such event.
 */
bool pmu_alias(const struct pmu *pmu, const char *name, size_t len, struct buf *out);

/*
 * Puts @value where the PMU has the field @name, of config to config4.  1; 0: it has no such
 * field; -1: the value has more bits than the field, of which *@max is the greatest.
 */
int pmu_set_field(const struct pmu *pmu, const char *name, size_t len, uint64_t value,
		  struct event *ev, uint64_t *max);

/* The event is of this PMU: type, CPUs, and whether guests are left out. */
void pmu_set_event(const struct pmu *pmu, struct event *ev);

/*
 * A hardware, cache or raw event of a machine with several core PMUs becomes one on each of
 * them: struct event's more_types.
 */
void pmu_add_core_types(const struct event_env *env, struct event *ev);

#endif
