/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wall.h"

#include <stdlib.h>
#include <string.h>

/* A clock that is drawn slowly to the right time is not set. */
#define SET_LEAST_NS ((int64_t)(300 * NSEC_PER_MSEC))

static void
add_step(struct wall *w, uint64_t from_ns, int64_t ahead_ns)
{
	if (w->len == WALL_STEPS_MAX) {
		memmove(w->steps, w->steps + 1, (WALL_STEPS_MAX - 1) * sizeof(w->steps[0]));
		w->len--;
	}
	w->steps[w->len++] = (struct wall_step){ from_ns, ahead_ns };
}

bool
wall_note(struct wall *w, uint64_t ns, uint64_t real_ns, int64_t *set_by_ns)
{
	int64_t ahead_ns = (int64_t)(real_ns - ns);

	*set_by_ns = w->len > 0 ? ahead_ns - w->steps[w->len - 1].ahead_ns : 0;
	if (w->len > 0 && llabs(*set_by_ns) < SET_LEAST_NS)
		return false;
	add_step(w, w->len > 0 ? ns : 0, ahead_ns);
	return w->len > 1;
}

/* The step that holds at @ns; of what is before the first, that one. */
static size_t
step_at(const struct wall *w, uint64_t ns)
{
	size_t i = w->len - 1;

	while (i > 0 && w->steps[i].from_ns > ns)
		i--;
	return i;
}

uint64_t
wall_real_ns(const struct wall *w, uint64_t ns)
{
	return w->len > 0 ? ns + (uint64_t)w->steps[step_at(w, ns)].ahead_ns : 0;
}

bool
wall_moment(const struct wall *w, uint64_t real_ns, uint64_t end_ns, uint64_t *ns)
{
	for (size_t i = w->len; i > 0; i--) {
		const struct wall_step *s = &w->steps[i - 1];
		uint64_t from_ns = i > 1 ? s->from_ns : 0;
		uint64_t to_ns = i < w->len ? MIN(w->steps[i].from_ns, end_ns) : end_ns;
		int64_t at = (int64_t)real_ns - s->ahead_ns;

		if (at < 0 || (uint64_t)at < from_ns || (uint64_t)at >= to_ns)
			continue;
		*ns = (uint64_t)at;
		return true;
	}
	return false;
}
