/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing is lost unsaid: what the kernel counted of an event on a CPU, each time of which is a
 * sample, is what came as samples, what was left out and what was lost, to the one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <config.h>

#include "base/file.h"
#include "base/util.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"

#ifdef HAVE_JANSSON

#include <jansson.h>

enum { PATIENCE_S = 60, SETTLED_MS = 400, GETPIDS = 1000, CALLS = 1234, ARGS_MAX = 32 };

#define FLOOD "raw_syscalls:sys_enter"

/* What the last report says of all its events. */
struct totals {
	json_int_t counted, samples, lost, left_out;
	json_int_t rows; /* samples of all rows */
};

static void
need_tracepoint(const char *name)
{
	char *argv[] = { (char *)run_ptop(), "--explain-event", (char *)name, NULL };
	struct run_result r;
	bool is_there;

	if (geteuid() != 0)
		skip_for("not root");
	run_program(&r, PATIENCE_S, argv);
	is_there = r.status == 0;
	if (!is_there)
		print_message("# %s", r.err);
	run_release(&r);
	if (!is_there)
		skip();
}

static json_int_t
number(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("no number '%s'", key);
	return json_integer_value(value);
}

/* The text of the last report: each is a line. */
static const char *
last_line(char *out)
{
	size_t len = strlen(out);
	char *before;

	if (len > 0)
		out[len - 1] = '\0';
	before = strrchr(out, '\n');
	return before != NULL ? before + 1 : out;
}

/* The sums of each CPU are equal, but for what is left out, of which only the sum is known. */
static void
take_event(const json_t *event, struct totals *t)
{
	json_int_t left_out = number(event, "left_out"), missing = 0;
	size_t i;
	json_t *cpu;

	json_array_foreach(json_object_get(event, "cpus"), i, cpu) {
		json_int_t counted = number(cpu, "counted"), lost = number(cpu, "lost");
		json_int_t samples = number(cpu, "samples");

		if (counted < samples + lost || (left_out == 0 && counted != samples + lost))
			fail_msg("%s, cpu %d: %lld counted, %lld samples, %lld lost",
				 json_string_value(json_object_get(event, "name")),
				 (int)number(cpu, "cpu"), (long long)counted, (long long)samples,
				 (long long)lost);
		missing += counted - samples - lost;
		t->counted += counted;
		t->samples += samples;
		t->lost += lost;
	}
	assert_int_equal(missing, left_out);
	assert_that(i, >, 0);
	t->left_out += left_out;
}

static void
take_report(struct run_result *r, struct totals *t)
{
	json_t *report = json_loads(last_line(r->out), 0, NULL), *event, *row;
	size_t i;

	*t = (struct totals){ 0 };
	if (report == NULL)
		fail_msg("status %d: %s%s", r->status, r->out, r->err);
	json_array_foreach(json_object_get(report, "events"), i, event)
		take_event(event, t);
	json_array_foreach(json_object_get(report, "rows"), i, row)
		t->rows += number(row, "samples");
	json_decref(report);
	/* What was lost is said, and nothing that nobody can explain. */
	assert_true((strstr(r->err, "samples lost in full rings") != NULL) == (t->lost > 0));
	assert_null(strstr(r->err, "neither sampled nor reported lost"));
}

/* ptop -b -c 1 --format json with more arguments, NULL at the end. */
static void
sample(struct run_result *r, struct totals *t, const char *first, ...)
{
	char *argv[ARGS_MAX] = { (char *)run_ptop(), "-b", "-c", "1", "--format", "json",
				 (char *)first };
	size_t n = 7;
	va_list args;

	va_start(args, first);
	while ((argv[n] = va_arg(args, char *)) != NULL)
		assert_that(++n, <, ARGS_MAX);
	va_end(args);
	run_program(r, PATIENCE_S, argv);
	take_report(r, t);
}

static void
what_happens_a_known_number_of_times_is_all_there(void **state)
{
	struct run_result r;
	struct totals t;

	(void)state;
	need_tracepoint("syscalls:sys_enter_getpid");
	sample(&r, &t, "-m", "1024", "-e", "syscalls:sys_enter_getpid", "--", "tests/loads/exact",
	       "getpid", NULL);
	assert_int_equal(t.counted, GETPIDS);
	assert_int_equal(t.samples, GETPIDS);
	assert_int_equal(t.rows, GETPIDS);
	assert_int_equal(t.lost, 0);
	run_release(&r);
}

