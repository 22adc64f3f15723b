/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flight recorder, and records that the kernel did not write. */
#include <config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "datafile/datafile.h"
#include "engine/recording/history.h"
#include "engine/recording/known_look.h"
#include "engine/recording/recorder.h"
#include "record/encode.h"
#include "tests/asserts.h"
#include "tests/core_fixture.h"

static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000 };

/* Ids are of the event of their tens. */
static uint32_t
event_of(const void *self, uint64_t id)
{
	(void)self;
	return (uint32_t)(id / 10);
}

static struct history *
new_history(size_t max_bytes)
{
	static struct record_layouts layouts;

	if (layouts.len == 0)
		record_layouts_add(&layouts, &live_layout);
	return history_new(max_bytes, &(struct history_keys){ &layouts, event_of, NULL });
}

static struct bytes
sample(struct maker *m, uint64_t time_ns, uint64_t ip, uint64_t period)
{
	const struct record_id id = { .pid = 7, .tid = 8, .time_ns = time_ns, .id = 5, .cpu = 1 };
	const struct record_sample s = { .ip = ip, .period = period, .chain = chain, .chain_len = 4 };

	return make_sample(m, &live_layout, PERF_RECORD_MISC_USER, &id, &s);
}

static void
add_sample(struct history *h, uint64_t time_ns, uint64_t ip, uint64_t period, struct buf *want)
{
	struct maker m;
	struct bytes b = sample(&m, time_ns, ip, period);

	history_add_sample(h, b, record_sample_tag(&live_layout, b), time_ns);
	buf_add(want, b.data, b.len);
}

static void
collect(void *self, struct history_chunk *c)
{
	history_chunk_expand(c, &live_layout, self);
}

static void
what_was_taken_comes_back_byte_by_byte(void **state)
{
	struct history *h = new_history(1 << 20);
	struct buf want = { 0 }, got = { 0 };
	const struct record_id id = { .pid = 7, .tid = 7, .time_ns = 3, .id = 4 };
	struct maker m;
	struct bytes comm = make_comm(&m, 7, 7, "name", false, &id);

	(void)state;
	history_set_sink(h, collect, &got);
	add_sample(h, 1, 0x1000, 100, &want);
	add_sample(h, 2, 0x1000, 200, &want);
	history_add(h, comm);
	buf_add(&want, comm.data, comm.len);
	for (uint64_t t = 4; t < 20000; t++)
		add_sample(h, t, 0x1000 + t % 3, t % 7 * 100, &want);
	/* Later by more than 32 bits of nanoseconds, and earlier: interrupts nest. */
	add_sample(h, UINT64_C(1) << 40, 0x1000, 100, &want);
	add_sample(h, (UINT64_C(1) << 40) - 5, 0x1000, 100, &want);
	for (uint64_t t = 1; t < 20000; t++)
		add_sample(h, (UINT64_C(1) << 41) + t, 0x1000, 100, &want);
	assert_int_equal(history_since(h), 1);
	history_seal(h);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	/* Samples alike take 8 bytes, or 20 with another period. */
	assert_that(history_bytes(h), <, want.len / 4);
	history_free(h);
	buf_release(&want);
	buf_release(&got);
}

/* Samples whose chain was made for the recording are known by what they were made from. */
static void
a_sample_is_known_by_another_tag_in_its_chunk(void **state)
{
	enum { OTHER = 12345 };
	struct history *h = new_history(1 << 20);
	struct buf want = { 0 }, got = { 0 };
	const uint64_t other = UINT64_C(77) << 32 | 1;
	struct maker m;
	struct bytes b;

	(void)state;
	history_set_sink(h, collect, &got);
	assert_false(history_knows(h, other));
	add_sample(h, 1, 0x1000, 100, &want);
	assert_false(history_knows(h, other));
	history_note_tag(h, record_sample_tag(&live_layout, sample(&m, 1, 0x1000, 100)), other);
	assert_true(history_knows(h, other));
	add_sample(h, 2, 0x2000, 100, &want);
	/* Time and period alone are taken from it. */
	history_add_sample(h, sample(&m, 3, OTHER, 300), other, 3);
	b = sample(&m, 3, 0x1000, 300);
	buf_add(&want, b.data, b.len);
	history_seal(h);
	assert_false(history_knows(h, other));
	/* A tag that nothing in this chunk has stands for nothing. */
	history_note_tag(h, record_sample_tag(&live_layout, b), other);
	assert_false(history_knows(h, other));
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	history_free(h);
	buf_release(&want);
	buf_release(&got);
}

