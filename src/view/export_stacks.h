/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_EXPORT_STACKS_H
#define PTOP_VIEW_EXPORT_STACKS_H
/*
 * The call trees for exports (pprof, speedscope, SVG): places with their dso and offset, told apart
 * even if they have the same name.  Part of a snapshot: immutable, in its arena.  Strings are raw
 * bytes, never NULL.
 */
#include "base/util.h"

enum stack_kind {
	STACK_UNKNOWN, /* no map covers it, or it is in no file: [vdso] and the like */
	STACK_KERNEL,
	STACK_PROGRAM,
	STACK_LIBRARY,
	STACK_JIT,     /* executable memory without a file */
	STACK_WAITS,   /* no code: a kind of wait, [lock] and the like */
	STACK_CUT,     /* no code: stands for callers that a chain lacks */
	STACK_KIND_COUNT,
};

extern const char *const stack_kind_names[STACK_KIND_COUNT];

struct stack_dso {
	const char *name;     /* as reports show it */
	const char *path;     /* as it was mapped, "" if it is no file */
	const char *build_id; /* in hex, "": not known */
	enum stack_kind kind;
	uint64_t start, end;  /* where one of the processes maps it, 0: not known; of query.hide_addresses in the file */
	uint64_t pgoff;       /* the offset in the file of start */
};

struct stack_place {
	const char *name;   /* as reports show it */
	const char *raw;    /* a function's mangled name; else the same as name */
	const char *line;   /* "file.c:12" of its hottest instruction, "": not known */
	uint64_t offset;    /* in the dso; in the kernel an address; of query.hide_addresses 0 but in files */
	uint32_t dso;       /* in stacks.dsos */
	bool is_function;   /* name is one */
	bool is_inlined;    /* into the function of the parent node */
};

/* What a tree begins with: a thread and an event. */
struct stack_top {
	const char *comm;
	int pid, tid;       /* -1: not known */
	uint32_t event;     /* in the snapshot's events */
	const char *user, *cgroup, *container, *pod; /* "" or NULL: not known, or in none */
};

/*
 * Parents come before their children.  Node 0 is unused.  A node whose parent is 0 is a top, all
 * others are places.
 */
struct stack_node {
	uint32_t parent;
	uint32_t item;            /* in stacks.tops or stacks.places */
	uint64_t samples, period; /* of the stacks that end here */
	bool is_then;             /* of a query that compares: they count as THEN */
};

struct stacks {
	struct stack_dso *dsos;
	struct stack_place *places;
	struct stack_top *tops;
	struct stack_node *nodes;
	size_t dso_count, place_count, top_count, node_count;
};

#endif
