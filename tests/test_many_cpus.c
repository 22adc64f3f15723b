/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines with thousands of CPUs, on paper: what is opened and mapped there. */
#include "live/session/lanes.h"
#include "live/session/session.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"
#include "tests/asserts.h"
#include "tests/mock_sys.h"
#include "tests/run.h"
#include "tests/skip.h"

enum {
	CPUS_MOST = 4000,
	CPUS_LEAST = 2000,
	WAIT_MS = 60000,
	RING_BYTES = 1 << 20, /* of the largest ring asked for */
	PER_CPU = 5,          /* descriptors: two rings, the side-band, an event and the next one */
	SPARE = 200,          /* of the test itself, and what ptop leaves for others */
};

struct fixture {
	char root[FAKE_ROOT_BYTES];
	struct session_config config;
	struct mock_sys mock;
	struct queue *answers;
	struct session *session;
	struct err err;
	struct rlimit limit;
	size_t cpus; /* an even number: as many as the limit of descriptors has room for */
};

static void
set_online(struct fixture *f, size_t cpus)
{
	char list[32];

	snprintf(list, sizeof(list), "0-%zu\n", cpus - 1);
	fake_root_write(f->root, "sys/devices/system/cpu/online", list);
}

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	if (!fake_root_make(f->root))
		return -1;
	getrlimit(RLIMIT_NOFILE, &f->limit);
	mock_sys_init(&f->mock);
	f->mock.makes_files = true;
	f->answers = queue_new();
	f->config = (struct session_config){
		.env.root = f->root, .sys = &f->mock.sys, .freq = 999, .inherit = true, .ring_pages = 64,
	};
	fake_root_write(f->root, "proc/sys/kernel/perf_event_paranoid", "-1\n");
	f->cpus = MIN((f->limit.rlim_max - SPARE) / PER_CPU / 2 * 2, CPUS_MOST);
	set_online(f, f->cpus);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	int res = fake_root_remove(f->root);

	session_free(f->session);
	queue_free(f->answers);
	setrlimit(RLIMIT_NOFILE, &f->limit);
	free(f);
	return res;
}

static void
need_descriptors(const struct fixture *f)
{
	if (f->cpus < CPUS_LEAST)
		skip_for("only %llu descriptors are allowed",
			      (unsigned long long)f->limit.rlim_max);
}

static size_t
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static void
begin(struct fixture *f)
{
	f->session = session_new(&f->config, f->answers, &f->err);
	if (f->session == NULL)
		fail_msg("%s", f->err.text);
	assert_int_equal(session_scope(f->session), SESSION_SYSTEM);
}

static struct session_event *
open_clock(struct fixture *f)
{
	struct event_list list = { 0 };
	struct session_opened_msg *m;
	struct session_event *ev;

	assert_int_equal(event_parse(&f->config.env, "cpu-clock", &list, &f->err), 0);
	session_open(f->session, 1, list.items, list.len);
	event_list_release(&list);
	m = (struct session_opened_msg *)queue_wait(f->answers, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->msg.type, SESSION_MSG_OPENED);
	assert_int_equal(m->id_count, f->cpus);
	ev = m->event;
	msg_free(&m->msg);
	return ev;
}

static size_t
ring_bytes(struct fixture *f, size_t *count)
{
	struct session_ring *rings = session_rings(f->session, count);
	size_t sum = 0;

	for (size_t i = 0; i < *count; i++) {
		assert_that(ring_size_bytes(rings[i].ring), >=, 4 * page_size());
		sum += ring_size_bytes(rings[i].ring) + page_size();
	}
	return sum;
}

static void
descriptors_and_rings_stay_within_their_bounds(void **state)
{
	struct fixture *f = *state;
	size_t rings, before;

	need_descriptors(f);
	before = open_descriptors();
	begin(f);
	open_clock(f);
	assert_in_range(open_descriptors(), before, before + f->cpus * PER_CPU);
	assert_in_range(ring_bytes(f, &rings), 1, LANES_BYTES_MAX);
	assert_int_equal(rings, 2 * f->cpus);
	assert_non_null(strstr(session_notice(f->session, 0), "there are many CPUs"));
	assert_non_null(strstr(session_remedy(f->session, 0), "-m"));
}

static void
rings_that_were_asked_for_are_as_large_as_that(void **state)
{
	struct fixture *f = *state;
	size_t rings;

	need_descriptors(f);
	f->config.ring_pages_given = true;
	begin(f);
	assert_int_equal(ring_bytes(f, &rings), f->cpus * (64 + LANE_SIDEBAND_PAGES + 2) * page_size());
	assert_null(session_notice(f->session, 0));
}