enum { NEWEST = 512 << 10 };

static void
check_bound(size_t bound, uint64_t step_ns)
{
	struct history *h = new_history(bound);
	struct buf all = { 0 }, kept = { 0 };

	/* No two alike. */
	for (uint64_t t = 1; t < 40000; t++) {
		add_sample(h, t * step_ns, t, 1, &all);
		assert_that(history_bytes(h), <=, bound);
	}
	assert_that(all.len, >, 3 * bound);
	assert_that(history_since(h), >, 1);
	history_seal(h);
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next) {
		history_chunk_expand(c, &live_layout, &kept);
		/* The newest stay as they are, and of so little there are no others. */
		assert_true((c->next != NULL && bound > NEWEST) || c->packed_len == 0);
	}
	assert_that(kept.len, >, bound / 3);
	assert_memory_equal(kept.data, all.data + all.len - kept.len, kept.len);
	history_free(h);
	buf_release(&all);
	buf_release(&kept);
}

/* So few bytes that chunks go before it is their turn to be packed, and more; fast and slowly. */
/* Their reader's times are CLOCK_MONOTONIC's; what is kept is as the kernel wrote it. */
static void
records_by_another_clock_are_kept_by_it(void **state)
{
	static const int64_t ahead_ns[] = { -1000000, -1000000, 5000 };
	struct record_layouts layouts = { 0 };
	struct buf want = { 0 }, got = { 0 };
	struct history *h;
	size_t chunks = 0;

	(void)state;
	record_layouts_add(&layouts, &live_layout);
	h = history_new(1 << 20, &(struct history_keys){ &layouts, event_of, NULL });
	for (size_t i = 0; i < ARRAY_SIZE(ahead_ns); i++) {
		record_layouts_set_clock(&layouts, ahead_ns[i]);
		for (uint64_t n = 0; n < 4; n++) {
			struct maker m;
			uint64_t time_ns = 2000000 + i * 1000 + n * 10;
			/* Of another period the third is kept in another way. */
			struct bytes b = sample(&m, time_ns, 0x1000, n == 2 ? 7 : 5);
			struct record rec;

			assert_int_equal(record_decode(layouts.items, b, &rec), 1);
			assert_int_equal(rec.id.time_ns, (int64_t)time_ns + ahead_ns[i]);
			assert_int_equal(record_time(layouts.items, b), rec.id.time_ns);
			history_add_sample(h, b, record_sample_tag(layouts.items, b), rec.id.time_ns);
			buf_add(&want, b.data, b.len);
		}
	}
	history_seal(h);
	assert_int_equal(history_since(h), 1000000);
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next) {
		assert_int_equal(c->clock_ahead_ns, chunks++ == 0 ? -1000000 : 5000);
		history_chunk_expand(c, layouts.items, &got);
	}
	assert_int_equal(chunks, 2);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	history_free(h);
	record_layouts_release(&layouts);
	buf_release(&want);
	buf_release(&got);
}

static void
the_oldest_goes_first_and_the_bound_holds(void **state)
{
	static const size_t bounds[] = { NEWEST, 768 << 10, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++)
		for (uint64_t step_ns = 1; step_ns <= NSEC_PER_MSEC; step_ns *= NSEC_PER_MSEC)
			check_bound(bounds[i], step_ns);
}

