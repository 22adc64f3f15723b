/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_fixture.h"
#include "tests/asserts.h"

#include <math.h>

enum { PLACES = 30, PIDS = 12 };

static uint32_t
some_callers(struct fixture *b, uint32_t event, int pid)
{
	struct tables *t = &b->profile->tables;
	uint32_t who = model_who(b->model, model_task(b->model, pid, pid));
	uint32_t node = tables_root(t, who, event);

	for (int depth = rand() % 4; depth > 0; depth--)
		node = tables_node(t, node,
			locations_find(&b->locations, DSO_ID_FIRST_FILE, (uint64_t)rand() % 5));
	return node;
}

static uint32_t
comm_of(int pid)
{
	return (uint32_t)pid % COMMS;
}

static void
some_samples(struct fixture *b, int count)
{
	for (int i = 0; i < count; i++) {
		uint32_t event = (uint32_t)rand() % EVENTS;
		int pid = 100 + rand() % PIDS;

		if (b->profile->events[event].open_since_ns == 0)
			continue;
		bench_sample(b, event, pid, pid, comm_of(pid), DSO_ID_FIRST_FILE,
			     (uint64_t)rand() % PLACES, some_callers(b, event, pid),
			     rand() % 4 ? 1001001 : (uint64_t)rand());
	}
}

static void
open_with_tasks(struct fixture *b)
{
	bench_open(b, 24 << 20);
	dsos_file(&b->model->dsos, "/bin/x", 8, 1, 42, 0);
	for (int pid = 100; pid < 100 + PIDS; pid++)
		bench_exec(b, pid, comm_of(pid));
}

/* The window of each entry of the hot table, not only sums. */
static void
check_each_place(const struct fixture *b)
{
	const struct tables *t = &b->profile->tables;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct hot_key *key = &t->hot[id];
		uint32_t comm = b->model->whos[key->who].comm;
		size_t first = first_span(b, key->event);
		struct sums have, want = { 0 }, rest = { 0 };

		profile_window(
			b->profile, &t->cells[TABLE_HOT].items[id], &have.samples, &have.period);
		for (size_t i = 0; i < b->taken_len; i++) {
			const struct taken *s = &b->taken[i];

			if (s->event == key->event && s->leaf == key->location &&
			    strs_add_str(&b->model->strs, comm_name(s->comm)) == comm &&
			    is_seen(b, i, first))
				sums_add(&want, 1, s->period);
		}
		/* Several tasks may have the name. */
		for (uint32_t o = 1; o < t->cells[TABLE_HOT].len; o++) {
			uint64_t samples, period;

			if (o == id || t->hot[o].event != key->event ||
			    t->hot[o].location != key->location ||
			    b->model->whos[t->hot[o].who].comm != comm)
				continue;
			profile_window(
				b->profile, &t->cells[TABLE_HOT].items[o], &samples, &period);
			sums_add(&rest, samples, period);
		}
		sums_add(&have, rest.samples, rest.period);
		assert_sums(&have, &want, 1);
	}
}

static const uint64_t windows[] = { 1, 10, 60 };

static void
windows_slide_exactly(void **state)
{
	struct fixture b;

	(void)state;
	srand(6);
	for (size_t w = 0; w < ARRAY_SIZE(windows); w++) {
		open_with_tasks(&b);
		profile_set_window(b.profile, windows[w] * NSEC_PER_SEC);
		for (int i = 0; i < 90; i++) {
			some_samples(&b, rand() % 40);
			bench_check(&b);
			bench_interval(&b, NSEC_PER_SEC);
			bench_check(&b);
		}
		check_each_place(&b);
		bench_close(&b);
	}
}

static void
intervals_of_any_length_make_a_window_as_long_as_can_be(void **state)
{
	struct fixture b;

	(void)state;
	srand(7);
	open_with_tasks(&b);
	for (int i = 0; i < 300; i++) {
		some_samples(&b, rand() % 30);
		bench_interval(
			&b, (1 + (uint64_t)rand() % 1000) * NSEC_PER_MSEC + (uint64_t)rand() % 9);
		if (i % 10 == 0) {
			uint64_t have_ns = b.profile->events[0].win_ns;

			bench_check(&b);
			if (b.now_ns > 15 * NSEC_PER_SEC)
				assert_in_range(
					have_ns, 95 * NSEC_PER_SEC / 10, 105 * NSEC_PER_SEC / 10);
		}
	}
	check_each_place(&b);
	bench_close(&b);
}

