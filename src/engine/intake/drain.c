/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/engine_impl.h"

#include <string.h>

#include "base/clock.h"
#include "record/abi.h"

enum {
	PRESSED_PERCENT = 37, /* of a ring: fuller, and it is emptied sooner */
	FULL_PERCENT = 50,
	AHEAD_MS = 10, /* no CPU's clock is so much ahead of this one's */
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
take_throttle(struct engine *e, const struct record *rec)
{
	const bool begins = rec->type == PERF_RECORD_THROTTLE;
	uint32_t event = engine_event_of(e, rec->throttle.id);

	if (begins)
		e->throttled++;
	if (begins && event != UINT32_MAX)
		e->events[event].throttled++;
	if (e->file == NULL) /* recordings need not tell the CPU */
		losses_throttle(&e->losses, rec->id.cpu, rec->throttle.time_ns, begins);
}

/* Only a hint: losses at the end are told by no record.  The counts are FORMAT_LOST's. */
static void
take_lost(struct engine *e, const struct record *rec)
{
	uint64_t id = rec->type == PERF_RECORD_LOST ? rec->lost.id : rec->id.id;

	/* A recording is all that there is to know: nothing can be read again. */
	if (e->file != NULL || engine_event_of(e, id) != UINT32_MAX) {
		e->lost_hint += rec->lost.lost;
		if (e->file == NULL)
			losses_lost(&e->losses, rec->id.cpu, rec->lost.lost);
		return;
	}
	/* Lost side-band: what is known of maps and names may be wrong from here on. */
	e->lost_sideband += rec->lost.lost;
	model_doubt_all(e->model);
}

static void
take_model(struct engine *e, const struct record *rec)
{
	model_record(e->model, rec);
}

static void
take_comm(struct engine *e, const struct record *rec)
{
	model_record(e->model, rec);
	if (rec->comm.is_exec)
		engine_auto_exec(e, rec);
}

/* A child is called as its parent until it has an exec. */
static void
take_fork(struct engine *e, const struct record *rec)
{
	uint32_t parent;

	model_record(e->model, rec);
	parent = e->file == NULL ? model_find_task(e->model, (int)rec->task.ptid) : 0;
	if (parent != 0)
		feed_want_comm(&e->feed, parent);
}

/* What samples are there already waits for names of what has been there, not of what comes. */
static void
take_ksymbol(struct engine *e, const struct record *rec)
{
	enum { TYPE_BPF = 1, UNREGISTERED = 1 }; /* PERF_RECORD_KSYMBOL_* */
	struct ksymbol was = { .start = rec->ksymbol.addr,
			       .end = rec->ksymbol.addr + rec->ksymbol.len,
			       .is_bpf = rec->ksymbol.kind == TYPE_BPF };

	if (rec->ksymbol.flags & UNREGISTERED)
		was.name = strs_add_str(&e->model->strs, rec->ksymbol.name);
	if (locations_kernel_changes(&e->locations, &was) > 0)
		e->profile->fold_due = true;
	model_record(e->model, rec);
}

/* What is done with the records that are no samples. */
static const struct {
	uint32_t type;
	void (*take)(struct engine *e, const struct record *rec);
} takers[] = {
	{ PERF_RECORD_MMAP2, take_model },      { PERF_RECORD_COMM, take_comm },
	{ PERF_RECORD_FORK, take_fork },        { PERF_RECORD_EXIT, take_model },
	{ PERF_RECORD_THROTTLE, take_throttle }, { PERF_RECORD_UNTHROTTLE, take_throttle },
	{ PERF_RECORD_LOST, take_lost },
	{ PERF_RECORD_LOST_SAMPLES, take_lost }, { PERF_RECORD_MMAP, take_model },
	{ PERF_RECORD_KSYMBOL, take_ksymbol },  { ABI_RECORD_CGROUP, take_model },
	{ ABI_RECORD_BPF_EVENT, take_model },
	{ ABI_RECORD_CALLCHAIN_DEFERRED, engine_take_deferred },
};

void
engine_take_sideband(struct engine *e, const struct record *rec)
{
	e->rate.sideband++;
	for (size_t i = 0; i < ARRAY_SIZE(takers); i++) {
		if (takers[i].type == rec->type) {
			takers[i].take(e, rec);
			return;
		}
	}
	other_records_add(&e->others, rec->type);
}

static void
take_sample(struct engine *e, const struct record *rec, uint64_t tag, struct bytes bytes)
{
	uint32_t event = engine_event_of(e, rec->id.id);

	if (e->autos != NULL && !engine_auto_wants(e, rec, &tag))
		return;
	if (event == UINT32_MAX)
		e->unknown++;
	else if (engine_is_twice(e, rec->id.id, (int)rec->id.tid))
		e->events[event].twice++;
	else if (engine_defer_sample(e, event, 0, rec, bytes) ||
		 feed_sample(&e->feed, event, rec, tag, bytes))
		engine_record_new_sample(e, rec, bytes, tag);
	if (e->autos != NULL)
		engine_auto_sampled(e, rec);
}

static bool
take_value(struct engine *e, uint64_t id, const struct record *rec, struct bytes bytes)
{
	uint32_t event = engine_event_of(e, id);

	if (event != UINT32_MAX)
		return feed_sample(&e->feed, event, rec, 0, bytes);
	e->unknown++;
	return false;
}

/*
 * Where tasks have descriptors of their own, each sample is looked at: some come twice.  Those that
 * carry more are hardly ever alike.  Whether it is like one before, and done with; sets @tag.
 */
static bool
take_alike(struct engine *e, const struct record_layout *layout, struct bytes bytes,
	   uint64_t time_ns, uint64_t *tag)
{
	if (e->own_tasks.used != 0 || layout != e->layouts.items)
		return false;
	*tag = record_sample_tag(&e->layout, bytes);
	if (*tag == 0 ||
	    !feed_repeat(&e->feed, *tag, record_sample_period(&e->layout, bytes), time_ns))
		return false;
	engine_record_sample(e, bytes, *tag, time_ns);
	return true;
}

/* @tag: as feed_repeat() has it, 0: it is as no other. */
static void
take_whole(struct engine *e, const struct record_layout *layout, struct bytes bytes, uint64_t tag)
{
	struct record rec;
	int res = record_decode(layout, bytes, &rec);

	if (res < 0) {
		e->broken++;
	} else if (res == 0) {
		e->unknown++;
	} else if (rec.type == PERF_RECORD_SAMPLE && (layout->sample_type & PERF_SAMPLE_READ)) {
		if (!engine_is_twice(e, rec.id.id, (int)rec.id.tid))
			engine_take_values(e, layout, &rec, bytes, take_value);
	} else if (rec.type == PERF_RECORD_SAMPLE) {
		take_sample(e, &rec, tag, bytes);
	} else {
		engine_record_add(e, &rec, bytes);
		engine_take_sideband(e, &rec);
	}
}

static void
note_time(struct engine *e, uint64_t time_ns)
{
	if (time_ns != 0 && time_ns < e->drained_to_ns)
		e->late += time_ns >= e->ring_since_ns;
	e->taken_ns = MAX(e->taken_ns, time_ns);
}

static void
take_record(struct engine *e, struct bytes bytes, uint64_t time_ns)
{
	const struct record_layout *layout = record_layouts_of(&e->layouts, bytes);
	enum sample_fate fate = SAMPLE_AS_IT_IS;
	uint64_t tag = 0;

	if (record_type(bytes) == PERF_RECORD_SAMPLE) {
		if (engine_has_own_time(e, time_ns) && take_alike(e, layout, bytes, time_ns, &tag)) {
			note_time(e, time_ns);
			return;
		}
		fate = engine_own_sample(e, &bytes, time_ns);
	}
	if (fate == SAMPLE_PUT_ASIDE)
		return;
	if (fate == SAMPLE_MENDED) {
		layout = record_layouts_of(&e->layouts, bytes);
		tag = 0;
	}
	note_time(e, time_ns);
	take_whole(e, layout, bytes, tag);
}

/* What was put aside, up to the byte @len. */
static void
take_aside(struct engine *e, size_t len)
{
	struct buf *aside = &e->aside;
	struct bytes bytes;
	size_t at = 0;

	while (engine_next_aside(e, &at, len, &bytes))
		take_whole(e, record_layouts_of(&e->layouts, bytes), bytes, 0);
	if (at == aside->len) {
		buf_release(aside);
	} else {
		memmove(aside->data, aside->data + at, aside->len - at);
		aside->len -= at;
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

bool
engine_is_pressed(struct engine *e)
{
	size_t count;
	const struct session_ring *rings = session_rings(e->session, &count);

	return look_at_rings(rings, count) >= PRESSED_PERCENT;
}

/* Points the merge at every ring. */
static void
prepare_streams(struct engine *e, const struct session_ring *rings, size_t count)
{
	vec_reserve(&e->streams, &e->stream_cap, count, sizeof(*e->streams));
	for (size_t i = 0; i < count; i++)
		e->streams[i] = (struct merge_stream){ rings[i].ring, peek_ring, advance_ring };
}

/* Between 20 and 250 ms, so that rings are less than half full: from there on they wake the engine. */
static void
choose_pace(struct engine *e, unsigned fullest)
{
	const uint64_t least = 20 * NSEC_PER_MSEC, most = 250 * NSEC_PER_MSEC;

	if (fullest > FULL_PERCENT)
		e->drain_ns = MAX(e->drain_ns / 2, least);
	else if (fullest < PRESSED_PERCENT)
		e->drain_ns = MIN(e->drain_ns + e->drain_ns / 4, most);
}

void
engine_drain(struct engine *e, uint64_t limit_ns)
{
	size_t count, waiting = 0, aside = e->aside.len;
	struct session_ring *rings = session_rings(e->session, &count);
	struct bytes bytes;
	uint64_t time_ns, until_ns, began_ns;

	if (e->file != NULL)
		return;
	began_ns = clock_thread_cpu_ns();
	choose_pace(e, look_at_rings(rings, count));
	prepare_streams(e, rings, count);
	merge_begin(e->merge, &e->layout, e->streams, count,
		    clock_mono_ns() + AHEAD_MS * NSEC_PER_MSEC);
	do {
		/* What is at an address changes between samples. */
		until_ns = engine_jit_next_ns(e, limit_ns);
		while (merge_next(e->merge, until_ns, &bytes, &time_ns) == 1)
			take_record(e, bytes, time_ns);
		engine_jit_apply(e, until_ns);
	} while (until_ns < limit_ns);
	/* Between the limit and now there may be a record of something that they need. */
	take_aside(e, limit_ns == UINT64_MAX ? e->aside.len : aside);
	feed_flush(&e->feed);
	engine_record_drained(e);
	if (limit_ns != UINT64_MAX)
		e->drained_to_ns = MAX(e->drained_to_ns, limit_ns);
	for (size_t i = count; i-- > 0;) {
		ring_commit(rings[i].ring);
		waiting = ring_fill_bytes(rings[i].ring);
		if (rings[i].is_closing && waiting == 0) {
			session_drop_ring(e->session, i);
			rings = session_rings(e->session, &count);
		}
	}
	e->rate.drain_ns += clock_thread_cpu_ns() - began_ns;
}
