/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_PARTS_H
#define PTOP_ENGINE_PARTS_H
/* All parts of the engine: the one file that lists them. */
#include "engine/rooms.h"

/* What parts are given once. */
struct parts_start {
	struct host *downloads; /* of processes that download, taken; NULL: none is to */
	const char *kept_dir;   /* where files are kept, NULL: nowhere */
};

/* Makes those that are not there yet, and wires them.  What they need is in e->env. */
void parts_make(struct engine *e, const struct parts_start *start);

/* Hands a message to the part that it is for, and frees it unless that keeps it. */
void parts_take(struct engine *e, struct msg *m);

void parts_beat(struct engine *e, uint64_t now_ns);
void parts_release(struct engine *e);

#endif
