/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_EXPORT_STACKS_H
#define PTOP_VIEW_EXPORT_STACKS_H
/*
 * The call trees of a report as exports read them: places are told apart as the tables do, not by
 * name, and know where they are.  Part of a snapshot: immutable, in its arena.  Strings are raw
 * bytes, never NULL.
 */
#include "base/util.h"

enum stack_kind {
	STACK_UNKNOWN, /* no map covers it, or it is in no file: [vdso] and the like */
	STACK_KERNEL,
	STACK_PROGRAM,
	STACK_LIBRARY,
	STACK_JIT,     /* executable memory without a file */
	STACK_CUT,     /* no code: in the place of callers that a chain lacks */
	STACK_KIND_COUNT,
};

extern const char *const stack_kind_names[STACK_KIND_COUNT];

struct stack_dso {
	const char *name;     /* as reports show it */
	const char *path;     /* as it was mapped, "" of what is no file */
	const char *build_id; /* in hex, "": not known */
	enum stack_kind kind;
	uint64_t start, end;  /* where one of the processes has it; 0: not known */
	uint64_t pgoff;       /* what of it lies at start */
};

struct stack_place {
	const char *name;   /* as reports show it */
	const char *raw;    /* a function's name as its file has it; else the same as name */
	const char *line;   /* "file.c:12" of its hottest instruction, "": nobody asked for it */
	uint64_t offset;    /* in the dso; of the kernel an address */
	uint32_t dso;       /* in stacks.dsos */
	bool is_function;   /* name is one */
	bool is_inlined;    /* in the place, a function's, that its node is below */
};

/* Whose stacks, and of which event: what the tree begins with. */
struct stack_top {
	const char *comm;
	int pid, tid;       /* -1: not known */
	uint32_t event;     /* in the snapshot's events */
};

/*
 * Parents come before their children.  Node 0 is none.  A node whose parent is 0 stands for a top,
 * all others for a place.
 */
struct stack_node {
	uint32_t parent;
	uint32_t item;            /* in stacks.tops or stacks.places */
	uint64_t samples, period; /* of the stacks that end here */
};

struct stacks {
	struct stack_dso *dsos;
	struct stack_place *places;
	struct stack_top *tops;
	struct stack_node *nodes;
	size_t dso_count, place_count, top_count, node_count;
};

#endif
