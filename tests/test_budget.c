/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frequency, and the looks, that a CPU budget allows, beside machines that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/leaf/own_cost.h"
#include "engine/sampling/budget.h"
#include "engine/waits/look_share.h"
#include "live/wait/look_pace.h"
#include "tests/asserts.h"

/* A machine on which ptop costs @base percent, @saved less while it is thrifty, and @unit a Hz. */
struct machine {
	struct budget budget;
	double base, saved, unit, hz, asked, kernel_hz;
	uint64_t lost, throttled;
};

static struct machine
machine_of(double percent, double base, double unit, double asked)
{
	return (struct machine){ .budget = budget_make(percent, 1), .base = base, .unit = unit,
				 .hz = asked, .asked = asked, .kernel_hz = 100000 };
}

static double
cost(const struct machine *m)
{
	return m->base - (m->budget.is_thrifty ? m->saved : 0) + m->unit * m->hz;
}

/* One second passes. */
static void
look(struct machine *m)
{
	const struct budget_look l = {
		.seconds = 1, .own_s = cost(m) / 100, .sampling_s = m->unit * m->hz / 100,
		.samples = (uint64_t)m->hz, .lost = m->lost, .throttled = m->throttled,
		.hz = m->hz, .asked_hz = m->asked, .kernel_hz = m->kernel_hz,
	};

	m->hz = budget_next(&m->budget, &l);
	assert_that(m->hz, <=, m->asked);
	assert_that(m->hz, >, 0);
}

static void
looks(struct machine *m, unsigned n)
{
	while (n-- > 0)
		look(m);
}

static void
what_costs_less_is_left_alone(void **state)
{
	struct machine m = machine_of(0.5, 0.2, 0.25 / 4000, 4000);

	(void)state;
	for (int i = 0; i < 60; i++) {
		look(&m);
		assert_that(m.hz, >=, 4000);
	}
	assert_int_equal(m.budget.cause, BUDGET_KEPT);
}

static void
what_costs_more_is_lowered_within_five_looks(void **state)
{
	struct machine m = machine_of(0.5, 0.2, 20.0 / 100000, 100000);

	(void)state;
	looks(&m, 5);
	assert_that(cost(&m), <=, 0.5);
	assert_int_equal(m.budget.cause, BUDGET_COST);
	/* It stays there, near the budget. */
	looks(&m, 60);
	assert_that(cost(&m), <=, 0.5);
	assert_that(cost(&m), >, 0.4);
	assert_that(fabs(m.budget.needed - 20.2), <, 0.1);
}

static void
it_rises_slowly_when_there_is_room_again(void **state)
{
	struct machine m = machine_of(0.5, 0.1, 0.003, 999);
	double before;

	(void)state;
	looks(&m, 10);
	assert_that(m.hz, <, 150);
	m.unit = 0.0001;
	for (int i = 0; i < 60; i++) {
		before = m.hz;
		look(&m);
		assert_that(m.hz, <=, before * 1.26);
	}
	assert_that(m.hz, >=, 999);
	assert_int_equal(m.budget.cause, BUDGET_KEPT);
}

/* Half a second of a CPU for the symbols of a large file. */
static void
a_burst_of_other_work_does_not_slow_sampling(void **state)
{
	struct machine m = machine_of(0.5, 0.2, 0.1 / 999, 999);

	(void)state;
	looks(&m, 10);
	m.base = 50;
	looks(&m, 2);
	m.base = 0.2;
	assert_that(m.hz, >=, 999);
	looks(&m, 10);
	assert_that(m.hz, >=, 999);
}

/* One second in which samples cost half as much again as they may. */
static void
one_dear_second_is_no_reason(void **state)
{
	struct machine m = machine_of(0.5, 0.2, 0.2 / 4000, 4000);

	(void)state;
	looks(&m, 10);
	m.unit *= 3;
	look(&m);
	m.unit /= 3;
	looks(&m, 5);
	assert_that(m.hz, >=, 4000);
}

