/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that are counted for several tasks: one probe in tracefs for all of them, which does not stay
 * behind, and probes of each where tracefs cannot be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "event/site.h"
#include "live/calls/call_function.h"
#include "tests/csv.h"
#include "tests/probes.h"
#include "tests/run.h"

enum { PATIENCE_S = 60, STEP_US = 20000, LIST_MAX = 1 << 20, TASKS = 3 };

/* For the calling process alone. */
static bool
make_read_only(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount(NULL, "/sys/kernel/tracing", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0;
}

/* ptop counts what several threads of @of call. */
static pid_t
begin_ptop(pid_t of, bool may_write, const char *report)
{
	char pid[16];
	pid_t child;

	snprintf(pid, sizeof(pid), "%d", (int)of);
	child = run_fork();
	if (child == 0) {
		if (may_write || make_read_only())
			execl(run_ptop(), "ptop", "-b", "-d", report != NULL ? "1" : "600", "-n", "1",
			      "--count-function", "clock_nanosleep", "--force-probe", "--format", "csv",
			      "--force", "-o", report != NULL ? report : "/dev/null", "-p", pid,
			      (char *)NULL);
		_exit(127);
	}
	return child;
}

static void
all_tasks_share_one_probe_at_each_place(void **state)
{
	pid_t load, ptop;

	(void)state;
	need_probes();
	load = run_load("waits");
	ptop = begin_ptop(load, true, NULL);
	probes_come(ptop);
	for (int i = 0; run_count_events(ptop) < TASKS * probes_count(ptop); i++) {
		if (i * STEP_US > PATIENCE_S * 1000000)
			fail_msg("%d probes are open %d times", probes_count(ptop),
				 run_count_events(ptop));
		usleep(STEP_US);
	}
	run_end(ptop);
	run_end(load);
}

/* The calls of a report; which probes there were is told by @had_probes. */
static double
count_calls(bool may_write, bool *had_probes)
{
	char report[] = "/tmp/ptop-shared-XXXXXX";
	int fd = mkstemp(report), status;
	pid_t load = run_load("waits"), ptop = begin_ptop(load, may_write, report);
	struct buf text = { 0 };
	struct csv c;
	double calls;

	close(fd);
	*had_probes = false;
	while (waitpid(ptop, &status, WNOHANG) == 0) {
		*had_probes |= probes_count(ptop) > 0;
		usleep(STEP_US);
	}
	run_end(load);
	assert_int_equal(status, 0);
	assert_no_probes(ptop, true);
	assert_int_equal(file_read(report, &text, LIST_MAX), 0);
	unlink(report);
	csv_init(&c, buf_str(&text));
	assert_true(csv_next(&c));
	calls = csv_number(&c, "calls");
	csv_release(&c);
	buf_release(&text);
	return calls;
}

static void
calls_are_counted_by_it(void **state)
{
	bool had_probes;

	(void)state;
	need_probes();
	assert_true(count_calls(true, &had_probes) > 0);
	assert_true(had_probes);
}

static void
where_tracefs_cannot_be_written_each_task_has_its_own(void **state)
{
	bool had_probes;

	(void)state;
	need_probes();
	assert_true(count_calls(false, &had_probes) > 0);
	assert_false(had_probes);
}

/* Those of another ptop stay. */
static void
assert_removed_after(int signal, bool at_once)
{
	pid_t load = run_load("waits"), ptop = begin_ptop(load, true, NULL);
	pid_t other = begin_ptop(load, true, NULL);
	int status;

	probes_come(ptop);
	probes_come(other);
	kill(ptop, signal);
	assert_int_equal(waitpid(ptop, &status, 0), ptop);
	assert_no_probes(ptop, at_once);
	assert_true(probes_count(other) > 0);
	run_end(other);
	run_end(load);
}

static void
none_is_left_when_ptop_ends(void **state)
{
	(void)state;
	need_probes();
	assert_removed_after(SIGTERM, true);
}

static void
none_is_left_when_ptop_is_killed(void **state)
{
	(void)state;
	need_probes();
	assert_removed_after(SIGKILL, false);
}

/* ---- probes of a function of this program ---- */

__asm__(".text\n"
	"probed: nop\n"
	"probed_end: ret\n"
	"never: ret\n");
void probed(void);
void probed_end(void);
void never(void);

static const struct call_cost cost = {
	.counted_ns = { 1000, 1000 }, .sampled_ns = { 2000, 2000 },
};

/* Of what this process runs. */
static uint64_t
file_offset(void (*code)(void))
{
	uintptr_t address = (uintptr_t)code;
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_non_null(maps);
	while (fscanf(maps, "%lx-%lx %*s %lx %*[^\n]", &start, &end, &offset) == 3)
		if (address >= start && address < end)
			break;
	fclose(maps);
	assert_true(address >= start && address < end);
	return address - start + offset;
}

struct own {
	struct event_env env;
	struct event_list list; /* the event */
	struct call_point points[2];
	struct named_probes *named;
	struct call_probe *probe; /* shared */
};

static const struct call_place here = { .tid = 0, .cpu = -1 };

static void
own_open_with(struct own *o, void (*end)(void))
{
	struct err err = { 0 };
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	*o = (struct own){ .points = {
		{ .kind = CALL_BEGIN, .offset = file_offset(probed) },
		{ .kind = CALL_RETURN, .offset = file_offset(end), .is_stepped = true },
	} };
	event_env_open(&o->env);
	assert_int_equal(event_parse(&o->env, "uprobe:/proc/self/exe:0x0", &o->list, &err), 0);
	event_add_site(&o->list.items[0], path, 0, 0);
	o->probe = call_probe_new(&(struct call_probe_spec){
		.env = &o->env, .event = &o->list.items[0], .points = o->points, .count = 2,
		.begins = 1, .cost = &cost, .named = &o->named,
	});
	call_probe_share(o->probe);
	if (call_probe_add(o->probe, here, NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(probes_count(getpid()), 1);
}

static void
own_open(struct own *o)
{
	own_open_with(o, probed_end);
}

static void
own_close(struct own *o)
{
	call_probe_free(o->probe);
	named_probes_free(o->named);
	event_list_release(&o->list);
	event_env_close(&o->env);
	assert_no_probes(getpid(), true);
}

/* What is counted of @calls of it. */
static int
count_own(struct own *o, int calls)
{
	uint64_t before = call_probe_counts(o->probe).calls;

	for (int i = 0; i < calls; i++)
		probed();
	return (int)(call_probe_counts(o->probe).calls - before);
}

static void
probes_of_ends_go_when_these_are_looked_at_no_more(void **state)
{
	struct err err = { 0 };
	struct own o;

	(void)state;
	need_probes();
	own_open(&o);
	assert_int_equal(call_probe_time(o.probe, NULL, &err), 0);
	assert_int_equal(count_own(&o, 5), 5);
	assert_int_equal(probes_count(getpid()), 2);
	call_probe_stop_timing(o.probe);
	for (int i = 0; probes_count(getpid()) > 1; i++) {
		if (i * STEP_US > PATIENCE_S * 1000000)
			fail_msg("an end's probe is still there");
		usleep(STEP_US);
	}
	assert_int_equal(count_own(&o, 7), 7);
	own_close(&o);
}

/* Its end is elsewhere: each call of it stays open. */
static void
calls_that_are_open_when_ends_are_looked_at_no_more_are_not_lost(void **state)
{
	struct err err = { 0 };
	struct own o;

	(void)state;
	need_probes();
	own_open_with(&o, never);
	assert_int_equal(call_probe_time(o.probe, NULL, &err), 0);
	probed();
	call_probe_drain(o.probe, UINT64_MAX);
	assert_int_equal(call_pairs_open(call_probe_pairs(o.probe)), 1);
	call_probe_stop_timing(o.probe);
	assert_int_equal(call_probe_pairs(o.probe)->unreturned, 0);
	assert_int_equal(call_pairs_open(call_probe_pairs(o.probe)), 0);
	/* What samples there are of later calls tells nothing. */
	assert_int_equal(count_own(&o, 2), 2);
	call_probe_close(o.probe);
	assert_int_equal(call_probe_pairs(o.probe)->unreturned, 0);
	own_close(&o);
}

static void
where_a_probe_was_removed_by_others_new_tasks_are_counted_all_the_same(void **state)
{
	struct err err = { 0 };
	struct own o;

	(void)state;
	need_probes();
	own_open(&o);
	call_probe_remove(o.probe, here);
	probes_remove(getpid());
	if (call_probe_add(o.probe, here, NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(count_own(&o, 5), 5);
	own_close(&o);
}

/* A kernel that opens nothing more. */
struct refusing {
	struct sys sys; /* first */
	bool refuses;
	uint64_t first_ns, last_ns;
	int tries; /* of all that is tried at once */
};

static int
refuse(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	struct refusing *r = (struct refusing *)(uintptr_t)self;
	uint64_t now_ns = clock_mono_ns();

	if (!r->refuses)
		return sys_kernel.open(&sys_kernel, attr, pid, cpu);
	if (r->tries == 0)
		r->first_ns = now_ns;
	r->tries += r->tries == 0 || now_ns - r->last_ns > 50 * NSEC_PER_MSEC;
	r->last_ns = now_ns;
	errno = EACCES;
	return -1;
}

static void *
be_there(void *sem)
{
	sem_wait(sem);
	return NULL;
}

/* 0.1, 0.2 and 0.4 s later, and so on. */
static void
a_task_that_cannot_be_probed_is_tried_less_and_less_often(void **state)
{
	struct refusing r = { .sys = sys_kernel };
	struct err err = { 0 };
	struct call_function *f;
	struct call_reading *reading = mem_calloc(1, sizeof(*reading));
	const struct call_root own = { getpid(), false };
	pid_t other;
	pthread_t thread;
	struct own o;
	sem_t end;

	(void)state;
	need_probes();
	/* Of a program that runs once all that it does is probed by CPU. */
	other = run_fork();
	if (other == 0)
		for (;;)
			pause();
	own_open(&o);
	r.sys.open = refuse;
	f = call_function_open(&r.sys, &o.env, &cost, &(struct call_target){
		.event = &o.list.items[0], .points = o.points, .count = 1, .begins = 1,
		.why_no_ends = "", .roots = &own, .root_count = 1, .is_forced = true,
	}, &err);
	if (f == NULL)
		fail_msg("%s", err.text);
	r.refuses = true;
	sem_init(&end, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, be_there, &end), 0);
	for (int i = 0; r.tries < 4; i++) {
		if (i * STEP_US > PATIENCE_S * 1000000)
			fail_msg("it is not tried again");
		call_function_beat(f);
		usleep(STEP_US);
	}
	assert_true(r.last_ns - r.first_ns >= 600 * NSEC_PER_MSEC);
	call_function_read(f, reading);
	assert_true(*reading->note != '\0');
	sem_post(&end);
	pthread_join(thread, NULL);
	call_function_free(f);
	own_close(&o);
	run_end(other);
	free(reading);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_tasks_share_one_probe_at_each_place),
		cmocka_unit_test(calls_are_counted_by_it),
		cmocka_unit_test(where_tracefs_cannot_be_written_each_task_has_its_own),
		cmocka_unit_test(none_is_left_when_ptop_ends),
		cmocka_unit_test(none_is_left_when_ptop_is_killed),
		cmocka_unit_test(probes_of_ends_go_when_these_are_looked_at_no_more),
		cmocka_unit_test(calls_that_are_open_when_ends_are_looked_at_no_more_are_not_lost),
		cmocka_unit_test(
			where_a_probe_was_removed_by_others_new_tasks_are_counted_all_the_same),
		cmocka_unit_test(a_task_that_cannot_be_probed_is_tried_less_and_less_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
