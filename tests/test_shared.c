/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What another program samples, too, on the real kernel: it makes the samples' data once, so that
 * ptop's carry the other one's id, and its clock's time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "event/event.h"
#include "live/sys/sys.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { CPUS_MAX = 1024, SETTLE_MS = 300, PATIENCE_S = 60, PAGES = 5000, OUT_MAX = 1 << 20 };

#define PAIRS(...) (sizeof((const char *const[][2]){ __VA_ARGS__ }) / sizeof(const char *[2])), \
	(const char *const[][2]){ __VA_ARGS__ }
#define FAULTS "page-faults"
#define EXIT "sched:sched_process_exit"

/* The other program: what it samples, and with which clock. */
struct other {
	const char *event;
	uint64_t sample_type;
	bool has_clock;
	int clockid;
};

struct fixture {
	char dir[64], out_path[96], err_path[96], file[96];
	pid_t ptop, load;
	int fds[CPUS_MAX];
	size_t count;
	struct buf out, err;
};

static int
begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/ptop-shared-XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return -1;
	snprintf(f->out_path, sizeof(f->out_path), "%s/out", f->dir);
	snprintf(f->err_path, sizeof(f->err_path), "%s/err", f->dir);
	snprintf(f->file, sizeof(f->file), "%s/perf.data", f->dir);
	*state = f;
	return 0;
}

static void
close_other(struct fixture *f)
{
	while (f->count > 0)
		close(f->fds[--f->count]);
}

static int
end(void **state)
{
	struct fixture *f = *state;

	run_end(f->ptop);
	run_end(f->load);
	close_other(f);
	unlink(f->out_path);
	unlink(f->err_path);
	unlink(f->file);
	rmdir(f->dir);
	buf_release(&f->out);
	buf_release(&f->err);
	free(f);
	return 0;
}

/* ---- ptop, for as long as is wanted ---- */

static int
create(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

/* All its events are open then. */
static void
start_ptop(struct fixture *f, char *const args[])
{
	char *argv[32] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "100", "-m", "2048", "--by",
			   "event,comm", "--format", "csv" };
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	for (size_t i = 0; args[i] != NULL; i++)
		argv[n + i] = args[i];
	f->ptop = run_fork();
	assert_that(f->ptop, >=, 0);
	if (f->ptop == 0) {
		dup2(create(f->out_path), 1);
		dup2(create(f->err_path), 2);
		execv(argv[0], argv);
		_exit(127);
	}
	assert_that(run_settled_events(f->ptop, SETTLE_MS), >, 0);
}

/* Its report is that of the time until now. */
static void
end_ptop(struct fixture *f)
{
	int status;

	kill(f->ptop, SIGINT);
	assert_int_equal(waitpid(f->ptop, &status, 0), f->ptop);
	f->ptop = 0;
	file_read(f->out_path, &f->out, OUT_MAX);
	file_read(f->err_path, &f->err, OUT_MAX);
}

/* ---- the other one ---- */

static void
open_other(struct fixture *f, const struct other *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct event_list list = { 0 };
	struct event_env env;
	struct err err = { 0 };

	event_env_open(&env);
	if (event_parse(&env, o->event, &list, &err) < 0)
		fail_msg("%s", err.text);
	for (long cpu = 0; cpu < cpus && cpu < CPUS_MAX; cpu++) {
		struct event_attr attr = {
			.type = list.items[0].type, .config = list.items[0].config,
			.size = sizeof(attr), .sample_period = 1, .sample_type = o->sample_type,
			.use_clockid = o->has_clock, .clockid = o->clockid,
		};
		int fd = sys_kernel.open(&sys_kernel, &attr, -1, (int)cpu);

		if (fd < 0)
			fail_msg("cannot open %s: %m", o->event);
		f->fds[f->count++] = fd;
	}
	event_list_release(&list);
	event_env_close(&env);
}

static void
touch_pages(void)
{
	struct run_result r;

	run_program(&r, PATIENCE_S, (char *[]){ run_load_path("exact"), "pages", NULL });
	assert_int_equal(r.status, 0);
	run_release(&r);
}

