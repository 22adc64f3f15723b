/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_NODEPATH_H
#define PTOP_UI_NODEPATH_H
/*
 * Which node of a snapshot's trees is meant, whatever comes and goes around it: the ids of all from
 * its root down to it.  Zero-initialise to begin.
 */
#include "profile/snapshot.h"

struct nodepath {
	uint64_t *ids;
	size_t len, cap; /* len 0: none */
};

void nodepath_set(struct nodepath *p, const struct snapshot *s, uint32_t node);
void nodepath_copy(struct nodepath *to, const struct nodepath *from);
void nodepath_release(struct nodepath *p);

/* The node, or the nearest one above it that is still there; the first one of all. */
uint32_t nodepath_find(const struct nodepath *p, const struct snapshot *s);

#endif
