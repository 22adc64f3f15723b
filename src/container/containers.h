/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_CONTAINER_CONTAINERS_H
#define PTOP_CONTAINER_CONTAINERS_H
/*
 * What the control groups of samples are called: units, containers, pods.  By their paths at once;
 * the names that people gave come later, from files: which ids are to be looked for is only noted
 * here.  One thread.
 */
#include "base/index.h"
#include "base/strs.h"

enum { CONTAINERS_MAX = 1 << 18 }; /* beyond, groups are known by their paths alone */

/* A container or a pod. */
struct container_thing {
	uint32_t id;       /* string, whole */
	uint32_t short_id; /* string */
	uint32_t name;     /* string: what it is called as far as is known, its short id at first */
};

struct container_things {
	struct container_thing *items; /* from 0 */
	size_t len, cap;
	struct index index; /* counted from 1 */
};

struct containers {
	struct strs *strs;
	struct container_group {
		uint32_t path;           /* string */
		uint32_t container, pod; /* numbers of things from 1, 0: it is in none */
		uint32_t unit, whole_unit; /* strings, 0: none */
	} *groups; /* from 0 */
	size_t group_len, group_cap;
	struct index by_path; /* counted from 1 */
	struct container_things containers, pods;
	size_t asked;         /* containers from here on are to be looked for */
	uint32_t none;        /* string: "-" */
};

/* What is in strings of @strs. */
void containers_init(struct containers *c, struct strs *strs);
void containers_release(struct containers *c);

/* Strings of what the group at @path, a string, is in; "-" if it is in none. */
struct container_names {
	uint32_t container, pod, unit;
};

struct container_names containers_of(struct containers *c, uint32_t path);

/* What else these are known as, strings: whole and short ids, the whole name; 0: it is in none. */
struct container_ids {
	uint32_t container[2], pod[2], unit;
};

struct container_ids containers_ids_of(struct containers *c, uint32_t path);

/* What files tell of the container with that number (from 0); "": they do not. */
void containers_learn(struct containers *c, size_t number, const char *name, const char *pod);

#endif