static void
fewer_cpus_have_rings_as_always(void **state)
{
	struct fixture *f = *state;
	size_t rings;

	need_descriptors(f);
	set_online(f, 512);
	begin(f);
	assert_int_equal(ring_bytes(f, &rings), 512 * (64 + LANE_SIDEBAND_PAGES + 2) * page_size());
	assert_null(session_notice(f->session, 0));
}

/* Where each sample is large, rings hold more of them, but not on a machine where that would be much. */
static void
rings_for_copies_of_stacks_are_larger_where_memory_may_be_locked(void **state)
{
	static const struct {
		size_t cpus;
		enum event_call_graph how;
		size_t bytes;
	} rows[] = {
		{ 2, CALL_GRAPH_AUTO, LANE_COPIES_BYTES },
		{ 2, CALL_GRAPH_DWARF, LANE_COPIES_BYTES },
		{ 2, CALL_GRAPH_FP, 256 << 10 },
		{ 48, CALL_GRAPH_AUTO, 1 << 20 },
		{ 512, CALL_GRAPH_AUTO, 256 << 10 },
	};
	struct fixture *f = *state;

	need_descriptors(f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t rings;

		f->config.call_graph = rows[i].how;
		set_online(f, rows[i].cpus);
		begin(f);
		assert_int_equal(ring_bytes(f, &rings) / rows[i].cpus,
				 rows[i].bytes + (LANE_SIDEBAND_PAGES + 2) * page_size());
		assert_null(session_notice(f->session, 0));
		session_free(f->session);
		f->session = NULL;
	}
}

/* The hard limit cannot be raised again: in a child. */
static int
begin_with_few(struct fixture *f)
{
	const struct rlimit few = { 4096, 4096 };
	char text[128];

	setrlimit(RLIMIT_NOFILE, &few);
	f->session = session_new(&f->config, f->answers, &f->err);
	snprintf(text, sizeof(text), "cannot sample %zu CPUs: %zu descriptors are needed", f->cpus,
		 f->cpus * PER_CPU);
	if (f->session != NULL || f->err.code != ERR_LIMIT)
		return 1;
	return strstr(f->err.text, text) != NULL && strstr(f->err.hint, "-C") != NULL ? 0 : 2;
}

static void
too_few_descriptors_are_told_before_any_is_opened(void **state)
{
	struct fixture *f = *state;
	int pid, status;

	need_descriptors(f);
	pid = run_fork();
	if (pid == 0)
		_exit(begin_with_few(f));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static struct session_rings_msg *
next_rings(struct fixture *f)
{
	struct session_rings_msg *m = (struct session_rings_msg *)queue_wait(f->answers, WAIT_MS);

	assert_non_null(m);
	assert_int_equal(m->msg.type, SESSION_MSG_RINGS);
	return m;
}

/* As when hyper-threading is switched off, and on again. */
static void
half_of_the_cpus_go_and_come_back(void **state)
{
	struct fixture *f = *state;
	struct session_rings_msg *m;
	struct session_ring *rings;
	size_t n, half = f->cpus / 2;
	char text[128];

	need_descriptors(f);
	begin(f);
	open_clock(f);
	set_online(f, half);
	m = next_rings(f);
	assert_int_equal(m->gone_count, half);
	snprintf(text, sizeof(text), "CPUs %zu-%zu are off line: %zu of %zu CPUs are sampled", half,
		 f->cpus - 1, half, f->cpus);
	assert_string_equal(m->missing, text);
	session_adopt_rings(f->session, m);
	assert_int_equal(m->closed_count, half);
	msg_free(&m->msg);
	rings = session_rings(f->session, &n);
	for (size_t i = n; i-- > 0;) {
		if (rings[i].is_closing)
			session_drop_ring(f->session, i);
	}
	assert_in_range(ring_bytes(f, &n), 1, LANES_BYTES_MAX / 2);
	assert_int_equal(n, f->cpus);
	set_online(f, f->cpus);
	m = next_rings(f);
	assert_int_equal(m->added_count, f->cpus);
	assert_int_equal(m->id_count, half);
	assert_null(m->missing);
	session_adopt_rings(f->session, m);
	msg_free(&m->msg);
	assert_in_range(ring_bytes(f, &n), 1, LANES_BYTES_MAX);
	assert_int_equal(n, 2 * f->cpus);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(descriptors_and_rings_stay_within_their_bounds),
		TEST(rings_that_were_asked_for_are_as_large_as_that),
		TEST(fewer_cpus_have_rings_as_always),
		TEST(rings_for_copies_of_stacks_are_larger_where_memory_may_be_locked),
		TEST(too_few_descriptors_are_told_before_any_is_opened),
		TEST(half_of_the_cpus_go_and_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