static void
another_window_shows_at_once_what_it_would_have(void **state)
{
	struct fixture b;

	(void)state;
	srand(8);
	open_with_tasks(&b);
	for (int i = 0; i < 150; i++) {
		some_samples(&b, rand() % 20);
		bench_interval(&b, (200 + (uint64_t)rand() % 800) * NSEC_PER_MSEC);
		if (i % 7 == 0) {
			static const uint64_t all[] = { 1, 5, 10, 60, UINT64_MAX };
			uint64_t w = all[rand() % 5];

			profile_set_window(
				b.profile, w == UINT64_MAX ? WINDOW_ALL : w * NSEC_PER_SEC);
		}
		bench_check(&b);
	}
	bench_close(&b);
}

static void
freeze(struct fixture *b, bool frozen)
{
	profile_set_frozen(b->profile, frozen);
	b->frozen_span = frozen ? b->span_len : OPEN;
}

static void
a_frozen_window_stands_still_while_sampling_goes_on(void **state)
{
	struct fixture b;

	(void)state;
	srand(9);
	open_with_tasks(&b);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 12; i++) {
			some_samples(&b, 20);
			bench_interval(&b, NSEC_PER_SEC);
		}
		freeze(&b, true);
		for (int i = 0; i < 8; i++) {
			some_samples(&b, 20);
			bench_interval(&b, NSEC_PER_SEC);
			bench_check(&b);
		}
		/* A longer window of the same moment. */
		profile_set_window(b.profile, 20 * NSEC_PER_SEC);
		bench_check(&b);
		profile_set_window(b.profile, 10 * NSEC_PER_SEC);
		freeze(&b, false);
		bench_check(&b);
	}
	bench_close(&b);
}

/* The window ends with the span @last, which is not always the newest one. */
static void
end_with(struct fixture *b, size_t last)
{
	uint64_t end_ns = b->spans[last].end_ns;

	profile_set_end(b->profile, end_ns);
	for (b->frozen_span = last; b->frozen_span < b->span_len; b->frozen_span++)
		if (b->spans[b->frozen_span].start_ns >= end_ns)
			break;
}

static void
a_window_of_the_past_shows_what_it_showed_then(void **state)
{
	struct fixture b;

	(void)state;
	srand(19);
	open_with_tasks(&b);
	for (int i = 0; i < 40; i++) {
		some_samples(&b, 20);
		bench_interval(&b, NSEC_PER_SEC);
	}
	for (int i = 0; i < 30; i++) {
		end_with(&b, (size_t)rand() % b.span_len);
		bench_check(&b);
		profile_set_window(b.profile, (uint64_t)(1 + rand() % 12) * NSEC_PER_SEC);
		bench_check(&b);
		some_samples(&b, 20);
		bench_interval(&b, NSEC_PER_SEC);
		bench_check(&b);
	}
	profile_set_end(b.profile, 0);
	b.frozen_span = OPEN;
	bench_check(&b);
	bench_close(&b);
}

static void
a_window_shorter_than_an_interval_has_the_newest(void **state)
{
	struct sums by[EVENTS];
	struct fixture b;

	(void)state;
	open_with_tasks(&b);
	profile_set_window(b.profile, 100 * NSEC_PER_MSEC);
	for (int i = 1; i < 5; i++) {
		some_samples(&b, 40);
		bench_interval(&b, (uint64_t)i * NSEC_PER_SEC);
		assert_int_equal(b.profile->events[0].win_ns, (uint64_t)i * NSEC_PER_SEC);
		bench_by_event(&b, TABLE_HOT, by);
		assert_int_equal(by[0].samples + by[1].samples, 40);
		/* Summed anew, too. */
		profile_set_window(b.profile, (uint64_t)(100 + i) * NSEC_PER_MSEC);
		bench_by_event(&b, TABLE_HOT, by);
		assert_int_equal(by[0].samples + by[1].samples, 40);
	}
	bench_close(&b);
}

