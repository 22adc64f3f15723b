/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU 1 goes off line and on again while it is sampled, recorded and counted. */
#include "session_fixture.h"

#include "base/clock.h"
#include "live/count/counter.h"
#include "tests/csv.h"
#include "run.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cpu_1.h"
#include "tests/asserts.h"

enum {
	TIMES = 5, OFF_MS = 60, ALIVE_MS = 30000, SOON_MS = 1000, LOOPS_MAX = 256,
	REPORTS_MAX = 96,
};

static int
put_back(void **state)
{
	cpu_1_put_back();
	return session_teardown(state);
}

static void
need_cpu_1(void)
{
	need_root();
	cpu_1_need();
}

static long
cpus_on_line(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

/* As the notice says it while CPU 1 is off. */
static const char *
notice_of(char *text, size_t size, long cpus)
{
	snprintf(text, size, "CPU 1 is off line: %ld of %ld CPUs are sampled", cpus - 1, cpus);
	return text;
}

/* Its ids become those of the event that is looked for. */
static void
take_rings(struct fixture *f, struct session_rings_msg *m)
{
	size_t n;
	struct session_ring *rings;

	if (m->id_count > 0) {
		memcpy(f->ids[1], m->ids, m->id_count * sizeof(*m->ids));
		f->id_counts[1] = m->id_count;
	}
	session_adopt_rings(f->session, m);
	msg_free(&m->msg);
	rings = session_rings(f->session, &n);
	for (size_t i = n; i-- > 0;) {
		if (rings[i].is_closing)
			session_drop_ring(f->session, i);
	}
}

/* Until there are samples of the descriptors opened last, and of others: how long that took. */
static uint64_t
wait_for_samples(struct fixture *f)
{
	uint64_t begin = clock_mono_ns(), now = begin;

	memset(&f->seen, 0, sizeof(f->seen));
	do {
		struct msg *m = queue_wait(f->answers, 1);

		if (m != NULL) {
			assert_int_equal(m->type, SESSION_MSG_RINGS);
			take_rings(f, (struct session_rings_msg *)m);
		}
		drain(f);
		now = clock_mono_ns();
		if (f->seen.by_id[1] > 0 && f->seen.by_id[0] > 0)
			return now - begin;
	} while (now - begin < ALIVE_MS * NSEC_PER_MSEC);
	fail_msg("no samples of CPU 1 %d ms after it came back", ALIVE_MS);
	return 0;
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Off, for so long, and on again; the messages are taken after that. */
static void
is_sampled_again_each_time(struct fixture *f, unsigned off_ms)
{
	size_t before = count_descriptors();
	uint64_t took_ns[TIMES];

	for (int i = 0; i < TIMES; i++) {
		int child;

		f->id_counts[1] = 0;
		assert_true(cpu_1_set("0"));
		sleep_ms(off_ms);
		assert_true(cpu_1_set("1"));
		/* Timers of an idle virtual CPU may not come in time: keep it busy. */
		child = spin_on(1);
		took_ns[i] = wait_for_samples(f);
		run_end(child);
	}
	qsort(took_ns, TIMES, sizeof(*took_ns), compare);
	print_message("# samples again after %.0f ms, %.0f at most\n", (double)took_ns[TIMES / 2] / 1e6,
		      (double)took_ns[TIMES - 1] / 1e6);
	assert_in_range(took_ns[TIMES / 2], 0, SOON_MS * NSEC_PER_MSEC);
	/* The closer may still have some of them. */
	for (int i = 0; i < 100 && count_descriptors() > before; i++)
		sleep_ms(20);
	assert_in_range(count_descriptors(), 1, before);
}

static void
a_cpu_that_goes_and_comes_back_is_sampled_again(void **state)
{
	struct fixture *f = *state;

	need_cpu_1();
	begin(f);
	open_event_as(f, 0, "cpu-clock");
	f->child = spin();
	is_sampled_again_each_time(f, OFF_MS);
}

/* When ptop looks, the list of CPUs is what it was: only the kernel's messages tell. */
static void
a_cpu_that_is_back_before_anybody_looks_is_sampled_again(void **state)
{
	struct fixture *f = *state;

	need_cpu_1();
	begin(f);
	open_event_as(f, 0, "cpu-clock");
	f->child = spin();
	is_sampled_again_each_time(f, 0);
}

static void
tasks_are_sampled_on_a_cpu_that_comes_back(void **state)
{
	struct fixture *f = *state;
	int pids[1];

	need_cpu_1();
	pids[0] = f->child = spin();
	f->config.pids = pids;
	f->config.pid_count = 1;
	begin(f);
	assert_int_equal(session_scope(f->session), SESSION_TASKS);
	open_event_as(f, 0, "cpu-clock");
	for (int i = 0; i < TIMES; i++) {
		f->pid = f->child;
		assert_true(cpu_1_set("0"));
		sleep_ms(OFF_MS);
		assert_true(cpu_1_set("1"));
		memset(&f->seen, 0, sizeof(f->seen));
		for (int ms = 0; ms < ALIVE_MS && f->seen.samples_of_pid < 20; ms += 20) {
			struct msg *m = queue_take(f->answers);

			if (m != NULL)
				take_rings(f, (struct session_rings_msg *)m);
			drain_for(f, 20);
		}
		assert_that(f->seen.samples_of_pid, >=, 20);
	}
}

static void
a_missing_cpu_is_told_as_long_as_it_is_off_line(void **state)
{
	struct fixture *f = *state;
	long cpus = cpus_on_line();
	char notice[80];
	struct msg *m;

	need_cpu_1();
	begin(f);
	assert_int_equal(session_cpus_known(f->session), cpus);
	assert_null(session_notice(f->session, 0));
	assert_true(cpu_1_set("0"));
	m = wait_for(f, SESSION_MSG_RINGS, WAIT_MS);
	cpu_1_set("1");
	assert_non_null(m);
	take_rings(f, (struct session_rings_msg *)m);
	assert_int_equal(session_cpus_known(f->session), cpus);
	assert_string_equal(session_notice(f->session, 0), notice_of(notice, sizeof(notice), cpus));
	for (int i = 0; i < 5 && session_notice(f->session, 0) != NULL; i++) {
		m = wait_for(f, SESSION_MSG_RINGS, WAIT_MS);
		assert_non_null(m);
		take_rings(f, (struct session_rings_msg *)m);
	}
	assert_null(session_notice(f->session, 0));
}

/* What became of CPU 1 while ptop ran. */
struct changes {
	uint64_t off_ns, last_ns; /* how long it was off line in all; when it was back at last */
	uint64_t end_ns;          /* when ptop ended */
};

/* While the parent runs ptop: off and on again, so many times from a second on. */
static int
change_meanwhile(int times, unsigned off_ms, struct changes *c)
{
	int pid = run_fork();

	if (pid == 0) {
		sleep_ms(1000);
		for (int i = 0; i < times; i++) {
			uint64_t begin = clock_mono_ns();
			bool ok = cpu_1_set("0");

			sleep_ms(off_ms);
			if (!cpu_1_set("1") || !ok)
				_exit(1);
			c->last_ns = clock_mono_ns();
			c->off_ns += c->last_ns - begin;
			sleep_ms(off_ms);
		}
		_exit(0);
	}
	return pid;
}

static struct changes
run_meanwhile(struct run_result *r, int times, unsigned off_ms, char *const argv[])
{
	struct changes *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0), changes;
	int loops[LOOPS_MAX], status, pid = change_meanwhile(times, off_ms, shared);
	long count = MIN(cpus_on_line(), LOOPS_MAX);

	for (long i = 0; i < count; i++)
		loops[i] = spin();
	run_program(r, 120, argv);
	shared->end_ns = clock_mono_ns();
	waitpid(pid, &status, 0);
	for (long i = 0; i < count; i++)
		run_end(loops[i]);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(WIFEXITED(r->status));
	assert_int_equal(WEXITSTATUS(r->status), 0);
	changes = *shared;
	munmap(shared, sizeof(*shared));
	return changes;
}

/* The samples of a CPU in the last report: the rows of the latest time. */
static double
last_samples(const char *text, const char *cpu)
{
	double latest = -1, sum = 0;
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c)) {
		if (csv_number(&c, "time") > latest)
			sum = 0;
		latest = csv_number(&c, "time");
		if (strcmp(csv_field(&c, "cpu"), cpu) == 0)
			sum += csv_number(&c, "samples");
	}
	csv_release(&c);
	return sum;
}