/* 16 MiB of samples, after some others: that much before come in so many ms; what they take. */
static size_t
fill(uint64_t before_ms, uint64_t ms_for_2_mib)
{
	enum { BOUND = 16 << 20 };
	struct history *h = new_history(BOUND);
	uint64_t t = 1, n = 1, in_2_mib;
	struct buf all = { 0 };
	size_t bytes;

	add_sample(h, t, t, 1, &all);
	in_2_mib = (2 << 20) / all.len;
	for (; all.len < BOUND / 2; n++, t += before_ms * NSEC_PER_MSEC / in_2_mib)
		add_sample(h, t, n * n, 1, &all);
	for (; all.len < 2 * BOUND; n++, t += ms_for_2_mib * NSEC_PER_MSEC / in_2_mib)
		add_sample(h, t, n * n, 1, &all);
	bytes = history_bytes(h);
	history_free(h);
	buf_release(&all);
	return bytes;
}

/* What is forgotten in a moment is not worth the time. */
static void
only_what_stays_is_packed(void **state)
{
	(void)state;
	assert_that(fill(500, 500), >, 12 << 20);
#ifdef HAVE_ZSTD
	assert_that(fill(5000, 5000), <, 8 << 20);
	assert_that(fill(500, 5000), <, 8 << 20);
	assert_that(fill(5000, 500), >, 12 << 20);
#endif
}

/* A rate between both is no reason to do something else. */
static void
what_comes_neither_fast_nor_slowly_is_kept_as_before(void **state)
{
	(void)state;
	assert_that(fill(500, 1500), >, 12 << 20);
#ifdef HAVE_ZSTD
	assert_that(fill(5000, 1500), <, 8 << 20);
	assert_that(fill(1500, 1500), <, 8 << 20);
#endif
}

/* From some MiB on, what comes takes room from what came before. */
static void
what_is_held_does_not_grow_with_what_comes(void **state)
{
	enum { BOUND = 16 << 20, AROUND = 512 << 10 };
	struct history *h = new_history(BOUND);
	struct buf all = { 0 };
	size_t held = 0;

	(void)state;
	for (uint64_t t = 1; all.len < BOUND / 8 * 5; t++) {
		add_sample(h, t * NSEC_PER_MSEC, t * t % 100000, 1, &all);
		if (all.len > BOUND / 4)
			held = held != 0 ? held : history_bytes(h);
#ifdef HAVE_ZSTD
		if (held != 0)
			assert_in_range(history_bytes(h), held - AROUND, held + AROUND);
#endif
	}
	assert_int_not_equal(held, 0);
	history_free(h);
	buf_release(&all);
}

/* The oldest are packed; one that somebody holds stays as it is. */
static void
what_was_packed_comes_back_byte_by_byte(void **state)
{
	enum { BOUND = 16 << 20, MS = 1000000 };
	struct history *h = new_history(BOUND);
	struct buf all = { 0 }, kept = { 0 }, held = { 0 };
	struct history_chunk *c;

	(void)state;
	for (uint64_t t = 1; t < 4000; t++)
		add_sample(h, t * MS, t * t, 1, &all);
	c = history_chunk_get(history_first(h));
	for (uint64_t t = 4000; t < 100000; t++)
		add_sample(h, t * MS, t * t % 100000, 1, &all);
	assert_ptr_equal(c, history_first(h));
	assert_int_equal(c->packed_len, 0);
	for (uint64_t t = 100000; t < 400000; t++)
		add_sample(h, t * MS, t * t % 100000, 1, &all);
	history_seal(h);
	history_chunk_expand(c, &live_layout, &held);
	assert_memory_equal(held.data, all.data, held.len);
	history_chunk_put(c);
	for (c = history_first(h); c != NULL; c = c->next)
		history_chunk_expand(c, &live_layout, &kept);
	assert_that(kept.len, >, BOUND - (1 << 20));
	assert_that(kept.len, <=, all.len);
	assert_memory_equal(kept.data, all.data + all.len - kept.len, kept.len);
#ifdef HAVE_ZSTD
	/* It is what they take then that is bounded. */
	assert_that(kept.len, >, 2 * BOUND);
	assert_that(history_bytes(h), <, BOUND / 2);
#endif
	history_free(h);
	buf_release(&all);
	buf_release(&kept);
	buf_release(&held);
}

