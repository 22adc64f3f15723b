/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings whose times jump: of a machine that slept, of clocks that were set, of a byte that was
 * changed.  Time without records costs nothing, and what is on both sides of it counts as ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <config.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/config.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "profile/count/profile.h"
#include "tests/asserts.h"
#include "tests/gaps.h"
#include "tests/run.h"

#define STEP_NS (10 * NSEC_PER_MSEC)
#define DAY_NS (86400 * NSEC_PER_SEC)
#define BEGIN_NS (5 * NSEC_PER_SEC)

enum { PATIENCE_S = 60, BEFORE = 300, BEHIND = 200, FUZZED = IS_SANITIZED ? 20 : 60 };

/* More than a recording without a gap may take. */
enum { MORE_CPU_S = 8, MORE_KIB = 24 << 10 };

static const uint64_t gaps[] = { 11 * DAY_NS, 312 * DAY_NS, UINT64_C(9000000000000000000) };

static char path[] = "/tmp/ptop-gaps-XXXXXX";

static int
make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd >= 0 ? close(fd) : -1;
}

static int
remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* p1, the gap, p2: so many samples. */
static void
write_gap(unsigned before, uint64_t gap_ns, unsigned behind, bool has_rounds)
{
	const uint64_t behind_ns = BEGIN_NS + before * STEP_NS + gap_ns;

	gaps_write(path, (struct gaps_part[]){
		{ 1, before, BEGIN_NS, STEP_NS, has_rounds },
		{ 2, behind, behind_ns, STEP_NS, has_rounds } }, 2);
}

/* ---- reports */

static void
report(struct run_result *r, const char *options)
{
	char command[512];
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", command, NULL };

	snprintf(command, sizeof(command), "exec %s -i %s -b %s", run_ptop(), path, options);
	run_program(r, PATIENCE_S, argv);
	if (r->status != 0)
		fail_msg("%s: status %#x, %s", options, (unsigned)r->status, r->err);
}

/* Samples of process @pid, 0: of all. */
static unsigned
samples_of(const struct run_result *r, unsigned pid)
{
	char comm[16];
	const char *pairs[][2] = { { "comm", comm } };

	snprintf(comm, sizeof(comm), "p%u", pid);
	return (unsigned)run_csv_sum(r->out, "samples", pid != 0, pairs);
}

static unsigned
count_reported(const char *options, unsigned pid)
{
	char all[256];
	struct run_result r;
	unsigned samples;

	snprintf(all, sizeof(all), "--by comm --format csv %s", options);
	report(&r, all);
	samples = samples_of(&r, pid);
	run_release(&r);
	return samples;
}

/* In a process of its own, since it is told of all children at once. */
static struct rusage
used_by(const char *options)
{
	struct rusage used = { 0 };
	int ends[2], status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = run_fork();
	if (pid == 0) {
		struct run_result r;

		report(&r, options);
		getrusage(RUSAGE_CHILDREN, &used);
		_exit(write(ends[1], &used, sizeof(used)) != (ssize_t)sizeof(used));
	}
	close(ends[1]);
	if (read(ends[0], &used, sizeof(used)) != (ssize_t)sizeof(used))
		fail_msg("no report with %s", options);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return used;
}

static void
a_gap_takes_neither_time_nor_memory(void **state)
{
	static const char *const options[] = {
		"-V functions", "-V functions -w all", "-V functions -w 10", "-V functions -w 86400",
		"-V functions --memory 4M -d 0.1 -n 3", "--by comm,time -d 0.1", "-V tree",
		"--format folded", "--format svg",
#ifdef HAVE_JANSSON
		"-V threads --format json",
#endif
	};
	/* Samples before the gap and behind it: it is in the middle, at the start, at the end. */
	static const unsigned places[][2] = { { BEFORE, BEHIND }, { 1, BEHIND }, { BEFORE, 1 } };

	(void)state;
	for (size_t o = 0; o < ARRAY_SIZE(options); o++) {
		struct rusage base, used;

		write_gap(BEFORE, 0, BEHIND, false);
		base = used_by(options[o]);
		/* Sanitizers see each gap and each place once. */
		for (size_t i = 0; i < ARRAY_SIZE(gaps) * ARRAY_SIZE(places); i += IS_SANITIZED ? 4 : 1) {
			const unsigned *place = places[i % ARRAY_SIZE(places)];

			write_gap(place[0], gaps[i / ARRAY_SIZE(places)], place[1], (o + i) % 2 != 0);
			used = used_by(options[o]);
			if (used.ru_utime.tv_sec > base.ru_utime.tv_sec + MORE_CPU_S ||
			    used.ru_maxrss > base.ru_maxrss + MORE_KIB)
				fail_msg("%s, case %zu: %ld s, %ld KiB", options[o], i,
					 (long)used.ru_utime.tv_sec, used.ru_maxrss);
		}
	}
}

