/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto, whose stacks are copied further and which samples count, on a session that is made up: a PMU
 * with too few counters, threads that were named, descriptors that run out.  test_auto.c has the kernel's.
 */
#include "engine/sampling/stack_choice.h"
#include "profile_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY = 8192, PID = 100, OTHER = 200, ALL_ID = 1, OWN_ID = 1000, LOOK_MS = 900, FDS = 60 };

/* Of the session: what was asked of it, and what it is. */
static struct {
	enum session_scope scope;
	unsigned asked, begun, stopped, closed;
	uint32_t token, bytes;
	int pid;
	size_t descriptors_max, count;
} made;

static uint64_t rate; /* of the events */
static size_t needed; /* descriptors, by the next answer that refuses */

enum session_scope
session_scope(const struct session *s)
{
	(void)s;
	return made.scope;
}

uint64_t
session_rate(const struct session_event *ev)
{
	(void)ev;
	return rate;
}

void
session_open_stacks(struct session *s, uint32_t token, int pid, uint32_t bytes, size_t descriptors_max,
		    struct session_event *const *events, size_t count)
{
	(void)s;
	(void)events;
	made.asked++;
	made.token = token;
	made.pid = pid;
	made.bytes = bytes;
	made.descriptors_max = descriptors_max;
	made.count = count;
}

void
session_begin_stacks(struct session *s, const struct session_stacks *stacks)
{
	(void)s;
	(void)stacks;
	made.begun++;
}

void
session_stop_stacks(struct session *s, const struct session_stacks *stacks)
{
	(void)s;
	(void)stacks;
	made.stopped++;
}

void
session_stacks_free(struct session_stacks *stacks)
{
	free(stacks);
}

void
session_close_stacks(struct session *s, struct session_stacks *stacks)
{
	(void)s;
	made.closed++;
	session_stacks_free(stacks);
}

uint64_t
session_stacks_lost(struct session *s, const struct session_stacks *stacks, uint32_t event)
{
	(void)s;
	(void)stacks;
	(void)event;
	return 0;
}

static const struct record_layout layout = { .sample_type = PERF_SAMPLE_IDENTIFIER };

/* One event that samples all, with a copy of each stack. */
struct room {
	struct fixture b;
	struct feed feed;
	struct record_layouts layouts;
	struct agenda agenda;
	struct stream_clock clock;
	struct losses *losses;
	struct measured *measured;
	struct sampling sp;
	uint64_t now_ns;
};

static void
add_process(struct room *k, int pid, bool is_target)
{
	uint32_t task = model_task(k->b.model, pid, pid);

	model_learn_comm(k->b.model, task, "load");
	if (is_target)
		model_set_target(k->b.model, task, (uint32_t)pid, false);
}

static void
open_room(struct room *k, enum session_scope scope)
{
	struct engine_event *ev;

	memset(k, 0, sizeof(*k));
	memset(&made, 0, sizeof(made));
	made.scope = scope;
	rate = 999;
	needed = 0;
	bench_open(&k->b, 24 << 20);
	record_layouts_add(&k->layouts, &layout);
	feed_init(&k->feed, k->b.model, &k->b.locations, k->b.profile, &k->layouts);
	k->losses = mem_calloc(1, sizeof(*k->losses));
	k->measured = mem_calloc(1, sizeof(*k->measured));
	k->measured->event_count = 1;
	ev = &k->measured->events[0];
	ev->live = (struct session_event *)k; /* opaque here */
	ev->spec.type = PERF_TYPE_HARDWARE;
	ev->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STACK_USER;
	ev->attr.sample_stack_user = COPY;
	k->sp = (struct sampling){
		.agenda = &k->agenda, .clock = &k->clock, .measured = k->measured, .losses = k->losses,
		.ids = sample_ids_new(&layout), .model = k->b.model, .profile = k->b.profile,
		.feed = &k->feed, .session = (struct session *)k, .chains = CALL_GRAPH_AUTO,
	};
	sample_ids_add(k->sp.ids, &(struct sample_id){ .id = ALL_ID }, 0);
	stack_choice_begin(&k->sp);
	k->now_ns = clock_mono_ns();
	add_process(k, PID, false);
	add_process(k, OTHER, false);
}