static void
a_stretch_shorter_than_an_interval_is_the_one_that_it_is_in(void **state)
{
	uint64_t begin_ns, from_ns, to_ns;
	struct sums by[EVENTS];
	struct fixture b;

	(void)state;
	open_with_tasks(&b);
	begin_ns = b.now_ns;
	for (int i = 1; i < 10; i++) {
		some_samples(&b, 10 * i);
		bench_interval(&b, NSEC_PER_SEC);
	}
	assert_false(profile_stretch(b.profile, 0, &from_ns, &to_ns));
	profile_set_window(b.profile, 300 * NSEC_PER_MSEC);
	for (uint64_t ms = 300; ms < 9000; ms += 50) {
		uint64_t middle_ns = (ms - 150) * NSEC_PER_MSEC;

		profile_set_end(b.profile, begin_ns + ms * NSEC_PER_MSEC);
		assert_true(profile_stretch(b.profile, 0, &from_ns, &to_ns));
		assert_that(from_ns, <=, begin_ns + middle_ns);
		assert_that(begin_ns + middle_ns, <, to_ns);
		bench_by_event(&b, TABLE_HOT, by);
		assert_int_equal(by[0].samples + by[1].samples,
				 10 * (middle_ns / NSEC_PER_SEC + 1));
	}
	/* Not sampled so early, or so late. */
	profile_set_end(b.profile, begin_ns - 500 * NSEC_PER_MSEC);
	assert_false(profile_stretch(b.profile, 0, &from_ns, &to_ns));
	profile_set_end(b.profile, begin_ns + 12 * NSEC_PER_SEC);
	assert_false(profile_stretch(b.profile, 0, &from_ns, &to_ns));
	bench_close(&b);
}

static void
time_stands_still_until_a_sample_comes(void **state)
{
	struct sums before[EVENTS], after[EVENTS];
	struct fixture b;

	(void)state;
	srand(21);
	open_with_tasks(&b);
	for (int i = 0; i < 5; i++) {
		some_samples(&b, 30);
		bench_interval(&b, NSEC_PER_SEC);
	}
	bench_by_event(&b, TABLE_HOT, before);
	for (int i = 0; i < 40; i++)
		profile_stand_still(b.profile, b.now_ns += NSEC_PER_SEC);
	bench_by_event(&b, TABLE_HOT, after);
	assert_sums(after, before, EVENTS);
	assert_int_equal(b.profile->events[0].win_ns, 5 * NSEC_PER_SEC);
	assert_int_equal(b.profile->events[0].all_ns, 5 * NSEC_PER_SEC);
	some_samples(&b, 30);
	profile_stand_still(b.profile, b.now_ns += NSEC_PER_SEC);
	bench_by_event(&b, TABLE_HOT, after);
	assert_int_equal(after[0].samples + after[1].samples,
			 before[0].samples + before[1].samples + 30);
	assert_int_equal(b.profile->events[0].all_ns, 6 * NSEC_PER_SEC);
	bench_close(&b);
}

static void
zero(struct fixture *b, uint32_t event)
{
	profile_zero(b->profile, event);
	b->zero_span[event] = b->span_len;
	b->zero_taken[event] = b->taken_len;
}

static void
zero_begins_one_event_anew(void **state)
{
	struct fixture b;

	(void)state;
	srand(10);
	open_with_tasks(&b);
	for (int i = 0; i < 60; i++) {
		some_samples(&b, 20);
		if (i % 13 == 5)
			zero(&b, (uint32_t)rand() % EVENTS);
		bench_check(&b);
		bench_interval(&b, NSEC_PER_SEC);
		bench_check(&b);
		if (i % 9 == 0)
			profile_set_window(b.profile, (uint64_t)(i % 2 ? 3 : 30) * NSEC_PER_SEC);
		if (i == 40)
			profile_set_window(b.profile, WINDOW_ALL);
		bench_check(&b);
	}
	bench_close(&b);
}

static void
assert_window_is_empty(const struct fixture *b)
{
	for (enum table_id t = 0; t < TABLE_COUNT; t++) {
		const struct cells *c = &b->profile->tables.cells[t];

		for (size_t id = 1; id < c->len; id++) {
			assert_int_equal(c->items[id].win_samples, 0);
			assert_int_equal(c->items[id].win_period, 0);
		}
	}
	for (size_t e = 0; e < b->profile->event_count; e++)
		assert_int_equal(b->profile->events[e].win_ns, 0);
}

