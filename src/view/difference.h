/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_DIFFERENCE_H
#define PTOP_VIEW_DIFFERENCE_H
/*
 * What is different between two snapshots of one query: rows, nodes, frames and stacks of NOW are
 * joined by those of THEN, and each row says whether it has changed.  Pure; any thread.
 */
#include "view/snapshot.h"

/*
 * Joins @then, one reference of which @now takes, into @now, which nobody else has yet.  @label: what
 * @then is, as for people, copied.  Rows of the same profile are the same if their ids are, others
 * if their names are: a process's number says nothing in another recording.  What was THEN a second
 * is of one host, on average, where @then->hosts has them.
 */
void difference_make(struct snapshot *now, struct snapshot *then, const char *label,
		     bool same_profile);

/*
 * Of frames, nodes and stacks: difference_make() calls these.  Of nodes: how many seconds are needed until
 * one can be told; INFINITY: none is tested.
 */
void difference_of_frames(struct snapshot *now, const struct snapshot *then);
double difference_of_nodes(struct snapshot *now, const struct snapshot *then, const int *events);
void difference_of_stacks(struct snapshot *now, const struct snapshot *then, const int *events);

#endif
