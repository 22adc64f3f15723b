/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/intake/intake_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/intake/switches.h"
#include "record/abi.h"

enum {
	PRESSED_PERCENT = 37, /* of a ring: fuller, and it is emptied sooner */
	FULL_PERCENT = 50,
	AHEAD_MS = 10, /* no CPU's clock is so much ahead of this one's */
	PACE_FIRST_MS = 50,
	PATIENCE_MS = 1000, /* so long a sample waits for its callers */
};

static int
peek_ring(void *self, struct bytes *out)
{
	return ring_peek(self, out);
}

static void
advance_ring(void *self)
{
	ring_advance(self);
}

static void
tell_unwound(void *intake, uint32_t task, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	struct intake *in = intake;
	uint64_t addrs[UNWIND_FRAMES_MAX];
	struct record_unwound user = { .addrs = addrs };

	if (in->feed->is_unwound) {
		user.len = unwinder_addresses(&in->feed->unwinder, addrs);
		user.is_cut = unwinder_is_cut(&in->feed->unwinder);
	}
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->unwound != NULL)
			in->sinks[i].ops->unwound(in->sinks[i].self, task, rec, bytes, &user, tag);
}

static bool
is_wanted(struct intake *in, const struct record *rec, uint64_t *tag)
{
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->wants != NULL &&
		    !in->sinks[i].ops->wants(in->sinks[i].self, rec, tag))
			return false;
	return true;
}

static bool
has_copy(const struct record_layout *layout)
{
	return layout->sample_type & PERF_SAMPLE_STACK_USER;
}

static void
take_sample(struct intake *in, const struct record_layout *layout, const struct record *rec,
	    uint64_t tag, struct bytes bytes)
{
	const uint32_t number = (uint32_t)(layout - in->layouts->items);
	uint32_t event = sample_ids_event(in->ids, rec->id.id);

	if (!is_wanted(in, rec, &tag))
		return;
	if (event == UINT32_MAX)
		in->losses->counts[LOSS_UNKNOWN]++;
	else if (sample_ids_is_duplicate(in->ids, rec->id.id, (int)rec->id.tid))
		in->measured->events[event].duplicates++;
	else if (switch_samples_take(in, event, number, rec, bytes) ||
		 pair_samples_take(in, event, number, rec, bytes))
		return;
	else if (intake_defer(in, event, number, rec, bytes) ||
		 feed_sample(in->feed, event, rec, tag, bytes))
		intake_tell_sample(in, rec, bytes, has_copy(layout) ? 0 : tag);
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->filed != NULL)
			in->sinks[i].ops->filed(in->sinks[i].self, rec);
}

static bool
take_value(void *self, uint64_t id, const struct record *rec, struct bytes bytes)
{
	struct intake *in = self;
	uint32_t event = sample_ids_event(in->ids, id);

	if (event != UINT32_MAX)
		return feed_sample(in->feed, event, rec, 0, bytes);
	in->losses->counts[LOSS_UNKNOWN]++;
	return false;
}

static bool
sinks_know(struct intake *in, uint64_t tag)
{
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->knows != NULL &&
		    !in->sinks[i].ops->knows(in->sinks[i].self, tag))
			return false;
	return true;
}

/* What a sample with a copy of its stack may be repeated by, 0: nothing; sets *@tag for feed_sample(). */
static uint64_t
copy_tag(struct intake *in, const struct record_layout *layout, struct bytes bytes, uint64_t *tag)
{
	struct record_copy copy;
	uint64_t known;

	if (!record_find_copy(layout, bytes, &copy))
		return 0;
	*tag = copy.tag;
	known = feed_copy_tag(in->feed, &copy);
	return known != 0 && sinks_know(in, known) ? known : 0;
}

/* To hash a copy of a stack costs as much as all else that is done with a look that is like one before. */
static uint64_t
look_tag(struct intake *in, const struct record_layout *layout, struct bytes bytes)
{
	uint64_t *kept = in->stream_tag(in->stream.self, bytes);

	if (kept == NULL)
		return record_sample_tag(layout, bytes);
	if (*kept == 0)
		*kept = record_sample_tag(layout, bytes);
	return *kept;
}

/* A look at a thread that waits where it did: whether it is done with; sets @tag. */
static bool
take_repeated_look(struct intake *in, const struct record_layout *layout, struct bytes bytes,
		   uint64_t time_ns, uint64_t *tag)
{
	*tag = look_tag(in, layout, bytes);
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->knows_look != NULL &&
		    !in->sinks[i].ops->knows_look(in->sinks[i].self, *tag))
			return false;
	if (!feed_repeat_look(in->feed, *tag, record_sample_period(layout, bytes), time_ns))
		return false;
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->repeat_look != NULL)
			in->sinks[i].ops->repeat_look(in->sinks[i].self, bytes, *tag, time_ns);
	return true;
}

