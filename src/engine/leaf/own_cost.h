/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_OWN_COST_H
#define PTOP_ENGINE_LEAF_OWN_COST_H
/* What ptop itself costs: CPU time, of its helpers too, and memory.  A leaf.  Engine thread only. */
#include "base/file.h"

struct own_cost {
	uint64_t (*helpers_ns)(const void *self); /* CPU time of processes that work for ptop */
	const void *self;
	uint64_t drain_ns;  /* own CPU time in drains, of samples and */
	uint64_t sideband;  /* of so many other records */
	double cpu_percent; /* of one CPU, between the last two measurings; NAN: there were none */
	uint64_t bytes;     /* resident */
	uint64_t before_ns, since_ns; /* CPU time at the last measuring, and when that was */
	struct file_kept statm;
	bool is_thrifty; /* it is too much: what can wait beside samples is to wait (sampling says so) */
	uint64_t turn_ns; /* the same beside looks at threads: one at each takes so long; 0: not (waits says so) */
	uint64_t picture_ns; /* CPU time of the last picture */
};

/* CPU time of ptop and its helpers, since the start. */
uint64_t own_cost_ns(const struct own_cost *c);

void own_cost_measure_memory(struct own_cost *c);
void own_cost_begin(struct own_cost *c); /* what was used before does not count */
/* CPU since the last time, if that was a tenth of a second ago, and memory. */
void own_cost_measure(struct own_cost *c);
void own_cost_release(struct own_cost *c);

#endif
