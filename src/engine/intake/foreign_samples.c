/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign samples.  If two programs sample the same software event (or, on some kernels, the same
 * tracepoint), kernel 6.18 builds the sample once and gives both programs the first one's event id
 * and timestamp.  ptop may then see an unknown id and another clock.
 *
 * If exactly one open event can have caused such a sample, it is given the id of that event's
 * opening: with another period or other fields events are opened anew.  When it was taken is not
 * known, so it is postponed: it counts when all that was written before it has been read.  If
 * several events can have caused it, it is counted as LOSS_FOREIGN; if none can, as LOSS_UNKNOWN.
 * A foreign sample that has an id of ptop's and a plausible time cannot be recognised.
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

/* The one event that can have caused a foreign sample; UINT32_MAX: none can, or several, see @loss. */
static uint32_t
only_candidate(const struct intake *in, enum loss_kind *loss)
{
	uint64_t now = clock_mono_ns();
	uint32_t found = UINT32_MAX;

	for (uint32_t n = 0; n < in->measured->event_count; n++) {
		const struct engine_event *ev = &in->measured->events[n];

		if (!measured_is_shared(&ev->spec) ||
		    (ev->live == NULL && now - ev->closed_ns > CLOSING_MS * NSEC_PER_MSEC))
			continue;
		if (found != UINT32_MAX) {
			*loss = LOSS_FOREIGN;
			return UINT32_MAX;
		}
		found = n;
	}
	return found;
}

/* An id of the one event that can have caused the sample; 0: there is none, which is counted. */
static uint64_t
find_own_id(struct intake *in, struct bytes bytes)
{
	enum loss_kind loss = LOSS_UNKNOWN;
	uint32_t n = only_candidate(in, &loss);
	uint64_t id = n != UINT32_MAX ? sample_ids_of_event(in->ids, n, bytes) : 0;

	in->losses->counts[loss] += id == 0;
	return id;
}

/*
 * The sample's time: that of the newest record taken, which came before it in its ring; as all of
 * the ring by the clock of the session.
 */
static void
put_time(const struct intake *in, char *sample)
{
	const uint64_t time_ns = MAX(in->clock->counted_to_ns, in->taken_ns) -
				 (uint64_t)in->layouts->clock_ahead_ns;

	memcpy(sample + in->layouts->items[0].sample_time_at, &time_ns, sizeof(time_ns));
}

/* Keeps a copy until all that has been written by now is taken. */
static enum sample_fate
postpone(struct intake *in, struct bytes bytes, uint64_t id)
{
	struct buf *b = &in->postponed;
	size_t at = b->len;

	buf_add(b, bytes.data, bytes.len);
	memcpy(b->data + at + in->layouts->sample_id_at, &id, sizeof(id));
	return SAMPLE_POSTPONED;
}

static bool
is_switch(const struct intake *in, uint64_t id)
{
	uint32_t event = sample_ids_event(in->ids, id);

	return in->measured->events[event].spec.looks == EVENT_LOOKS_EXACT;
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
		return SAMPLE_OF_NONE;
	in->losses->counts[LOSS_SHARED]++;
	/* Its switch comes behind it in its ring, with a time of its own. */
	if (!is_switch(in, id) && in->postponed.len < FOREIGN_BYTES_MAX)
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
