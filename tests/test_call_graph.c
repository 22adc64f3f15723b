/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How call chains are taken is changed while the real engine samples: nothing is lost or twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/asserts.h"
#include "tests/listener.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60 };

/* What a hypervisor took of all CPUs: the clock of the event goes on then, times of tasks do not. */
static double
stolen_s(void)
{
	unsigned long ticks = 0;
	FILE *f = fopen("/proc/stat", "re");

	assert_non_null(f);
	if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %lu", &ticks) != 1)
		ticks = 0;
	fclose(f);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
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
	struct listener l;
	double before, used, all, stolen;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("nested");
	assert_that(load, >, 0); /* -1 would be stopped, which is all that runs here */
	listener_start(&l, argv, ARRAY_SIZE(argv) - 1);
	/* What it did before sampling began is not in the sums. */
	listen_for(&l, 1000);
	kill(load, SIGSTOP);
	listen_for(&l, 1000);
	assert_non_null(l.last);
	used = run_cpu_s(load);
	stolen = stolen_s();
	before = period_of(l.last, load, NULL);
	kill(load, SIGCONT);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		engine_set_call_graph(l.engine, ways[i]);
		for (unsigned ms = 0; ms < PATIENCE_S * 1000; ms += 600) {
			listen_for(&l, 600);
			if (l.last->head.call_graph == ways[i])
				break;
		}
		assert_int_equal(l.last->head.call_graph, ways[i]);
	}
	kill(load, SIGSTOP);
	used = run_cpu_s(load) - used;
	stolen = stolen_s() - stolen;
	listen_for(&l, 1000);
	run_end(load);
	all = period_of(l.last, load, NULL) - before;
	print_message("# %.3f s of %.3f s, %.3f s stolen, %llu lost\n", all / 1e9, used, stolen,
		      (unsigned long long)l.last->head.losses[LOSS_SAMPLES]);
	assert_int_equal(l.last->head.losses[LOSS_SIDEBAND], 0);
	/* utime is of ticks of 10 ms, eight samples may be under way at the changes. */
	assert_that(all / 1e9, >, used * 0.99 - 0.03);
	assert_that(all / 1e9, <, used * 1.01 + 0.03 + stolen);
	listener_end(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_takes_over_without_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