static void
a_recording_is_one_report_whatever_its_length(void **state)
{
	struct run_result r;

	(void)state;
	write_gap(BEFORE, 312 * DAY_NS, BEHIND, false);
	report(&r, "--by comm --format csv -d 1 -n 5");
	assert_string_equal(r.out, "comm,samples,period,percent\n"
				   "p1,300,300,60.0000\np2,200,200,40.0000\n");
	run_release(&r);
}

/* Whole intervals, a hundredth of the window each. */
static void
assert_near(unsigned samples, unsigned wanted)
{
	assert_in_range(samples, wanted - wanted / 50 - 2, wanted + wanted / 50 + 2);
}

static void
a_window_reaches_over_a_gap_or_into_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		write_gap(BEFORE, gaps[i], BEHIND, i % 2 != 0);
		assert_int_equal(count_reported("", 1), BEFORE);
		assert_int_equal(count_reported("-w all", 2), BEHIND);
		assert_near(count_reported("-w 1", 2), 100);
		assert_int_equal(count_reported("-w 1", 1), 0);
		assert_int_equal(count_reported("-w 10", 1), 0);
		assert_int_equal(count_reported("-w 10", 2), BEHIND);
		assert_int_equal(count_reported("-w 86400", 1), 0);
		assert_int_equal(count_reported("-w 86400", 2), BEHIND);
		/* At its end there is one sample. */
		write_gap(BEFORE, gaps[i], 1, i % 2 != 0);
		assert_int_equal(count_reported("-w 86400", 0), 1);
	}
	/* A gap of an hour. */
	write_gap(BEFORE, 3600 * NSEC_PER_SEC, BEHIND, false);
	assert_int_equal(count_reported("-w 3500", 1), 0);
	assert_near(count_reported("-w 3604", 1), 200);
	assert_int_equal(count_reported("-w 3700", 1), BEFORE);
	assert_int_equal(count_reported("-w 3700", 2), BEHIND);
}

static void
time_is_told_on_both_sides(void **state)
{
	const char *const first[][2] = { { "comm", "p1" }, { "time", "2.0" } };
	const char *const last[][2] = { { "comm", "p2" }, { "time", "26956804.0" } };
	struct run_result r;

	(void)state;
	write_gap(BEFORE, 312 * DAY_NS, BEHIND, true);
	report(&r, "--by comm,time --format csv");
	assert_int_equal(run_csv_sum(r.out, "samples", 2, first), 100);
	assert_int_equal(run_csv_sum(r.out, "samples", 2, last), 100);
	assert_int_equal(samples_of(&r, 0), BEFORE + BEHIND);
	run_release(&r);
}

/* A clock that was set back, and one that was wrong for a moment. */
static void
times_that_go_back_count_all_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		const struct gaps_part parts[] = {
			{ 1, BEFORE, BEGIN_NS + gaps[i], STEP_NS, true },
			{ 2, 1, BEGIN_NS + gaps[i] / 100, STEP_NS, true },
			{ 3, BEHIND, BEGIN_NS, STEP_NS, true },
			{ 4, 1, gaps[i] + 20 * NSEC_PER_SEC, STEP_NS, true },
			{ 5, BEHIND, BEGIN_NS + 9 * NSEC_PER_SEC, STEP_NS, false },
		};

		gaps_write(path, parts, ARRAY_SIZE(parts));
		assert_int_equal(count_reported("", 0), BEFORE + 2 * BEHIND + 2);
		assert_int_equal(count_reported("-w all -V functions --by comm,symbol", 3), BEHIND);
		count_reported("-w 10", 0);
		count_reported("-w 86400", 0);
	}
}