/* Of every five seconds one has more to do beside samples, which get dearer once it has settled. */
static void
the_budget_holds_on_average(void **state)
{
	struct machine m = machine_of(0.5, 0.2, 20.0 / 100000, 100000);
	double sum = 0;

	(void)state;
	looks(&m, 10);
	m.unit *= 1.16;
	for (int i = 0; i < 60; i++) {
		m.base = i % 5 == 0 ? 0.3 : 0.2;
		look(&m);
		sum += cost(&m);
	}
	assert_that(sum / 60, <=, 0.5);
	assert_that(sum / 60, >, 0.4);
}

/* Of every ten seconds one has the symbols of some file to be read. */
static void
bursts_that_come_again_and_again_are_within_the_budget(void **state)
{
	struct machine m = machine_of(2, 0.5, 1.2 / 999, 999);
	double sum = 0;

	(void)state;
	for (int i = 0; i < 300; i++) {
		m.base = i % 10 == 0 ? 10 : 0.5;
		if (i >= 60)
			sum += cost(&m);
		look(&m);
	}
	assert_that(sum / 240, <=, 2);
	assert_that(sum / 240, >, 1.5);
	assert_true(m.budget.is_thrifty);
}

/* In any fifteen seconds, but for what was saved up before. */
static void
a_late_burst_is_paid_back_by_the_seconds_after(void **state)
{
	struct machine m = machine_of(2, 0.5, 1.0 / 999, 999);
	double sum = 0;

	(void)state;
	m.base = 12;
	for (int i = 0; i < 6; i++) { /* all that was in hand at the start, and some time */
		look(&m);
		m.base = i % 2 == 0 ? 12 : 0.5;
	}
	m.base = 0.5;
	looks(&m, 120);
	assert_that(m.hz, >=, 999);
	m.base = 14;
	for (int i = 0; i < 15; i++) {
		sum += cost(&m);
		look(&m);
		m.base = 0.5;
	}
	assert_that(sum / 15, <=, 2.0 + 2.0 * 2 / 15);
	assert_that(m.hz, <, 999);
	assert_int_not_equal(m.budget.cause, BUDGET_KEPT);
	looks(&m, 60);
	assert_that(m.hz, >=, 999);
	assert_int_equal(m.budget.cause, BUDGET_KEPT);
}

/* What is not counted as theirs comes with samples as well. */
static void
samples_are_not_lowered_further_than_it_takes(void **state)
{
	struct machine m = machine_of(2, 0.4, 0.6 / 999, 999);

	(void)state;
	for (int i = 0; i < 60; i++) {
		m.base = 0.4 + m.hz * 1.2 / 999;
		look(&m);
		assert_that(m.hz, >, 500);
	}
	assert_that(cost(&m), <=, 2);
}

static void
other_work_above_the_budget_leaves_the_least(void **state)
{
	struct machine m = machine_of(0.5, 3, 0.0001, 4000);

	(void)state;
	looks(&m, 5);
	assert_that(m.hz, <, 1000);
	looks(&m, 60);
	assert_int_equal(m.budget.cause, BUDGET_FLOOR);
	assert_that(m.hz, >=, 49);
	assert_that(m.hz, <, 50);
	assert_int_equal(budget_told(&m.budget, m.hz), BUDGET_FLOOR);
	assert_int_equal(budget_told(&m.budget, 277), BUDGET_COST); /* it is not opened anew yet */
	m.base = 0.1;
	looks(&m, 80);
	assert_that(m.hz, >, 2000);
}

/* Each process that is sampled has files to be read. */
static void
other_work_that_samples_bring_is_lowered_with_them(void **state)
{
	struct machine m = machine_of(0.5, 0.1, 0.00001, 999);
	double sum = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		m.base = 0.1 + m.hz * 0.002;
		if (i >= 50)
			sum += cost(&m) / 50;
		look(&m);
	}
	assert_that(sum, <, 0.55);
	assert_that(sum, >, 0.3);
	assert_that(m.hz, >, 80);
	assert_that(m.hz, <, 300);
}

