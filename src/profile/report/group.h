/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_GROUP_H
#define PTOP_PROFILE_REPORT_GROUP_H
/* Groups the entries of the hot table by keys.  Internal to reports.  Engine thread only. */
#include "view/query.h"
#include "profile/count/profile.h"

struct group {
	uint64_t samples, period;
	uint32_t first;      /* a hot entry of the group: the row is filled from it */
};

struct grouping {
	const struct profile *profile;
	enum key keys[KEYS_MAX];
	size_t key_count;
	bool whole_process;  /* comm is the process's, not the thread's */
	struct group *items; /* from 0 */
	uint64_t *parts;     /* see group_parts() */
	size_t len, cap, part_cap;
	struct index index;
	/* Where all keys are of a task, or all of a place: by who, or by location, its group plus one. */
	uint32_t *known;
	bool is_by_who;
};

/* Before the first is found: the keys are there. */
void grouping_begin(struct grouping *g);

/* What the hot entry @id has for @key: see report_key.h. */
uint64_t group_part(const struct grouping *g, enum key key, uint32_t id);

/* What identifies a group: the part of each key, in order. */
static inline const uint64_t *
group_parts(const struct grouping *g, const struct group *group)
{
	return &g->parts[(size_t)(group - g->items) * g->key_count];
}

/* The group of the hot entry, made if it is new. */
struct group *group_find(struct grouping *g, uint32_t id);

/* The same; if it is @likely's, from 1, that is found without a search.  0: nothing is likely. */
struct group *group_find_likely(struct grouping *g, uint32_t id, uint32_t likely);

/* The same, NULL if there is none. */
struct group *group_lookup(const struct grouping *g, uint32_t id);

/* Where there is one key: the group with @part, made of the hot entry @first if it is new. */
struct group *group_with_part(struct grouping *g, uint64_t part, uint32_t first);

/* A group that nothing is found to be in, to be filled; what its keys show is that of @first. */
struct group *group_add_rest(struct grouping *g, uint32_t first);

void grouping_release(struct grouping *g);

#endif
