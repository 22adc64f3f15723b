/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine by itself, on the real kernel, without a screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config.h"
#include "engine/engine.h"
#include "base/clock.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_MS = 60000, LOOK_MS = 300 };

struct fixture {
	struct config config;
	struct query query;
	struct queue *answers;
	struct engine *engine;
	unsigned errors; /* status messages that tell of one */
	char asked[80];  /* head.event_asked of the last snapshot; "-": NULL */
};

static int
begin_as(void **state, bool is_asked)
{
	static char *argv[] = { "ptop", "-d", "0.2", NULL };
	struct fixture *f = mem_calloc(1, sizeof(*f));
	struct err err = { 0 };

	*state = f;
	if (config_parse(&f->config, 3, argv, &err) < 0)
		return -1;
	f->config.batch = false; /* the tests' output is no terminal */
	f->config.engine.is_watched = !is_asked;
	f->config.engine.is_asked = is_asked;
	config_query(&f->config, &f->query);
	f->query.trends = true;
	f->query.all_events = false;
	f->query.window_ns = 10 * NSEC_PER_SEC;
	f->answers = queue_new();
	f->engine = engine_start(&f->config.engine, &f->query, f->answers, &err);
	return f->engine != NULL ? 0 : -1;
}

static int
begin(void **state)
{
	return begin_as(state, false);
}

static int
begin_asked(void **state)
{
	return begin_as(state, true);
}

static int
end(void **state)
{
	struct fixture *f = *state;
	struct msg *m;

	engine_stop(f->engine, NULL);
	while ((m = queue_take(f->answers)) != NULL)
		msg_free(m);
	queue_free(f->answers);
	config_release(&f->config);
	free(f);
	return 0;
}

static void
note_event(struct fixture *f, const struct snapshot_head *h)
{
	snprintf(f->asked, sizeof(f->asked), "%s", h->event_asked != NULL ? h->event_asked : "-");
}

/* Takes answers for @ms; whether the last snapshot was of @event, with rows or without. */
static bool
shows(struct fixture *f, const char *event, unsigned ms)
{
	uint64_t until = clock_mono_ns() + ms * NSEC_PER_MSEC;
	bool is_shown = false;

	while (clock_mono_ns() < until) {
		struct msg *m = queue_wait(f->answers, 20);

		if (m == NULL)
			continue;
		if (m->type == ENGINE_MSG_STATUS)
			f->errors += ((struct engine_text_msg *)m)->is_error;
		if (m->type == ENGINE_MSG_SNAPSHOT) {
			const struct snapshot_head *h = &((struct engine_snapshot_msg *)m)->snapshot->head;

			is_shown = strcmp(h->event, event) == 0;
			note_event(f, h);
		}
		msg_free(m);
	}
	return is_shown;
}

/* Whether it comes to that, however long it takes. */
static bool
comes_to_show(struct fixture *f, const char *event)
{
	uint64_t until = clock_mono_ns() + PATIENCE_MS * NSEC_PER_MSEC;

	while (clock_mono_ns() < until)
		if (shows(f, event, LOOK_MS))
			return true;
	return false;
}

static void
an_event_that_cannot_be_opened_leads_back_to_the_one_before(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0 || access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("needs root, and a machine without hardware counters");
	assert_true(comes_to_show(f, "cpu-clock"));
	engine_switch_event(f->engine, "cache-misses");
	for (unsigned ms = 0; ms < PATIENCE_MS && f->errors == 0; ms += LOOK_MS)
		shows(f, "cpu-clock", LOOK_MS);
	assert_true(comes_to_show(f, "cpu-clock"));
	assert_int_equal(f->errors, 1);
}

static void
events_are_stepped_through_in_the_order_of_their_use(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0 || access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("needs root, and a machine without hardware counters");
	assert_true(comes_to_show(f, "cpu-clock"));
	engine_switch_event(f->engine, "page-faults");
	assert_true(comes_to_show(f, "page-faults"));
	engine_switch_event(f->engine, "context-switches");
	assert_true(comes_to_show(f, "context-switches"));
	engine_step_event(f->engine, -1);
	assert_true(comes_to_show(f, "page-faults"));
	engine_step_event(f->engine, -1);
	assert_true(comes_to_show(f, "cpu-clock"));
	engine_step_event(f->engine, -1);
	assert_true(comes_to_show(f, "context-switches"));
	assert_int_equal(f->errors, 0);
}

/* How many events are open when that does not change any more. */
static int
count_settled(struct fixture *f, const char *event)
{
	int before = -1, now = run_count_events(getpid());

	for (int i = 0; i < 30 && now != before; i++) {
		before = now;
		if (!shows(f, event, LOOK_MS))
			before = -1;
		now = run_count_events(getpid());
	}
	return now;
}

