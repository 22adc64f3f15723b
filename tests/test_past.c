/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The past in tiers: whatever was merged, sums over any stretch are those of what was counted. */
#include "profile_fixture.h"
#include "run.h"

#include "profile/count/past.h"
#include "profile/count/fold_impl.h"
#include "profile/report/report.h"

#include "base/clock.h"
#include "view/column.h"

#include <math.h>

enum {
	FUNCTIONS = 3000, FUNCTION_BYTES = 64, STACKS = 2000, DEPTH = 10, FOLD_S = 5,
	MINUTE_S = 60, DAY_MINUTES = 24 * 60, DAY_S = DAY_MINUTES * MINUTE_S,
	PROCESSES = 12, SHORT_LIVED = 16, DRAWS = 250, FIRST_PID = 100, BUDGET = 24 << 20,
	NEWEST_BYTES = 3 << 20, DAY_BYTES = 5 << 20, /* of the log: what is not merged, and a day */
};

/* What was counted in each minute, by event and comm. */
struct day {
	struct fixture b;
	struct sums (*minutes)[EVENTS * COMMS];
	uint16_t stacks[STACKS][DEPTH]; /* functions: their locations are forgotten and found again */
	int pid;
	size_t most_bytes;
	uint64_t keep_ns, keep_most_ns;
};

static void
day_open(struct day *d, size_t budget_bytes)
{
	srand(31);
	bench_open(&d->b, budget_bytes);
	d->b.profile->keeps_past = true;
	d->b.profile->refresh_ns = NSEC_PER_SEC;
	d->minutes = mem_calloc(DAY_MINUTES + 2, sizeof(*d->minutes));
	d->pid = 1000;
	d->most_bytes = 0;
	d->keep_ns = d->keep_most_ns = 0;
	assert_int_equal(dsos_file(&d->b.model->dsos, "/bin/x", 8, 1, 42, 0), DSO_ID_FIRST_FILE);
	locations_learn_image(&d->b.locations, DSO_ID_FIRST_FILE,
			      make_image(FUNCTIONS, FUNCTION_BYTES), "", "");
	for (int i = 0; i < STACKS; i++)
		for (int at = 0; at < DEPTH; at++)
			d->stacks[i][at] = (uint16_t)(rand() % (1 << MIN(at + 1, 11)));
	for (int i = 0; i < PROCESSES; i++)
		bench_exec(&d->b, FIRST_PID + i, (uint32_t)i % 5);
}

static void
day_close(struct day *d)
{
	free(d->minutes);
	bench_close(&d->b);
}

/* Some are drawn far more often than others. */
static int
skewed(int n)
{
	double x = (double)rand() / RAND_MAX;

	return MIN((int)(x * x * x * x * x * n), n - 1);
}

static size_t
minute_of(const struct day *d)
{
	return (size_t)(d->b.now_ns / NSEC_PER_SEC / MINUTE_S);
}

static uint32_t
function_at(struct day *d, int number)
{
	return locations_find(&d->b.locations, DSO_ID_FIRST_FILE, (uint64_t)number * FUNCTION_BYTES);
}

/* The node of who called. */
static uint32_t
callers_of(struct day *d, uint32_t who, uint32_t event)
{
	struct tables *t = &d->b.profile->tables;
	const uint16_t *stack = d->stacks[skewed(STACKS)];
	size_t depth = (size_t)(2 + skewed(DEPTH - 2));
	uint32_t places[DEPTH];

	for (size_t i = 0; i < depth; i++)
		places[i] = function_at(d, stack[i]);
	return tables_path(t, tables_root(t, who, event), places, depth);
}

/* @samples of one stack of a task, which runs @comm. */
static void
count_some(struct day *d, uint32_t event, int pid, uint32_t comm, uint32_t samples, uint64_t period)
{
	struct profile *p = d->b.profile;
	uint32_t who = model_who(d->b.model, model_task(d->b.model, pid, pid));
	uint32_t node = callers_of(d, who, event);
	uint64_t offset = (uint64_t)skewed(FUNCTIONS) * FUNCTION_BYTES + (uint64_t)rand() % 8 * 4;
	struct profile_sample s = {
		.event = event, .who = who, .cpu = (uint32_t)rand() % 2,
		.leaf = locations_find(&d->b.locations, DSO_ID_FIRST_FILE, offset),
		.dso = DSO_ID_FIRST_FILE, .offset = offset, .callers = node, .period = period,
	};
	struct profile_ids ids = profile_add(p, &s);

	if (samples > 1)
		profile_add_again(p, &ids, event, samples - 1, (samples - 1) * period);
	sums_add(&d->minutes[minute_of(d)][event * COMMS + comm], samples, samples * period);
}