/* The times of the samples in @got. */
static size_t
sample_times(const struct buf *got, uint64_t *times, size_t *others)
{
	struct perf_event_header head;
	size_t n = 0;

	*others = 0;
	for (size_t at = 0; at < got->len; at += head.size) {
		struct bytes bytes;

		memcpy(&head, got->data + at, sizeof(head));
		bytes = (struct bytes){ (const uint8_t *)got->data + at, head.size };
		if (head.type == PERF_RECORD_SAMPLE)
			times[n++] = record_time(&live_layout, bytes);
		else
			(*others)++;
	}
	return n;
}

/* Names come with it: those of before, too, not those of later. */
static void
a_stretch_of_it_has_the_samples_of_that_time(void **state)
{
	struct record_layouts layouts = { 0 };
	struct history *h = new_history(1 << 20);
	struct buf all = { 0 }, got = { 0 };
	uint64_t times[100];
	size_t others;

	(void)state;
	record_layouts_add(&layouts, &live_layout);
	for (uint64_t t = 1; t <= 100; t++) {
		const struct record_id id = { .pid = 7, .tid = 7, .time_ns = t * 10, .id = 4 };
		struct maker m;

		add_sample(h, t * 10, 0x1000, 100, &all);
		if (t % 10 == 5)
			history_add(h, make_comm(&m, 7, 7, "name", false, &id));
		if (t % 30 == 0)
			history_seal(h);
	}
	history_seal(h);
	assert_int_equal(history_put_stretch(h, &layouts, &live_layout, 200, 401, collect, &got), 21);
	assert_int_equal(sample_times(&got, times, &others), 21);
	for (size_t i = 0; i < 21; i++)
		assert_int_equal(times[i], 200 + 10 * i);
	assert_int_equal(others, 4);
	/* A chunk in the midst of it is given as it is. */
	buf_reset(&got);
	assert_int_equal(history_put_stretch(h, &layouts, &live_layout, 300, 701, collect, &got), 41);
	assert_int_equal(sample_times(&got, times, &others), 41);
	for (size_t i = 0; i < 41; i++)
		assert_int_equal(times[i], 300 + 10 * i);
	assert_int_equal(others, 7);
	buf_reset(&got);
	assert_int_equal(history_put_stretch(h, &layouts, &live_layout, 1001, 2000, collect, &got), 0);
	buf_release(&all);
	buf_release(&got);
	record_layouts_release(&layouts);
	history_free(h);
}

/* Their events, by id. */
static void
collect_events(void *self, struct history_chunk *c)
{
	for (size_t i = 0; i < c->id_len; i++)
		buf_addf(self, "%llu:%u ", (unsigned long long)c->ids[i].id, c->ids[i].event);
}

static uint32_t
event_while_open(const void *is_open, uint64_t id)
{
	return *(const bool *)is_open ? event_of(NULL, id) : UINT32_MAX;
}

/* An event that was closed is known by its id for seconds: what it sampled is of it for good. */
static void
samples_of_an_event_that_ended_long_ago_are_still_of_it(void **state)
{
	struct record_layouts layouts = { 0 };
	bool is_open = true;
	struct history *h;
	struct buf all = { 0 }, got = { 0 };

	(void)state;
	record_layouts_add(&layouts, &live_layout);
	h = history_new(1 << 20, &(struct history_keys){ &layouts, event_while_open, &is_open });
	for (uint64_t t = 10; t <= 100; t += 10)
		add_sample(h, t, 0x1000, 100, &all);
	history_seal(h);
	is_open = false;
	assert_int_equal(history_put_stretch(h, &layouts, &live_layout, 50, 1000, collect_events, &got), 6);
	assert_string_equal(buf_str(&got), "5:0 ");
	buf_release(&all);
	buf_release(&got);
	history_free(h);
	record_layouts_release(&layouts);
}