static void
losses_and_throttling_lower_it(void **state)
{
	struct machine m = machine_of(5, 0.2, 0.1 / 4000, 4000);

	(void)state;
	looks(&m, 3);
	m.lost = 10; /* one in 400 is a hiccup */
	look(&m);
	assert_that(m.hz, >=, 4000);
	m.lost = 400;
	look(&m);
	assert_that(m.hz, <, 3000);
	assert_int_equal(m.budget.cause, BUDGET_LOST);
	m.lost = 0;
	looks(&m, 20);
	assert_that(m.hz, >=, 4000);
	m.throttled = 1;
	look(&m);
	assert_int_equal(m.budget.cause, BUDGET_THROTTLED);
	assert_that(m.hz, <, 3000);
}

static void
the_kernels_own_limit_is_followed(void **state)
{
	struct machine m = machine_of(5, 0.2, 0.1 / 4000, 4000);

	(void)state;
	m.kernel_hz = 1000;
	look(&m);
	assert_that(m.hz, <=, 1000);
	assert_int_equal(m.budget.cause, BUDGET_KERNEL);
	m.kernel_hz = 100000;
	looks(&m, 30);
	assert_that(m.hz, >=, 4000);
}

static void
without_a_budget_nothing_moves(void **state)
{
	struct machine m = machine_of(0, 50, 0.01, 4000);

	(void)state;
	m.lost = 100000;
	looks(&m, 5);
	assert_that(m.hz, >=, 4000);
}

/* The user's keys change it under way. */
static void
what_is_asked_may_change(void **state)
{
	struct machine m = machine_of(0.5, 0.1, 0.001, 4000);

	(void)state;
	looks(&m, 10);
	assert_that(m.hz, <, 400);
	m.asked = m.hz = 99;
	looks(&m, 10);
	assert_that(m.hz, >=, 99);
	assert_int_equal(m.budget.cause, BUDGET_KEPT);
	m.asked = 1;
	look(&m);
	assert_that(m.hz, <=, 1);
}

static void
the_default_grows_with_the_machine(void **state)
{
	(void)state;
	assert_that(fabs(budget_make(-1, 2).percent - 2), <, 1e-9);
	assert_true(fabs(budget_make(-1, 8).percent - 2) < 1e-9);
	assert_true(fabs(budget_make(-1, 512).percent - 128) < 1e-9);
	assert_true(fabs(budget_make(0.3, 512).percent - 0.3) < 1e-9);
}

/* A build beside it: reading what runs costs more than the budget, however few samples are taken. */
static void
the_default_leaves_enough_samples(void **state)
{
	struct machine m = machine_of(-1, 5, 0.02, 999);

	(void)state;
	looks(&m, 60);
	assert_that(m.hz, >=, 199);
	assert_that(m.hz, <, 200);
	assert_int_equal(m.budget.cause, BUDGET_FLOOR);
	m.lost = 10000;
	looks(&m, 10);
	assert_that(m.hz, <, 100);
	assert_int_equal(m.budget.cause, BUDGET_LOST);
	m.asked = m.hz = 99;
	m.lost = 0;
	looks(&m, 60);
	assert_that(m.hz, >=, 99);
	assert_int_equal(m.budget.cause, BUDGET_KEPT);
}

/* Above the floor less could be taken, and ptop is within its budget. */
static void
a_floor_is_told_while_it_holds_alone(void **state)
{
	struct machine m = machine_of(-1, 20, 0.0024, 999);

	(void)state;
	looks(&m, 30);
	assert_int_equal(m.budget.cause, BUDGET_FLOOR);
	m.base = 0.5; /* leaves room for about 490 Hz */
	looks(&m, 5);
	for (int i = 0; i < 100; i++) {
		look(&m);
		if (m.hz >= 200)
			assert_int_equal(m.budget.cause, BUDGET_COST);
	}
	assert_that(m.hz, >, 400);
	assert_that(m.hz, <, 500);
}