/* A second as beside a build: a few that stay, and some that are soon over. */
static void
count_second(struct day *d, int draws)
{
	for (int i = 0; i < draws * SHORT_LIVED / DRAWS; i++, d->pid++) {
		uint32_t comm = 5 + (uint32_t)rand() % 3;

		bench_exec(&d->b, d->pid, comm);
		for (int n = 0; n < 4; n++)
			count_some(d, 0, d->pid, comm, 1 + (uint32_t)rand() % 8, 1001001);
		tell_exit(d->b.model, d->pid, d->pid, 0, d->b.now_ns);
	}
	for (int i = 0; i < draws; i++) {
		int which = skewed(PROCESSES);

		count_some(d, 0, FIRST_PID + which, (uint32_t)which % 5, 1 + (uint32_t)skewed(20), 1001001);
	}
	for (int i = 0; i < draws / 10; i++)
		count_some(d, 1, FIRST_PID + 1, 1, 1, 1 + (uint64_t)rand() % 1000);
}

static void
end_interval(struct day *d, uint64_t length_ns)
{
	struct profile *p = d->b.profile;
	uint64_t before;

	d->b.now_ns += length_ns;
	profile_close_interval(p, d->b.now_ns);
	before = clock_thread_cpu_ns();
	past_keep(p, d->b.now_ns);
	before = clock_thread_cpu_ns() - before;
	d->keep_ns += before;
	d->keep_most_ns = MAX(d->keep_most_ns, before);
	/* Each time would take most of the test's. */
	if (d->b.now_ns / NSEC_PER_SEC % FOLD_S == 0) {
		profile_fold(p, d->b.now_ns);
		model_sweep(d->b.model, d->b.now_ns - NSEC_PER_SEC);
	}
	d->most_bytes = MAX(d->most_bytes, log_bytes(&p->log));
}

/* Holds what the tables have of a stretch of whole minutes against what was counted then. */
static void
check_minutes(const struct day *d, size_t first, size_t end)
{
	struct profile *p = d->b.profile;
	struct sums want[EVENTS * COMMS] = { 0 }, have[EVENTS * COMMS], total[EVENTS] = { 0 };
	uint64_t from_ns, to_ns;

	profile_set_end(p, (uint64_t)end * MINUTE_S * NSEC_PER_SEC);
	profile_set_window(p, (uint64_t)(end - first) * MINUTE_S * NSEC_PER_SEC);
	for (size_t m = first; m < end; m++)
		for (size_t i = 0; i < EVENTS * COMMS; i++)
			sums_add(&want[i], d->minutes[m][i].samples, d->minutes[m][i].period);
	bench_by_comm(&d->b, have);
	assert_sums(have, want, EVENTS * COMMS);
	for (size_t i = 0; i < EVENTS * COMMS; i++)
		sums_add(&total[i / COMMS], want[i].samples, want[i].period);
	for (enum table_id t = 0; t < TABLE_COUNT; t++) {
		bench_by_event(&d->b, t, have);
		assert_sums(have, total, EVENTS);
	}
	for (uint32_t e = 0; e < EVENTS; e++) {
		assert_true(profile_stretch(p, e, &from_ns, &to_ns));
		assert_int_equal(from_ns, first * MINUTE_S * NSEC_PER_SEC);
		assert_int_equal(to_ns, end * MINUTE_S * NSEC_PER_SEC);
	}
}

/*
 * Any minute of them can be shown, and hours; a day of such would take 8 MiB of the log.  For the
 * test to end soon it is a third of a day, and the machine is less busy than beside a build; with
 * PTOP_TEST_WHOLE it is a day, and as busy.  Sanitizers see an hour and a half.
 */