static void
reports_have_both_cpus_again(void **state)
{
	char reports[16];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "--budget", "off", "-n", reports, "-d",
			 "0.7", "-F", "499", "-e", "cpu-clock", "--by", "cpu", "--format", "csv", NULL };
	struct run_result r;

	(void)state;
	need_cpu_1();
	/* On a busy machine the changes take longer: both are on line in all of the last report. */
	for (unsigned n = 6;; n *= 2) {
		struct changes c;

		snprintf(reports, sizeof(reports), "%u", n);
		c = run_meanwhile(&r, TIMES, 100, argv);
		if (c.end_ns > c.last_ns + NSEC_PER_SEC || n >= REPORTS_MAX)
			break;
		run_release(&r);
	}
	/* As many of each: other programs run, too, but CPUs do not care for whom. */
	assert_that(last_samples(r.out, "0"), >, 0);
	assert_that(last_samples(r.out, "1"), >, last_samples(r.out, "0") / 4);
	assert_that(last_samples(r.out, "0"), >, last_samples(r.out, "1") / 4);
	run_release(&r);
}

static void
a_report_tells_that_a_cpu_is_off_line(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "8", "-d", "0.3", "-e",
			 "cpu-clock", "--by", "cpu", NULL };
	long cpus = cpus_on_line();
	char notice[80];
	struct run_result r;

	(void)state;
	need_cpu_1();
	/* At least one report falls into each time that it is off line. */
	run_meanwhile(&r, 2, 400, argv);
	assert_non_null(strstr(r.err, notice_of(notice, sizeof(notice), cpus)));
	run_release(&r);
}