/* It is as low as the floor, and fits. */
static void
what_fits_at_the_floor_is_not_above_the_budget(void **state)
{
	struct machine m = machine_of(-1, 20, 0.0056, 999);

	(void)state;
	looks(&m, 30);
	m.base = 0.5; /* leaves room for about 210 Hz, once what is owed is paid back */
	looks(&m, 100);
	assert_that(m.hz, >=, 199);
	assert_that(m.hz, <, 200);
	assert_that(cost(&m), <, 1.7);
	assert_int_equal(m.budget.cause, BUDGET_COST);
}

/* Larger rings would be of no help then. */
static void
a_loss_is_told_until_something_else_holds(void **state)
{
	struct machine m = machine_of(2, 0.5, 0.0024, 999);

	(void)state;
	m.lost = 400;
	looks(&m, 8);
	m.lost = 0;
	assert_that(m.hz, <, 200);
	assert_int_equal(m.budget.cause, BUDGET_LOST);
	looks(&m, 100);
	assert_that(m.hz, >, 400);
	assert_that(m.hz, <, 500);
	assert_int_equal(m.budget.cause, BUDGET_COST);
}

/* Back at the floor at once, it would lose again each other second. */
static void
what_was_lost_below_the_floor_is_come_back_from_slowly(void **state)
{
	struct machine m = machine_of(-1, 5, 0.02, 999);
	unsigned losses = 0;

	(void)state;
	looks(&m, 60);
	for (int i = 0; i < 60; i++) {
		m.lost = m.hz >= 199 ? 10000 : 0;
		losses += m.lost > 0;
		look(&m);
		assert_int_equal(m.budget.cause, BUDGET_LOST);
	}
	assert_that(losses, >, 4);
	assert_that(losses, <, 12);
	/* Cost does not keep it there. */
	m.lost = 0;
	looks(&m, 20);
	assert_that(m.hz, >=, 199);
	assert_that(m.hz, <, 200);
	assert_int_equal(m.budget.cause, BUDGET_FLOOR);
}

static void
other_work_gives_way_before_samples_do(void **state)
{
	struct machine m = machine_of(2, 1.8, 0.001, 999);

	(void)state;
	m.saved = 1.2;
	look(&m);
	assert_true(m.budget.is_thrifty);
	for (int i = 0; i < 60; i++) {
		look(&m);
		assert_that(m.hz, >=, 999);
		assert_true(m.budget.is_thrifty);
	}
	assert_int_equal(m.budget.cause, BUDGET_KEPT);
}

static void
samples_give_way_where_that_is_not_enough(void **state)
{
	struct machine m = machine_of(2, 1.8, 0.002, 999);

	(void)state;
	m.saved = 0.9;
	/* It has two looks to show what it saves. */
	looks(&m, 3);
	assert_true(m.budget.is_thrifty);
	assert_that(m.hz, >=, 999);
	looks(&m, 30);
	assert_true(m.budget.is_thrifty);
	assert_that(cost(&m), <=, 2);
	assert_that(m.hz, >, 300);
	assert_that(m.hz, <, 600);
}

static void
other_work_goes_on_again_when_there_is_room(void **state)
{
	struct machine m = machine_of(2, 1.8, 0.001, 999);

	(void)state;
	m.saved = 1.2;
	looks(&m, 20);
	assert_true(m.budget.is_thrifty);
	m.base = 1.4;
	m.saved = 0.8;
	m.unit = 0.0002;
	looks(&m, 9);
	assert_true(m.budget.is_thrifty); /* a while */
	looks(&m, 5);
	assert_false(m.budget.is_thrifty);
	looks(&m, 60);
	assert_false(m.budget.is_thrifty);
}