static void
since_the_last_report_adds_up_to_all(void **state)
{
	struct sums by[EVENTS], sum[EVENTS] = { 0 }, all[EVENTS] = { 0 };
	struct fixture b;

	(void)state;
	srand(11);
	open_with_tasks(&b);
	profile_set_window(b.profile, WINDOW_SINCE_REPORT);
	for (int report = 0; report < 10; report++) {
		for (int i = 0; i < 1 + report % 3; i++) {
			some_samples(&b, 50);
			bench_interval(&b, 300 * NSEC_PER_MSEC);
		}
		bench_by_event(&b, TABLE_HOT, by);
		for (int e = 0; e < EVENTS; e++)
			sums_add(&sum[e], by[e].samples, by[e].period);
		/* The log may have lost what came since the last report: it was counted. */
		if (report % 4 == 3)
			profile_forget_interval(b.profile);
		if (report == 7)
			while (b.profile->log.tiers[LOG_NEWEST].len > 0)
				profile_forget_interval(b.profile);
		profile_next_report(b.profile);
		assert_window_is_empty(&b);
	}
	for (size_t i = 0; i < b.taken_len; i++)
		sums_add(&all[b.taken[i].event], 1, b.taken[i].period);
	assert_sums(sum, all, EVENTS);
	bench_close(&b);
}

/* However many there are: of what is beyond the last, the next one may have no room yet. */
static void
all_events_begin_anew_with_a_report(void **state)
{
	struct fixture b;
	char name[32];

	(void)state;
	srand(13);
	open_with_tasks(&b);
	profile_set_window(b.profile, WINDOW_SINCE_REPORT);
	for (int i = 0; i < 64; i++) {
		some_samples(&b, 5);
		bench_interval(&b, 300 * NSEC_PER_MSEC);
		profile_next_report(b.profile);
		assert_window_is_empty(&b);
		for (size_t e = 0; e < b.profile->event_count; e++)
			assert_int_equal(b.profile->events[e].win_first, log_end(&b.profile->log));
		snprintf(name, sizeof(name), "event %d", i);
		assert_int_equal(profile_event(b.profile, name), EVENTS + i);
	}
	bench_close(&b);
}

static void
the_window_of_an_event_waits_while_it_is_not_sampled(void **state)
{
	struct fixture b;
	uint64_t have_ns;

	(void)state;
	srand(12);
	open_with_tasks(&b);
	for (int i = 0; i < 5; i++) {
		some_samples(&b, 30);
		bench_interval(&b, NSEC_PER_SEC);
	}
	b.profile->events[1].open_since_ns = 0;
	have_ns = b.profile->events[1].win_ns;
	for (int i = 0; i < 40; i++) {
		some_samples(&b, 30);
		bench_interval(&b, NSEC_PER_SEC);
		bench_check(&b);
	}
	assert_int_equal(b.profile->events[1].win_ns, have_ns);
	assert_int_equal(b.profile->events[1].all_ns, 5 * NSEC_PER_SEC);
	b.profile->events[1].open_since_ns = b.now_ns;
	for (int i = 0; i < 20; i++) {
		some_samples(&b, 30);
		bench_interval(&b, NSEC_PER_SEC);
		bench_check(&b);
	}
	assert_int_equal(b.profile->events[1].all_ns, 25 * NSEC_PER_SEC);
	zero(&b, 1);
	assert_int_equal(b.profile->events[1].all_ns, 0);
	assert_int_equal(b.profile->events[0].all_ns, 65 * NSEC_PER_SEC);
	bench_close(&b);
}

static uint64_t
samples_in_window(const struct fixture *b, uint32_t event)
{
	const struct tables *t = &b->profile->tables;
	uint64_t sum = 0, samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		profile_window(b->profile, &t->cells[TABLE_HOT].items[id], &samples, &period);
		sum += t->hot[id].event == event ? samples : 0;
	}
	return sum;
}

/* It waited, for what its stack is unwound by. */
static void
a_sample_that_is_counted_after_its_event_was_closed_is_in_the_window(void **state)
{
	struct fixture b;

	(void)state;
	open_with_tasks(&b);
	bench_interval(&b, NSEC_PER_SEC);
	b.profile->events[1].open_since_ns = 0;
	bench_sample(&b, 1, 100, 100, comm_of(100), DSO_ID_FIRST_FILE, 1, 0, 1000);
	bench_interval(&b, NSEC_PER_SEC);
	assert_int_equal(samples_in_window(&b, 1), 1);
	assert_int_equal(b.profile->events[1].open_since_ns, 0);
	assert_int_equal(b.profile->events[1].all_ns, NSEC_PER_SEC);
	bench_close(&b);
}