/* The smallest rings, large samples, no pause: nearly all are lost. */
static void
a_flood_is_explained_to_the_one(void **state)
{
	struct run_result r;
	struct totals t;

	(void)state;
	need_tracepoint(FLOOD);
	sample(&r, &t, "-m", "1", "-g", "fp", "-e", FLOOD, "--", "tests/loads/syscalls", "700",
	       NULL);
	assert_that(t.lost, >, 1000);
	assert_that(t.samples, >, 0);
	assert_int_equal(t.rows, t.samples);
	run_release(&r);
}

static void
a_flood_of_the_whole_machine_is_explained_to_the_one(void **state)
{
	static const char *const pages[] = { "1", "32" };
	pid_t loads[2];

	(void)state;
	need_tracepoint(FLOOD);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		loads[i] = run_load("syscalls");
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		struct run_result r;
		struct totals t;

		sample(&r, &t, "-m", pages[i], "-n", "2", "-d", "0.5", "-g", "fp", "-e", FLOOD,
		       "-e", "sched:sched_switch", "--by", "cpu", NULL);
		/* The larger rings hold it all where system calls are dear. */
		if (i == 0)
			assert_that(t.lost, >, 100);
		/* The rows are of the last report alone, the sums of both. */
		assert_that(t.rows, >, 0);
		assert_that(t.rows, <, t.samples);
		run_release(&r);
	}
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		run_end(loads[i]);
}

static void
read_all(const char *path, char **text)
{
	struct buf b = { 0 };

	assert_int_equal(file_read(path, &b, 1 << 20), 0);
	unlink(path);
	*text = mem_strdup(buf_str(&b));
	buf_release(&b);
}

/* A ptop that goes on until it is told to end. */
struct endless {
	char out[32], err[32];
	pid_t pid;
	int events; /* that it has open */
};

/* ptop -b -c 1 --format json with @more arguments; its events are open then. */
static void
begin_sampling(struct endless *s, char *const more[])
{
	char *argv[ARGS_MAX] = { (char *)run_ptop(), "-b", "-c", "1", "--format", "json", "-d", "600" };
	int out, err;

	for (size_t n = 8; *more != NULL; more++) {
		argv[n] = *more;
		assert_that(++n, <, ARGS_MAX);
	}
	*s = (struct endless){ .out = "/tmp/ptop-totals-XXXXXX", .err = "/tmp/ptop-totals-XXXXXX" };
	out = mkstemp(s->out);
	err = mkstemp(s->err);
	s->pid = run_fork();
	if (s->pid == 0) {
		dup2(out, 1);
		dup2(err, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	close(out);
	close(err);
	s->events = run_settled_events(s->pid, SETTLED_MS);
	assert_that(s->events, >, 0);
}

/* By a signal, after some more samples. */
static void
end_sampling(struct endless *s, struct run_result *r, struct totals *t)
{
	usleep(500000);
	kill(s->pid, SIGINT);
	assert_int_equal(waitpid(s->pid, &r->status, 0), s->pid);
	read_all(s->out, &r->out);
	read_all(s->err, &r->err);
	take_report(r, t);
}

static void
a_signal_ends_with_exact_sums_too(void **state)
{
	struct run_result r = { 0 };
	struct endless s;
	struct totals t;
	pid_t load;

	(void)state;
	need_tracepoint(FLOOD);
	load = run_load("syscalls");
	begin_sampling(&s, (char *[]){ "-m", "1", "-g", "fp", "-e", FLOOD, NULL });
	end_sampling(&s, &r, &t);
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_that(t.lost, >, 0);
	assert_int_equal(t.rows, t.samples);
	run_release(&r);
}

/* Stacks and tasks by the thousand in a megabyte: what is folded is counted all the same. */
static void
the_smallest_bound_of_memory_loses_nothing(void **state)
{
	struct run_result r;
	struct totals t;
	pid_t load;

	(void)state;
	need_tracepoint("sched:sched_switch");
	load = run_load_with("storm", "names", "300");
	sample(&r, &t, "-m", "1024", "-n", "1", "-d", "4", "-g", "fp", "-e", "sched:sched_switch",
	       "-e", FLOOD, "--memory", "1M", "--by", "comm,symbol", NULL);
	run_end(load);
	assert_that(t.samples, >, 1000);
	assert_int_equal(t.rows, t.samples);
	assert_non_null(strstr(r.err, " merged "));
	run_release(&r);
}

static void
need_uprobes(void)
{
	need_tracepoint("raw_syscalls:sys_enter");
	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK) < 0)
		skip_for("the kernel has no uprobes");
}