static void
close_room(struct room *k)
{
	stack_choice_end_all(&k->sp);
	stack_choice_release(&k->sp);
	sample_ids_free(k->sp.ids);
	feed_release(&k->feed);
	record_layouts_release(&k->layouts);
	bench_close(&k->b);
	free(k->losses);
	free(k->measured);
}

/* A sample at that time.  Whether it counts. */
static bool
sample_at(struct room *k, uint64_t id, int pid, uint64_t time_ns, bool is_cut)
{
	struct record rec = { .type = PERF_RECORD_SAMPLE };
	uint64_t tag = 1;

	rec.id = (struct record_id){ .pid = (uint32_t)pid, .tid = (uint32_t)pid, .id = id,
				     .time_ns = time_ns };
	rec.sample.stack_user.len = rec.sample.stack_dyn_size = id == ALL_ID ? COPY : made.bytes;
	if (!stack_choice_wants(&k->sp, &rec, &tag))
		return false;
	if (is_cut)
		k->feed.unwinder.ends[UNWIND_STACK_CUT]++;
	stack_choice_filed(&k->sp, &rec);
	return true;
}

static bool
sample(struct room *k, uint64_t id, int pid, bool is_cut)
{
	return sample_at(k, id, pid, clock_mono_ns(), is_cut);
}

/* So many of all's, which are cut.  How many count. */
static unsigned
cuts(struct room *k, int pid, unsigned n)
{
	unsigned count = 0;

	while (n-- > 0)
		count += sample(k, ALL_ID, pid, true);
	return count;
}

static void
look(struct room *k)
{
	k->now_ns += LOOK_MS * NSEC_PER_MSEC;
	stack_choice_beat(&k->sp, k->now_ns);
}

/* The answer to what was asked last, with so many descriptors; 0: refused. */
static void
answer(struct room *k, size_t fds)
{
	struct session_stacks_event event = { 0, k->measured->events[0].attr };
	struct session_stacks_id *ids = mem_calloc(fds + 1, sizeof(*ids));
	struct session_stacks_msg m = { .token = made.token, .events = &event, .event_count = 1 };

	for (size_t i = 0; i < fds; i++)
		ids[i] = (struct session_stacks_id){ (uint64_t)OWN_ID * made.token + i, 0, made.pid };
	m.ids = ids;
	m.id_count = fds;
	m.needed = fds > 0 ? 0 : needed;
	if (fds > 0)
		m.stacks = malloc(1);
	else
		err_set(&m.err, ERR_LIMIT, 0, "too many descriptors");
	assert_int_equal(stack_choice_on_stacks(&k->sp, &m.msg), PART_DONE);
	free(ids);
}

/* PID has larger copies from here on. */
static void
give_copies(struct room *k)
{
	cuts(k, PID, 20);
	look(k);
	answer(k, 1);
}

static uint64_t
own_id(void)
{
	return (uint64_t)OWN_ID * made.token;
}

static void
its_own_samples_count_from_the_second_on(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	assert_int_equal(cuts(&k, PID, 20), 20);
	look(&k);
	assert_int_equal(made.asked, 1);
	assert_int_equal(made.bytes, 32768);
	answer(&k, 1);
	assert_true(sample(&k, ALL_ID, PID, false));
	assert_false(sample(&k, own_id(), PID, false));
	assert_false(sample(&k, ALL_ID, PID, false));
	assert_true(sample(&k, own_id(), PID, false));
	assert_true(sample(&k, ALL_ID, OTHER, false));
	close_room(&k);
}

/* What came before all of its threads were followed begins nothing. */
static void
a_sample_from_before_does_not_begin_it(void **state)
{
	uint64_t before = clock_mono_ns();
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	give_copies(&k);
	assert_false(sample_at(&k, own_id(), PID, before, false));
	assert_true(sample(&k, ALL_ID, PID, false));
	close_room(&k);
}

