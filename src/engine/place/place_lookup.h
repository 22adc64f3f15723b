/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_PLACE_PLACE_LOOKUP_H
#define PTOP_ENGINE_PLACE_PLACE_LOOKUP_H
/* The places of events for whoever has no engine that asks for them.  Waits: not for its thread. */
#include "event/event.h"

/* Where to look for places. */
struct place_processes {
	const int *pids;
	size_t count;
	bool at_exec; /* the first stands there: what it will map is looked into, too */
};

/*
 * Adds the sites of all events of @list that have a place, as those processes have them.  -1: one
 * is not found, see @err.
 */
int place_lookup(struct event_list *list, const struct place_processes *processes, struct err *err);

struct listing;

/* Who wants the code of what was found. */
struct place_reader {
	/* Borrows @l.  The offset of more that is wanted of the same file; 0: there is none. */
	uint64_t (*read)(void *self, const struct listing *l);
	/* Of several sites the one that is meant comes first.  NULL: any is as good. */
	void (*choose)(void *self, struct event *ev);
	/* Places where it was put in line; @more: not all was looked at.  NULL: it is not asked. */
	void (*copies)(void *self, uint32_t count, bool more);
	void *self;
};

/*
 * Adds the sites of @ev, a uprobe, and has @reader read the code of the function that the first of
 * them is in.  -1: it is not found, see @err.
 */
int place_lookup_code(struct event *ev, const struct place_processes *processes,
		      const struct place_reader *reader, struct err *err);

/* Whether any of them has one. */
bool place_is_wanted(const struct event_list *list);

#endif