/*
 * Where tasks have descriptors of their own, each sample is looked at: some come twice.  Those that
 * carry more than stacks are hardly ever alike.  Whether it is like one before, and done with; sets
 * *@tag.
 */
static bool
take_repeat(struct intake *in, const struct record_layout *layout, struct bytes bytes,
	    uint64_t time_ns, uint64_t *tag)
{
	uint64_t known = 0;

	if (in->stream.peek != NULL && layout == &in->layouts->items[in->stream_layout])
		return take_repeated_look(in, layout, bytes, time_ns, tag);
	if (sample_ids_have_tasks(in->ids))
		return false;
	if (layout == in->layouts->items)
		known = *tag = record_sample_tag(layout, bytes);
	else if (has_copy(layout))
		known = copy_tag(in, layout, bytes, tag);
	if (known == 0 ||
	    !feed_repeat(in->feed, known, record_sample_period(layout, bytes), time_ns))
		return false;
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->repeat != NULL)
			in->sinks[i].ops->repeat(in->sinks[i].self, bytes, known, time_ns);
	return true;
}

static void
take_other(struct intake *in, const struct record *rec, struct bytes bytes)
{
	pair_samples_other(in, rec);
	if (!switch_samples_other(in, rec))
		intake_other(in, rec, bytes);
}

static void
tell_met(struct intake *in, const struct record *rec)
{
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->met != NULL)
			in->sinks[i].ops->met(in->sinks[i].self, rec);
}

/* @tag: as feed_repeat() has it, 0: it is as no other. */
static void
take_whole(struct intake *in, const struct record_layout *layout, struct bytes bytes, uint64_t tag)
{
	struct record rec;
	int res = record_decode(layout, bytes, &rec);

	if (res > 0 && rec.type == PERF_RECORD_SAMPLE)
		tell_met(in, &rec);
	if (res < 0) {
		in->losses->counts[LOSS_BROKEN]++;
	} else if (res == 0) {
		in->losses->counts[LOSS_UNKNOWN]++;
	} else if (rec.type == PERF_RECORD_SAMPLE && (layout->sample_type & PERF_SAMPLE_READ)) {
		if (!sample_ids_is_duplicate(in->ids, rec.id.id, (int)rec.id.tid))
			intake_values(in, layout, &rec, bytes, take_value, in);
	} else if (rec.type == PERF_RECORD_SAMPLE) {
		take_sample(in, layout, &rec, tag, bytes);
	} else {
		take_other(in, &rec, bytes);
	}
}

static void
note_time(struct intake *in, uint64_t time_ns)
{
	if (time_ns != 0 && time_ns < in->clock->counted_to_ns)
		in->losses->counts[LOSS_LATE] += time_ns >= in->clock->rings_since_ns;
	in->taken_ns = MAX(in->taken_ns, time_ns);
}

static void
take_record(struct intake *in, struct bytes bytes, uint64_t time_ns)
{
	const struct record_layout *layout = record_layouts_of(in->layouts, bytes);
	enum sample_fate fate = SAMPLE_AS_IT_IS;
	uint64_t tag = 0;

	if (record_type(bytes) == PERF_RECORD_SAMPLE) {
		if (foreign_has_own_time(in, time_ns) &&
		    take_repeat(in, layout, bytes, time_ns, &tag)) {
			note_time(in, time_ns);
			return;
		}
		fate = foreign_make_own(in, &bytes, time_ns);
	}
	if (fate == SAMPLE_POSTPONED || fate == SAMPLE_OF_NONE)
		return;
	if (fate == SAMPLE_REWRITTEN) {
		layout = record_layouts_of(in->layouts, bytes);
		tag = 0;
	}
	note_time(in, time_ns);
	take_whole(in, layout, bytes, tag);
}

/* What was postponed, up to the byte @len. */
static void
take_postponed(struct intake *in, size_t len)
{
	struct buf *b = &in->postponed;
	struct bytes bytes;
	size_t at = 0;

	while (foreign_next(in, &at, len, &bytes))
		take_whole(in, record_layouts_of(in->layouts, bytes), bytes, 0);
	if (at == b->len) {
		buf_release(b);
	} else {
		memmove(b->data, b->data + at, b->len - at);
		b->len -= at;
	}
}

/* How full the fullest ring is, in per cent. */
static unsigned
look_at_rings(const struct session_ring *rings, size_t count)
{
	size_t fullest = 0;

	for (size_t i = 0; i < count; i++) {
		ring_refresh(rings[i].ring);
		fullest = MAX(fullest, ring_fill_bytes(rings[i].ring) * 100 /
				       ring_size_bytes(rings[i].ring));
	}
	return (unsigned)fullest;
}

