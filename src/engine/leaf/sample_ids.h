/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_SAMPLE_IDS_H
#define PTOP_ENGINE_LEAF_SAMPLE_IDS_H
/*
 * From an id in the stream of live records to the event that it is of, and to the layout of what
 * comes with it (PERF_SAMPLE_IDENTIFIER, PERF_EVENT_IOC_ID).  A leaf: who opens events adds and ends
 * ids, who takes records looks them up.  Engine thread only.
 */
#include "record/layouts.h"

struct sample_id {
	uint64_t id;
	uint32_t event;    /* its number in struct measured */
	int tid;           /* the task that its descriptor was opened for, 0: all of a CPU */
	uint32_t copies;   /* the opening of stack_choice.c that it is of, 0: none */
	uint32_t layout;   /* of its samples: sample_ids_add() has it from its caller */
	bool is_left;      /* its descriptor is closed, but what the rings hold is still to be read */
	uint64_t ended_ns; /* when all that was read, 0: it is not yet */
};

struct sample_ids;

/* @layout: of records of no id, and of samples that say nothing else. */
struct sample_ids *sample_ids_new(const struct record_layout *layout);
void sample_ids_free(struct sample_ids *ids); /* NULL is allowed */

/* Adds an id whose samples have the layout of that number. */
void sample_ids_add(struct sample_ids *ids, const struct sample_id *id, uint32_t layout);

/* NULL: it is of no event.  Valid until ids are added or forgotten. */
const struct sample_id *sample_ids_find(const struct sample_ids *ids, uint64_t id);
uint32_t sample_ids_event(const struct sample_ids *ids, uint64_t id); /* UINT32_MAX: of none */

/*
 * An id of @event with which @sample can have come, which has another one: none of copies of stacks,
 * and one whose layout it fits.  Of these that of the task's own descriptor; one that was left, as what
 * is read now was written before; one that ended if there is no other.  0: there is none.
 */
uint64_t sample_ids_of_event(const struct sample_ids *ids, uint32_t event, struct bytes sample);

/* Any id of @event, 0: there is none. */
uint64_t sample_ids_any(const struct sample_ids *ids, uint32_t event);

/* Its descriptor is closed, another one may stand in for it: sample_ids_end() follows. */
void sample_ids_leave(struct sample_ids *ids, uint64_t id);
/* It is known until nothing can come with it any more. */
void sample_ids_end(struct sample_ids *ids, uint64_t id);
void sample_ids_end_event(struct sample_ids *ids, uint32_t event); /* all of it but copies' */
/*
 * Forgets those for which that holds, if there are more than @keep; all records before
 * @counted_to_ns have been counted.
 */
void sample_ids_forget_ended(struct sample_ids *ids, uint64_t counted_to_ns, size_t keep);

/*
 * A thread that started while the list of threads was read is counted twice: by the event that it
 * inherited and by one of its own.  Whether a sample of @tid with @id is such a duplicate.
 *
 * Not known: a thread that such a thread started after that list was read inherits both, has none of
 * its own, and is counted twice.
 */
bool sample_ids_is_duplicate(const struct sample_ids *ids, uint64_t id, int tid);
bool sample_ids_have_tasks(const struct sample_ids *ids); /* some task has its own: see above */

/* The layouts, that of number 0 first; the number of one for samples of @attr, made if it is new. */
const struct record_layouts *sample_ids_layouts(const struct sample_ids *ids);
uint32_t sample_ids_layout(struct sample_ids *ids, const struct event_attr *attr);

/* Records come by the clock @id: their times are CLOCK_MONOTONIC's, as far as is known now. */
void sample_ids_follow_clock(struct sample_ids *ids, int32_t id);

#endif
