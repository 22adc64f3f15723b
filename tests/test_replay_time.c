/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the time of a recording begins, by what its events say of how they began. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/util.h"
#include "core_fixture.h"
#include "datafile/writer.h"
#include "run.h"
#include "skip.h"
#include "tests/asserts.h"

enum { EVENT_ID = 7, DUMMY_ID = 8, PATIENCE_S = 60, TEXT_AT = 0x400000 };
enum { FORK_S = 10, FIRST_S = 14, LAST_S = 17 }; /* records of a file, in seconds of its clock */

/* What of them is in the attributes of the event and of the dummy that tells of tasks. */
static const struct begun_file {
	const char *what;
	uint32_t type;
	bool is_disabled, is_on_exec, dummy_is_disabled;
	int begin_s;
} files[] = {
	{ "perf record -a", PERF_TYPE_SOFTWARE, true, false, false, FIRST_S },
	{ "perf record -a of what comes seldom", PERF_TYPE_TRACEPOINT, true, false, false, FORK_S },
	{ "perf record COMMAND", PERF_TYPE_SOFTWARE, true, true, false, FORK_S },
	{ "of ptop", PERF_TYPE_SOFTWARE, true, false, true, FORK_S },
	{ "all began at once", PERF_TYPE_SOFTWARE, false, false, false, FORK_S },
};

static void
put(struct writer *w, struct bytes bytes)
{
	struct err err = { 0 };

	assert_int_equal(writer_put(w, bytes.data, bytes.len, &err), 0);
}

static void
put_fork(struct writer *w, int at_s)
{
	const uint64_t at_ns = (uint64_t)at_s * NSEC_PER_SEC;
	const struct record_task t = { 100, 1, 100, 1, at_ns };
	struct maker m;

	put(w, make_task(&m, PERF_RECORD_FORK, &t,
			 &(struct record_id){ .time_ns = at_ns, .id = DUMMY_ID }));
}

static void
put_sample(struct writer *w, int at_s)
{
	const struct record_id id = { .pid = 100, .tid = 100, .id = EVENT_ID,
				      .time_ns = (uint64_t)at_s * NSEC_PER_SEC };
	const struct record_sample s = { .ip = TEXT_AT, .period = NSEC_PER_SEC };
	struct maker m;

	put(w, make_sample(&m, &live_layout, PERF_RECORD_MISC_USER, &id, &s));
}

static void
write_file(const char *path, const struct begun_file *f)
{
	struct event_attr attr = {
		.type = f->type, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NSEC_PER_SEC, .sample_type = LIVE_TYPE, .sample_id_all = 1,
		.disabled = f->is_disabled, .enable_on_exec = f->is_on_exec,
	};
	struct err err = { 0 };
	struct writer *w = writer_new(path, true, &err);

	assert_non_null(w);
	writer_id(w, writer_event(w, "event", &attr), EVENT_ID);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.disabled = f->dummy_is_disabled;
	attr.enable_on_exec = 0;
	attr.task = 1;
	writer_id(w, writer_event(w, "dummy:u", &attr), DUMMY_ID);
	put_fork(w, FORK_S);
	put_fork(w, FORK_S + 1);
	for (int at_s = FIRST_S; at_s <= LAST_S; at_s++)
		put_sample(w, at_s);
	assert_int_equal(writer_close(w, &(struct writer_info){ 0 }, FIRST_S * NSEC_PER_SEC,
				      LAST_S * NSEC_PER_SEC, &err), 0);
}

/* What perf tells of tasks while it gets ready would make all shares of a CPU too small. */
static void
what_a_recorder_tells_while_it_gets_ready_is_no_time(void **state)
{
	char path[] = "/tmp/ptop-begun-XXXXXX";
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)(uintptr_t)"-i", path,
			 (char *)(uintptr_t)"--format", (char *)(uintptr_t)"json", NULL };
	int fd = mkstemp(path);

	(void)state;
	need_jansson();
	assert_that(fd, >=, 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct run_result r;
		const char *at;
		double window_s;

		print_message("# %s\n", files[i].what);
		write_file(path, &files[i]);
		run_program(&r, PATIENCE_S, argv);
		assert_int_equal(r.status, 0);
		at = strstr(r.out, "\"window\":");
		assert_non_null(at);
		assert_int_equal(sscanf(at, "\"window\":%lf", &window_s), 1);
		assert_that(window_s, >, LAST_S - files[i].begin_s - 0.01);
		assert_that(window_s, <, LAST_S - files[i].begin_s + 0.01);
		run_release(&r);
	}
	unlink(path);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_recorder_tells_while_it_gets_ready_is_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