/* One that was to be unwound, and waited for that: what there is begins with those in order. */
static void
a_sample_that_comes_late_is_kept_with_its_own_time(void **state)
{
	struct history *h = new_history(1 << 20);
	struct buf want = { 0 }, got = { 0 };

	(void)state;
	history_set_sink(h, collect, &got);
	for (uint64_t t = 1000; t < 1010; t++)
		add_sample(h, t, 0x1000, 100, &want);
	history_seal(h);
	for (uint64_t t = 20; t < 30; t++)
		add_sample(h, t, 0x1000, 100, &want);
	add_sample(h, 1010, 0x1000, 100, &want);
	add_sample(h, 30, 0x1000, 100, &want);
	history_seal(h);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	assert_int_equal(history_since(h), 1000);
	assert_int_equal(history_first(h)->next->first_ns, 1009);
	assert_int_equal(history_first(h)->next->last_ns, 1010);
	history_free(h);
	buf_release(&want);
	buf_release(&got);
}

/* The kernel says that some are longer: perf would take for the id what happens to be there. */
static void
a_record_is_kept_up_to_its_true_end(void **state)
{
	const struct encode_ksymbol k = { .start = 0x1000, .len = 16, .name = "bpf_prog", .is_bpf = true };
	struct history *h = new_history(1 << 20);
	struct buf want = { 0 }, got = { 0 }, b = { 0 };
	struct perf_event_header head;

	(void)state;
	record_encode_ksymbol(&want, &live_layout, &k);
	buf_add(&b, want.data, want.len);
	buf_add_fill(&b, 'x', live_layout.trailer_bytes);
	memcpy(&head, b.data, sizeof(head));
	head.size = (uint16_t)b.len;
	memcpy(b.data, &head, sizeof(head));
	history_set_sink(h, collect, &got);
	history_add(h, (struct bytes){ (uint8_t *)b.data, b.len });
	history_seal(h);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	history_free(h);
	buf_release(&want);
	buf_release(&got);
	buf_release(&b);
}

static void
without_room_only_the_sink_gets_all(void **state)
{
	struct history *h = new_history(0);
	struct buf want = { 0 }, got = { 0 };

	(void)state;
	history_set_sink(h, collect, &got);
	for (uint64_t t = 1; t < 10000; t++)
		add_sample(h, t, t, 1, &want);
	history_seal(h);
	assert_null(history_first(h));
	assert_int_equal(history_since(h), 0);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	/* Nothing new: nothing to tell. */
	history_seal(h);
	assert_int_equal(got.len, want.len);
	history_free(h);
	buf_release(&want);
	buf_release(&got);
}

static void
a_chunk_outlives_the_history(void **state)
{
	struct history *h = new_history(1 << 20);
	struct buf want = { 0 }, got = { 0 };
	struct history_chunk *c;

	(void)state;
	add_sample(h, 9, 1, 1, &want);
	history_seal(h);
	c = history_chunk_get(history_first(h));
	history_free(h);
	assert_int_equal(c->samples, 1);
	assert_int_equal(c->first_ns, 9);
	history_chunk_expand(c, &live_layout, &got);
	assert_memory_equal(got.data, want.data, want.len);
	history_chunk_put(c);
	buf_release(&want);
	buf_release(&got);
}

/* Adds a sample, or another record, that carries @id. */
static void
add_with_id(struct history *h, uint64_t id, uint64_t time_ns, bool is_sample)
{
	const struct record_id rec_id = { .pid = 7, .tid = 8, .time_ns = time_ns, .id = id };
	const struct record_sample s = { .ip = 0x1000, .period = 1, .chain = chain, .chain_len = 4 };
	struct maker m;
	struct bytes b;

	if (!is_sample) {
		history_add(h, make_comm(&m, 7, 7, "name", false, &rec_id));
		return;
	}
	b = make_sample(&m, &live_layout, PERF_RECORD_MISC_USER, &rec_id, &s);
	history_add_sample(h, b, record_sample_tag(&live_layout, b), time_ns);
}

