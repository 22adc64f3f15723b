/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How call chains are taken is changed while the real engine samples: nothing is lost or twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/config.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"

struct listener {
	struct queue *answers;
	struct engine *engine;
	struct snapshot *last;
	struct config config;
};

/* Takes what the engine answers for @ms. */
static void
listen(struct listener *l, unsigned ms)
{
	uint64_t until = clock_mono_ns() + ms * NSEC_PER_MSEC;

	while (clock_mono_ns() < until) {
		struct msg *m = queue_wait(l->answers, 20);
		struct engine_snapshot_msg *sm = (struct engine_snapshot_msg *)m;

		if (m != NULL && m->type == ENGINE_MSG_SNAPSHOT) {
			snapshot_put(l->last);
			l->last = sm->snapshot;
			sm->snapshot = NULL;
		}
		msg_free(m);
	}
}

static void
start(struct listener *l, char **argv, int argc)
{
	struct err err = { 0 };
	struct query query;

	l->answers = queue_new();
	assert_int_equal(config_parse(&l->config, argc, argv, &err), 0);
	l->config.batch = false;
	l->config.engine.is_watched = true;
	config_query(&l->config, &query);
	query.all_events = false;
	l->engine = engine_start(&l->config.engine, &query, l->answers, &err);
	if (l->engine == NULL)
		fail_msg("%s", err.text);
}

static void
end(struct listener *l)
{
	snapshot_put(l->last);
	engine_stop(l->engine, NULL);
	for (struct msg *m; (m = queue_take(l->answers)) != NULL;)
		msg_free(m);
	queue_free(l->answers);
	config_release(&l->config);
}

static double
period_of(const struct snapshot *s, pid_t pid)
{
	double sum = 0;

	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].pid == pid)
			sum += (double)s->rows[i].period;
	return sum;
}

static void
each_way_takes_over_without_a_gap(void **state)
{
	static char *argv[] = { "ptop", "--budget", "off", "-w", "all", "-d", "0.3", "-m", "1024",
				"-e", "cpu-clock", "--by", "pid", NULL };
	static const enum event_call_graph ways[] = {
		CALL_GRAPH_FP, CALL_GRAPH_DWARF, CALL_GRAPH_NONE, CALL_GRAPH_AUTO, CALL_GRAPH_NONE,
		CALL_GRAPH_DWARF, CALL_GRAPH_FP, CALL_GRAPH_AUTO,
	};
	struct listener l = { 0 };
	double before, used, all;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("nested");
	start(&l, argv, ARRAY_SIZE(argv) - 1);
	/* What it did before sampling began is not in the sums. */
	listen(&l, 1000);
	kill(load, SIGSTOP);
	listen(&l, 1000);
	assert_non_null(l.last);
	used = run_cpu_s(load);
	before = period_of(l.last, load);
	kill(load, SIGCONT);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		engine_set_call_graph(l.engine, ways[i]);
		listen(&l, 600);
		assert_int_equal(l.last->head.call_graph, ways[i]);
	}
	kill(load, SIGSTOP);
	used = run_cpu_s(load) - used;
	listen(&l, 1000);
	run_end(load);
	all = period_of(l.last, load) - before;
	print_message("# %.3f s of %.3f s, %llu lost\n", all / 1e9, used,
		      (unsigned long long)l.last->head.losses[LOSS_SAMPLES]);
	assert_int_equal(l.last->head.losses[LOSS_SIDEBAND], 0);
	/* utime is of ticks of 10 ms, eight samples may be under way at the changes. */
	assert_that(all / 1e9, >, used * 0.99 - 0.03);
	assert_that(all / 1e9, <, used * 1.01 + 0.03);
	end(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_takes_over_without_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