static void
a_recording_goes_on(void **state)
{
	char path[] = "/tmp/ptop-hotplug-XXXXXX";
	int fd = mkstemp(path);
	char *record[] = { (char *)(uintptr_t)run_ptop(), "-b", "--budget", "off", "-n", "4", "-d", "0.7",
			   "-F", "499", "-e", "cpu-clock", "-r", path, NULL };
	char *reread[] = { (char *)(uintptr_t)run_ptop(), "-b", "-i", path, "--by", "cpu",
			   "--format", "csv", NULL };
	const char *const first[][2] = { { "cpu", "0" } }, *const second[][2] = { { "cpu", "1" } };
	struct run_result r;
	struct changes c;
	double of_first;

	(void)state;
	assert_that(fd, >=, 0);
	close(fd);
	unlink(path);
	need_cpu_1();
	c = run_meanwhile(&r, TIMES, 50, record);
	run_release(&r);
	run_program(&r, 60, reread);
	unlink(path);
	assert_int_equal(WEXITSTATUS(r.status), 0);
	of_first = run_csv_sum(r.out, "period", 1, first);
	assert_that(of_first, >, 0);
	assert_that(run_csv_sum(r.out, "period", 1, second), >, (of_first - (double)c.off_ns) / 2);
	run_release(&r);
}

/* Of some 300 ms what the machine has counted a second, as reckoned since the reading before. */
static double
cpus_counted(struct counters *c, struct counter_value *before)
{
	struct counter_value now;
	uint64_t from_ns = counters_read(c, before), ns, to_ns;
	bool is_scaled;

	sleep_ms(300);
	to_ns = counters_read(c, &now);
	assert_true(counter_between(before, &now, &ns, &is_scaled));
	assert_false(is_scaled);
	return (double)ns / (double)(to_ns - from_ns);
}

/* Who reads may be kept waiting between two CPUs: then that is asked again. */
static void
assert_all_count(struct counters *c, struct counter_value *before, double cpus)
{
	double counted = 0;

	for (int tries = 0; tries < 10 && counted <= cpus - 0.2; tries++)
		counted = cpus_counted(c, before);
	assert_that(counted, >, cpus - 0.2);
}

/* Of every CPU a clock: they count as many seconds a second as there are CPUs on line. */
static void
counters_of_the_machine_go_on(void **state)
{
	struct fixture *f = *state;
	const struct counter_target machine = { .pid = 0 };
	struct event ev = event_of("cpu-clock");
	struct counter_value first, before;
	double cpus = (double)cpus_on_line();
	struct counters *c;

	need_cpu_1();
	c = counters_open(NULL, &f->config.env, &machine, &ev, 1, &f->err);
	assert_non_null(c);
	assert_all_count(c, &first, cpus);
	for (int i = 0; i < 2; i++) {
		uint64_t so_far;

		counters_read(c, &first);
		so_far = first.raw;
		assert_true(cpu_1_set("0"));
		sleep_ms(i * OFF_MS);
		assert_true(cpu_1_set("1"));
		assert_all_count(c, &before, cpus);
		assert_that(before.raw, >=, so_far); /* what was counted stays */
	}
	counters_close(c);
	event_release(&ev);
}

#define HOTPLUG_TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, put_back)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		HOTPLUG_TEST(a_cpu_that_goes_and_comes_back_is_sampled_again),
		HOTPLUG_TEST(a_cpu_that_is_back_before_anybody_looks_is_sampled_again),
		HOTPLUG_TEST(tasks_are_sampled_on_a_cpu_that_comes_back),
		HOTPLUG_TEST(a_missing_cpu_is_told_as_long_as_it_is_off_line),
		HOTPLUG_TEST(reports_have_both_cpus_again),
		HOTPLUG_TEST(a_report_tells_that_a_cpu_is_off_line),
		HOTPLUG_TEST(a_recording_goes_on),
		HOTPLUG_TEST(counters_of_the_machine_go_on),
	};

	return cmocka_run_group_tests(tests, cpu_1_guard, NULL);
}