static void
times_that_no_clock_can_have_are_none(void **state)
{
	static const uint64_t ends[] = { UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX };
	const char *const behind[][2] = { { "comm", "p3" }, { "time", "3.0" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const struct gaps_part parts[] = {
			{ 1, BEFORE, BEGIN_NS, STEP_NS, true },
			{ 2, 1, ends[i], 0, true },
			{ 3, BEHIND, BEGIN_NS + BEFORE * STEP_NS, STEP_NS, true },
		};
		struct run_result r;

		gaps_write(path, parts, ARRAY_SIZE(parts));
		assert_int_equal(count_reported("", 0), BEFORE + BEHIND + 1);
		assert_int_equal(count_reported("-w 10", 3), BEHIND);
		report(&r, "--by comm,time --format csv");
		assert_int_equal(samples_of(&r, 2), 1);
		assert_int_equal(run_csv_sum(r.out, "samples", 2, behind), 100);
		run_release(&r);
		/* What one after the other adds up to, too. */
		gaps_write(path, &(struct gaps_part){ 1, BEHIND, ends[i] - 1, 0, false }, 1);
		assert_int_equal(count_reported("-w 86400", 0), BEHIND);
	}
}

static uint64_t
any_time(uint64_t *seed)
{
	static const uint64_t bases[] = { 0, BEGIN_NS, DAY_NS, INT64_MAX - DAY_NS, INT64_MAX,
					  UINT64_MAX - DAY_NS };

	*seed = hash_mix(*seed, 1);
	return bases[*seed % ARRAY_SIZE(bases)] + (*seed >> 8) % DAY_NS;
}

static void
any_times_leave_the_sums_as_they_are(void **state)
{
	static const char *const options[] = { "", "-w 0.1", "-w 100", "-w all -V functions",
					       "--memory 4M", "--by comm,time" };
	uint64_t seed = 7;

	(void)state;
	for (size_t n = 0; n < FUZZED; n++) {
		const char *option = options[n % ARRAY_SIZE(options)];
		struct gaps_part parts[20];
		unsigned sum = 0, reported;

		for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
			parts[i] = (struct gaps_part){ (uint32_t)i + 1, (unsigned)(i % 5), any_time(&seed),
						       any_time(&seed) / 4, i % 3 == 0 };
			sum += parts[i].samples;
		}
		gaps_write(path, parts, ARRAY_SIZE(parts));
		reported = count_reported(option, 0);
		if (strstr(option, "-w 0.1") == NULL && strstr(option, "-w 100") == NULL)
			assert_int_equal(reported, sum);
	}
}

/* ---- the screen's engine */

struct screen {
	struct config config;
	struct query query;
	struct queue *answers;
	struct engine *engine;
	struct snapshot *newest;
};

static void
screen_open(struct screen *s)
{
	char *argv[] = { (char *)(uintptr_t)"ptop", (char *)(uintptr_t)"-i", path,
			 (char *)(uintptr_t)"-V", (char *)(uintptr_t)"processes", NULL };
	struct err err = { 0 };

	*s = (struct screen){ .newest = NULL };
	assert_int_equal(config_parse(&s->config, 5, argv, &err), 0);
	s->config.batch = false; /* the tests' output is no terminal */
	s->config.engine.is_watched = true;
	config_query(&s->config, &s->query);
	s->query.trends = true;
	s->query.all_events = false;
	s->query.window_ns = WINDOW_ALL;
	s->answers = queue_new();
	s->engine = engine_start(&s->config.engine, &s->query, s->answers, &err);
	assert_non_null(s->engine);
}

static void
screen_close(struct screen *s)
{
	struct msg *m;

	snapshot_put(s->newest);
	while ((m = queue_take(s->answers)) != NULL)
		msg_free(m);
	engine_stop(s->engine, NULL);
	while ((m = queue_take(s->answers)) != NULL)
		msg_free(m);
	queue_free(s->answers);
	config_release(&s->config);
}