/* Of what samples cost nothing can be saved elsewhere. */
static void
samples_that_cost_far_too_much_do_not_wait_for_it(void **state)
{
	struct machine m = machine_of(2, 5, 0.1, 999);

	(void)state;
	look(&m);
	assert_that(m.hz, <, 300);
}

static void
samples_alone_are_no_reason_to_be_thrifty(void **state)
{
	struct machine m = machine_of(2, 0.1, 0.003, 999);

	(void)state;
	for (int i = 0; i < 30; i++) {
		look(&m);
		assert_false(m.budget.is_thrifty);
	}
	assert_that(cost(&m), <=, 2);
}

/* Seconds in which all but looks takes @rest percent, and these as much as they may. */
static void
share_with(struct look_share *s, unsigned seconds, double rest, bool is_first_turn)
{
	uint64_t now = s->time_ns, own = s->own_ns, looks = s->looks_ns;

	for (unsigned i = 0; i <= seconds; i++) {
		now += NSEC_PER_SEC;
		looks += (uint64_t)(s->percent * 1e7);
		own += (uint64_t)((s->percent + rest) * 1e7);
		look_share_pass(s, now, own, looks, is_first_turn);
	}
}

static void
share(struct look_share *s, unsigned seconds, double rest)
{
	share_with(s, seconds, rest, false);
}

static void
looks_may_cost_what_the_rest_leaves(void **state)
{
	struct look_share s = look_share_make(2);

	(void)state;
	assert_within(s.percent, 0.9, 0.001);
	share(&s, 20, 0.5);
	assert_within(s.percent + 0.5, 1.9, 0.05);
	share(&s, 20, 1.2);
	assert_within(s.percent + 1.2, 1.9, 0.05);
	/* Never all of it, and never nothing. */
	share(&s, 20, 0);
	assert_within(s.percent, 1.6, 0.05);
	share(&s, 20, 5);
	assert_within(s.percent, 0.2, 0.05);
	s = look_share_make(0);
	assert_false(look_share_pass(&s, NSEC_PER_SEC, NSEC_PER_SEC, 0, false));
	assert_true(s.percent == 0);
}

static void
one_dear_second_takes_little_from_looks(void **state)
{
	struct look_share s = look_share_make(2);

	(void)state;
	share(&s, 20, 0.5);
	share(&s, 0, 60);
	assert_that(s.percent, >, 0.5);
	/* One that was left behind, and its successor has used nothing yet. */
	share(&s, 20, 0.5);
	assert_false(look_share_pass(&s, s.time_ns + NSEC_PER_SEC, s.own_ns + NSEC_PER_SEC / 100, 0,
				     false));
}

/* A tenth of the budget would have first looks wait for minutes. */
static void
first_looks_keep_their_share_whatever_the_rest_takes(void **state)
{
	struct look_share s = look_share_make(2);

	(void)state;
	share_with(&s, 60, 3, true);
	assert_within(s.percent, 0.7, 0.001);
	share_with(&s, 1, 3, false);
	assert_within(s.percent, 0.2, 0.001);
	share_with(&s, 1, 3, true);
	assert_within(s.percent, 0.7, 0.001);
	/* It was done once, and is not to be paid back. */
	s = look_share_make(2);
	share_with(&s, 60, 3, true);
	share_with(&s, 10, 0.5, false);
	assert_within(s.percent, 1.35, 0.05);
	/* What the rest leaves is theirs, too. */
	s = look_share_make(2);
	share_with(&s, 20, 0.5, true);
	assert_that(s.percent, >, 1.3);
}

