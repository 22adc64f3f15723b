/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_NODEPATH_H
#define PTOP_UI_NODEPATH_H
/*
 * Which node of a snapshot's trees is meant, whatever comes and goes around it, and though
 * functions get their names late: the ids and places of all from its root down to it.
 * Zero-initialise to begin.
 */
#include "view/snapshot.h"

struct nodepath {
	struct nodepath_step {
		uint64_t id;
		uint64_t place;
	} *steps;
	size_t len, cap; /* len 0: none */
};

void nodepath_set(struct nodepath *p, const struct snapshot *s, uint32_t node);
void nodepath_release(struct nodepath *p);

/*
 * The node, or the nearest one above it that is still there; the first one of all.  From now on it
 * is known by what it is called in @s.
 */
uint32_t nodepath_find(struct nodepath *p, const struct snapshot *s);

#endif