static bool
is_filled(struct intake *in, unsigned percent)
{
	size_t count;
	const struct session_ring *rings = session_rings(in->session, &count);

	return look_at_rings(rings, count) >= percent;
}

bool
intake_is_pressed(struct intake *in)
{
	return is_filled(in, PRESSED_PERCENT);
}

bool
intake_is_full(struct intake *in)
{
	return is_filled(in, FULL_PERCENT);
}

/* Points the merge at every ring, and at what comes from elsewhere.  How many there are. */
static size_t
prepare_streams(struct intake *in, const struct session_ring *rings, size_t count)
{
	vec_reserve(&in->streams, &in->stream_cap, count + 1, sizeof(*in->streams));
	for (size_t i = 0; i < count; i++)
		in->streams[i] = (struct merge_stream){ rings[i].ring, peek_ring, advance_ring };
	if (in->stream.peek != NULL)
		in->streams[count++] = in->stream;
	return count;
}

void
intake_set_stream(struct intake *in, const struct merge_stream *stream, uint32_t layout,
		  uint64_t *(*tag)(void *self, struct bytes look))
{
	in->stream = *stream;
	in->stream_tag = tag;
	in->stream_layout = layout;
}

/* Between 20 and 250 ms, so that rings are less than half full: from there on they wake the engine. */
static void
choose_pace(struct intake *in, unsigned fullest)
{
	const uint64_t least = 20 * NSEC_PER_MSEC, most = 250 * NSEC_PER_MSEC;

	if (fullest > FULL_PERCENT)
		in->pace_ns = MAX(in->pace_ns / 2, least);
	else if (fullest < PRESSED_PERCENT)
		in->pace_ns = MIN(in->pace_ns + in->pace_ns / 4, most);
}

uint64_t
intake_pace_ns(const struct intake *in)
{
	return in->pace_ns;
}

/* Merges what is in the rings up to @limit_ns. */
static void
take_rings(struct intake *in, const struct session_ring *rings, size_t count, uint64_t limit_ns)
{
	uint64_t time_ns, until_ns;
	struct bytes bytes;

	count = prepare_streams(in, rings, count);
	merge_begin(in->merge, in->layouts->items, in->streams, count,
		    clock_mono_ns() + AHEAD_MS * NSEC_PER_MSEC);
	do {
		until_ns = in->horizon_ns(in->horizon_self, limit_ns);
		while (merge_next(in->merge, until_ns, &bytes, &time_ns) == 1)
			take_record(in, bytes, time_ns);
		in->apply(in->horizon_self, until_ns);
	} while (until_ns < limit_ns);
}

/* What lay behind broken bytes is lost, though the kernel does not count it. */
static void
count_skipped(struct intake *in, const struct session_ring *r)
{
	uint64_t n = ring_take_skipped(r->ring);

	if (n == 0)
		return;
	in->losses->counts[LOSS_BROKEN]++;
	if (r->is_sideband) {
		in->losses->counts[LOSS_SIDEBAND] += n;
		model_doubt_all(in->model);
	} else {
		in->losses->skipped += n;
		losses_lost(in->losses, r->cpu, n);
	}
}

/* What was taken is the kernel's again; rings of CPUs that went are empty for good. */
static void
give_back(struct intake *in, struct session_ring *rings, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		count_skipped(in, &rings[i]);
		ring_commit(rings[i].ring);
		if (rings[i].is_closing && ring_fill_bytes(rings[i].ring) == 0) {
			session_drop_ring(in->session, i);
			rings = session_rings(in->session, &count);
		}
	}
}

void
intake_run(struct intake *in, uint64_t limit_ns)
{
	size_t count, postponed = in->postponed.len;
	struct session_ring *rings = session_rings(in->session, &count);
	uint64_t began_ns;

	if (in->session == NULL)
		return;
	began_ns = clock_thread_cpu_ns();
	sample_ids_follow_clock(in->ids, session_clock(in->session));
	choose_pace(in, look_at_rings(rings, count));
	take_rings(in, rings, count, limit_ns);
	/* Between the limit and now there may be a record of something that they need. */
	take_postponed(in, limit_ns == UINT64_MAX ? in->postponed.len : postponed);
	switch_samples_drained(in);
	feed_flush(in->feed);
	for (size_t i = 0; i < in->sink_count; i++)
		if (in->sinks[i].ops->drained != NULL)
			in->sinks[i].ops->drained(in->sinks[i].self, feed_waits_since(in->feed));
	if (limit_ns != UINT64_MAX)
		in->clock->counted_to_ns = MAX(in->clock->counted_to_ns, limit_ns);
	give_back(in, rings, count);
	in->cost->drain_ns += clock_thread_cpu_ns() - began_ns;
}