/* Records of looks are counted later than the looks: what that takes comes in waves. */
static void
what_was_too_much_is_paid_back(void **state)
{
	struct look_share s = look_share_make(2);
	double own = 0;

	(void)state;
	share(&s, 20, 0.5);
	for (unsigned i = 0; i < 40; i++) {
		double rest = i % 10 < 3 ? 2.5 : 0.5;

		own += s.percent + rest;
		share(&s, 0, rest);
	}
	assert_within(own / 40, 1.9, 0.15);
}

/* To tell what thousands wait, and to count it, is to fit the budget, too. */
static void
what_is_too_dear_is_told_more_seldom(void **state)
{
	struct look_pace p;

	(void)state;
	look_pace_init(&p, 0.9);
	assert_int_equal(look_pace_hold_ns(&p, 10, false), LOOK_HOLD_MS * NSEC_PER_MSEC);
	/* A turn of 10,000 may take five seconds. */
	assert_within((double)look_pace_hold_ns(&p, 10000, false) / 1e9, 4.8, 0.1);
	assert_within((double)look_pace_hold_ns(&p, 10000, true) / 1e9, 14.4, 0.1);
	p.percent = 1.5;
	assert_within((double)look_pace_hold_ns(&p, 10000, false) / 1e9, 4.8, 0.1);
	p.percent = 0.5;
	assert_within((double)look_pace_hold_ns(&p, 10000, false) / 1e9, 4.8, 0.1);
	p.percent = 0.3;
	assert_within((double)look_pace_hold_ns(&p, 10000, false) / 1e9, 7.2, 0.1);
	p.percent = 0.1;
	assert_within((double)look_pace_hold_ns(&p, 10000, false) / 1e9, 14.4, 0.1);
	look_pace_init(&p, 0);
	assert_within((double)look_pace_hold_ns(&p, 10000, false) / 1e9, 4.8, 0.1);
}

/* Else those that are seen for the first time would wait for long. */
static void
looks_that_repeat_themselves_leave_room_for_first_ones(void **state)
{
	struct look_pace p;
	uint64_t alone_ns;

	(void)state;
	look_pace_init(&p, 1);
	look_pace_set(&p, &(struct look_counts){ .still = 3000 });
	alone_ns = p.interval_ns;
	look_pace_set(&p, &(struct look_counts){ .still = 3000, .late = 7000 });
	assert_within((double)p.interval_ns / (double)alone_ns, 3, 0.1);
	/* The turn is the mean of some seconds. */
	look_pace_late(&p, NSEC_PER_SEC, 0, 7000);
	look_pace_late(&p, 2 * NSEC_PER_SEC, 700, 7000);
	assert_true(p.late_turn_ns == 10 * NSEC_PER_SEC);
	/* Few looks are no measure, unless there are no more for long. */
	look_pace_late(&p, 3 * NSEC_PER_SEC, 7, 7000);
	assert_true(p.late_turn_ns == 10 * NSEC_PER_SEC);
	look_pace_late(&p, 13 * NSEC_PER_SEC, 70, 7000);
	assert_that((double)p.late_turn_ns / 1e9, >, 20);
	assert_that((double)p.late_turn_ns / 1e9, <, 160);
	look_pace_late(&p, 14 * NSEC_PER_SEC, 0, 0);
	assert_true(p.late_turn_ns == 0);
}

/* Nothing is read of them: their price is no reason to look at others more seldom. */
static void
threads_of_processes_that_do_not_run_take_no_interval_from_others(void **state)
{
	struct look_pace p;
	uint64_t few_ns;

	(void)state;
	look_pace_init(&p, 1);
	look_pace_set(&p, &(struct look_counts){ .still = 500 });
	few_ns = p.interval_ns;
	look_pace_set(&p, &(struct look_counts){ .still = 500, .stay = 500 });
	assert_that((double)p.interval_ns, <, (double)few_ns * 1.2);
	look_pace_set(&p, &(struct look_counts){ .still = 1000 });
	assert_that((double)p.interval_ns, >, (double)few_ns * 1.8);
}

