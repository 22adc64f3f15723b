/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/calls/call_find.h"

#include "engine/calls/function_ends.h"
#include "engine/place/place_lookup.h"

#include <stdio.h>

struct reading {
	struct listing *parts[FUNCTION_PARTS_MAX];
	struct function_code code;
};

static uint64_t
read_part(void *reading, const struct listing *l)
{
	struct reading *r = reading;
	size_t at = r->code.count;

	/* The message's own goes with it. */
	r->parts[at] = listing_get((struct listing *)(uintptr_t)l);
	r->code.parts[at] = r->parts[at];
	r->code.count++;
	/* What is no part that can be read is no part: its jumps are ends. */
	if (at > 0 && l->count == 0)
		r->code.count--;
	return at == 0 || l->count > 0 ? function_part(&r->code) : 0;
}

static void
release(struct reading *r)
{
	for (size_t i = 0; i < FUNCTION_PARTS_MAX; i++)
		listing_put(r->parts[i]);
}

static void
find_ends(const struct reading *r, const struct event *ev, struct call_found *found)
{
	const char *why = "of the kernel's functions begins alone are counted";

	found->points[0] = (struct call_point){ .kind = CALL_BEGIN, .offset = ev->sites[0].at,
						.is_stepped = true };
	found->count = 1;
	if (r->code.count > 0)
		why = function_ends(&r->code, found->points, &found->count);
	if (*why == '\0' && ev->site_count > 1)
		snprintf(found->why, sizeof(found->why), "%zu places have that name: this is the one in %.200s",
			 ev->site_count, ev->sites[0].target);
	else if (*why != '\0')
		snprintf(found->why, sizeof(found->why), "begins alone: %s", why);
}

int
call_find(void *self, struct call_order *o, struct call_found *found, struct err *err)
{
	const struct place_processes processes = { o->pids, o->pid_count, o->at_exec };
	struct reading r = { 0 };
	const struct place_reader reader = { read_part, &r };
	int res = place_lookup_code(&o->event, &processes, &reader, err);

	(void)self;
	if (res == 0)
		find_ends(&r, &o->event, found);
	release(&r);
	return res;
}