/* Whether so many are open when @event is shown, however long it takes. */
static bool
comes_to_have(struct fixture *f, const char *event, int count)
{
	for (unsigned ms = 0; ms < PATIENCE_MS; ms += LOOK_MS)
		if (shows(f, event, LOOK_MS) && run_count_events(getpid()) == count &&
		    count_settled(f, event) == count)
			return true;
	return false;
}

/* With the rings that events have which come in bursts. */
static int
count_alone(struct fixture *f)
{
	assert_true(comes_to_show(f, "cpu-clock"));
	engine_switch_event(f->engine, "page-faults");
	assert_true(comes_to_show(f, "page-faults"));
	engine_switch_event(f->engine, "cpu-clock");
	assert_true(comes_to_show(f, "cpu-clock"));
	return count_settled(f, "cpu-clock");
}

/* Whoever chooses fast is told nothing of that: it opens what was chosen last. */
static void
a_group_waits_for_an_event_of_it_that_is_being_opened(void **state)
{
	struct fixture *f = *state;
	int alone;

	if (geteuid() != 0 || access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("needs root, and a machine without hardware counters");
	alone = count_alone(f);
	for (int i = 0; i < 3; i++) {
		engine_switch_event(f->engine, "page-faults");
		engine_switch_event(f->engine, "{page-faults,task-clock}");
		assert_true(comes_to_have(f, "page-faults",
					  alone + (int)sysconf(_SC_NPROCESSORS_ONLN)));
		engine_switch_event(f->engine, "cpu-clock");
		assert_true(comes_to_have(f, "cpu-clock", alone));
	}
	assert_int_equal(f->errors, 0);
}

static void
what_the_user_chose_is_told_from_what_ptop_takes(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0 || access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("needs root, and a machine without hardware counters");
	assert_true(comes_to_show(f, "cpu-clock"));
	assert_string_equal(f->asked, "-");
	engine_need_event(f->engine, "task-clock");
	assert_true(comes_to_show(f, "task-clock"));
	assert_string_equal(f->asked, "-");
	engine_switch_event(f->engine, "page-faults/name=mine/,context-switches");
	assert_true(comes_to_show(f, "mine"));
	assert_string_equal(f->asked, "page-faults/name=mine/,context-switches");
	engine_need_event(f->engine, "context-switches");
	assert_true(comes_to_show(f, "context-switches"));
	assert_string_equal(f->asked, "page-faults/name=mine/,context-switches");
	engine_switch_event(f->engine, "cpu-clock");
	assert_true(comes_to_show(f, "cpu-clock"));
	assert_string_equal(f->asked, "cpu-clock");
	assert_int_equal(f->errors, 0);
}

/* Also one that cannot be opened; one alone ends what was sampled together. */
static void
events_chosen_together_stay_open_until_another_is_chosen(void **state)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	struct fixture *f = *state;
	int alone;

	if (geteuid() != 0 || access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("needs root, and a machine without hardware counters");
	alone = count_alone(f);
	engine_switch_event(f->engine, "page-faults,context-switches,cpu-clock");
	assert_true(comes_to_have(f, "page-faults", alone + 2 * cpus));
	engine_step_event(f->engine, 1);
	assert_true(comes_to_have(f, "context-switches", alone + 2 * cpus));
	engine_switch_event(f->engine, "context-switches");
	assert_true(comes_to_have(f, "context-switches", alone));
	assert_int_equal(f->errors, 0);
	engine_switch_event(f->engine, "cache-misses,page-faults");
	assert_true(comes_to_have(f, "page-faults", alone));
	assert_int_equal(f->errors, 1);
	engine_switch_event(f->engine, "cpu-clock");
	assert_true(comes_to_have(f, "cpu-clock", alone));
}

static void
ask_report(struct fixture *f, uint64_t seq)
{
	f->query.seq = seq;
	engine_report(f->engine, &f->query);
}

/* The number of the query that the next snapshot answers. */
static uint64_t
next_report(struct fixture *f)
{
	uint64_t until = clock_mono_ns() + PATIENCE_MS * NSEC_PER_MSEC;
	uint64_t seq = 0;

	while (seq == 0 && clock_mono_ns() < until) {
		struct msg *m = queue_wait(f->answers, 20);

		if (m != NULL && m->type == ENGINE_MSG_SNAPSHOT)
			seq = ((struct engine_snapshot_msg *)m)->snapshot->query.seq;
		msg_free(m);
	}
	return seq;
}

/* The answer to a query, which the caller puts back. */
static struct snapshot *
answer(struct fixture *f)
{
	uint64_t until = clock_mono_ns() + PATIENCE_MS * NSEC_PER_MSEC;
	struct snapshot *s = NULL;

	f->query.seq++;
	engine_query(f->engine, &f->query);
	while (s == NULL && clock_mono_ns() < until) {
		struct msg *m = queue_wait(f->answers, 20);

		if (m != NULL && m->type == ENGINE_MSG_SNAPSHOT) {
			s = ((struct engine_snapshot_msg *)m)->snapshot;
			s = s->query.seq == f->query.seq ? snapshot_get(s) : NULL;
		}
		msg_free(m);
	}
	assert_non_null(s);
	return s;
}

static const struct row *
row_of(const struct snapshot *s, uint64_t id)
{
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].id == id)
			return &s->rows[i];
	return NULL;
}