/* With a command a probe is for the whole CPU: what others' calls bring is left out, and counted. */
static void
what_is_of_no_target_is_counted_as_left_out(void **state)
{
	struct run_result r;
	char event[4300], script[4300];
	struct totals t;
	pid_t other;

	(void)state;
	need_uprobes();
	snprintf(event, sizeof(event), "uprobe:%s:count_me", run_load_path("exact"));
	snprintf(script, sizeof(script), "sleep 1; exec %s calls", run_load_path("exact"));
	other = run_load("exact"); /* does its part for ever */
	sample(&r, &t, "-m", "1024", "-e", event, "--force-probe", "--", "sh", "-c", script, NULL);
	run_end(other);
	assert_int_equal(t.samples, CALLS);
	assert_int_equal(t.rows, CALLS);
	assert_that(t.left_out, >, 0);
	assert_non_null(strstr(r.err, "is probed in all processes"));
	run_release(&r);
}

static void
a_probe_of_a_process_is_none_of_others(void **state)
{
	struct run_result r;
	struct totals t;
	pid_t target, other;
	char pid[16];

	(void)state;
	need_uprobes();
	other = run_load("exact");
	target = run_load("exact");
	snprintf(pid, sizeof(pid), "%d", (int)target);
	sample(&r, &t, "-m", "1024", "-n", "1", "-e", "uprobe:count_me", "--force-probe", "-p", pid,
	       NULL);
	run_end(other);
	run_end(target);
	assert_true(t.samples > 0);
	assert_int_equal(t.left_out, 0);
	assert_null(strstr(r.err, "is probed in all processes"));
	run_release(&r);
}

/* Probes cannot be inherited: they are set in what begins later, and that is said. */
static void
a_probe_of_a_process_follows_what_that_starts(void **state)
{
	char script[4400], event[4300], pid[16];
	struct run_result r = { 0 };
	struct endless s;
	struct totals t;
	pid_t target;
	int go[2];

	(void)state;
	need_uprobes();
	snprintf(event, sizeof(event), "uprobe:%s:count_me", run_load_path("exact"));
	snprintf(script, sizeof(script), "read go; %s & trap \"kill $!\" TERM; wait", run_load_path("exact"));
	assert_int_equal(pipe(go), 0);
	target = run_fork();
	if (target == 0) {
		dup2(go[0], 0);
		execlp("sh", "sh", "-c", script, (char *)NULL);
		_exit(127);
	}
	snprintf(pid, sizeof(pid), "%d", (int)target);
	begin_sampling(&s, (char *[]){ "-m", "1024", "-e", event, "--force-probe", "-p", pid, NULL });
	assert_int_equal(write(go[1], "\n", 1), 1);
	for (int i = 0; i < PATIENCE_S * 10 && run_count_events(s.pid) <= s.events; i++)
		usleep(100000);
	end_sampling(&s, &r, &t);
	close(go[0]);
	close(go[1]);
	kill(target, SIGTERM);
	waitpid(target, NULL, 0);
	assert_true(t.samples > 0);
	assert_int_equal(t.left_out, 0);
	assert_non_null(strstr(r.err, "began later"));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_happens_a_known_number_of_times_is_all_there),
		cmocka_unit_test(a_flood_is_explained_to_the_one),
		cmocka_unit_test(a_flood_of_the_whole_machine_is_explained_to_the_one),
		cmocka_unit_test(a_signal_ends_with_exact_sums_too),
		cmocka_unit_test(the_smallest_bound_of_memory_loses_nothing),
		cmocka_unit_test(what_is_of_no_target_is_counted_as_left_out),
		cmocka_unit_test(a_probe_of_a_process_is_none_of_others),
		cmocka_unit_test(a_probe_of_a_process_follows_what_that_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void
sums_are_read_from_json(void **state)
{
	(void)state;
	skip_for("built without jansson");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sums_are_read_from_json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