static void
without_a_counter_of_its_own_nothing_is_lost(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	give_copies(&k);
	assert_int_equal(made.begun, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(cuts(&k, PID, 100), 100);
		look(&k);
	}
	assert_int_equal(made.closed, 1);
	assert_non_null(strstr(stack_choice_notice(&k.sp), "no counter left"));
	/* It is not tried again at once. */
	cuts(&k, PID, 100);
	look(&k);
	assert_int_equal(made.asked, 1);
	close_room(&k);
}

/* The counter that it had is taken by another one. */
static void
a_counter_that_is_lost_is_noticed(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	give_copies(&k);
	sample(&k, own_id(), PID, false);
	for (int i = 0; i < 2; i++) {
		cuts(&k, PID, 100);
		look(&k);
	}
	assert_int_equal(made.closed, 1);
	assert_int_equal(cuts(&k, PID, 10), 10);
	close_room(&k);
}

static void
few_cut_samples_are_enough_in_the_end(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	for (int i = 0; i < 3; i++) {
		cuts(&k, PID, 2);
		look(&k);
		assert_int_equal(made.asked, 0);
	}
	cuts(&k, PID, 2);
	look(&k);
	assert_int_equal(made.asked, 1);
	close_room(&k);
}

static void
few_of_many_are_not_enough(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	for (int i = 0; i < 30; i++) {
		cuts(&k, PID, 1);
		for (int n = 0; n < 30; n++)
			assert_true(sample(&k, ALL_ID, PID, false));
		look(&k);
	}
	assert_int_equal(made.asked, 0);
	close_room(&k);
}

static void
what_is_seldom_cut_is_forgotten(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	for (int i = 0; i < 20; i++) {
		cuts(&k, PID, 1);
		for (int n = 0; n < 35; n++)
			look(&k);
	}
	assert_int_equal(made.asked, 0);
	close_room(&k);
}

/* More processes than the list has places: those with one sample give theirs. */
static void
many_that_end_do_not_hide_one(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	cuts(&k, PID, 4);
	for (int pid = 1000; pid < 1200; pid++)
		cuts(&k, pid, 1);
	cuts(&k, PID, 4);
	cuts(&k, OTHER, 30);
	look(&k);
	assert_int_equal(made.pid, OTHER);
	answer(&k, 1);
	assert_int_equal(made.pid, PID);
	close_room(&k);
}

/* Copies grow, too, where samples are few. */
static void
few_samples_are_enough_for_more(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	give_copies(&k);
	sample(&k, own_id(), PID, false);
	for (int i = 0; i < 4; i++) {
		for (int n = 0; n < 3; n++)
			assert_true(sample(&k, own_id(), PID, true));
		look(&k);
	}
	assert_int_equal(made.asked, 2);
	assert_int_equal(made.bytes, 65528);
	/* The counter that it has serves the next. */
	answer(&k, 1);
	assert_false(sample(&k, ALL_ID, PID, false));
	assert_true(sample(&k, own_id(), PID, false));
	close_room(&k);
}

static void
larger_is_more_than_what_all_have(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	k.measured->events[0].attr.sample_stack_user = 30000;
	cuts(&k, PID, 20);
	look(&k);
	assert_int_equal(made.bytes, 60000);
	close_room(&k);

	open_room(&k, SESSION_SYSTEM);
	k.measured->events[0].attr.sample_stack_user = 65528;
	cuts(&k, PID, 20);
	look(&k);
	assert_int_equal(made.asked, 0);
	close_room(&k);
}

static void
threads_that_were_named_stay_alone(void **state)
{
	struct room k;
	uint32_t thread;

	(void)state;
	open_room(&k, SESSION_TASKS);
	thread = model_task(k.b.model, PID, PID + 1);
	model_set_thread_target(k.b.model, thread, 1);
	/* The first of its process, too. */
	model_set_thread_target(k.b.model, model_task(k.b.model, OTHER, OTHER), 2);
	cuts(&k, PID, 20);
	cuts(&k, OTHER, 20);
	look(&k);
	assert_int_equal(made.asked, 0);
	add_process(&k, OTHER, true);
	cuts(&k, OTHER, 20);
	look(&k);
	assert_int_equal(made.pid, OTHER);
	close_room(&k);
}

