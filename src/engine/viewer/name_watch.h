/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_NAME_WATCH_H
#define PTOP_ENGINE_VIEWER_NAME_WATCH_H
/*
 * When the runtime of a process is to write the names of its code: at first where it has none,
 * later when the part without a name grows, since what was compiled meanwhile has none.  Engine
 * thread only.
 */
#include "base/util.h"

enum { NAME_WATCH_MAX = 256, NAME_WATCH_AGAIN_S = 30 };

struct name_watched {
	int pid;
	/* Samples in its own code since the start, which the owner counts before each look. */
	uint64_t all, nameless;
	bool has_none; /* no file of its names was found */

	uint64_t asked_ns; /* 0: it was not */
	double least; /* the smallest part without a name since then */
	uint64_t all_before, nameless_before; /* when the part was looked at last */
};

/* Zero-initialise to begin. */
struct name_watch {
	struct name_watched *items;
	size_t len, cap;
};

struct name_watched *name_watch_of(struct name_watch *w, int pid); /* NULL: none */
struct name_watched *name_watch_add(struct name_watch *w, int pid); /* NULL: there are too many */
void name_watch_release(struct name_watch *w);

void name_watched_ask(struct name_watched *item, uint64_t now_ns); /* it is asked now */

/* A look at the counts: whether it is to be asked; each 30 s at most. */
bool name_watched_is_due(struct name_watched *item, uint64_t now_ns);

#endif