static bool
has_id(const struct history_chunk *c, uint64_t id)
{
	for (size_t i = 0; i < c->id_len; i++)
		if (c->ids[i].id == id)
			return c->ids[i].event == id / 10;
	return false;
}

enum { IDS_MAX = 1 << 16 };

/* Of @c: those that its records carry, and no others. */
static void
assert_ids_of(const struct history_chunk *c)
{
	static struct record_layouts layouts;
	bool *is_there = calloc(IDS_MAX, sizeof(*is_there));
	struct buf b = { 0 };
	size_t kinds = 0;

	if (layouts.len == 0)
		record_layouts_add(&layouts, &live_layout);
	history_chunk_expand(c, &live_layout, &b);
	for (size_t at = 0; at < b.len;) {
		struct perf_event_header head;
		struct bytes bytes;
		uint64_t id;

		memcpy(&head, b.data + at, sizeof(head));
		bytes = (struct bytes){ (const uint8_t *)b.data + at, head.size };
		id = record_layouts_id(&layouts, bytes);
		if (id != 0 && !has_id(c, id))
			fail_msg("id %llu is missing", (unsigned long long)id);
		kinds += id != 0 && !is_there[id];
		is_there[id] = true;
		at += head.size;
	}
	assert_int_equal(kinds, c->id_len);
	buf_release(&b);
	free(is_there);
}

static void
each_chunk_has_the_ids_that_its_records_carry(void **state)
{
	enum { BOUND = 1 << 20 };
	struct history *h = new_history(BOUND);
	size_t chunks = 0;

	(void)state;
	/* Of many openings, one after the other; those 1024 apart are in each other's way. */
	for (uint64_t t = 1; t < 60000; t++) {
		uint64_t id = 1 + t / 4000 * 1000;

		add_with_id(h, id, t, true);
		add_with_id(h, id + 1024 * (t % 2), t, true);
		if (t % 5 == 0)
			add_with_id(h, t % 3 == 0 ? 0 : id + 2048, t, false);
		assert_that(history_bytes(h), <=, BOUND);
	}
	history_seal(h);
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next, chunks++) {
		assert_that(c->id_len, >, 0);
		assert_ids_of(c);
	}
	assert_that(chunks, >, 2);
	history_free(h);
}

static void
an_id_for_each_record_takes_of_the_bound(void **state)
{
	enum { BOUND = 1 << 20 };
	struct history *h = new_history(BOUND);

	(void)state;
	for (uint64_t t = 1; t < 40000; t++) {
		add_with_id(h, 40000 - t, t, t % 2 == 0);
		assert_that(history_bytes(h), <=, BOUND);
	}
	history_seal(h);
	assert_that(history_bytes(h), <=, BOUND);
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next)
		assert_ids_of(c);
	history_free(h);
}

static void
a_sample_that_carries_values_has_their_ids_as_well(void **state)
{
	struct history *h = new_history(1 << 20);

	(void)state;
	add_with_id(h, 11, 1, true);
	history_note_id(h, 25);
	history_note_id(h, 11);
	history_seal(h);
	assert_int_equal(history_first(h)->id_len, 2);
	assert_true(has_id(history_first(h), 11));
	assert_true(has_id(history_first(h), 25));
	history_free(h);
}

