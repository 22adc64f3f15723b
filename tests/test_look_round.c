/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which threads are looked at in a round: hundreds of this process, which wait, and run all at once
 * when they are told to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/wait/look_figures.h"
#include "live/wait/look_round.h"
#include "tests/asserts.h"

enum { THREADS = 600, STACK_BYTES = 128 << 10, PATIENCE_S = 60 };

struct crowd {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned turn, waiting; /* of this turn */
	bool is_over;
	pthread_t threads[THREADS];
};

struct fixture {
	struct crowd crowd;
	struct look_round round;
	struct buf out;
};

static void *
wait_turns(void *arg)
{
	struct crowd *c = arg;

	pthread_mutex_lock(&c->lock);
	for (unsigned turn = c->turn; !c->is_over; turn = c->turn) {
		c->waiting++;
		while (c->turn == turn && !c->is_over)
			pthread_cond_wait(&c->changed, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static void
wait_for_all(struct crowd *c)
{
	const struct timespec moment = { .tv_nsec = 5 * NSEC_PER_MSEC };
	uint64_t end_ns = clock_mono_ns() + PATIENCE_S * NSEC_PER_SEC;
	bool is_there = false;

	while (!is_there && clock_mono_ns() < end_ns) {
		pthread_mutex_lock(&c->lock);
		is_there = c->waiting == THREADS;
		pthread_mutex_unlock(&c->lock);
		nanosleep(&moment, NULL);
	}
	assert_true(is_there);
}

/* All of them run, and wait again. */
static void
run_all(struct crowd *c)
{
	pthread_mutex_lock(&c->lock);
	c->waiting = 0;
	c->turn++;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	wait_for_all(c);
}

static void
start_all(struct crowd *c)
{
	pthread_attr_t attr;

	*c = (struct crowd){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&c->threads[i], &attr, wait_turns, c), 0);
	pthread_attr_destroy(&attr);
	wait_for_all(c);
}

static void
end_all(struct crowd *c)
{
	pthread_mutex_lock(&c->lock);
	c->is_over = true;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(c->threads[i], NULL);
}

static void
enter(void *self, int pid, uint64_t now_ns)
{
	(void)self;
	(void)pid;
	(void)now_ns;
}

static bool
leave(void *self)
{
	(void)self;
	return true;
}

static void
pause_looks(void *self)
{
	buf_reset(&((struct fixture *)self)->out);
}

/* All are listed. */
static struct fixture *
begin(void)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));
	struct look_round *r = &f->round;

	start_all(&f->crowd);
	*r = (struct look_round){ .random = 1 };
	look_pace_init(&r->pace, 1);
	r->guard.self = f;
	r->guard.enter = enter;
	r->guard.leave = leave;
	r->guard.pause = pause_looks;
	r->env = (struct wait_env){
		.id = 1, .out = &f->out, .out_max = 1 << 20, .place_max = 1 << 26,
		.proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.find_in_ns = wait_list_find_in_ns, .list = &r->list, .begun_ns = clock_mono_ns(),
	};
	wait_list_init(&r->list, (const int[]){ 0 }, 0);
	wait_list_set(&r->list, &(struct wait_target){ .pid = getpid() }, 1, &r->env);
	wait_list_round(&r->list, &r->env, clock_mono_ns());
	assert_that(r->list.len, >=, THREADS);
	return f;
}

/* Looks in a round in which all are due, and there is credit for none. */
static uint64_t
looks_without_credit(struct look_round *r)
{
	uint64_t before = r->env.looks;

	for (size_t i = 0; i < r->list.len; i++)
		r->list.turns[i].due_ns = 0;
	r->pace.credit_ns = -INT64_C(1000) * (int64_t)NSEC_PER_SEC;
	assert_true(look_round_due(r));
	return r->env.looks - before;
}

static size_t
count_late(const struct look_round *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->list.len; i++)
		n += r->list.turns[i].is_late;
	return n;
}

static void
end(struct fixture *f)
{
	end_all(&f->crowd);
	wait_list_release(&f->round.list, &f->round.env);
	close(f->round.env.proc_fd);
	buf_release(&f->out);
	free(f);
}

/* To read of each that it has run would cost what looks do. */
static void
where_all_run_most_wait_for_credit_unread(void **state)
{
	struct fixture *f = begin();

	(void)state;
	assert_true(look_round_all(&f->round));
	run_all(&f->crowd);
	assert_that(looks_without_credit(&f->round), <, THREADS / 2);
	assert_that(count_late(&f->round), >=, THREADS);
	end(f);
}

static void
where_none_run_all_are_looked_at_without_credit(void **state)
{
	struct fixture *f = begin();

	(void)state;
	assert_true(look_round_all(&f->round));
	assert_that(looks_without_credit(&f->round), >=, THREADS);
	assert_that(count_late(&f->round), <, THREADS / 2);
	end(f);
}

