/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_CPU_NODES_H
#define PTOP_BASE_CPU_NODES_H
/* Which NUMA node each CPU is of.  Zero-initialise to begin. */
#include "base/util.h"

enum { NODES_MAX = 1024 }; /* MAX_NUMNODES is at most that */

struct cpu_nodes {
	short *items; /* by CPU: its node, -1: not known */
	size_t len;
};

/* Of this machine, below @root, which is "" outside of tests.  Reads small files of /sys. */
void cpu_nodes_read(struct cpu_nodes *n, const char *root);

/* Of a recording: "node 0: 16 kB, 8 kB free, cpus 0-3; node 1: ..." anywhere in @text. */
void cpu_nodes_of_text(struct cpu_nodes *n, const char *text);

void cpu_nodes_release(struct cpu_nodes *n);

/* -1: it is not known. */
static inline int
cpu_node(const struct cpu_nodes *n, uint64_t cpu)
{
	return cpu < n->len ? n->items[cpu] : -1;
}

#endif