/* How many samples there are in the file. */
static uint64_t
write_file(const char *path, struct history *h, uint32_t events)
{
	const struct event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
					 .sample_type = LIVE_TYPE, .sample_id_all = 1 };
	struct queue *answers = queue_new();
	struct recorder_ended_msg *m;
	struct event_env env;
	struct err err = { 0 };
	struct recorder *r;
	uint64_t samples;
	char name[24];

	event_env_open(&env);
	r = recorder_new(path, RECORDER_OVERWRITES | RECORDER_WHOLE, &live_layout, &env, answers, &err);
	for (uint32_t i = 0; i < events; i++) {
		snprintf(name, sizeof(name), "event-%u", i);
		recorder_event(r, i, name, NULL, &attr);
	}
	for (struct history_chunk *c = history_first(h); c != NULL; c = c->next)
		recorder_chunk(r, c);
	recorder_close(r);
	m = (struct recorder_ended_msg *)queue_wait(answers, -1);
	assert_int_equal(m->err.code, ERR_NONE);
	assert_int_equal(m->lost, 0);
	samples = m->samples;
	msg_free(&m->msg);
	recorder_free(r);
	event_env_close(&env);
	queue_free(answers);
	return samples;
}

/* Packed, it is much more than what may wait for a disk. */
static void
a_file_of_it_has_all_its_samples(void **state)
{
	char path[] = "/tmp/ptop-history-XXXXXX";
	struct history *h = new_history(16 << 20);
	struct buf all = { 0 };
	uint64_t held = 0;
	int fd = mkstemp(path);

	(void)state;
	assert_that(fd, >=, 0);
	close(fd);
	for (uint64_t t = 1; t < 400000; t++)
		add_sample(h, t * NSEC_PER_MSEC, t * t, 1, &all);
	history_seal(h);
	for (const struct history_chunk *c = history_first(h); c != NULL; c = c->next)
		held += c->samples;
	assert_int_equal(write_file(path, h, 1), held);
	unlink(path);
	history_free(h);
	buf_release(&all);
}

/* However many events there are. */
static void
a_file_of_it_has_all_ids_in_its_tables(void **state)
{
	enum { EVENTS = 400 };
	char path[] = "/tmp/ptop-history-XXXXXX", name[16];
	struct history *h = new_history(1 << 20);
	struct err err = { 0 };
	struct datafile *f;
	size_t count;
	int fd = mkstemp(path);

	(void)state;
	assert_that(fd, >=, 0);
	close(fd);
	for (uint64_t id = 1; id < EVENTS * 10; id++)
		add_with_id(h, id, id, id % 3 != 0);
	history_seal(h);
	write_file(path, h, EVENTS);
	f = datafile_open(path, &err);
	unlink(path);
	assert_non_null(f);
	for (uint64_t id = 1; id < EVENTS * 10; id++) {
		uint32_t n = record_layouts_find(datafile_layouts(f), id);

		snprintf(name, sizeof(name), "event-%u", (unsigned)(id / 10));
		assert_int_not_equal(n, UINT32_MAX);
		assert_string_equal(datafile_events(f, &count)[n].name, name);
	}
	datafile_close(f);
	history_free(h);
}

static struct record
decoded(const struct buf *b)
{
	struct record rec;

	assert_int_equal(record_decode(&live_layout, (struct bytes){ (uint8_t *)b->data, b->len },
				       &rec), 1);
	assert_int_equal(rec.id.time_ns, 0);
	return rec;
}

static void
records_of_our_own_are_read_like_the_kernels(void **state)
{
	const struct record_mmap map = { .pid = 3, .tid = 3, .start = 0x1000, .len = 0x2000,
					 .pgoff = 0x400, .maj = 8, .min = 1, .ino = 99, .prot = 5,
					 .flags = 2, .name = "/bin/true" };
	const struct record_mmap kernel = { .start = UINT64_C(0xffffffff81000000), .len = 0x100,
					    .pgoff = 7, .name = "[kernel.kallsyms]_text" };
	struct buf b = { 0 };
	struct record rec;

	(void)state;
	record_encode_mmap2(&b, &live_layout, &map);
	rec = decoded(&b);
	assert_int_equal(rec.type, PERF_RECORD_MMAP2);
	assert_int_equal(rec.mmap.start, 0x1000);
	assert_int_equal(rec.mmap.pgoff, 0x400);
	assert_int_equal(rec.mmap.ino, 99);
	assert_string_equal(rec.mmap.name, "/bin/true");
	buf_reset(&b);
	record_encode_kernel_mmap(&b, &live_layout, &kernel);
	rec = decoded(&b);
	assert_int_equal(rec.type, PERF_RECORD_MMAP);
	assert_int_equal(rec.misc, PERF_RECORD_MISC_KERNEL);
	assert_int_equal((int)rec.mmap.pid, -1);
	assert_string_equal(rec.mmap.name, "[kernel.kallsyms]_text");
	buf_reset(&b);
	/* Kernel threads have names that are longer than a record of the kernel would have. */
	record_encode_comm(&b, &live_layout, 3, 4, "kworker/u8:0-ext4-rsv-conversion");
	rec = decoded(&b);
	assert_int_equal(rec.comm.tid, 4);
	assert_false(rec.comm.is_exec);
	assert_string_equal(rec.comm.comm, "kworker/u8:0-ext4-rsv-conversion");
	buf_reset(&b);
	record_encode_lost(&b, &live_layout, 6, 12);
	rec = decoded(&b);
	assert_int_equal(rec.lost.lost, 12);
	buf_release(&b);
}