/* How many are not late, and to be looked at again before that. */
static size_t
count_before(const struct look_round *r, uint64_t until_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < r->list.len; i++)
		n += !r->list.turns[i].is_late && r->list.turns[i].due_ns < until_ns;
	return n;
}

/* Second looks at these would be paid by those that have waited since long. */
static void
where_a_turn_is_long_the_next_look_is_far(void **state)
{
	struct fixture *f = begin();
	struct look_round *r = &f->round;
	uint64_t begin_ns = clock_mono_ns();

	(void)state;
	r->pace.credit_ns = INT64_C(1000) * (int64_t)NSEC_PER_SEC;
	r->pace.knows_turn = true;
	r->pace.late_turn_ns = 10 * NSEC_PER_SEC;
	for (size_t i = 0; i < r->list.len; i++)
		r->list.turns[i].is_late = true;
	assert_true(look_round_due(r));
	assert_that(r->env.looks, >=, THREADS);
	assert_int_equal(count_late(r), 0);
	assert_int_equal(count_before(r, begin_ns + NSEC_PER_SEC), 0);
	end(f);
}

static void
a_turn_is_told_before_it_was_measured(void **state)
{
	struct look_pace p;

	(void)state;
	look_pace_init(&p, 1);
	assert_int_equal(look_pace_turn_ns(&p, 20000), 0);
	look_pace_set(&p, &(struct look_counts){ .late = 5000 });
	assert_int_equal(look_pace_turn_ns(&p, 20000), 10 * NSEC_PER_SEC);

	/* None of them had to wait. */
	look_pace_late(&p, NSEC_PER_SEC, 10, 0);
	look_pace_late(&p, 3 * NSEC_PER_SEC, 10, 0);
	assert_int_equal(look_pace_turn_ns(&p, 20000), 0);
}

/* Half of what looks had at first is enough; three times as seldom is the slowest. */
static void
what_many_wait_is_told_the_more_seldom_the_less_is_left_for_looks(void **state)
{
	const uint64_t ns = 480 * NSEC_PER_MSEC / 1000 * 10000;
	struct look_pace p;

	(void)state;
	look_pace_init(&p, 1);
	assert_int_equal(look_pace_hold_ns(&p, 10, false), LOOK_HOLD_MS * NSEC_PER_MSEC);
	assert_int_equal(look_pace_hold_ns(&p, 10000, false), ns);
	assert_int_equal(look_pace_hold_ns(&p, 10000, true), 3 * ns);
	p.percent = 0.5;
	assert_int_equal(look_pace_hold_ns(&p, 10000, false), ns);
	p.percent = 0.25;
	assert_int_equal(look_pace_hold_ns(&p, 10000, false), 2 * ns);
	p.percent = 0.01;
	assert_int_equal(look_pace_hold_ns(&p, 10000, false), 3 * ns);
}

/* First looks have a share of their own until all had one. */
static void
threads_without_a_look_are_counted(void **state)
{
	struct fixture *f = begin();
	struct look_round *r = &f->round;

	(void)state;
	look_round_set_interval(r);
	assert_int_equal(r->unseen, r->list.len);
	/* Their times alone were read. */
	r->env.is_far = true;
	looks_without_credit(r);
	look_round_set_interval(r);
	assert_int_equal(r->unseen, r->list.len);
	assert_int_equal(r->looked_at, 0);
	assert_true(r->is_first_turn);
	assert_true(look_round_all(r));
	look_round_set_interval(r);
	assert_int_equal(r->unseen, 0);
	assert_false(r->is_first_turn);
	/* As those that come now and then. */
	r->list.turns[0].is_new = true;
	look_round_set_interval(r);
	assert_int_equal(r->unseen, 1);
	assert_false(r->is_first_turn);
	r->list.turns[0].is_new = false;
	look_round_set_interval(r);
	assert_int_equal(r->looked_at, r->list.len);
	end(f);
}

/* It would be spent on looks that repeat what is known, above what these may cost. */
static void
what_is_left_of_the_credit_for_first_looks_is_given_up(void **state)
{
	struct fixture *f = begin();
	struct look_round *r = &f->round;
	const int64_t much = INT64_C(100) * (int64_t)NSEC_PER_SEC;

	(void)state;
	r->pace.credit_ns = much;
	look_round_set_interval(r);
	assert_true(r->pace.credit_ns == much);
	assert_true(look_round_all(r));
	r->pace.credit_ns = much;
	look_round_set_interval(r);
	assert_that(r->pace.credit_ns, <=, NSEC_PER_SEC / 100);
	assert_true(look_pace_has_credit(&r->pace, false));
	end(f);
}