/* Who comes last is the first in the kernel's list. */
static void
sample_beside(struct fixture *f, const struct other *o, char *const args[])
{
	start_ptop(f, args);
	open_other(f, o);
	touch_pages();
	close_other(f);
	end_ptop(f);
}

static int
samples(const struct fixture *f, const char *event, const char *comm)
{
	return (int)run_csv_sum(f->out.data, "samples", PAIRS({ "event", event }, { "comm", comm }));
}

/* Beginning and ending a program costs some more; one that is interrupted may be taken twice. */
static bool
is_pages(int n)
{
	return n >= PAGES && n < PAGES + PAGES / 5;
}

/* Of all that the machine does meanwhile some may be lost, which is no matter of this. */
static bool
is_quiet(const char *err)
{
	return *err == '\0' || strstr(err, " lost") != NULL;
}

#define IDENTIFIED (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME)

static const struct other others[] = {
	{ FAULTS, IDENTIFIED, true, CLOCK_MONOTONIC },
	{ FAULTS, IDENTIFIED, true, CLOCK_REALTIME },
	{ FAULTS, IDENTIFIED, false, 0 },
	{ FAULTS, PERF_SAMPLE_TIME, true, CLOCK_REALTIME },
	{ FAULTS, IDENTIFIED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW, true,
	  CLOCK_REALTIME },
};

static void
samples_of_one_event_count_whoever_takes_them_too(void **state)
{
	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct fixture *f;

		begin((void **)&f);
		sample_beside(f, &others[i], (char *[]){ "-e", FAULTS, "-c", "1", NULL });
		if (!is_pages(samples(f, FAULTS, "exact")) || !is_quiet(buf_str(&f->err)))
			fail_msg("%zu: %d samples\n%s%s", i, samples(f, FAULTS, "exact"), f->out.data,
				 buf_str(&f->err));
		end((void **)&f);
	}
}

/* The others of ptop's events are in the same rings. */
static void
a_clock_that_is_ahead_holds_up_nothing(void **state)
{
	struct fixture *f = *state;

	need_root();
	f->load = run_load("hot");
	sample_beside(f, &others[1], (char *[]){ "-e", "cpu-clock", "-e", FAULTS, NULL });
	if (!is_quiet(buf_str(&f->err)))
		fail_msg("%s%s", f->out.data, buf_str(&f->err));
	assert_clock_samples(samples(f, "cpu-clock", "hot"), run_cpu_s(f->load), 999);
}

static void
a_recording_of_them_is_as_any_other(void **state)
{
	struct fixture *f = *state;
	struct run_result r;

	need_root();
	sample_beside(f, &others[1], (char *[]){ "-e", FAULTS, "-c", "1", "-r", f->file, NULL });
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-i", f->file, "-b", "--by", "comm",
						"--format", "csv", NULL });
	if (r.status != 0 || !is_quiet(r.err) ||
	    !is_pages((int)run_csv_sum(r.out, "samples", PAIRS({ "comm", "exact" }))))
		fail_msg("status %d:\n%s%s", r.status, r.out, r.err);
	run_release(&r);
}

/* Which of two it is cannot be told: that is said.  What they carry depends on the period. */
static void
what_cannot_be_told_apart_is_counted_and_said(void **state)
{
	static const char *const periods[] = { "1", "4" };

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		struct fixture *f;

		begin((void **)&f);
		sample_beside(f, &others[0], (char *[]){ "-e", FAULTS, "-e", EXIT, "-c",
							 (char *)periods[i], NULL });
		if (samples(f, FAULTS, "exact") != 0 ||
		    strstr(buf_str(&f->err), "broken records") != NULL ||
		    strstr(buf_str(&f->err), "samples left out since they carry the event id of another profiler") == NULL)
			fail_msg("-c %s: %s%s", periods[i], f->out.data, buf_str(&f->err));
		end((void **)&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_one_event_count_whoever_takes_them_too),
		cmocka_unit_test_setup_teardown(a_clock_that_is_ahead_holds_up_nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_recording_of_them_is_as_any_other, begin, end),
		cmocka_unit_test(what_cannot_be_told_apart_is_counted_and_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