/* Helpers that have used as much CPU time as the test says. */
static uint64_t
helpers_ns(const void *self)
{
	return *(const uint64_t *)self;
}

/* The first picture comes before it is known, and is no reason to say that ptop takes twelve CPUs. */
static void
own_cost_is_told_of_the_time_in_which_it_was_used(void **state)
{
	uint64_t used_ns = 3 * NSEC_PER_SEC, begin_ns;
	struct own_cost c = { .helpers_ns = helpers_ns, .self = &used_ns };

	(void)state;
	own_cost_begin(&c);
	own_cost_measure(&c);
	assert_true(isnan(c.cpu_percent) || c.cpu_percent < 100); /* the start is not in it */
	begin_ns = c.since_ns;
	usleep(150000);
	used_ns += 50 * NSEC_PER_MSEC;
	own_cost_measure(&c);
	assert_within(c.cpu_percent * (double)(c.since_ns - begin_ns), 100 * 50e6, 100 * 20e6);
	/* So soon after it tells the same. */
	begin_ns = c.since_ns;
	used_ns += NSEC_PER_SEC;
	own_cost_measure(&c);
	if (c.since_ns == begin_ns)
		assert_that(c.cpu_percent, <, 100);
	own_cost_release(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_cost_is_told_of_the_time_in_which_it_was_used),
		cmocka_unit_test(what_costs_less_is_left_alone),
		cmocka_unit_test(what_costs_more_is_lowered_within_five_looks),
		cmocka_unit_test(it_rises_slowly_when_there_is_room_again),
		cmocka_unit_test(a_burst_of_other_work_does_not_slow_sampling),
		cmocka_unit_test(one_dear_second_is_no_reason),
		cmocka_unit_test(the_budget_holds_on_average),
		cmocka_unit_test(bursts_that_come_again_and_again_are_within_the_budget),
		cmocka_unit_test(a_late_burst_is_paid_back_by_the_seconds_after),
		cmocka_unit_test(samples_are_not_lowered_further_than_it_takes),
		cmocka_unit_test(other_work_above_the_budget_leaves_the_least),
		cmocka_unit_test(other_work_that_samples_bring_is_lowered_with_them),
		cmocka_unit_test(losses_and_throttling_lower_it),
		cmocka_unit_test(the_kernels_own_limit_is_followed),
		cmocka_unit_test(without_a_budget_nothing_moves),
		cmocka_unit_test(what_is_asked_may_change),
		cmocka_unit_test(the_default_grows_with_the_machine),
		cmocka_unit_test(the_default_leaves_enough_samples),
		cmocka_unit_test(a_floor_is_told_while_it_holds_alone),
		cmocka_unit_test(what_fits_at_the_floor_is_not_above_the_budget),
		cmocka_unit_test(a_loss_is_told_until_something_else_holds),
		cmocka_unit_test(what_was_lost_below_the_floor_is_come_back_from_slowly),
		cmocka_unit_test(other_work_gives_way_before_samples_do),
		cmocka_unit_test(samples_give_way_where_that_is_not_enough),
		cmocka_unit_test(other_work_goes_on_again_when_there_is_room),
		cmocka_unit_test(samples_that_cost_far_too_much_do_not_wait_for_it),
		cmocka_unit_test(samples_alone_are_no_reason_to_be_thrifty),
		cmocka_unit_test(looks_may_cost_what_the_rest_leaves),
		cmocka_unit_test(one_dear_second_takes_little_from_looks),
		cmocka_unit_test(first_looks_keep_their_share_whatever_the_rest_takes),
		cmocka_unit_test(what_was_too_much_is_paid_back),
		cmocka_unit_test(what_is_too_dear_is_told_more_seldom),
		cmocka_unit_test(looks_that_repeat_themselves_leave_room_for_first_ones),
		cmocka_unit_test(threads_of_processes_that_do_not_run_take_no_interval_from_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
