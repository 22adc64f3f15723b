/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How call chains are taken is changed while the real engine samples: events with a way of their own,
 * groups, and targets that come later.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/asserts.h"
#include "tests/listener.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60 };

static void
need_unwinding(void)
{
	need_root();
#if !defined(__x86_64__) && !defined(__aarch64__)
	skip_for("stacks of this machine are not unwound");
#endif
}

/* Stacks of all events, of what is in the window. */
static void
ask_stacks(struct listener *l)
{
	struct query query;

	config_query(&l->config, &query);
	query.stacks = query.all_events = true;
	engine_query(l->engine, &query);
}

/* Samples of the event whose name begins so, and one name of tasks. */
struct sum {
	double all, whole; /* of these from main on */
	double self;       /* of these without a caller in the program */
};

static struct sum
sum_of(const struct snapshot *s, const char *event, const char *comm)
{
	bool is_event = false, is_comm = false, has_main = false;
	struct sum sum = { 0 };

	for (size_t i = 0; i < s->frame_count; i++) {
		const struct snapshot_frame *f = &s->frames[i];

		if (f->depth == 0)
			is_event = strncmp(f->name, event, strlen(event)) == 0;
		if (f->depth == 1)
			is_comm = strcmp(f->name, comm) == 0;
		/* Its callers are fewer than five, whatever the C library calls them. */
		if (f->depth <= 5)
			has_main = (has_main && f->depth > 2) || strcmp(f->name, "main") == 0;
		if (!is_event || !is_comm)
			continue;
		sum.all += (double)f->samples;
		sum.whole += has_main ? (double)f->samples : 0;
		sum.self += f->depth == 2 ? (double)f->samples : 0;
	}
	return sum;
}

enum { IS_WHOLE, IS_CUT, IS_ALONE };

/* Waits until the stacks of an event are so. */
static void
becomes(struct listener *l, const char *event, const char *comm, int how)
{
	uint64_t until = clock_mono_ns() + PATIENCE_S * NSEC_PER_SEC;
	struct sum s = { 0 };

	while (clock_mono_ns() < until) {
		listen_for(l, 300);
		if (l->last == NULL)
			continue;
		s = sum_of(l->last, event, comm);
		/* Handlers on another stack interrupt what is not in the copy. */
		if (s.all > 30 && ((how == IS_WHOLE && s.whole > s.all * 0.8) ||
				   (how == IS_CUT && s.whole < s.all * 0.2) ||
				   (how == IS_ALONE && s.self > s.all * 0.9)))
			return;
	}
	fail_msg("%s of %s is not %d: of %.0f whole %.0f, alone %.0f", event, comm, how, s.all, s.whole,
		 s.self);
}

/* Its term says how its own chains are taken; the others follow the key. */
static void
an_event_with_a_way_of_its_own_keeps_it(void **state)
{
	static char *argv[] = { "ptop", "--budget", "off", "-w", "1", "-d", "0.3", "-m", "1024",
				"-g", "fp", "-e", "cpu-clock", "-e", "task-clock/call-graph=dwarf/",
				NULL };
	static const struct {
		enum event_call_graph way;
		int is;
	} steps[] = {
		{ CALL_GRAPH_NONE, IS_ALONE }, { CALL_GRAPH_DWARF, IS_WHOLE },
		{ CALL_GRAPH_FP, IS_CUT }, { CALL_GRAPH_AUTO, IS_WHOLE },
	};
	struct listener l;
	pid_t load;

	(void)state;
	need_unwinding();
	load = run_load("nested");
	listener_start(&l, argv, ARRAY_SIZE(argv) - 1);
	ask_stacks(&l);
	becomes(&l, "cpu-clock", "nested", IS_CUT);
	becomes(&l, "task-clock", "nested", IS_WHOLE);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		engine_set_call_graph(l.engine, steps[i].way);
		becomes(&l, "cpu-clock", "nested", steps[i].is);
		becomes(&l, "task-clock", "nested", IS_WHOLE);
	}
	run_end(load);
	listener_end(&l);
}

/*
 * Both of a group go together, and each counts on.  What others do may be too much for a ring.  The period
 * is one at which there are copies of stacks.
 */
static void
a_group_stays_one(void **state)
{
	char pid[16];
	char *argv[] = { "ptop", "--budget", "off", "-w", "3", "-d", "0.3", "-m", "1024", "-p", pid,
			 "-g", "none", "-e", "{cpu-clock,page-faults/period=120/}", NULL };
	static const struct {
		enum event_call_graph way;
		bool has_callers;
	} steps[] = {
		{ CALL_GRAPH_DWARF, true }, { CALL_GRAPH_NONE, false }, { CALL_GRAPH_AUTO, true },
	};
	static const char *const events[] = { "cpu-clock", "page-faults" };
	struct listener l;
	pid_t load;

	(void)state;
	need_unwinding();
	load = run_load("faults");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	listener_start(&l, argv, ARRAY_SIZE(argv) - 1);
	ask_stacks(&l);
	becomes(&l, "page-faults", "faults", IS_ALONE);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		engine_set_call_graph(l.engine, steps[i].way);
		for (size_t k = 0; k < ARRAY_SIZE(events); k++)
			becomes(&l, events[k], "faults", steps[i].has_callers ? IS_WHOLE : IS_ALONE);
		assert_int_equal(l.last->event_count, ARRAY_SIZE(events));
		assert_int_equal(l.last->head.losses[LOSS_SIDEBAND], 0);
	}
	run_end(load);
	listener_end(&l);
}

/* Where tasks have events of their own, one that comes later has them as the others have now. */
static void
what_is_attached_later_takes_the_new_way(void **state)
{
	char target[16];
	char *argv[] = { "ptop", "--budget", "off", "-w", "1", "-d", "0.3", "-m", "1024", "-g", "fp",
			 "-e", "cpu-clock", "-p", target, NULL };
	struct listener l;
	pid_t loads[2];

	(void)state;
	need_unwinding();
	loads[0] = run_load("hot");
	snprintf(target, sizeof(target), "%d", (int)loads[0]);
	listener_start(&l, argv, ARRAY_SIZE(argv) - 1);
	ask_stacks(&l);
	listen_for(&l, 1000);
	loads[1] = run_load("nested");
	engine_set_call_graph(l.engine, CALL_GRAPH_DWARF);
	engine_attach(l.engine, loads[1], true);
	becomes(&l, "cpu-clock", "nested", IS_WHOLE);
	becomes(&l, "cpu-clock", "hot", IS_WHOLE);
	engine_set_call_graph(l.engine, CALL_GRAPH_NONE);
	becomes(&l, "cpu-clock", "nested", IS_ALONE);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		run_end(loads[i]);
	listener_end(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_with_a_way_of_its_own_keeps_it),
		cmocka_unit_test(a_group_stays_one),
		cmocka_unit_test(what_is_attached_later_takes_the_new_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
