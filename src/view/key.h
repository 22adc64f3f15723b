/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_KEY_H
#define PTOP_VIEW_KEY_H
/*
 * What samples can be grouped by, and the views, which are groupings with a name.
 */
#include "base/err.h"

enum key {
	KEY_EVENT,
	KEY_COMM,
	KEY_PID,
	KEY_TID,
	KEY_DSO,
	KEY_SYMBOL,
	KEY_SRCLINE,
	KEY_ADDRESS,
	KEY_CPU,
	KEY_CGROUP,
	KEY_USER,
	KEY_TIME,
	KEY_DATA_SRC,
	KEY_WEIGHT,
	KEY_BRANCH,
	KEY_PATH,
	KEY_BUILD_ID,
	KEY_SOURCE,
	KEY_REASON,
	KEY_REMEDY,
	KEY_COUNT,
};

enum { KEYS_MAX = KEY_COUNT };

/* Those that tell of a function which it is, as a mask of 1 << enum key. */
#define FUNCTION_KEYS (1u << KEY_DSO | 1u << KEY_SYMBOL)

struct key_def {
	const char *name; /* --by, CSV column */
	const char *help;
};

extern const struct key_def key_defs[KEY_COUNT];

enum view_id {
	VIEW_PROCESSES,
	VIEW_THREADS,
	VIEW_FUNCTIONS,
	VIEW_DSOS,
	VIEW_CPUS,
	VIEW_USERS,
	VIEW_UNNAMED,
	VIEW_TREE,     /* from here to VIEW_FLAME: stacks, the snapshot's nodes */
	VIEW_CALLERS,
	VIEW_CALLEES,
	VIEW_FLAME,
	VIEW_COUNTERS, /* no samples: what events counted, see profile/counter_row.h */
	VIEW_COUNT,
};

enum { VIEW_COLUMNS_MAX = 12, VIEW_KEYS_MAX = 6 };

struct view_def {
	const char *name;  /* --view */
	const char *title; /* "Functions" */
	const char *help;
	enum key keys[VIEW_KEYS_MAX];
	size_t key_count;
	unsigned char columns[VIEW_COLUMNS_MAX]; /* enum column_id, on the screen, left to right */
	size_t column_count;
	int into; /* view that Enter opens, -1: none */
	bool is_unnamed; /* of places without a name alone: query.unnamed */
	bool is_tree;    /* of stacks: it has nodes in place of rows */
};

extern const struct view_def view_defs[VIEW_COUNT];

/* "comm,symbol" to keys; ERR_USAGE with the nearest right name. */
int key_parse_list(const char *text, enum key *keys, size_t *count, struct err *err);
int view_parse(const char *text, enum view_id *view, struct err *err);

#endif
