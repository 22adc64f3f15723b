/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time from one tracepoint to another: whose it is, how long, and when it is not known. */
#include "engine/intake/intake_impl.h"
#include "event/pair.h"
#include "profile_fixture.h"
#include "tests/asserts.h"

enum { BEGIN = 21, END = 20, ID = 4, ROOM = 1 << 16 };

/* Its samples are as those of tracepoints, without callers. */
enum { TYPE = (LIVE_TYPE & ~PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_RAW };
static const struct record_layout layout = RECORD_LAYOUT(TYPE, true);

/* An intake without rings, and what came out of it. */
struct mill {
	struct fixture b;
	struct feed feed;
	struct record_layouts layouts;
	struct measured measured;
	struct losses losses;
	struct intake in;
	size_t count;
	struct record_id last;
	uint64_t last_ns; /* for so long */
};

static void
take_sample(void *self, const struct record *rec, struct bytes bytes, uint64_t tag)
{
	struct mill *m = self;

	(void)bytes;
	(void)tag;
	m->count++;
	m->last = rec->id;
	m->last_ns = rec->sample.period;
}

static const struct intake_sink sink = { .sample = take_sample };

/* The event of that name is sampled. */
static struct mill *
mill_new(const char *name)
{
	struct mill *m = mem_calloc(1, sizeof(*m));

	bench_open(&m->b, 24 << 20);
	record_layouts_add(&m->layouts, &layout);
	feed_init(&m->feed, m->b.model, &m->b.locations, m->b.profile, &m->layouts);
	m->measured.events[0].spec.pair = event_pair_find(name, strlen(name));
	m->measured.events[0].spec.config = BEGIN;
	m->in = (struct intake){
		.measured = &m->measured, .losses = &m->losses, .layouts = &m->layouts,
		.model = m->b.model, .locations = &m->b.locations, .profile = m->b.profile,
		.feed = &m->feed, .sinks = { { &sink, m } }, .sink_count = 1,
	};
	return m;
}

static void
mill_free(struct mill *m)
{
	pair_samples_free(m->in.pairs);
	feed_release(&m->feed);
	record_layouts_release(&m->layouts);
	bench_close(&m->b);
	free(m);
}

/* A sample of the tracepoint @number. */
static void
give(struct mill *m, uint16_t number, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	const struct record_id id = { .pid = tid, .tid = tid, .cpu = cpu, .time_ns = time_ns, .id = ID };
	const struct record_sample s = { .ip = 0x400010, .period = 1 };
	struct bytes bytes;
	struct record rec;
	struct maker maker;

	make_sample(&maker, &layout, PERF_RECORD_MISC_USER, &id, &s);
	make_u32(&maker, 4);
	make_u16(&maker, number);
	make_u16(&maker, 0);
	bytes = make_done(&maker);
	assert_int_equal(record_decode(&layout, bytes, &rec), 1);
	assert_true(pair_samples_take(&m->in, 0, 0, &rec, bytes));
}

/* What has come out in all, of which the last is of @tid, ended at @end_ns and took @ns. */
static void
assert_last(const struct mill *m, size_t count, uint32_t tid, uint64_t end_ns, uint64_t ns)
{
	assert_int_equal(m->count, count);
	assert_int_equal(m->last.tid, tid);
	assert_int_equal(m->last.time_ns, end_ns);
	assert_int_equal(m->last_ns, ns);
}

static void
each_thread_has_its_own_time(void **state)
{
	struct mill *m = mill_new("syscall-time");

	(void)state;
	give(m, END, 8, 0, 90); /* it began before anybody looked */
	give(m, BEGIN, 7, 0, 100);
	give(m, BEGIN, 8, 0, 110);
	assert_int_equal(m->count, 0); /* what goes on counts nothing */
	give(m, END, 8, 1, 150);
	assert_last(m, 1, 8, 150, 40);
	give(m, END, 7, 1, 1000);
	assert_last(m, 2, 7, 1000, 900);
	give(m, END, 7, 1, 1100);
	assert_int_equal(m->count, 2); /* each once */
	/* One without an end gives way to the next. */
	give(m, BEGIN, 7, 0, 2000);
	give(m, BEGIN, 7, 0, 3000);
	give(m, END, 7, 0, 3005);
	assert_last(m, 3, 7, 3005, 5);
	assert_int_equal(m->losses.counts[LOSS_TIMES], 0);
	mill_free(m);
}

/* It is of who was interrupted, whoever runs at the end. */
static void
interrupts_are_told_apart_by_cpu(void **state)
{
	struct mill *m = mill_new("softirq-time");

	(void)state;
	give(m, BEGIN, 7, 0, 100);
	give(m, BEGIN, 7, 1, 105);
	give(m, END, 9, 1, 200);
	assert_last(m, 1, 7, 200, 95);
	give(m, END, 7, 0, 201);
	assert_last(m, 2, 7, 201, 101);
	mill_free(m);
}

static void
where_samples_were_lost_nothing_is_known_of_what_had_begun(void **state)
{
	const struct record lost = { .type = PERF_RECORD_LOST }, other = { .type = PERF_RECORD_COMM };
	struct mill *m = mill_new("syscall-time");

	(void)state;
	give(m, BEGIN, 7, 0, 100);
	give(m, BEGIN, 8, 0, 100);
	pair_samples_other(&m->in, &other);
	give(m, END, 8, 0, 120);
	assert_last(m, 1, 8, 120, 20);
	pair_samples_other(&m->in, &lost);
	give(m, END, 7, 0, 150);
	assert_int_equal(m->count, 1);
	assert_int_equal(m->losses.counts[LOSS_TIMES], 1);
	/* Nor where the event was closed and opened meanwhile, nor where clocks differ. */
	give(m, BEGIN, 7, 0, 200);
	m->measured.events[0].live = (struct session_event *)m;
	give(m, END, 7, 0, 250);
	give(m, BEGIN, 7, 0, 300);
	give(m, END, 7, 1, 290);
	assert_int_equal(m->count, 1);
	assert_int_equal(m->losses.counts[LOSS_TIMES], 3);
	mill_free(m);
}

static void
what_has_begun_has_a_bound(void **state)
{
	struct mill *m = mill_new("syscall-time");

	(void)state;
	for (uint32_t tid = 1; tid <= ROOM + 3; tid++)
		give(m, BEGIN, tid, 0, 100);
	assert_int_equal(m->losses.counts[LOSS_TIMES], 3);
	assert_that(pair_samples_held(&m->in), <=, pair_samples_bound());
	give(m, END, ROOM + 1, 0, 200);
	assert_int_equal(m->count, 0);
	/* There is room for another as soon as one is over. */
	give(m, END, ROOM, 0, 200);
	assert_last(m, 1, ROOM, 200, 100);
	give(m, BEGIN, ROOM + 1, 0, 300);
	give(m, END, ROOM + 1, 0, 310);
	assert_last(m, 2, ROOM + 1, 310, 10);
	mill_free(m);
}

/* However many there are. */
static void
each_part_of_the_engine_is_told(void **state)
{
	struct mill *m = mill_new("syscall-time");

	(void)state;
	while (m->in.sink_count < ENGINE_PARTS_MAX)
		intake_add_sink(&m->in, &sink, m);
	give(m, BEGIN, 7, 0, 100);
	give(m, END, 7, 0, 140);
	assert_last(m, ENGINE_PARTS_MAX, 7, 140, 40);
	mill_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_thread_has_its_own_time),
		cmocka_unit_test(interrupts_are_told_apart_by_cpu),
		cmocka_unit_test(where_samples_were_lost_nothing_is_known_of_what_had_begun),
		cmocka_unit_test(what_has_begun_has_a_bound),
		cmocka_unit_test(each_part_of_the_engine_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