static void
hours_are_kept_to_the_sample(void **state)
{
	struct day d;
	enum log_tier tier;
	const bool is_whole = getenv("PTOP_TEST_WHOLE") != NULL;
	const size_t minutes = is_whole ? DAY_MINUTES : DAY_MINUTES / (IS_SANITIZED ? 16 : 3);
	int draws = is_whole ? DRAWS : DRAWS / 12;
	uint64_t begin_ns, most_ns = 0;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int second = 0; second < (int)(minutes - 1) * MINUTE_S; second++) {
		count_second(&d, draws);
		end_interval(&d, NSEC_PER_SEC);
	}
	for (int t = 0; t < LOG_TIERS; t++)
		print_message("# tier %d: %zu intervals, %zu KiB\n", t, d.b.profile->log.tiers[t].len,
			      d.b.profile->log.tiers[t].bytes >> 10);
	for (int t = 0; t < TABLE_COUNT; t++)
		print_message("# table %d: %zu entries, %zu numbers, %zu kept\n", t,
			      d.b.profile->tables.cells[t].len, d.b.profile->log.ids[t].live,
			      d.b.profile->log.ids[t].kept);
	assert_int_equal(d.b.profile->dropped_intervals, 0);
	assert_that(log_oldest(&d.b.profile->log, &tier)->start_ns, <=, MINUTE_S * NSEC_PER_SEC);
	assert_that(d.most_bytes, <=, NEWEST_BYTES + DAY_BYTES * minutes / DAY_MINUTES);
	for (size_t m = 1; m < minutes; m++) {
		begin_ns = clock_thread_cpu_ns();
		profile_set_end(d.b.profile, (uint64_t)(m + 1) * MINUTE_S * NSEC_PER_SEC);
		most_ns = MAX(most_ns, clock_thread_cpu_ns() - begin_ns);
		check_minutes(&d, m, m + 1);
	}
	check_minutes(&d, minutes / 14, minutes / 2);
	check_minutes(&d, 1, minutes);
	print_message("# log %zu KiB at most, hot %zu tree %zu addresses %zu, merging %.1f us a second"
		      " (most %.1f ms), a minute shown in %.2f ms at most\n",
		      d.most_bytes >> 10, d.b.profile->tables.cells[TABLE_HOT].len,
		      d.b.profile->tables.cells[TABLE_TREE].len,
		      d.b.profile->tables.cells[TABLE_ADDRESS].len,
		      (double)d.keep_ns / (double)(minutes * MINUTE_S) / 1e3,
		      (double)d.keep_most_ns / 1e6, (double)most_ns / 1e6);
	day_close(&d);
}

/* Windows that end now reach over what is merged meanwhile. */
static void
a_long_window_slides_over_tiers(void **state)
{
	static const uint64_t windows_s[] = { 10, 60, 600, 3000 };
	struct day d;

	(void)state;
	for (size_t w = 0; w < ARRAY_SIZE(windows_s); w++) {
		uint64_t per_second[4000], sum, samples, period;
		size_t len = 0;

		day_open(&d, BUDGET);
		profile_set_window(d.b.profile, windows_s[w] * NSEC_PER_SEC);
		end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
		for (; len < ARRAY_SIZE(per_second); len++) {
			per_second[len] = (uint64_t)rand() % 30;
			count_some(&d, 0, FIRST_PID, 0, (uint32_t)per_second[len] + 1, 7);
			per_second[len]++;
			end_interval(&d, NSEC_PER_SEC);
			if (len < windows_s[w] || len % 7 != 0)
				continue;
			sum = samples = 0;
			for (uint32_t id = 1; id < d.b.profile->tables.cells[TABLE_HOT].len; id++) {
				uint64_t n;

				profile_window(d.b.profile,
					       &d.b.profile->tables.cells[TABLE_HOT].items[id], &n,
					       &period);
				sum += n;
			}
			/* Whole intervals: as many seconds as it says, back from now. */
			for (size_t s = 0; s < d.b.profile->events[0].win_ns / NSEC_PER_SEC; s++)
				samples += per_second[len - s];
			assert_int_equal(sum, samples);
			assert_in_range(d.b.profile->events[0].win_ns / NSEC_PER_SEC,
					windows_s[w] - MIN(windows_s[w] / 10, 30),
					windows_s[w] + MIN(windows_s[w] / 10, 30));
		}
		day_close(&d);
	}
}

