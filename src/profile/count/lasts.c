/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/lasts.h"

#include <stdlib.h>
#include <string.h>

static bool
is_at_lock(const struct profile *p, const struct delta *d)
{
	return d->table == TABLE_HOT &&
	       p->tables.hot[d->id].location == LOCATION_WAITING + WAIT_LOCK;
}

static bool
any_at_lock(const struct profile *p, const struct delta *deltas, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_at_lock(p, &deltas[i]))
			return true;
	return false;
}

static uint32_t
task_of(const struct profile *p, const struct delta *d)
{
	return p->model->whos[p->tables.hot[d->id].who].task;
}

/* Time in the run queue is told in sums, of whenever it was. */
static bool
is_of_queue(const struct profile *p, const struct delta *d)
{
	uint32_t location = p->tables.hot[d->id].location;

	return location >= LOCATION_WAITING && location < LOCATION_FIRST &&
	       wait_kind_could_run((enum wait_kind)(location - LOCATION_WAITING));
}

/* By task, the turn of what was counted of it last. */
static uint32_t *
find_turns(const struct profile *p, const struct delta *deltas, size_t count)
{
	uint32_t *turns = mem_calloc(p->model->task_len, sizeof(*turns));

	for (size_t i = 0; i < count; i++) {
		uint32_t *turn;

		if (deltas[i].table != TABLE_HOT || is_of_queue(p, &deltas[i]))
			continue;
		turn = &turns[task_of(p, &deltas[i])];
		*turn = MAX(*turn, deltas[i].turn);
	}
	return turns;
}

static int
by_turn(const void *a, const void *b)
{
	const struct delta *x = a, *y = b;

	return x->turn > y->turn ? -1 : x->turn < y->turn;
}

size_t
lasts_take(const struct profile *p, struct delta *deltas, size_t count)
{
	struct delta *lasts = NULL;
	size_t len = 0, cap = 0, kept = 0;
	uint32_t *turns;

	if (!any_at_lock(p, deltas, count))
		return 0;
	turns = find_turns(p, deltas, count);
	for (size_t i = 0; i < count; i++) {
		const struct delta *d = &deltas[i];

		if (is_at_lock(p, d) && d->goes_on && d->turn == turns[task_of(p, d)])
			VEC_ADD(lasts, len, cap) = *d;
		else
			deltas[kept++] = *d;
	}
	if (len > 0) {
		qsort(lasts, len, sizeof(*lasts), by_turn);
		memcpy(deltas + kept, lasts, len * sizeof(*lasts));
	}
	free(lasts);
	free(turns);
	return len;
}