static void
what_is_detached_has_no_copies_any_more(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_TASKS);
	add_process(&k, PID, true);
	add_process(&k, OTHER, true);
	give_copies(&k);
	cuts(&k, OTHER, 20);
	look(&k);
	assert_int_equal(made.pid, OTHER);
	stack_choice_end_target(&k.sp, PID);
	assert_int_equal(made.closed, 1);
	assert_int_equal(stack_choice_processes(k.sp.stacks), 0);
	/* What was asked for is closed when it comes. */
	stack_choice_end_target(&k.sp, OTHER);
	answer(&k, 1);
	assert_int_equal(made.closed, 2);
	assert_int_equal(made.begun, 1);
	close_room(&k);
}

/* A light one has most of the descriptors. */
static void
who_weighs_more_gets_the_descriptors(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	cuts(&k, PID, 8);
	look(&k);
	answer(&k, FDS);
	assert_int_equal(made.descriptors_max, 2000);
	cuts(&k, OTHER, 800);
	look(&k);
	assert_int_equal(made.pid, OTHER);
	assert_int_equal(made.descriptors_max, 2000 - FDS);
	needed = 1990;
	answer(&k, 0);
	assert_int_equal(made.closed, 1);
	assert_int_equal(made.asked, 3);
	assert_int_equal(made.pid, OTHER);
	assert_int_equal(made.descriptors_max, 2000);
	assert_null(stack_choice_notice(&k.sp));
	close_room(&k);
}

/* Which can be called anything. */
static void
what_names_a_process_is_one_line(void **state)
{
	struct buf b = { 0 };
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	tell_comm(k.b.model, PID, PID, "a\nb", false);
	tell_comm(k.b.model, OTHER, OTHER, "c\nd", false);
	cuts(&k, PID, 8);
	look(&k);
	answer(&k, FDS);
	cuts(&k, OTHER, 800);
	look(&k);
	needed = 2001;
	answer(&k, 0);
	stack_choice_put(&k.sp, &b);
	assert_non_null(strstr(buf_str(&b), "process 100 a\\x0ab has deep stacks"));
	assert_non_null(strstr(stack_choice_notice(&k.sp), "process 200 c\\x0ad stay cut"));
	buf_release(&b);
	close_room(&k);
}

/* What would not be enough is left to who has it. */
static void
who_needs_too_many_takes_none_from_others(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	cuts(&k, PID, 8);
	look(&k);
	answer(&k, FDS);
	cuts(&k, OTHER, 800);
	look(&k);
	needed = 2001;
	answer(&k, 0);
	assert_int_equal(made.closed, 0);
	assert_int_equal(made.asked, 2);
	assert_non_null(strstr(stack_choice_notice(&k.sp), "process 200 load stay cut"));
	close_room(&k);
}

/* Its second event is as it was opened, for some seconds. */
static void
another_frequency_starves_nobody(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	rate = 199;
	give_copies(&k);
	sample(&k, own_id(), PID, false);
	rate = 999;
	for (int i = 0; i < 4; i++) {
		for (int n = 0; n < 100; n++) {
			sample(&k, ALL_ID, PID, false);
			if (n % 5 == 0)
				sample(&k, own_id(), PID, false);
		}
		look(&k);
	}
	assert_int_equal(made.closed, 0);
	close_room(&k);
}

static void
a_refusal_holds_while_its_process_lives(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	cuts(&k, PID, 20);
	look(&k);
	answer(&k, 0);
	look(&k);
	assert_non_null(stack_choice_notice(&k.sp));
	tell_exit(k.b.model, PID, PID, 0, clock_mono_ns());
	look(&k);
	assert_null(stack_choice_notice(&k.sp));

	cuts(&k, OTHER, 20);
	look(&k);
	answer(&k, 0);
	assert_non_null(stack_choice_notice(&k.sp));
	k.sp.chains = CALL_GRAPH_FP;
	look(&k);
	assert_null(stack_choice_notice(&k.sp));
	close_room(&k);
}