/* The rows of a minute, from the key to the picture; the time of this thread alone. */
static double
show_minute(const struct day *d, size_t minute, size_t *rows)
{
	struct report_source src = { .profile = d->b.profile, .mono_ns = d->b.now_ns };
	struct query q = { .view = VIEW_PROCESSES, .by_view = true, .trends = true, .end_ns = 1,
			   .sort = COLUMN_SHARE, .key_count = view_defs[VIEW_PROCESSES].key_count };
	struct snapshot *s = snapshot_new();
	uint64_t begin_ns = clock_thread_cpu_ns();

	memcpy(q.keys, view_defs[VIEW_PROCESSES].keys, sizeof(q.keys));
	s->query = q;
	profile_set_end(d->b.profile, (minute + 1) * MINUTE_S * NSEC_PER_SEC);
	profile_set_window(d->b.profile, MINUTE_S * NSEC_PER_SEC);
	report_fill(s, &src, &q);
	begin_ns = clock_thread_cpu_ns() - begin_ns;
	*rows = s->row_count;
	snapshot_put(s);
	return (double)begin_ns / 1e6;
}

/* Two thousand processes, each in each minute of some hours. */
static void
a_minute_of_two_thousand_rows_is_shown_soon(void **state)
{
	enum { MANY = 2000, MINUTES = 200, STEP = IS_SANITIZED ? 20 : 1 };
	double most_ms = 0;
	struct day d;
	size_t rows;

	(void)state;
	day_open(&d, 4 * (size_t)BUDGET);
	for (int i = 0; i < MANY; i++)
		bench_exec(&d.b, 1000 + i, (uint32_t)i % COMMS);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int ten = 0; ten < MINUTES * 6; ten++) {
		/* Each has a function of its own. */
		for (int i = ten % 6; i < MANY; i += 6) {
			srand((unsigned)i);
			count_some(&d, 0, 1000 + i, (uint32_t)i % COMMS, 5, 1001001);
		}
		end_interval(&d, 10 * NSEC_PER_SEC);
	}
	for (size_t m = 1; m < MINUTES; m += STEP) {
		most_ms = MAX(most_ms, show_minute(&d, m, &rows));
		assert_int_equal(rows, MANY);
	}
	print_message("# any minute of %d rows is shown in %.1f ms at most\n", MANY, most_ms);
	assert_true(most_ms < 300);
	day_close(&d);
}

/* They waited until their event was closed, and are merged apart from its last second. */
static void
late_samples_that_are_merged_alone_stay_in_their_window(void **state)
{
	enum { CLOSED_S = 9, LATE_S = 12, LATE = 5, END_S = 200, WINDOW_S = 600 };
	uint64_t sum = 0, samples, period;
	const struct tables *t;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	t = &d.b.profile->tables;
	profile_set_window(d.b.profile, WINDOW_S * NSEC_PER_SEC);
	while (d.b.now_ns < END_S * NSEC_PER_SEC) {
		if (d.b.now_ns == (CLOSED_S - 1) * NSEC_PER_SEC)
			count_some(&d, 1, FIRST_PID, 0, 1, 7);
		if (d.b.now_ns == CLOSED_S * NSEC_PER_SEC)
			d.b.profile->events[1].open_since_ns = 0;
		if (d.b.now_ns == LATE_S * NSEC_PER_SEC)
			count_some(&d, 1, FIRST_PID, 0, LATE, 7);
		count_some(&d, 0, FIRST_PID, 0, 1, 7);
		end_interval(&d, NSEC_PER_SEC);
	}
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		profile_window(d.b.profile, &t->cells[TABLE_HOT].items[id], &samples, &period);
		sum += t->hot[id].event == 1 ? samples : 0;
	}
	assert_int_equal(sum, 1 + LATE);
	day_close(&d);
}

/* They take no time: the seconds of their event are those in which it was sampled. */
static void
late_samples_are_no_second_of_their_own(void **state)
{
	enum { CLOSED_S = 5, LATE_S = 7, LATE = 5, END_S = 200 };
	const struct interval *iv = NULL;
	enum log_tier tier;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	while (d.b.now_ns < END_S * NSEC_PER_SEC) {
		if (d.b.now_ns == CLOSED_S * NSEC_PER_SEC)
			d.b.profile->events[1].open_since_ns = 0;
		if (d.b.now_ns < CLOSED_S * NSEC_PER_SEC)
			count_some(&d, 1, FIRST_PID, 0, 1, 7);
		if (d.b.now_ns == LATE_S * NSEC_PER_SEC)
			count_some(&d, 1, FIRST_PID, 0, LATE, 7);
		count_some(&d, 0, FIRST_PID, 0, 1, 7);
		end_interval(&d, NSEC_PER_SEC);
	}
	log_oldest(&d.b.profile->log, &tier);
	assert_int_not_equal(tier, LOG_NEWEST);
	for (size_t n = 0; n < d.b.profile->log.tiers[tier].len && iv == NULL; n++)
		if (log_tier_at(&d.b.profile->log, tier, n)->event == 1)
			iv = log_tier_at(&d.b.profile->log, tier, n);
	assert_non_null(iv);
	assert_int_equal(iv->samples, CLOSED_S - 1 + LATE);
	assert_int_equal(iv->seconds, CLOSED_S - 1);
	day_close(&d);
}

