/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_COUNTER_LIST_H
#define PTOP_ENGINE_VIEWER_COUNTER_LIST_H
/*
 * Which events the view counters counts, and from what they have counted to the rows of a table:
 * a standard set and the user's own events; a row each, and one for each ratio that two of them
 * make.  Any thread, one at a time.
 */
#include "engine/leaf/engine_config.h"
#include "engine/viewer/counter_past.h"
#include "event/event.h"
#include "live/count/counting.h"
#include "view/snapshot.h"

struct counter_list {
	struct event_list events; /* with their groups: what counters_open() is to be given */
	size_t standard_count;    /* of them; the user's own come after */
};

/* @config: whose --event, with its filters, is counted too; NULL: none.  0; -1: see @err. */
int counter_list_init(struct counter_list *l, const struct event_env *env,
		      const struct engine_config *config, struct err *err);
void counter_list_release(struct counter_list *l);

/* What of one target is known when rows are made. */
struct counter_source {
	const struct counting_part *first, *before, *now; /* before NULL: there was none */
	int pid, tid;     /* -1: none */
	const char *comm; /* "" none */
	const struct counter_past *past; /* NULL: nothing is compared, else these two: */
	struct counter_stretch window, then;
};

/* The most rows that one target has. */
size_t counter_list_rows(const struct counter_list *l);

/*
 * Adds the target's rows to @s, whose array of rows has room for them.  Texts are copied; ids go
 * on from those that are there.
 */
void counter_list_add_rows(const struct counter_list *l, const struct counter_source *src,
			   struct snapshot *s);

#endif
