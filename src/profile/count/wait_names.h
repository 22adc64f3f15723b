/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_WAIT_NAMES_H
#define PTOP_PROFILE_COUNT_WAIT_NAMES_H
/*
 * Waits whose kind only the names of functions tell: a thread of a worker pool that has nothing to
 * do waits for a condition, as one in the middle of its work does; a server that waits for a lock
 * of its own does so as for its next request.  A table; of each place it is looked up once.  Zero-initialise to begin.  Engine thread only.
 */
#include "profile/count/profile.h"

struct wait_names {
	struct wait_name *known; /* by location */
	size_t cap;
};

void wait_names_release(struct wait_names *w);

/* Whether names can tell more of waits of that kind. */
bool wait_names_tell(enum wait_kind kind);

/* What a wait of @kind is whose stack ends at @node of the tree: @kind, unless its names say else. */
enum wait_kind wait_names_kind(struct wait_names *w, const struct profile *p, uint32_t node,
			       enum wait_kind kind);

#endif