/* As if each had waited for @hold_ns or more when it was looked at, and the process's clock was read then. */
static void
play_waits(struct look_round *r, uint64_t clock_at_ns, uint64_t hold_ns)
{
	struct wait_process *p = wait_list_process(&r->list, getpid());

	p->clock = (struct process_clock){ .cpu_ns = 1, .at_ns = clock_at_ns, .next_ns = UINT64_MAX };
	for (size_t i = 0; i < r->list.len; i++) {
		struct wait_thread *t = &r->list.items[i];

		t->clock_ns = t->state == LOOK_WAITS ? 1 : 0;
		t->is_at_lock = false;
		t->seen_ns = t->told_ns = clock_at_ns - hold_ns;
		t->still_ns = t->seen_ns - 100 * hold_ns;
		t->since_ns = t->still_ns;
		r->list.turns[i].due_ns = 0;
	}
}

/* The clock of a process is read at once for all its threads: they are not to be told at once for that. */
static void
looks_that_read_nothing_stay_apart(void **state)
{
	const uint64_t hold_ns = 8 * NSEC_PER_SEC;
	struct fixture *f = begin();
	struct look_round *r = &f->round;
	size_t told = 0, stays = 0;
	uint64_t now;

	(void)state;
	assert_true(look_round_all(r));
	r->env.hold_ns = hold_ns;
	now = clock_mono_ns();
	/* It is known for somewhat less than the hold since the last record. */
	play_waits(r, now - hold_ns / 2, hold_ns * 4 / 5);
	assert_true(look_round_due(r));
	for (size_t i = 0; i < r->list.len; i++) {
		const struct wait_thread *t = &r->list.items[i];

		if (!r->list.turns[i].stays)
			continue;
		stays++;
		told += t->told_ns == now - hold_ns / 2;
		assert_that(r->list.turns[i].due_ns, >=, now + hold_ns * 3 / 4);
		/* It was told once, and will be again. */
		assert_non_null(t->place->told);
	}
	assert_that(stays, >=, THREADS);
	assert_int_equal(told, stays);
	/* First looks do not wait for what that costs. */
	assert_that(r->pace.free_ns, >, 0);
	end(f);
}

/* However many threads there are: credit that is not used is not kept for long. */
static void
what_comes_in_is_enough_to_begin_with(void **state)
{
	struct look_pace p;

	(void)state;
	look_pace_init(&p, 1);
	look_pace_set(&p, &(struct look_counts){ .late = 100000 });
	p.credit_ns = 0;
	look_pace_charge(&p, NSEC_PER_SEC, 0, false);
	assert_that(look_pace_wait_ns(&p), >, 0);
	look_pace_charge(&p, 3 * NSEC_PER_SEC, 0, false);
	assert_int_equal(look_pace_wait_ns(&p), 0);
}

/* A second later, as far as the figures go: @threads are in the list, and there were @looks in all. */
static void
show_second(struct look_figures *f, struct look_round *r, size_t threads, uint64_t looks)
{
	r->list.len = threads;
	r->env.looks = looks;
	f->stepped_ns = 0;
	look_figures_step(f, r, false);
}

/* The last thread has ended, and after a minute there is one again. */
static void
time_without_a_thread_is_no_pace(void **state)
{
	static struct look_figures f;
	static struct look_round r;

	(void)state;
	show_second(&f, &r, 1, 100);
	f.paced.at_ns -= NSEC_PER_SEC;
	show_second(&f, &r, 1, 200);
	assert_that(f.reached_ns, >=, 10 * NSEC_PER_MSEC);
	show_second(&f, &r, 0, 200);
	assert_int_equal(f.reached_ns, 0);
	f.paced.at_ns -= f.paced.at_ns != 0 ? 60 * NSEC_PER_SEC : 0;
	show_second(&f, &r, 1, 201);
	assert_that(f.reached_ns, <, NSEC_PER_SEC);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_all_run_most_wait_for_credit_unread),
		cmocka_unit_test(where_none_run_all_are_looked_at_without_credit),
		cmocka_unit_test(where_a_turn_is_long_the_next_look_is_far),
		cmocka_unit_test(a_turn_is_told_before_it_was_measured),
		cmocka_unit_test(what_comes_in_is_enough_to_begin_with),
		cmocka_unit_test(what_many_wait_is_told_the_more_seldom_the_less_is_left_for_looks),
		cmocka_unit_test(threads_without_a_look_are_counted),
		cmocka_unit_test(what_is_left_of_the_credit_for_first_looks_is_given_up),
		cmocka_unit_test(looks_that_read_nothing_stay_apart),
		cmocka_unit_test(time_without_a_thread_is_no_pace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