/* They end before those that came in the meantime. */
static void
late_samples_hide_no_stretch_of_another_event(void **state)
{
	enum { CLOSED_S = 2, END_S = 40 };
	struct log_walk walk;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	while (d.b.now_ns < END_S * NSEC_PER_SEC) {
		if (d.b.now_ns == CLOSED_S * NSEC_PER_SEC)
			d.b.profile->events[1].open_since_ns = 0;
		count_some(&d, 0, FIRST_PID, 0, 1, 7);
		count_some(&d, 1, FIRST_PID, 0, 1, 7);
		end_interval(&d, NSEC_PER_SEC);
	}
	for (uint64_t s = CLOSED_S; s < END_S; s++) {
		const struct interval *iv;

		log_walk_begin(&walk, &d.b.profile->log, 0, s * NSEC_PER_SEC, UINT64_MAX);
		iv = log_walk_next(&walk);
		assert_non_null(iv);
		assert_true(iv->start_ns <= s * NSEC_PER_SEC);
	}
	day_close(&d);
}

/* How far off the minutes from @from_ns to @to_ns are from the stretch of @len_s that ends at @end_s. */
static double
off_s(uint64_t from_ns, uint64_t to_ns, unsigned end_s, unsigned len_s)
{
	double from_s = (double)from_ns / 1e9, to_s = (double)to_ns / 1e9;

	return fabs(from_s - ((double)end_s - len_s)) + fabs(to_s - end_s);
}

/* Of all stretches of whole minutes none is nearer to what was asked for. */
static void
a_stretch_of_the_past_is_the_nearest_that_is_kept(void **state)
{
	static const unsigned lengths_s[] = { 40, 70, 95, 130 };
	const uint64_t minute_ns = MINUTE_S * NSEC_PER_SEC;
	uint64_t from_ns, to_ns;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, minute_ns - d.b.now_ns);
	while (d.b.now_ns < 60 * minute_ns) {
		count_some(&d, 0, FIRST_PID, 0, 1, 7);
		end_interval(&d, NSEC_PER_SEC);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lengths_s); i++) {
		profile_set_window(d.b.profile, lengths_s[i] * NSEC_PER_SEC);
		for (unsigned end_s = 7 * 60; end_s < 9 * 60; end_s++) {
			double off;

			profile_set_end(d.b.profile, end_s * NSEC_PER_SEC);
			assert_true(profile_stretch(d.b.profile, 0, &from_ns, &to_ns));
			off = off_s(from_ns, to_ns, end_s, lengths_s[i]);
			for (unsigned from = 3; from < 10; from++)
				for (unsigned to = from + 1; to < 11; to++)
					assert_true(off <= off_s(from * minute_ns, to * minute_ns,
								 end_s, lengths_s[i]));
		}
	}
	day_close(&d);
}

