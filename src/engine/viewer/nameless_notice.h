/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_NAMELESS_NOTICE_H
#define PTOP_ENGINE_VIEWER_NAMELESS_NOTICE_H
/*
 * The line that says whose functions have no names, though much of what is shown is of them, and what
 * would name them: code that a runtime makes, or interprets.  Zero-initialise to begin.  Engine
 * thread only.
 */
#include "profile/count/profile.h"

struct runtime;

struct nameless_notice {
	struct interpreter *known; /* by location: whose it is */
	size_t cap;
	int pid;         /* of whom it tells; 0: of nobody */
	struct buf text;
};

void nameless_notice_release(struct nameless_notice *n);

/* Looks at the window of @p once more, at samples of the event that is shown; UINT32_MAX: none is. */
void nameless_notice_update(struct nameless_notice *n, const struct profile *p, uint32_t event);

/* NULL: all that matters has names, or nothing would give it some.  Good until the next update. */
const char *nameless_notice_text(const struct nameless_notice *n);

#endif