/* What is shown when all is read, of the query that was asked last. */
static const struct snapshot *
screen_see(struct screen *s)
{
	uint64_t until = clock_mono_ns() + PATIENCE_S * NSEC_PER_SEC;

	while (clock_mono_ns() < until) {
		struct msg *m = queue_wait(s->answers, 100);
		struct snapshot *seen;
		bool is_it = false;

		if (m != NULL && m->type == ENGINE_MSG_SNAPSHOT) {
			seen = ((struct engine_snapshot_msg *)m)->snapshot;
			is_it = seen->head.progress >= 1 &&
				seen->query.window_ns == s->query.window_ns &&
				seen->query.end_ns == s->query.end_ns;
			snapshot_put(s->newest);
			s->newest = snapshot_get(seen);
		}
		if (m != NULL)
			msg_free(m);
		if (is_it)
			return s->newest;
	}
	fail_msg("it is not shown");
	return NULL;
}

static const struct snapshot *
screen_ask(struct screen *s, uint64_t window_ns, uint64_t end_ns)
{
	s->query.window_ns = window_ns;
	s->query.end_ns = end_ns;
	engine_query(s->engine, &s->query);
	return screen_see(s);
}

static const struct row *
row_of(const struct snapshot *s, const char *comm)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (strcmp(s->rows[i].comm, comm) == 0)
			return &s->rows[i];
	return NULL;
}

static uint64_t
shown_samples(const struct snapshot *s, const char *comm)
{
	const struct row *row = row_of(s, comm);

	return row != NULL ? row->samples : 0;
}

static void
the_screen_shows_each_side_of_a_gap(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		const double gap_s = (double)gaps[i] / 1e9;
		const struct snapshot *s;
		struct screen screen;

		write_gap(BEFORE, gaps[i], BEHIND, i % 2 != 0);
		screen_open(&screen);
		s = screen_see(&screen);
		assert_int_equal(shown_samples(s, "p1"), BEFORE);
		assert_int_equal(shown_samples(s, "p2"), BEHIND);
		assert_that(fabs(s->head.span_s - gap_s - 5), <, 1 + gap_s * 1e-9);
		/* The newest ten seconds have no more than what is behind it. */
		s = screen_ask(&screen, 10 * NSEC_PER_SEC, 0);
		assert_int_equal(shown_samples(s, "p1"), 0);
		assert_int_equal(shown_samples(s, "p2"), BEHIND);
		assert_that(s->head.window_have_s, <, 10.5);
		/* A stretch before it, one in it, one behind it. */
		s = screen_ask(&screen, NSEC_PER_SEC, 2 * NSEC_PER_SEC);
		assert_near((unsigned)shown_samples(s, "p1"), 100);
		assert_int_equal(shown_samples(s, "p2"), 0);
		s = screen_ask(&screen, NSEC_PER_SEC, gaps[i] / 2);
		assert_int_equal(shown_samples(s, "p1") + shown_samples(s, "p2"), 0);
		s = screen_ask(&screen, NSEC_PER_SEC, gaps[i] + 4 * NSEC_PER_SEC);
		assert_int_equal(shown_samples(s, "p1"), 0);
		assert_near((unsigned)shown_samples(s, "p2"), 100);
		screen_close(&screen);
	}
}

/* One column, in which nothing happens. */
static void
a_gap_is_one_step_of_a_trend(void **state)
{
	/* The seconds behind it make two steps and a rest of one. */
	static const uint8_t before[TREND_LEN] = { 8, 8, 8, 8, 0, 0, 0, 0 };
	static const uint8_t behind[TREND_LEN] = { 0, 0, 0, 0, 0, 8, 8, 8 };
	const struct snapshot *s;
	struct screen screen;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		write_gap(BEFORE, gaps[i], BEHIND, i % 2 != 0);
		screen_open(&screen);
		s = screen_see(&screen);
		assert_memory_equal(row_of(s, "p1")->trend, before, sizeof(before));
		assert_memory_equal(row_of(s, "p2")->trend, behind, sizeof(behind));
		screen_close(&screen);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gap_takes_neither_time_nor_memory),
		cmocka_unit_test(a_recording_is_one_report_whatever_its_length),
		cmocka_unit_test(a_window_reaches_over_a_gap_or_into_it),
		cmocka_unit_test(time_is_told_on_both_sides),
		cmocka_unit_test(times_that_go_back_count_all_the_same),
		cmocka_unit_test(times_that_no_clock_can_have_are_none),
		cmocka_unit_test(any_times_leave_the_sums_as_they_are),
		cmocka_unit_test(the_screen_shows_each_side_of_a_gap),
		cmocka_unit_test(a_gap_is_one_step_of_a_trend),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