/* Its seconds are merged with what came later; a stretch that is asked for then ends when it is to. */
static void
a_frozen_window_stays_and_stretches_after_it_are_whole(void **state)
{
	const uint64_t minute_ns = MINUTE_S * NSEC_PER_SEC, frozen_ns = 4 * minute_ns + 5 * NSEC_PER_SEC;
	uint64_t from_ns, to_ns;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, minute_ns - d.b.now_ns);
	profile_set_window(d.b.profile, 10 * NSEC_PER_SEC);
	while (d.b.now_ns < 40 * minute_ns) {
		count_some(&d, 0, FIRST_PID, 0, 1, 7);
		end_interval(&d, NSEC_PER_SEC);
		if (d.b.now_ns == frozen_ns)
			profile_set_frozen(d.b.profile, true);
		if (d.b.now_ns < frozen_ns)
			continue;
		assert_true(profile_stretch(d.b.profile, 0, &from_ns, &to_ns));
		assert_int_equal(from_ns, frozen_ns - 10 * NSEC_PER_SEC);
		assert_int_equal(to_ns, frozen_ns);
	}
	profile_show(d.b.profile, 5 * minute_ns, true, d.b.now_ns);
	assert_true(profile_stretch(d.b.profile, 0, &from_ns, &to_ns));
	assert_int_equal(from_ns, d.b.now_ns - 5 * minute_ns);
	assert_int_equal(to_ns, d.b.now_ns);
	/* What is kept of when it was frozen is the minute of which most was before. */
	profile_show(d.b.profile, minute_ns, true, 0);
	assert_true(profile_stretch(d.b.profile, 0, &from_ns, &to_ns));
	assert_int_equal(from_ns, 3 * minute_ns);
	assert_int_equal(to_ns, 4 * minute_ns);
	day_close(&d);
}

/* A second of which no more is known than what its minute had is that minute, and nothing less. */
static void
a_second_of_what_was_merged_is_what_it_was_merged_into(void **state)
{
	static const struct {
		unsigned second, from, to;
	} cases[] = {
		{ 3 * 60 + 31, 3 * 60, 4 * 60 }, { 70 * 60 - 1, 69 * 60, 70 * 60 },
		{ 99 * 60 + 58, 99 * 60 + 50, 100 * 60 }, /* of the last half hour */
		{ 120 * 60 - 5, 120 * 60 - 6, 120 * 60 - 5 },
	};
	struct sums have[EVENTS * COMMS];
	uint64_t from_ns, to_ns;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	while (d.b.now_ns < 120 * MINUTE_S * NSEC_PER_SEC) {
		count_some(&d, 0, FIRST_PID, 0, 1 + (uint32_t)rand() % 5, 7);
		end_interval(&d, NSEC_PER_SEC);
	}
	profile_set_window(d.b.profile, NSEC_PER_SEC);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		profile_set_end(d.b.profile, cases[i].second * NSEC_PER_SEC);
		assert_true(profile_stretch(d.b.profile, 0, &from_ns, &to_ns));
		assert_int_equal(from_ns, cases[i].from * NSEC_PER_SEC);
		assert_int_equal(to_ns, cases[i].to * NSEC_PER_SEC);
		bench_by_comm(&d.b, have);
		assert_that(have[0].samples, >, 0);
		if (cases[i].to - cases[i].from == MINUTE_S)
			assert_int_equal(have[0].samples, d.minutes[cases[i].from / MINUTE_S][0].samples);
	}
	day_close(&d);
}

/* What is too much for the share goes, oldest first, and is counted. */
static void
a_small_log_keeps_what_it_can(void **state)
{
	struct day d;
	enum log_tier tier;
	size_t first;

	(void)state;
	day_open(&d, 1 << 20);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int second = 0; second < 1800; second++) {
		count_second(&d, DRAWS);
		end_interval(&d, NSEC_PER_SEC);
		assert_that(log_bytes(&d.b.profile->log), <=, profile_log_share(d.b.profile));
	}
	assert_that(d.b.profile->log.tiers[LOG_MINUTES].len, >, 0);
	first = (size_t)(log_oldest(&d.b.profile->log, &tier)->end_ns / NSEC_PER_SEC / MINUTE_S);
	for (size_t m = first; m < minute_of(&d); m++)
		check_minutes(&d, m, m + 1);
	day_close(&d);
}

/* Of the seconds of the function that is looked at. */
static void
moments_of(const struct day *d, uint64_t from_ns, uint64_t to_ns, uint32_t id, struct delta *out,
	   double *squares, double *lagged, uint32_t *seconds)
{
	const struct interval *iv;
	struct log_walk walk;
	struct delta delta;

	*seconds = 0;
	log_walk_begin(&walk, &d->b.profile->log, 0, from_ns, to_ns);
	while ((iv = log_walk_next(&walk)) != NULL) {
		struct log_pos pos = { 0 };

		while (log_next(&d->b.profile->log, iv, &pos, &delta)) {
			assert_that(delta.samples, >, 0); /* what has none is not kept */
			if (delta.table != TABLE_HOT || delta.id != id)
				continue;
			assert_int_equal(*seconds, 0);
			*seconds = iv->seconds;
			*out = delta;
			log_moments(iv, &delta, squares, lagged);
		}
	}
}