static void
a_forgotten_interval_leaves_its_window(void **state)
{
	struct fixture b;

	(void)state;
	srand(13);
	open_with_tasks(&b);
	profile_set_window(b.profile, 60 * NSEC_PER_SEC);
	for (int i = 0; i < 30; i++) {
		some_samples(&b, 30);
		bench_interval(&b, NSEC_PER_SEC);
	}
	for (int i = 0; i < 40; i++) {
		profile_forget_interval(b.profile);
		for (int e = 0; e < EVENTS; e++)
			b.zero_span[e]++;
		bench_check(&b);
	}
	some_samples(&b, 30);
	bench_interval(&b, NSEC_PER_SEC);
	bench_check(&b);
	profile_set_window(b.profile, 5 * NSEC_PER_SEC);
	bench_check(&b);
	assert_null(log_at(&b.profile->log, 39));
	assert_non_null(log_at(&b.profile->log, 40));
	assert_null(log_at(&b.profile->log, 62));
	bench_close(&b);
}

/* Those of functions first, or all others, each in the order in which they were put in. */
static void
assert_part(const struct interval_log *log, const struct interval *iv, struct log_pos *pos,
	    const struct delta *in, size_t n, bool is_hot)
{
	struct delta out;

	for (size_t i = 0; i < n; i++) {
		if (in[i].samples == 0 || (in[i].table == TABLE_HOT) != is_hot)
			continue;
		assert_true(is_hot ? log_next_hot(log, iv, pos, &out) : log_next(log, iv, pos, &out));
		assert_int_equal(out.table, in[i].table);
		assert_int_equal(out.id, in[i].id);
		assert_int_equal(out.samples, in[i].samples);
		assert_int_equal(out.period, in[i].period);
	}
}

static void
the_log_gives_back_what_was_put_in(void **state)
{
	struct interval_log log = { 0 };
	struct delta in[200], out;
	struct interval *iv;

	(void)state;
	srand(14);
	for (int round = 0; round < 50; round++) {
		uint64_t usual = (uint64_t)rand() + 1, samples = 0;
		size_t n = (size_t)rand() % 200;
		struct log_pos pos = { 0 }, hot = { 0 };

		for (size_t i = 0; i < n; i++) {
			in[i] = (struct delta){ (uint32_t)rand() % TABLE_COUNT,
				(uint32_t)rand() % 100000 >> rand() % 17,
				rand() % 5 ? (uint32_t)rand() >> rand() % 31 : 0, 0, 0, 0, false, 0 };
			in[i].period = rand() % 3 ? in[i].samples * usual
						  : (uint64_t)rand() << rand() % 32;
		}
		iv = log_append(&log, 3, in, n, 0);
		assert_int_equal(iv->event, 3);
		for (size_t i = 0; i < n; i++)
			samples += in[i].table == TABLE_HOT ? in[i].samples : 0;
		assert_part(&log, iv, &hot, in, n, true);
		assert_false(log_next_hot(&log, iv, &hot, &out));
		for (size_t i = 0; i < n; i++)
			if (in[i].table == TABLE_HOT && in[i].samples > 0)
				assert_true(log_next(&log, iv, &pos, &out));
		assert_part(&log, iv, &pos, in, n, false);
		assert_false(log_next(&log, iv, &pos, &out));
		assert_int_equal(iv->samples, samples);
		if (round % 3 == 0)
			log_drop_first(&log, LOG_NEWEST);
	}
	assert_int_equal(log_first(&log), 17);
	while (log_end(&log) > log_first(&log))
		log_drop_first(&log, LOG_NEWEST);
	log_drop_first(&log, LOG_NEWEST);
	assert_int_equal(log_bytes(&log), 0);
	log_release(&log);
}

static void
a_delta_of_one_period_takes_some_five_bytes(void **state)
{
	struct interval_log log = { 0 };
	struct delta in[1000];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		in[i] = (struct delta){ TABLE_TREE, 20000 + i, 1 + i % 9,
			(1 + i % 9) * UINT64_C(1001001), 0, 0, false, 0 };
	assert_that(log_append(&log, 0, in, 1000, 0)->len, <=, 5000);
	log_release(&log);
}

