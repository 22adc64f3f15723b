/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that another program takes, too.  Of a software event (kernel 6.18), and with some kernels
 * of a tracepoint, what samples carry is made once for all who sample it: whoever comes after the
 * first gets the first one's id and time, and that may be another program's, by another clock.
 * They are made ptop's own again.  When one was taken is not known: it counts as soon as all that
 * was written before it is known.  (One that has ptop's id, and a time that may be right, cannot be
 * told from others.)
 */
#include "engine/engine_impl.h"

#include <string.h>

#include "base/clock.h"
#include "record/abi.h"

enum {
	PAST_MS = 1000,    /* so late no record of ptop's clock comes */
	CLOSING_MS = 1000, /* so long after its end an event's samples may still come */
};

bool
engine_may_share(const struct event *spec)
{
	return (spec->type == PERF_TYPE_SOFTWARE && !spec->is_clock) || spec->is_tracepoint;
}

bool
engine_has_own_time(const struct engine *e, uint64_t time_ns)
{
	return time_ns != 0 && (time_ns + PAST_MS * NSEC_PER_MSEC >= e->drained_to_ns ||
				time_ns < e->ring_since_ns);
}

/* The one event of which it can be, UINT32_MAX: there is none, or there are more. */
static uint32_t
only_candidate(struct engine *e)
{
	uint64_t now = clock_mono_ns();
	uint32_t found = UINT32_MAX;

	for (uint32_t n = 0; n < e->event_count; n++) {
		const struct engine_event *ev = &e->events[n];

		if (!engine_may_share(&ev->spec) ||
		    (ev->live == NULL && now - ev->closed_ns > CLOSING_MS * NSEC_PER_MSEC))
			continue;
		if (found != UINT32_MAX) {
			e->foreign++;
			return UINT32_MAX;
		}
		found = n;
	}
	return found;
}

/*
 * An id of the event @n, that of the task's own descriptor if it has one; one that ended if none is
 * open.  0: there is none.
 */
static uint64_t
id_of(const struct engine *e, uint32_t n, int tid)
{
	uint64_t id = 0;

	for (size_t i = e->id_len; i-- > 0;) {
		const struct engine_id *have = &e->ids[i];

		if (have->event != n || have->stacks != 0 || (id != 0 && have->ended_ns != 0))
			continue;
		id = have->id;
		if (have->tid == tid && have->ended_ns == 0)
			break;
	}
	return id;
}

/* Of the one event whose sample it can be; 0: that cannot be told. */
static uint64_t
find_own_id(struct engine *e, struct bytes bytes)
{
	uint32_t n = only_candidate(e);
	struct record rec;

	if (n == UINT32_MAX ||
	    record_decode(&e->layouts.items[e->events[n].layout], bytes, &rec) <= 0)
		return 0;
	return id_of(e, n, (int)rec.id.tid);
}

/* Not before what came before it in its ring, which was taken just now. */
static void
put_time(const struct engine *e, char *sample)
{
	const uint64_t time_ns = MAX(e->drained_to_ns, e->taken_ns);

	memcpy(sample + e->layout.sample_time_at, &time_ns, sizeof(time_ns));
}

/* Puts a copy aside: all that is written up to now is taken first. */
static enum sample_fate
put_aside(struct engine *e, struct bytes bytes, uint64_t id)
{
	struct buf *b = &e->aside;
	size_t at = b->len;

	buf_add(b, bytes.data, bytes.len);
	memcpy(b->data + at + e->layouts.sample_id_at, &id, sizeof(id));
	return SAMPLE_PUT_ASIDE;
}

enum sample_fate
engine_own_sample(struct engine *e, struct bytes *bytes, uint64_t time_ns)
{
	const size_t id_at = e->layouts.sample_id_at;
	uint64_t id;

	if (id_at == 0 || MAX(id_at, e->layout.sample_time_at) + sizeof(id) > bytes->len)
		return SAMPLE_AS_IT_IS;
	memcpy(&id, bytes->data + id_at, sizeof(id));
	if (engine_event_of(e, id) == UINT32_MAX)
		id = find_own_id(e, *bytes);
	else if (engine_has_own_time(e, time_ns))
		return SAMPLE_AS_IT_IS;
	if (id == 0)
		return SAMPLE_AS_IT_IS;
	e->shared_samples++;
	if (e->aside.len < ASIDE_BYTES_MAX)
		return put_aside(e, *bytes, id);
	buf_reset(&e->mended);
	buf_add(&e->mended, bytes->data, bytes->len);
	memcpy(e->mended.data + id_at, &id, sizeof(id));
	put_time(e, e->mended.data);
	bytes->data = (const uint8_t *)e->mended.data;
	return SAMPLE_MENDED;
}

bool
engine_next_aside(struct engine *e, size_t *at, size_t len, struct bytes *out)
{
	struct perf_event_header h;
	char *data;

	if (*at >= len)
		return false;
	data = e->aside.data + *at;
	memcpy(&h, data, sizeof(h));
	put_time(e, data);
	*out = (struct bytes){ (const uint8_t *)data, h.size };
	*at += h.size;
	return true;
}
