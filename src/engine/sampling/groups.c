/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events are opened and closed as one.  An event that was used is known by its name, so it is
 * in one group at a time; the group that it is shown with last is the one that it is in.
 */
#include "engine/sampling/sampling_impl.h"

void
groups_end(struct sampling *sp, uint32_t n)
{
	uint32_t leader = sp->measured->events[n].leader;

	for (uint32_t i = 0; i < sp->measured->event_count; i++)
		if (sp->measured->events[i].leader == leader)
			sp->measured->events[i].leader = i;
}

static bool
is_in_use(const struct sampling *sp, uint32_t n)
{
	const struct engine_event *leader = &sp->measured->events[sp->measured->events[n].leader];

	return leader->live != NULL || leader->opening || leader->is_kept;
}

/* Whether the group of @leader is these @count, which are no duplicates. */
static bool
is_same(const struct sampling *sp, const uint32_t *numbers, size_t count)
{
	size_t len = 0;

	for (uint32_t n = numbers[0]; n != UINT32_MAX; n = measured_next_member(sp->measured, n))
		len++;
	for (size_t i = 0; i < count; i++)
		if (sp->measured->events[numbers[i]].leader != numbers[0])
			return false;
	return len == count;
}

static int
refuse_used(const struct sampling *sp, uint32_t n, struct err *err)
{
	err_set(err, ERR_USAGE, 0, "event '%.80s' is sampled already, outside of this group",
		sp->measured->events[n].spec.name);
	return err_hint(err, "name it once, or give it another name in one place: EVENT/name=.../");
}

/*
 * Those that are in use stay what they are, but for the one that is shown: it is to be replaced.
 * ERR_BUSY: once it has opened.
 */
static int
make_group(struct sampling *sp, const uint32_t *numbers, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct engine_event *leader = &sp->measured->events[sp->measured->events[numbers[i]].leader];

		if (is_in_use(sp, numbers[i]) && leader->is_kept)
			return refuse_used(sp, numbers[i], err);
		if (leader->opening)
			return err_set(err, ERR_BUSY, 0, "event '%.80s' is just being opened",
				       sp->measured->events[numbers[i]].spec.name);
	}
	for (size_t i = 0; i < count; i++) {
		opening_close(sp, numbers[i]);
		groups_end(sp, numbers[i]);
	}
	for (size_t i = 0; i < count; i++)
		sp->measured->events[numbers[i]].leader = numbers[0];
	return 0;
}

/* The numbers of @specs, each once.  How many, 0: there is no room for them. */
static size_t
add_all(struct sampling *sp, const struct event *specs, size_t count, uint32_t *numbers)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t n = measured_add(sp->measured, sp->profile, &specs[i]);
		bool is_there = false;

		if (n == UINT32_MAX)
			return 0;
		for (size_t k = 0; k < len; k++)
			is_there |= numbers[k] == n;
		if (!is_there)
			numbers[len++] = n;
	}
	return len;
}

uint32_t
groups_add(struct sampling *sp, const struct event *specs, size_t count, struct err *err)
{
	uint32_t numbers[EVENTS_MAX];
	size_t len;

	if (event_group_check(specs, count, err) < 0)
		return UINT32_MAX;
	len = count <= EVENTS_MAX ? add_all(sp, specs, count, numbers) : 0;
	if (len == 0) {
		err_set(err, ERR_LIMIT, 0, "too many events were used: start ptop anew");
		return UINT32_MAX;
	}
	if (len == 1 && !is_in_use(sp, numbers[0]))
		groups_end(sp, numbers[0]);
	if (len > 1 && !is_same(sp, numbers, len) && make_group(sp, numbers, len, err) < 0)
		return UINT32_MAX;
	return numbers[0];
}