static void
known_looks_are_bounded_and_the_newest_are_known(void **state)
{
	static uint8_t look[1000];
	struct known_looks k = { 0 };
	const uint32_t many = KNOWN_LOOKS_BYTES / sizeof(look) + 100;

	(void)state;
	assert_null(known_looks_find(&k, 7));
	for (uint32_t i = 1; i <= many; i++) {
		look[0] = (uint8_t)i;
		known_looks_add(&k, i, i * 2, (struct bytes){ look, sizeof(look) });
	}
	assert_that(known_looks_held(&k), <=, known_looks_bound());
	assert_null(known_looks_find(&k, 1));
	assert_non_null(known_looks_find(&k, many));
	assert_int_equal(known_looks_find(&k, many)->bytes[0], (uint8_t)many);
	/* Of one that is added again the newer is known. */
	look[0] = 77;
	known_looks_add(&k, many, 5, (struct bytes){ look, 10 });
	assert_int_equal(known_looks_find(&k, many)->bytes[0], 77);
	assert_int_equal(known_looks_find(&k, many)->len, 10);
	assert_int_equal(known_looks_find(&k, many)->tag, 5);
	known_looks_release(&k);
	assert_int_equal(known_looks_held(&k), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_taken_comes_back_byte_by_byte),
		cmocka_unit_test(a_sample_is_known_by_another_tag_in_its_chunk),
		cmocka_unit_test(records_by_another_clock_are_kept_by_it),
		cmocka_unit_test(the_oldest_goes_first_and_the_bound_holds),
		cmocka_unit_test(only_what_stays_is_packed),
		cmocka_unit_test(what_comes_neither_fast_nor_slowly_is_kept_as_before),
		cmocka_unit_test(what_is_held_does_not_grow_with_what_comes),
		cmocka_unit_test(what_was_packed_comes_back_byte_by_byte),
		cmocka_unit_test(a_stretch_of_it_has_the_samples_of_that_time),
		cmocka_unit_test(samples_of_an_event_that_ended_long_ago_are_still_of_it),
		cmocka_unit_test(a_sample_that_comes_late_is_kept_with_its_own_time),
		cmocka_unit_test(a_record_is_kept_up_to_its_true_end),
		cmocka_unit_test(without_room_only_the_sink_gets_all),
		cmocka_unit_test(a_chunk_outlives_the_history),
		cmocka_unit_test(each_chunk_has_the_ids_that_its_records_carry),
		cmocka_unit_test(an_id_for_each_record_takes_of_the_bound),
		cmocka_unit_test(a_sample_that_carries_values_has_their_ids_as_well),
		cmocka_unit_test(a_file_of_it_has_all_its_samples),
		cmocka_unit_test(a_file_of_it_has_all_ids_in_its_tables),
		cmocka_unit_test(records_of_our_own_are_read_like_the_kernels),
		cmocka_unit_test(known_looks_are_bounded_and_the_newest_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