static uint32_t
count_function(struct day *d, uint64_t offset, uint32_t samples)
{
	struct profile *p = d->b.profile;
	struct profile_sample one = {
		.who = model_who(d->b.model, model_task(d->b.model, FIRST_PID, FIRST_PID)),
		.leaf = locations_find(&d->b.locations, DSO_ID_FIRST_FILE, offset),
		.dso = DSO_ID_FIRST_FILE, .offset = offset, .period = 5,
	};
	struct profile_ids ids = profile_add(p, &one);

	profile_add_again(p, &ids, 0, samples - 1, (samples - 1) * one.period);
	return ids.hot;
}

/* Seconds of which each has much that is new take half of the share, also while the rest is free. */
static void
busy_seconds_do_not_fill_the_share(void **state)
{
	enum { SECONDS = 110, BUSY = 8 * DRAWS };
	size_t share;
	struct day d;

	(void)state;
	day_open(&d, BUDGET / 4);
	share = profile_log_share(d.b.profile);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int second = 0; second < SECONDS; second++) {
		count_second(&d, BUSY);
		end_interval(&d, NSEC_PER_SEC);
	}
	print_message("# %zu of %zu KiB\n", d.most_bytes >> 10, share >> 10);
	assert_that(d.most_bytes, <=, share / 4 * 3);
	assert_that(d.most_bytes, >, share / 4);
	assert_int_equal(d.b.profile->dropped_intervals, 0);
	check_minutes(&d, 1, 2);
	day_close(&d);
}

/* Beyond its part of all. */
static void
merged_entries_know_how_their_shares_wander(void **state)
{
	double x[200], all[200], squares = 0, lagged = 0;
	uint32_t seconds, id = 0;
	struct delta delta = { 0 };
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	/* In the first minute alone there is another one. */
	profile_add(d.b.profile, &(struct profile_sample){
		.leaf = locations_find(&d.b.locations, DSO_ID_FIRST_FILE, 0), .period = 5,
		.who = model_who(d.b.model, model_task(d.b.model, FIRST_PID, FIRST_PID)),
		.dso = DSO_ID_FIRST_FILE, .offset = 4 });
	for (int s = 0; s < 2400; s++) {
		uint32_t n = 50 + (uint32_t)(s / 3 % 2 * 40) + (uint32_t)rand() % 10;
		uint32_t others = 200 + (uint32_t)rand() % 50;

		id = count_function(&d, 64, n);
		count_function(&d, 640, others);
		if (s < 200) {
			x[s] = 5.0 * n;
			all[s] = 5.0 * (n + others);
		}
		/* Refreshes need not come each second. */
		end_interval(&d, NSEC_PER_SEC / 2);
		end_interval(&d, NSEC_PER_SEC / 2);
	}
	for (int minute = 0; minute < 3; minute++) {
		double sum = 0, sum_all = 0, want = 0, want_lagged = 0, before = 0;

		for (int s = minute * 60; s < minute * 60 + 60; s++) {
			sum += x[s];
			sum_all += all[s];
		}
		for (int s = minute * 60; s < minute * 60 + 60; s++) {
			double beyond = x[s] - sum / sum_all * all[s];

			want += beyond * beyond;
			want_lagged += beyond * before;
			before = beyond;
		}
		moments_of(&d, (uint64_t)(61 + minute * 60) * NSEC_PER_SEC,
			   (uint64_t)(119 + minute * 60) * NSEC_PER_SEC, id, &delta, &squares, &lagged,
			   &seconds);
		assert_int_equal(seconds, 60);
		assert_true((double)delta.period == sum);
		assert_true(fabs(squares / want - 1) < 0.1);
		assert_true(fabs(lagged - want_lagged) < 0.15 * want);
	}
	day_close(&d);
}

/* What is kept of the past follows wherever entries go. */
static void
folds_do_not_change_the_past(void **state)
{
	struct day d;

	(void)state;
	day_open(&d, 4 << 20);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int second = 0; second < 1200; second++) {
		count_second(&d, DRAWS / 4);
		end_interval(&d, NSEC_PER_SEC);
		if (second % 100 == 99) {
			fold_tree(d.b.profile, NULL, fold_tree_weights(d.b.profile), 50);
			check_minutes(&d, minute_of(&d) - 1, minute_of(&d));
			profile_set_end(d.b.profile, 0);
		}
	}
	for (size_t m = 1; m < minute_of(&d); m++)
		check_minutes(&d, m, m + 1);
	day_close(&d);
}

