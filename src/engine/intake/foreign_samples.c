/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that another program takes, too.  Of a software event (kernel 6.18), and with some kernels
 * of a tracepoint, what samples carry is made once for all who sample it: whoever comes after the
 * first gets the first one's id and time, and that may be another program's, by another clock.
 * They are made ptop's own again.  When one was taken is not known: it counts as soon as all that
 * was written before it is known.  (One that has ptop's id, and a time that may be right, cannot be
 * told from others.)
 */
#include "engine/intake/intake_impl.h"

#include <string.h>

#include "base/clock.h"
#include "record/abi.h"

enum {
	PAST_MS = 1000,    /* so late no record of ptop's clock comes */
	CLOSING_MS = 1000, /* so long after its end an event's samples may still come */
};

bool
foreign_has_own_time(const struct intake *in, uint64_t time_ns)
{
	return time_ns != 0 && (time_ns + PAST_MS * NSEC_PER_MSEC >= in->clock->counted_to_ns ||
				time_ns < in->clock->rings_since_ns);
}

/* The one event of which it can be, UINT32_MAX: there is none, or there are more. */
static uint32_t
only_candidate(struct intake *in)
{
	uint64_t now = clock_mono_ns();
	uint32_t found = UINT32_MAX;

	for (uint32_t n = 0; n < in->measured->event_count; n++) {
		const struct engine_event *ev = &in->measured->events[n];

		if (!measured_is_shared(&ev->spec) ||
		    (ev->live == NULL && now - ev->closed_ns > CLOSING_MS * NSEC_PER_MSEC))
			continue;
		if (found != UINT32_MAX) {
			in->losses->counts[LOSS_FOREIGN]++;
			return UINT32_MAX;
		}
		found = n;
	}
	return found;
}

/* Of the one event whose sample it can be; 0: that cannot be told. */
static uint64_t
find_own_id(struct intake *in, struct bytes bytes)
{
	uint32_t n = only_candidate(in);
	struct record rec;

	if (n == UINT32_MAX ||
	    record_decode(&in->layouts->items[in->measured->events[n].layout], bytes, &rec) <= 0)
		return 0;
	return sample_ids_of_event(in->ids, n, (int)rec.id.tid);
}

/* Not before what came before it in its ring, which was taken just now. */
static void
put_time(const struct intake *in, char *sample)
{
	const uint64_t time_ns = MAX(in->clock->counted_to_ns, in->taken_ns);

	memcpy(sample + in->layouts->items[0].sample_time_at, &time_ns, sizeof(time_ns));
}

/* Keeps a copy: all that is written up to now is taken first. */
static enum sample_fate
postpone(struct intake *in, struct bytes bytes, uint64_t id)
{
	struct buf *b = &in->postponed;
	size_t at = b->len;

	buf_add(b, bytes.data, bytes.len);
	memcpy(b->data + at + in->layouts->sample_id_at, &id, sizeof(id));
	return SAMPLE_POSTPONED;
}

enum sample_fate
foreign_make_own(struct intake *in, struct bytes *bytes, uint64_t time_ns)
{
	const size_t id_at = in->layouts->sample_id_at;
	uint64_t id;

	if (id_at == 0 || MAX(id_at, in->layouts->items[0].sample_time_at) + sizeof(id) > bytes->len)
		return SAMPLE_AS_IT_IS;
	memcpy(&id, bytes->data + id_at, sizeof(id));
	if (sample_ids_event(in->ids, id) == UINT32_MAX)
		id = find_own_id(in, *bytes);
	else if (foreign_has_own_time(in, time_ns))
		return SAMPLE_AS_IT_IS;
	if (id == 0)
		return SAMPLE_AS_IT_IS;
	in->losses->counts[LOSS_SHARED]++;
	if (in->postponed.len < FOREIGN_BYTES_MAX)
		return postpone(in, *bytes, id);
	buf_reset(&in->rewritten);
	buf_add(&in->rewritten, bytes->data, bytes->len);
	memcpy(in->rewritten.data + id_at, &id, sizeof(id));
	put_time(in, in->rewritten.data);
	bytes->data = (const uint8_t *)in->rewritten.data;
	return SAMPLE_REWRITTEN;
}

bool
foreign_next(struct intake *in, size_t *at, size_t len, struct bytes *out)
{
	struct perf_event_header h;
	char *data;

	if (*at >= len)
		return false;
	data = in->postponed.data + *at;
	memcpy(&h, data, sizeof(h));
	put_time(in, data);
	*out = (struct bytes){ (const uint8_t *)data, h.size };
	*at += h.size;
	return true;
}