/* What the kernel counts goes on: a share of a second is hardly ever the same again. */
static void
assert_same_shares(const struct snapshot *s, const struct snapshot *before)
{
	assert_that(s->row_count, <=, before->row_count);
	assert_int_equal(s->total_samples, before->total_samples);
	for (size_t i = 0; i < s->row_count; i++) {
		const struct row *row = &s->rows[i], *was = row_of(before, row->id);

		if (row->flags & ROW_DEAD)
			continue;
		assert_non_null(was);
		assert_int_equal(row->samples, was->samples);
		assert_true(isnan(row->cpu) ? isnan(was->cpu) : row->cpu == was->cpu);
	}
	assert_memory_equal(s->head.load, before->head.load, sizeof(s->head.load));
	assert_true(s->head.system == before->head.system && s->head.idle == before->head.idle);
}

/* Another view's rows are others. */
static void
assert_same_head(const struct snapshot_head *h, const struct snapshot_head *was)
{
	assert_true(h->samples_per_s == was->samples_per_s);
	assert_true(isnan(h->self_cpu) ? isnan(was->self_cpu) : h->self_cpu == was->self_cpu);
	assert_int_equal(h->self_bytes, was->self_bytes);
	assert_memory_equal(h->losses, was->losses, sizeof(h->losses));
	assert_int_equal(h->cpu_count, was->cpu_count);
	assert_memory_equal(h->cpus, was->cpus, h->cpu_count * sizeof(*h->cpus));
}

static void
a_frozen_screen_is_of_the_moment_when_it_was_frozen(void **state)
{
	enum { TURNS = 3, TURN_MS = 700 };
	struct fixture *f = *state;
	struct snapshot *before, *s;

	if (geteuid() != 0)
		skip_for("needs root");
	f->query.view = VIEW_PROCESSES;
	f->query.by_view = true;
	assert_true(comes_to_show(f, "cpu-clock"));
	shows(f, "cpu-clock", 3 * TURN_MS);
	f->query.frozen = true;
	before = answer(f);
	for (int i = 0; i < TURNS; i++) {
		shows(f, "cpu-clock", TURN_MS);
		f->query.end_ns = (uint64_t)(before->head.span_s * 1e9);
		snapshot_put(answer(f));
		f->query.end_ns = 0;
		s = answer(f);
		assert_that(s->head.now_ns / NSEC_PER_MSEC, <=, before->head.now_ns / NSEC_PER_MSEC + 1);
		assert_that(s->head.moments.now_ns, >, before->head.moments.now_ns + TURN_MS);
		assert_true(s->head.frozen_s > 0 && s->head.frozen_s == before->head.frozen_s);
		assert_same_shares(s, before);
		assert_same_head(&s->head, &before->head);
		snapshot_put(s);
	}
	f->query.view = VIEW_FUNCTIONS;
	s = answer(f);
	assert_same_head(&s->head, &before->head);
	snapshot_put(s);
	snapshot_put(before);
}

/* Of several the last: who gave up on one before it is not kept waiting for that. */
static void
a_report_that_is_asked_for_while_one_is_made_comes_after_it(void **state)
{
	struct fixture *f = *state;
	uint64_t second;

	if (geteuid() != 0)
		skip_for("needs root");
	for (uint64_t seq = 1; seq <= 3; seq++)
		ask_report(f, seq);
	assert_int_equal(next_report(f), 1);
	second = next_report(f);
	/* The first may be made before the third is asked for. */
	assert_int_equal(second == 2 ? next_report(f) : second, 3);
	ask_report(f, 4);
	assert_int_equal(next_report(f), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_event_that_cannot_be_opened_leads_back_to_the_one_before, begin, end),
		cmocka_unit_test_setup_teardown(
			events_are_stepped_through_in_the_order_of_their_use, begin, end),
		cmocka_unit_test_setup_teardown(
			a_group_waits_for_an_event_of_it_that_is_being_opened, begin, end),
		cmocka_unit_test_setup_teardown(
			what_the_user_chose_is_told_from_what_ptop_takes, begin, end),
		cmocka_unit_test_setup_teardown(
			events_chosen_together_stay_open_until_another_is_chosen, begin, end),
		cmocka_unit_test_setup_teardown(
			a_frozen_screen_is_of_the_moment_when_it_was_frozen, begin, end),
		cmocka_unit_test_setup_teardown(
			a_report_that_is_asked_for_while_one_is_made_comes_after_it, begin_asked, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