/* A PMU that has no counter left for one event may have one for another. */
static void
another_event_is_tried_anew(void **state)
{
	unsigned asked;
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	cuts(&k, PID, 20);
	look(&k);
	answer(&k, 0);
	asked = made.asked;
	cuts(&k, PID, 20);
	look(&k);
	assert_non_null(stack_choice_notice(&k.sp));
	assert_int_equal(made.asked, asked);
	stack_choice_end_event(&k.sp, 0);
	assert_null(stack_choice_notice(&k.sp));
	cuts(&k, PID, 20);
	look(&k);
	assert_int_equal(made.asked, asked + 1);
	close_room(&k);
}

/* Its first thread has ended; the others go on. */
static void
a_process_without_its_first_thread_has_copies(void **state)
{
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	tell_fork(k.b.model, PID, PID, PID, PID + 1, clock_mono_ns());
	give_copies(&k);
	tell_exit(k.b.model, PID, PID, 0, clock_mono_ns());
	look(&k);
	assert_int_equal(stack_choice_processes(k.sp.stacks), 1);
	tell_exit(k.b.model, PID, PID + 1, 0, clock_mono_ns());
	look(&k);
	assert_int_equal(stack_choice_processes(k.sp.stacks), 0);
	close_room(&k);
}

/* Those of the first layout, too: what waits is read by it. */
static void
each_id_leads_to_its_layout(void **state)
{
	const struct event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID };
	struct {
		struct perf_event_header head;
		uint64_t id;
	} record = { { PERF_RECORD_SAMPLE, 0, sizeof(record) }, ALL_ID };
	const struct bytes bytes = { (const uint8_t *)&record, sizeof(record) };
	const struct record_layouts *layouts;
	struct room k;

	(void)state;
	open_room(&k, SESSION_SYSTEM);
	layouts = sample_ids_layouts(k.sp.ids);
	sample_ids_add(k.sp.ids, &(struct sample_id){ .id = OWN_ID }, sample_ids_layout(k.sp.ids, &attr));
	assert_int_equal(record_layouts_event(layouts, bytes), 0);
	record.id = OWN_ID;
	assert_int_equal(record_layouts_event(layouts, bytes), 1);
	record.id = OWN_ID + 1;
	assert_int_equal(record_layouts_event(layouts, bytes), UINT32_MAX);
	close_room(&k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_own_samples_count_from_the_second_on),
		cmocka_unit_test(a_sample_from_before_does_not_begin_it),
		cmocka_unit_test(without_a_counter_of_its_own_nothing_is_lost),
		cmocka_unit_test(a_counter_that_is_lost_is_noticed),
		cmocka_unit_test(what_names_a_process_is_one_line),
		cmocka_unit_test(few_cut_samples_are_enough_in_the_end),
		cmocka_unit_test(few_of_many_are_not_enough),
		cmocka_unit_test(what_is_seldom_cut_is_forgotten),
		cmocka_unit_test(many_that_end_do_not_hide_one),
		cmocka_unit_test(few_samples_are_enough_for_more),
		cmocka_unit_test(larger_is_more_than_what_all_have),
		cmocka_unit_test(threads_that_were_named_stay_alone),
		cmocka_unit_test(what_is_detached_has_no_copies_any_more),
		cmocka_unit_test(who_weighs_more_gets_the_descriptors),
		cmocka_unit_test(who_needs_too_many_takes_none_from_others),
		cmocka_unit_test(another_frequency_starves_nobody),
		cmocka_unit_test(a_refusal_holds_while_its_process_lives),
		cmocka_unit_test(another_event_is_tried_anew),
		cmocka_unit_test(a_process_without_its_first_thread_has_copies),
		cmocka_unit_test(each_id_leads_to_its_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