/* The tables keep an entry for them that nothing else needs: once, however many of them name it. */
static void
what_merged_intervals_keep_in_tables_counts_as_the_logs(void **state)
{
	static const size_t keys[TABLE_COUNT] = {
		[TABLE_HOT] = sizeof(struct hot_key), [TABLE_TREE] = sizeof(struct tree_key),
		[TABLE_ADDRESS] = sizeof(struct address_key), [TABLE_CPU] = sizeof(struct cpu_key),
	};

	(void)state;
	for (uint32_t t = 0; t < TABLE_COUNT; t++) {
		const struct delta one = { t, 7, 1, 1, 0, 0, false, 0 };
		struct interval_log log = { 0 };
		size_t kept, counted;

		log_append(&log, 0, &one, 1, 0);
		assert_int_equal(log_kept_bytes(&log), 0);
		counted = log_bytes(&log);
		log_append_merged(&log, LOG_TENS, 0, 10, &(struct delta){ t, 7, 1, 1, 0, 0, false, 0 }, 1);
		kept = log_kept_bytes(&log);
		assert_that(kept, >=, keys[t] + sizeof(struct cell));
		assert_that(log_bytes(&log), >=, counted + kept);
		log_append_merged(&log, LOG_TENS, 0, 10, &(struct delta){ t, 7, 1, 1, 0, 0, false, 0 }, 1);
		assert_int_equal(log_kept_bytes(&log), kept);
		log_append_merged(&log, LOG_TENS, 0, 10, &(struct delta){ t, 8, 1, 1, 0, 0, false, 0 }, 1);
		assert_int_equal(log_kept_bytes(&log), 2 * kept);
		while (log.tiers[LOG_TENS].len > 0)
			log_drop_first(&log, LOG_TENS);
		assert_int_equal(log_kept_bytes(&log), 0);
		assert_int_equal(log_bytes(&log), counted);
		log_release(&log);
	}
}

/* What does not wander has none, and not little. */
static void
moments_are_given_back_to_some_four_percent(void **state)
{
	const struct interval iv = { .seconds = 60, .usual_period = 1000 };
	struct delta d = { .samples = 50, .period = 50 * iv.usual_period };
	double squares, lagged;

	(void)state;
	for (double want = 1e6; want < 1e12; want *= 1.37) {
		log_set_moments(&d, (double)iv.usual_period, want, -want / 2);
		log_moments(&iv, &d, &squares, &lagged);
		assert_true(fabs(squares / want - 1) < 0.05);
		assert_true(fabs(lagged / squares + 0.5) < 0.01);
	}
	log_set_moments(&d, (double)iv.usual_period, 0, 0);
	log_moments(&iv, &d, &squares, &lagged);
	assert_true(squares == 0);
	assert_true(lagged == 0);
}

/* Whoever walks over an interval looks up each entry: near the one before. */
static void
an_interval_has_its_entries_in_their_order(void **state)
{
	const struct interval *iv;
	struct delta d, before = { 0 };
	struct log_pos pos = { 0 };
	size_t tables = 0, len = 0;
	struct fixture b;

	(void)state;
	bench_open(&b, 24 << 20);
	some_samples(&b, 5000);
	bench_interval(&b, NSEC_PER_SEC);
	/* Those that are there are counted again, in another order. */
	some_samples(&b, 5000);
	bench_interval(&b, NSEC_PER_SEC);
	iv = log_at(&b.profile->log, log_end(&b.profile->log) - 1);
	for (; log_next(&b.profile->log, iv, &pos, &d); before = d, len++) {
		if (len > 0 && d.table == before.table)
			assert_that(d.id, >, before.id);
		if (len > 0)
			assert_that(d.table, >=, before.table);
		tables += len == 0 || d.table != before.table;
	}
	assert_that(tables, >, 1);
	assert_that(len, >, 100);
	bench_close(&b);
}

static void
events_are_known_by_name_and_bounded(void **state)
{
	struct fixture b;
	char name[32];

	(void)state;
	bench_open(&b, 1 << 20);
	assert_int_equal(profile_event(b.profile, "page-faults"), 1);
	for (int i = 2; i < EVENTS_MAX; i++) {
		snprintf(name, sizeof(name), "event-%d", i);
		assert_int_equal(profile_event(b.profile, name), i);
	}
	assert_int_equal(profile_event(b.profile, "one more"), UINT32_MAX);
	assert_int_equal(profile_event(b.profile, "cycles"), 0);
	bench_close(&b);
}

