/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the feed of a host: as they are, and as one frame that is not packed, so that what is in
 * frames is reached without a checksum in the way.  Numbers must lead to what was told.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "feed/hostfeed_decode.h"
#include "feed/hostfeed_encode.h"

#include <stdlib.h>
#include <string.h>

static void
look_at(const struct hostfeed_second *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->row_count; i++) {
		const struct hostfeed_row *r = &s->rows[i];

		if (r->event >= s->event_count || r->task >= s->task_count || r->place >= s->place_count)
			abort();
		sum += strlen(s->events[r->event].name) + strlen(s->tasks[r->task].comm) +
		       strlen(s->places[r->place].symbol) + r->period;
	}
	for (size_t i = 0; i < s->stack_count; i++) {
		const struct hostfeed_stack *stack = &s->stacks[i];

		if (stack->row >= s->row_count || stack->callers > s->node_count)
			abort();
		sum += stack->period;
	}
	for (size_t i = 0; i < s->place_count; i++)
		sum += strlen(s->places[i].reason) + strlen(s->places[i].remedy);
	for (size_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].parent > i || s->nodes[i].place >= s->place_count ||
		    s->nodes[i].depth > HOSTFEED_DEPTH_MAX)
			abort();
	if (sum > 2 * HOSTFEED_COUNT_MAX)
		abort();
}

static void
take(const void *data, size_t size)
{
	struct hostfeed_decoder *d = hostfeed_decoder_new();
	struct err err;
	int kind;

	hostfeed_put(d, data, size);
	while ((kind = hostfeed_next(d, &err)) > 0)
		if (kind == HOSTFEED_SECOND)
			look_at(hostfeed_second(d));
	hostfeed_decoder_free(d);
}

int
FUZZ_TARGET(hostfeed)(const uint8_t *data, size_t size)
{
	const struct hostfeed_hello hello = { HOSTFEED_VERSION, "h", "1", 1 };
	const uint8_t head[HOSTFEED_HEAD_LEN] = {
		HOSTFEED_SECOND, 0, 0, 0,
		(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), 0,
		(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), 0,
	};
	struct buf b = { 0 };

	take(data, size);
	hostfeed_put_hello(&b, &hello);
	buf_add(&b, head, sizeof(head));
	buf_add(&b, data, size);
	take(b.data, b.len);
	buf_release(&b);
	return 0;
}
