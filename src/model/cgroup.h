/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_CGROUP_H
#define PTOP_MODEL_CGROUP_H
/*
 * Control groups, by numbers of their own from 1 on: known by the id that samples carry, by their
 * path below the hierarchy's root, or by both.  Two numbers may have one path: whoever groups by
 * it compares paths.  Zero-initialise to begin.  Engine thread only.
 */
#include "base/index.h"
#include "base/strs.h"

struct cgroup {
	uint64_t id;   /* 0: none was told */
	uint32_t path; /* string; 0: not known */
	bool is_looked_up; /* who looks for names of all has had it */
	bool is_wanted;    /* if its path was judged: */
	uint32_t judged;   /* the path that was */
};

struct cgroups {
	struct cgroup *items; /* from 0 */
	size_t len, cap;
	struct index by_id, by_path; /* counted from 1; by_path: those without an id */
	/* What is sampled: paths as fnmatch(3) has them, with all below; borrowed.  0: all is. */
	char *const *patterns;
	size_t pattern_count;
};

void cgroups_release(struct cgroups *c);

/* The newest path of an id counts: for all of its samples. */
void cgroups_learn(struct cgroups *c, uint64_t id, uint32_t path);

/* Whether there is one with that id; whether its path is known. */
bool cgroups_knows(const struct cgroups *c, uint64_t id);
bool cgroups_find(const struct cgroups *c, uint64_t id, uint32_t *path);

/* The number of the group with that id, or with that path, made if it is new. */
uint32_t cgroups_with_id(struct cgroups *c, uint64_t id);
uint32_t cgroups_with_path(struct cgroups *c, uint32_t path);

/* Whether a pattern has @path, or one that it is below. */
bool cgroup_matches(char *const *patterns, size_t count, const char *path);

/* Whether samples of the group with that number are wanted; of those whose path is not known not. */
bool cgroups_want(struct cgroups *c, const struct strs *strs, uint32_t n);

/* What has the number @n; 0: nothing is known of it. */
static inline struct cgroup
cgroups_at(const struct cgroups *c, uint32_t n)
{
	return n > 0 && n <= c->len ? c->items[n - 1] : (struct cgroup){ 0 };
}

#endif
