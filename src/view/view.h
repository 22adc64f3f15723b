/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_VIEW_H
#define PTOP_VIEW_VIEW_H
/* The views: groupings of samples that have a name. */
#include "base/err.h"
#include "view/key.h"

enum view_id {
	VIEW_PROCESSES,
	VIEW_THREADS,
	VIEW_FUNCTIONS,
	VIEW_DSOS,
	VIEW_CPUS,
	VIEW_USERS,
	VIEW_PROGRAMS,
	VIEW_NAMES,
	VIEW_CGROUPS,
	VIEW_CONTAINERS,
	VIEW_PODS,
	VIEW_UNITS,
	VIEW_NODES,
	VIEW_SYSCALLS,
	VIEW_FIELDS,
	VIEW_HOSTS,
	VIEW_UNNAMED,
	VIEW_LOCKS,
	VIEW_TREE,     /* from here to VIEW_FLAME: stacks, the snapshot's nodes */
	VIEW_CALLERS,
	VIEW_CALLEES,
	VIEW_FLAME,
	VIEW_ANNOTATE, /* one function: the snapshot's code */
	VIEW_CALLS,    /* no samples: functions whose calls are counted, see call_row.h */
	VIEW_COUNTERS, /* no samples: what events counted, see counter_row.h */
	VIEW_COUNT,
};

enum { VIEW_COLUMNS_MAX = 15, VIEW_KEYS_MAX = 6, VIEW_MORE_MAX = 7, VIEW_OFFERS_MAX = 24 };
enum { CHOICE_MAX = 34 }; /* columns that a user can choose */

struct view_def {
	const char *name;  /* --view */
	const char *title; /* "Functions" */
	const char *help;
	enum key keys[VIEW_KEYS_MAX];
	size_t key_count;
	unsigned char columns[VIEW_COLUMNS_MAX]; /* enum column_id, on the screen, left to right */
	size_t column_count;
	unsigned char offers[VIEW_OFFERS_MAX]; /* that a user can choose, too */
	size_t offer_count;
	unsigned char more[VIEW_MORE_MAX]; /* that CSV and JSON have beside keys and counts */
	size_t more_count;
	int into; /* view that Enter opens, -1: none */
	bool is_overview; /* all samples in rows: what is hot can be seen in it at once */
	bool is_group;   /* Enter goes into what has the row's key: query.within */
	bool is_aside;   /* by Tab it is passed over */
	bool is_unnamed; /* only code without a name: query.unnamed */
	bool is_locks;   /* only what waits for locks, and who holds them */
	bool is_counted; /* no samples: rows are counters, or functions whose calls are counted */
	const char *no_then; /* what it shows is not compared, as people are told; NULL: it is */
	bool is_code;    /* one function by instruction: it has code in place of rows */
	bool is_tree;    /* a view of stacks: it has nodes in place of rows */
};

extern const struct view_def view_defs[VIEW_COUNT];

/* ERR_USAGE with the nearest right name. */
int view_parse(const char *text, enum view_id *view, struct err *err);

#endif