static void
labels_are_kept_once_they_are_wanted(void **state)
{
	struct fixture b;
	const struct tables *t;

	(void)state;
	open_with_tasks(&b);
	t = &b.profile->tables;
	bench_sample(&b, 0, 100, 100, comm_of(100), DSO_ID_FIRST_FILE, 5, 0, 1);
	bench_sample(&b, 0, 100, 100, comm_of(100), DSO_ID_FIRST_FILE, 5, 0, 1);
	assert_int_equal(t->cells[TABLE_HOT].len, 2);
	assert_int_equal(t->hot[1].label, 0);
	b.profile->labels.want = KEY_BIT(KEY_CPU);
	bench_sample(&b, 0, 100, 100, comm_of(100), DSO_ID_FIRST_FILE, 5, 0, 1);
	b.profile->labels.want |= KEY_BIT(KEY_ADDRESS);
	bench_sample(&b, 0, 100, 100, comm_of(100), DSO_ID_FIRST_FILE, 5, 0, 1);
	bench_sample(&b, 0, 100, 100, comm_of(100), DSO_ID_FIRST_FILE, 5, 0, 1);
	assert_int_equal(t->cells[TABLE_HOT].len, 4);
	assert_int_equal(b.profile->labels.items[t->hot[2].label].cpu, 1);
	assert_int_equal(b.profile->labels.items[t->hot[2].label].address, 0);
	assert_int_equal(b.profile->labels.items[t->hot[3].label].address, 6);
	bench_close(&b);
}

/* Longer and shorter than what is looked for together, new and known, and parts of each other. */
static void
a_path_leads_where_its_steps_do(void **state)
{
	struct tables t[2];
	uint32_t path[100], ends[2];

	(void)state;
	tables_init(&t[0]);
	tables_init(&t[1]);
	for (int round = 0; round < 2000; round++) {
		size_t len = (size_t)rand() % ARRAY_SIZE(path);
		uint32_t who = 1 + (uint32_t)rand() % 3;

		for (size_t i = 0; i < len; i++)
			path[i] = 1 + (uint32_t)rand() % (i < 40 ? 2 : 10) / (1 + i % 2);
		ends[0] = tables_path(&t[0], tables_root(&t[0], who, 0), path, len);
		ends[1] = tables_root(&t[1], who, 0);
		for (size_t i = 0; i < len; i++)
			ends[1] = tables_node(&t[1], ends[1], path[i]);
		assert_int_equal(ends[0], ends[1]);
		assert_int_equal(ends[0],
				 tables_path(&t[0], tables_root(&t[0], who, 0), path, len));
	}
	assert_int_equal(t[0].cells[TABLE_TREE].len, t[1].cells[TABLE_TREE].len);
	assert_memory_equal(t[0].tree + 1, t[1].tree + 1,
			    (t[0].cells[TABLE_TREE].len - 1) * sizeof(*t[0].tree));
	tables_release(&t[0]);
	tables_release(&t[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_slide_exactly),
		cmocka_unit_test(intervals_of_any_length_make_a_window_as_long_as_can_be),
		cmocka_unit_test(another_window_shows_at_once_what_it_would_have),
		cmocka_unit_test(a_frozen_window_stands_still_while_sampling_goes_on),
		cmocka_unit_test(a_window_of_the_past_shows_what_it_showed_then),
		cmocka_unit_test(a_window_shorter_than_an_interval_has_the_newest),
		cmocka_unit_test(a_stretch_shorter_than_an_interval_is_the_one_that_it_is_in),
		cmocka_unit_test(time_stands_still_until_a_sample_comes),
		cmocka_unit_test(zero_begins_one_event_anew),
		cmocka_unit_test(since_the_last_report_adds_up_to_all),
		cmocka_unit_test(all_events_begin_anew_with_a_report),
		cmocka_unit_test(the_window_of_an_event_waits_while_it_is_not_sampled),
		cmocka_unit_test(a_sample_that_is_counted_after_its_event_was_closed_is_in_the_window),
		cmocka_unit_test(a_forgotten_interval_leaves_its_window),
		cmocka_unit_test(the_log_gives_back_what_was_put_in),
		cmocka_unit_test(a_delta_of_one_period_takes_some_five_bytes),
		cmocka_unit_test(what_merged_intervals_keep_in_tables_counts_as_the_logs),
		cmocka_unit_test(moments_are_given_back_to_some_four_percent),
		cmocka_unit_test(an_interval_has_its_entries_in_their_order),
		cmocka_unit_test(events_are_known_by_name_and_bounded),
		cmocka_unit_test(labels_are_kept_once_they_are_wanted),
		cmocka_unit_test(a_path_leads_where_its_steps_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