/* What was zeroed is not shown again, also where it is merged. */
static void
what_was_zeroed_stays_out_of_the_past(void **state)
{
	uint64_t samples = 0, n, period;
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int s = 0; s < 400; s++) {
		if (s == 33)
			profile_zero(d.b.profile, 0);
		count_some(&d, 0, FIRST_PID, 0, 3, 1);
		end_interval(&d, NSEC_PER_SEC);
	}
	profile_set_end(d.b.profile, d.b.now_ns);
	profile_set_window(d.b.profile, 1000 * NSEC_PER_SEC);
	for (uint32_t id = 1; id < d.b.profile->tables.cells[TABLE_HOT].len; id++) {
		profile_window(d.b.profile, &d.b.profile->tables.cells[TABLE_HOT].items[id], &n, &period);
		samples += n;
	}
	assert_int_equal(samples, (400 - 33) * 3);
	day_close(&d);
}

/* Of the window, what is of the kernel, and what of that is one for many. */
static uint64_t
kernel_samples(const struct day *d, bool is_other)
{
	const struct profile *p = d->b.profile;
	uint64_t sum = 0, n, period;

	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++) {
		uint32_t location = locations_resolve(p->locations, p->tables.hot[id].location);

		profile_window(p, &p->tables.cells[TABLE_HOT].items[id], &n, &period);
		if (p->locations->items[location].is_kernel &&
		    (!is_other || location == LOCATION_OTHER_KERNEL))
			sum += n;
	}
	return sum;
}

/* So that either can be hidden, whatever of it was merged. */
static void
what_is_light_of_the_kernel_stays_apart(void **state)
{
	enum { SECONDS = 400, LIGHT = 20 };
	struct day d;

	(void)state;
	day_open(&d, BUDGET);
	end_interval(&d, MINUTE_S * NSEC_PER_SEC - d.b.now_ns);
	for (int s = 0; s < SECONDS; s++) {
		count_function(&d, 0, 2000);
		for (uint32_t i = 1; s % 10 == 0 && i <= LIGHT; i++) {
			struct profile_sample kernel = {
				.who = model_who(d.b.model, model_task(d.b.model, FIRST_PID, FIRST_PID)),
				.leaf = locations_find(&d.b.locations, DSO_ID_KERNEL,
						       0xffffffff81000000 + (uint64_t)i * 0x10000),
				.dso = DSO_ID_KERNEL, .offset = i, .period = 5,
			};

			profile_add(d.b.profile, &kernel);
			count_function(&d, (uint64_t)i * FUNCTION_BYTES, 1);
		}
		end_interval(&d, NSEC_PER_SEC);
	}
	profile_set_end(d.b.profile, d.b.now_ns);
	profile_set_window(d.b.profile, 1000 * NSEC_PER_SEC);
	assert_int_equal(kernel_samples(&d, false), SECONDS / 10 * LIGHT);
	assert_that(kernel_samples(&d, true), >, SECONDS / 20 * LIGHT);
	day_close(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_window_slides_over_tiers),
		cmocka_unit_test(a_second_of_what_was_merged_is_what_it_was_merged_into),
		cmocka_unit_test(a_stretch_of_the_past_is_the_nearest_that_is_kept),
		cmocka_unit_test(a_frozen_window_stays_and_stretches_after_it_are_whole),
		cmocka_unit_test(late_samples_that_are_merged_alone_stay_in_their_window),
		cmocka_unit_test(late_samples_are_no_second_of_their_own),
		cmocka_unit_test(late_samples_hide_no_stretch_of_another_event),
		cmocka_unit_test(a_small_log_keeps_what_it_can),
		cmocka_unit_test(a_minute_of_two_thousand_rows_is_shown_soon),
		cmocka_unit_test(busy_seconds_do_not_fill_the_share),
		cmocka_unit_test(merged_entries_know_how_their_shares_wander),
		cmocka_unit_test(folds_do_not_change_the_past),
		cmocka_unit_test(what_was_zeroed_stays_out_of_the_past),
		cmocka_unit_test(what_is_light_of_the_kernel_stays_apart),
		cmocka_unit_test(hours_are_kept_to_the_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