void
intake_add_sink(struct intake *in, const struct intake_sink *sink, void *self)
{
	assert(in->sink_count < ENGINE_PARTS_MAX);
	in->sinks[in->sink_count].ops = sink;
	in->sinks[in->sink_count++].self = self;
}

void
intake_set_horizon(struct intake *in, uint64_t (*horizon_ns)(const void *self, uint64_t limit_ns),
		   void (*apply)(void *self, uint64_t until_ns), void *self)
{
	in->horizon_ns = horizon_ns;
	in->apply = apply;
	in->horizon_self = self;
}

static void *
make(const struct engine_env *env)
{
	struct intake *in = mem_calloc(1, sizeof(*in));

	in->policy = env->policy;
	in->clock = env->clock;
	in->cost = env->cost;
	in->measured = env->measured;
	in->losses = env->losses;
	in->ids = env->ids;
	in->layouts = sample_ids_layouts(env->ids);
	in->model = env->model;
	in->locations = env->locations;
	in->profile = env->profile;
	in->feed = env->feed;
	in->session = env->session;
	if (in->session != NULL) {
		in->feed->counts = tell_unwound;
		in->feed->counts_self = in;
	}
	in->merge = merge_new();
	in->pace_ns = PACE_FIRST_MS * NSEC_PER_MSEC;
	return in;
}

static void
release(void *intake)
{
	struct intake *in = intake;

	free(in->streams);
	buf_release(&in->rewritten);
	buf_release(&in->postponed);
	merge_free(in->merge);
	deferred_free(in->deferred);
	switch_samples_free(in->switches);
	pair_samples_free(in->pairs);
	gains_release(&in->gains);
	free(in);
}

static void
beat(void *intake, uint64_t now_ns)
{
	intake_expire(intake, now_ns - MIN(PATIENCE_MS * NSEC_PER_MSEC, now_ns));
}

static void
put_notices(const void *intake, struct part_notices *n)
{
	part_notice(n, other_records_notice(&((const struct intake *)intake)->others));
}

static void
put_page(const void *intake, struct buf *b)
{
	other_records_put(&((const struct intake *)intake)->others, b);
	switch_samples_put(intake, b);
	pair_samples_put(intake, b);
}

static size_t
rings_held(const void *intake)
{
	size_t count, bytes = 0;
	const struct session_ring *rings =
		session_rings(((const struct intake *)intake)->session, &count);

	for (size_t i = 0; i < count; i++)
		bytes += ring_size_bytes(rings[i].ring);
	return bytes;
}

static size_t
waiting_held(const void *intake)
{
	const struct intake *in = intake;

	return feed_held_bytes(in->feed) + in->postponed.len;
}

static size_t
waiting_bound(const void *intake)
{
	(void)intake;
	return feed_held_max() + FOREIGN_BYTES_MAX;
}

static size_t
switches_held(const void *intake)
{
	return switch_samples_held(intake);
}

static size_t
switches_bound(const void *intake)
{
	(void)intake;
	return SWITCHES_BYTES_MAX;
}

static size_t
pairs_held(const void *intake)
{
	return pair_samples_held(intake);
}

static size_t
pairs_bound(const void *intake)
{
	(void)intake;
	return pair_samples_bound();
}

static size_t
caches_held(const void *intake)
{
	const struct feed *f = ((const struct intake *)intake)->feed;

	return cache_bytes(&f->addresses) + cache_bytes(&f->stacks) + feed_memo_bytes(f);
}

static size_t
caches_bound(const void *intake)
{
	const struct feed *f = ((const struct intake *)intake)->feed;

	return cache_max_bytes(&f->addresses) + cache_max_bytes(&f->stacks) + feed_memo_max_bytes();
}

static const struct part_memory memory[] = {
	{ "rings", rings_held, rings_held, "samples are lost, and counted (-m makes rings larger)" },
	{ "samples that wait", waiting_held, waiting_bound,
	  "they count at once, without names or callers" },
	{ "threads that wait", switches_held, switches_bound,
	  "waits that begin then are unknown, and counted as such" },
	{ "times that have begun", pairs_held, pairs_bound,
	  "what begins then is unknown, and counted as such" },
	{ "caches", caches_held, caches_bound, "the oldest entries are dropped, and looked up again if needed" },
};

const struct engine_part intake_part = {
	.name = "intake",
	.make = make,
	.release = release,
	.beat = beat,
	.put_notices = put_notices,
	.put_page = put_page,
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
};
