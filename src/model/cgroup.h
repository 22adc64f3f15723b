/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_CGROUP_H
#define PTOP_MODEL_CGROUP_H
/*
 * The paths of control groups, by the ids that samples carry.  Zero-initialise to begin.  Engine
 * thread only.
 */
#include "base/index.h"

struct cgroup {
	uint64_t id;
	uint32_t path; /* string */
};

struct cgroups {
	struct cgroup *items; /* from 0 */
	size_t len, cap;
	struct index index; /* counted from 1 */
};

void cgroups_release(struct cgroups *c);

/* The newest path of an id counts: for all of its samples. */
void cgroups_learn(struct cgroups *c, uint64_t id, uint32_t path);

/* Whether the path of @id is known. */
bool cgroups_find(const struct cgroups *c, uint64_t id, uint32_t *path);

#endif
