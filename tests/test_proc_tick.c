/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_tick.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/asserts.h"
#include "tests/fake_proc.h"

enum { PLENTY_US = 10 * 1000 * 1000 };

struct fixture {
	struct fake_proc proc;
	int fd;
	struct proc_tick *tick;
};

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	fake_proc_make(&f->proc);
	f->fd = open(f->proc.root, O_RDONLY | O_DIRECTORY);
	f->tick = proc_tick_new(f->fd);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	proc_tick_free(f->tick);
	close(f->fd);
	fake_proc_drop(&f->proc);
	free(f);
	return 0;
}

static struct proc_tick_msg *
run(struct fixture *f, const struct proc_tick_request *req)
{
	int pid;

	proc_tick_begin(f->tick, req);
	while (proc_tick_next(f->tick, &pid))
		proc_tick_step(f->tick);
	return proc_tick_finish(f->tick);
}

static struct proc_tick_msg *
run_all(struct fixture *f)
{
	return run(f, &(struct proc_tick_request){ .budget_us = PLENTY_US });
}

static const struct proc_info *
find(const struct proc_tick_msg *m, int pid)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid)
			return &m->processes[i];
	return NULL;
}

/* Longer than the shortest span that gives a percentage. */
static void
wait_a_span(void)
{
	usleep(100 * 1000);
}

static void
processes_come_in_rising_order_with_all_they_have(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;
	const struct proc_info *p;

	fake_process(&f->proc, &(struct fake_stat){ 300, 1, 4, "web (x) y", 'R', 0, 0, 77, 1 });
	fake_file(&f->proc, 300, "cmdline", "web\0-v\0", 7);
	fake_process(&f->proc, &(struct fake_stat){ 2, 0, 1, "kthreadd", 'S', 0x200000, 0, 1, 0 });
	fake_process(&f->proc, &(struct fake_stat){ 11, 1, 1, "gone", 'Z', 0, 0, 5, 0 });
	m = run_all(f);
	assert_int_not_equal(m->complete_ns, 0);
	assert_int_equal(m->process_count, 3);
	assert_int_equal(m->processes[0].pid, 2);
	assert_int_equal(m->processes[1].pid, 11);
	assert_int_equal(m->processes[2].pid, 300);
	p = find(m, 300);
	assert_string_equal(p->comm, "web (x) y");
	assert_string_equal(p->command, "web -v");
	assert_int_equal(p->tid, 300);
	assert_int_equal(p->ppid, 1);
	assert_int_equal(p->threads, 4);
	assert_int_equal(p->state, 'R');
	assert_int_equal(p->uid, getuid());
	assert_int_equal(p->start_ticks, 77);
	assert_true(isnan(p->cpu));
	assert_false(p->is_kernel_thread);
	assert_true(find(m, 2)->is_kernel_thread);
	assert_string_equal(find(m, 2)->command, "[kthreadd]");
	assert_string_equal(find(m, 11)->command, "gone");
	msg_free(&m->msg);
}

/* Who calls itself as a thread of the kernel does, and has no command line left. */
static void
only_kernel_threads_are_in_brackets(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;

	fake_process(&f->proc, &(struct fake_stat){ 5, 2, 1, "kworker/0:1H", 'I', 0x200000, 0, 9, 0 });
	fake_process(&f->proc, &(struct fake_stat){ 6, 1, 1, "kworker/0:1H", 'R', 0, 0, 9, 7 });
	fake_file(&f->proc, 6, "cmdline", "\0\0\0\0", 4);
	m = run_all(f);
	assert_string_equal(find(m, 5)->command, "[kworker/0:1H]");
	assert_string_equal(find(m, 6)->command, "kworker/0:1H");
	msg_free(&m->msg);
}

static void
cpu_is_of_the_span_between_two_readings(void **state)
{
	struct fixture *f = *state;
	struct fake_stat s = { 5, 1, 1, "a", 'R', 0, 1000, 9, 0 };
	unsigned long hz = (unsigned long)sysconf(_SC_CLK_TCK);
	struct proc_tick_msg *m;

	fake_process(&f->proc, &s);
	msg_free(&run_all(f)->msg);
	s.cpu_ticks += hz; /* a second of work in a tenth of a second or somewhat more */
	fake_process(&f->proc, &s);
	wait_a_span();
	m = run_all(f);
	assert_that(find(m, 5)->cpu, >, 100);
	assert_that(find(m, 5)->cpu, <=, 1000);
	msg_free(&m->msg);
	s.cpu_ticks -= 2 * hz;
	fake_process(&f->proc, &s);
	wait_a_span();
	m = run_all(f);
	assert_true(find(m, 5)->cpu == 0);
	msg_free(&m->msg);
}

static void
a_reused_pid_is_a_new_process(void **state)
{
	struct fixture *f = *state;
	struct fake_stat s = { 5, 1, 1, "a", 'R', 0, 1000, 9, 7 };
	struct proc_tick_msg *m;

	fake_process(&f->proc, &s);
	fake_file(&f->proc, 5, "cmdline", "a\0old", 6);
	msg_free(&run_all(f)->msg);
	s.start_ticks = 10;
	fake_process(&f->proc, &s);
	fake_file(&f->proc, 5, "cmdline", "a\0new", 6);
	wait_a_span();
	m = run_all(f);
	assert_true(isnan(find(m, 5)->cpu));
	assert_string_equal(find(m, 5)->command, "a new");
	assert_int_equal(find(m, 5)->start_ticks, 10);
	msg_free(&m->msg);
}

static void
the_command_line_is_read_again_after_a_rename_or_an_exec(void **state)
{
	struct fixture *f = *state;
	struct fake_stat s = { 5, 1, 1, "sh", 'R', 0, 0, 9, 7 };
	struct proc_tick_msg *m;

	fake_process(&f->proc, &s);
	fake_file(&f->proc, 5, "cmdline", "one", 4);
	msg_free(&run_all(f)->msg);
	fake_file(&f->proc, 5, "cmdline", "two", 4);
	m = run_all(f);
	assert_string_equal(find(m, 5)->command, "one");
	msg_free(&m->msg);
	s.comm = "ls";
	fake_process(&f->proc, &s);
	m = run_all(f);
	assert_string_equal(find(m, 5)->command, "two");
	msg_free(&m->msg);
	fake_file(&f->proc, 5, "cmdline", "three", 6);
	s.start_stack = 8;
	fake_process(&f->proc, &s);
	m = run_all(f);
	assert_string_equal(find(m, 5)->command, "three");
	msg_free(&m->msg);
}

/* By its name and stack it is what it was. */
static void
the_owner_is_read_each_time(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;
	char path[256];

	if (geteuid() != 0)
		skip();
	fake_process(&f->proc, &(struct fake_stat){ 5, 1, 1, "sh", 'R', 0, 0, 9, 7 });
	fake_path(&f->proc, path, sizeof(path), "5");
	for (uint32_t uid = 1000; uid < 1004; uid++) {
		assert_int_equal(chown(path, uid, 0), 0);
		m = run_all(f);
		assert_int_equal(find(m, 5)->uid, uid);
		msg_free(&m->msg);
	}
}

static void
a_long_command_line_is_cut(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;
	char line[1000];

	memset(line, 'x', sizeof(line));
	fake_process(&f->proc, &(struct fake_stat){ 5, 1, 1, "a", 'S', 0, 0, 9, 0 });
	fake_file(&f->proc, 5, "cmdline", line, sizeof(line));
	m = run_all(f);
	assert_int_equal(strlen(find(m, 5)->command), 256);
	msg_free(&m->msg);
}

static void
the_locks_of_a_process_that_hangs_are_not_touched(void **state)
{
	struct fixture *f = *state;
	struct hung hung = { .items = { { 5, UINT32_MAX } }, .count = 1 };
	struct proc_tick_msg *m;

	fake_process(&f->proc, &(struct fake_stat){ 5, 1, 1, "a", 'D', 0, 0, 9, 0 });
	fake_file(&f->proc, 5, "cmdline", "line", 5);
	m = run(f, &(struct proc_tick_request){ .hung = &hung,
						.budget_us = PLENTY_US });
	assert_string_equal(find(m, 5)->command, "a");
	msg_free(&m->msg);
}

static void
processes_come_and_go(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;

	for (int pid = 1; pid <= 20; pid++)
		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "a", 'S', 0, 0, 9, 0 });
	msg_free(&run_all(f)->msg);
	fake_exit(&f->proc, 3);
	fake_exit(&f->proc, 20);
	fake_process(&f->proc, &(struct fake_stat){ 15000, 1, 1, "new", 'S', 0, 0, 9, 0 });
	m = run_all(f);
	assert_int_equal(m->process_count, 19);
	assert_null(find(m, 3));
	assert_null(find(m, 20));
	assert_non_null(find(m, 15000));
	msg_free(&m->msg);
}

static void
hot_processes_are_read_whatever_the_budget(void **state)
{
	struct fixture *f = *state;
	int hot[] = { 9, 4, 9, 777 };
	struct proc_tick_msg *m;

	for (int pid = 1; pid <= 20; pid++)
		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "a", 'S', 0, 0, 9, 0 });
	m = run(f, &(struct proc_tick_request){ .hot = hot, .hot_count = 4 });
	assert_int_equal(m->process_count, 2);
	assert_non_null(find(m, 4));
	assert_non_null(find(m, 9));
	assert_int_equal(m->complete_ns, 0);
	msg_free(&m->msg);
}

/* Ticks of the smallest budget until @done says so; how many, 0: never. */
static unsigned
small_ticks_until(struct fixture *f, bool (*done)(const struct proc_tick_msg *m))
{
	for (unsigned n = 1; n < 5000; n++) {
		struct proc_tick_msg *m = run(f, &(struct proc_tick_request){ .budget_us = 1 });
		bool is_done = done(m);

		msg_free(&m->msg);
		if (is_done)
			return n;
	}
	return 0;
}

static bool
is_complete(const struct proc_tick_msg *m)
{
	return m->complete_ns != 0 && m->process_count == 100;
}

static bool
has_begun(const struct proc_tick_msg *m)
{
	return m->complete_ns != 0;
}

static void
run_some(struct fixture *f, unsigned ticks)
{
	for (; ticks > 0; ticks--)
		msg_free(&run(f, &(struct proc_tick_request){ .budget_us = 1 })->msg);
}

static bool
all_are_renamed(const struct proc_tick_msg *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (strcmp(m->processes[i].comm, "b") != 0)
			return false;
	return true;
}

static bool
has_new(const struct proc_tick_msg *m)
{
	return find(m, 5000) != NULL;
}

static void
slices_reach_everyone_and_new_ones_first(void **state)
{
	struct fixture *f = *state;
	unsigned n;

	for (int pid = 1; pid <= 100; pid++)
		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "a", 'S', 0, 0, 9, 0 });
	n = small_ticks_until(f, is_complete);
	assert_that(n, >, 1);
	for (int pid = 1; pid <= 100; pid++)
		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "b", 'S', 0, 0, 9, 0 });
	assert_that(small_ticks_until(f, all_are_renamed), >, 1);
	fake_process(&f->proc, &(struct fake_stat){ 5000, 1, 1, "b", 'S', 0, 0, 9, 0 });
	n = small_ticks_until(f, has_new);
	assert_that(n, >, 0);
	assert_that(n, <, 50);
}

/* Whatever of it was read when they came. */
static void
a_list_has_all_who_came_before_its_time(void **state)
{
	enum { OLD = 20, ROUNDS = 30 };
	struct fixture *f = *state;

	for (int pid = 1; pid <= OLD; pid++)
		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "a", 'S', 0, 0, 9, 0 });
	assert_that(small_ticks_until(f, has_begun), >, 1);
	for (int pid = OLD + 1; pid <= OLD + ROUNDS; pid++) {
		uint64_t complete_ns = 0, came_ns;

		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "a", 'S', 0, 0, 9, 0 });
		came_ns = clock_mono_ns();
		for (unsigned n = 0; n < 5000 && complete_ns <= came_ns; n++) {
			struct proc_tick_msg *m = run(f, &(struct proc_tick_request){ .budget_us = 1 });

			complete_ns = m->complete_ns;
			assert_true(complete_ns <= came_ns || find(m, pid) != NULL);
			msg_free(&m->msg);
		}
		assert_that(complete_ns, >, came_ns);
		run_some(f, pid % 7); /* the next one comes at another point of the list */
	}
}

static void
a_process_that_may_not_be_read_is_left_out_until_it_may(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;

	fake_process(&f->proc, &(struct fake_stat){ 5, 1, 1, "a", 'S', 0, 0, 9, 0 });
	fake_process(&f->proc, &(struct fake_stat){ 6, 1, 1, "a", 'S', 0, 0, 9, 0 });
	fake_file(&f->proc, 5, "stat", "5 (broken", 9);
	m = run_all(f);
	assert_int_equal(m->process_count, 1);
	assert_int_not_equal(m->complete_ns, 0);
	msg_free(&m->msg);
	fake_process(&f->proc, &(struct fake_stat){ 5, 1, 1, "a", 'S', 0, 0, 9, 0 });
	m = run_all(f);
	assert_non_null(find(m, 5));
	msg_free(&m->msg);
}

static void
write_io(struct fixture *f, int pid, unsigned long read_bytes, unsigned long write_bytes)
{
	char path[256], text[128];

	snprintf(text, sizeof(text), "rchar: 1\nread_bytes: %lu\nwrite_bytes: %lu\n", read_bytes, write_bytes);
	fake_write(fake_path(&f->proc, path, sizeof(path), "%d/io", pid), text, strlen(text));
}

/* Asked for, and told as a rate from the second reading on; who may not be read stays unknown. */
static void
what_processes_read_and_write_is_read_only_if_it_is_asked_for(void **state)
{
	const struct proc_tick_request wants = { .budget_us = PLENTY_US, .wants_io = true };
	struct fixture *f = *state;
	struct fake_stat a = { 50, 1, 1, "a", 'S', 0, 0, 9, 0 }, b = { 60, 1, 1, "b", 'S', 0, 0, 9, 0 };
	struct proc_tick_msg *m;

	fake_process(&f->proc, &a);
	fake_process(&f->proc, &b);
	write_io(f, 50, 1000, 0);
	m = run_all(f);
	assert_true(isnan(find(m, 50)->io_read));
	msg_free(&m->msg);
	msg_free(&run(f, &wants)->msg);
	write_io(f, 50, 1000000, 0);
	usleep(60 * 1000);
	m = run(f, &wants);
	assert_true(find(m, 50)->io_read > 0 && find(m, 50)->io_read < 999000 / 0.06);
	assert_true(find(m, 50)->io_write == 0);
	assert_true(isnan(find(m, 60)->io_read));
	msg_free(&m->msg);
}

static struct proc_tick_msg *
run_threads(struct fixture *f, int pid)
{
	return run(f, &(struct proc_tick_request){ .threads_of = pid, .budget_us = PLENTY_US });
}

static void
threads_have_names_and_cpu_in_nanoseconds(void **state)
{
	struct fixture *f = *state;
	struct fake_stat p = { 50, 1, 2, "main", 'S', 0, 0, 9, 0 };
	struct fake_stat t = { 60, 1, 2, "worker", 'R', 0, 0, 12, 0 };
	struct proc_tick_msg *m;

	fake_process(&f->proc, &p);
	fake_file(&f->proc, 50, "cmdline", "main x", 7);
	fake_thread(&f->proc, 50, &t, 5000);
	fake_thread(&f->proc, 50, &p, 0);
	msg_free(&run_threads(f, 50)->msg);
	fake_thread(&f->proc, 50, &t, 5000 + 50 * 1000 * 1000);
	wait_a_span();
	m = run_threads(f, 50);
	assert_int_equal(m->thread_count, 2);
	assert_int_equal(m->threads[0].tid, 50);
	assert_true(m->threads[0].cpu == 0);
	assert_int_equal(m->threads[1].tid, 60);
	assert_int_equal(m->threads[1].pid, 50);
	assert_int_equal(m->threads[1].start_ticks, 12);
	assert_string_equal(m->threads[1].comm, "worker");
	assert_string_equal(m->threads[1].command, "main x");
	assert_that(m->threads[1].cpu, >, 5);
	assert_that(m->threads[1].cpu, <=, 50);
	msg_free(&m->msg);
}

static void
the_threads_are_those_of_the_process_asked_for_last(void **state)
{
	struct fixture *f = *state;
	struct fake_stat a = { 50, 1, 1, "a", 'S', 0, 0, 9, 0 };
	struct fake_stat b = { 51, 1, 1, "b", 'S', 0, 0, 9, 0 };
	struct proc_tick_msg *m;

	fake_process(&f->proc, &a);
	fake_thread(&f->proc, 50, &a, 0);
	fake_process(&f->proc, &b);
	fake_thread(&f->proc, 51, &b, 0);
	msg_free(&run_threads(f, 50)->msg);
	m = run_threads(f, 51);
	assert_int_equal(m->thread_count, 1);
	assert_int_equal(m->threads[0].tid, 51);
	msg_free(&m->msg);
	fake_exit(&f->proc, 51);
	m = run_threads(f, 51);
	assert_int_equal(m->thread_count, 0);
	msg_free(&m->msg);
	m = run_all(f);
	assert_int_equal(m->thread_count, 0);
	msg_free(&m->msg);
}

static void
shares_are_of_the_time_since_the_last_tick(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m = run_all(f);

	assert_false(m->have_shares);
	assert_true(m->cpus[0].idle == 0);
	assert_int_equal(m->cpu_count, 1);
	assert_true(m->load[1] == 2.25);
	assert_int_equal(m->running, 2);
	assert_int_equal(m->tasks, 77);
	assert_int_equal(m->uptime_s, 100);
	assert_true(m->host[0] != '\0');
	msg_free(&m->msg);
	fake_machine(&f->proc, "stat", "cpu  30 10 5 20 10 5 10 10\ncpu0 30 10 5 20 10 5 10 10\n"
				       "cpu1 5 5 5 5 5 5 5 5\n");
	m = run_all(f);
	assert_true(m->have_shares);
	assert_true(m->all.user == 40 && m->all.system == 10 && m->all.softirq == 10);
	assert_true(m->all.idle == 20 && m->all.iowait == 10 && m->all.steal == 10);
	assert_int_equal(m->cpu_count, 2);
	assert_true(m->cpus[0].user == 40);
	assert_int_equal(m->cpus[1].cpu, 1);
	assert_true(m->cpus[1].idle == 100); /* nothing is known of it yet */
	msg_free(&m->msg);
}

static void
counters_that_stand_still_or_go_backwards_do_no_harm(void **state)
{
	struct fixture *f = *state;
	struct proc_tick_msg *m;

	fake_machine(&f->proc, "stat", "cpu  10 0 0 50 50 0 0 0\ncpu1 10 0 0 50 50 0 0 0\n");
	msg_free(&run_all(f)->msg);
	fake_machine(&f->proc, "stat", "cpu  20 0 0 40 80 0 0 0\ncpu1 20 0 0 40 80 0 0 0\n");
	m = run_all(f);
	assert_true(m->cpus[0].user == 25 && m->cpus[0].idle == 0 && m->cpus[0].iowait == 75);
	msg_free(&m->msg);
	m = run_all(f); /* no time has passed: what was true is told again */
	assert_true(m->have_shares && m->all.user == 25 && m->cpus[0].iowait == 75);
	msg_free(&m->msg);
	fake_machine(&f->proc, "stat", "cpu  30 0 0 40 80 0 0 0\ncpu0 9 9 9 9 9 9 9 9\n");
	m = run_all(f);
	assert_int_equal(m->cpu_count, 1);
	assert_int_equal(m->cpus[0].cpu, 0);
	assert_true(m->all.user == 100);
	msg_free(&m->msg);
}

static int
ticks_until_seen(struct fixture *f, int pid, int ppid)
{
	const struct proc_tick_request req = { .hot = &pid, .hot_count = 1,
					       .budget_us = PLENTY_US };

	for (int ticks = 1; ticks < 100; ticks++) {
		struct proc_tick_msg *m = run(f, &req);
		bool is_seen = find(m, pid)->ppid == ppid;

		msg_free(&m->msg);
		if (is_seen)
			return ticks;
	}
	return 0;
}

/* Until it has a share of a CPU, and again when its number of threads goes down. */
static void
a_process_of_thousands_of_threads_is_read_now_and_then(void **state)
{
	struct fixture *f = *state;
	struct fake_stat many = { 60, 1, 5000, "many", 'S', 0, 0, 7, 1 };
	struct fake_stat few = { 61, 1, 5, "few", 'S', 0, 0, 7, 1 };

	fake_process(&f->proc, &many);
	fake_process(&f->proc, &few);
	msg_free(&run_all(f)->msg);
	wait_a_span();
	many.ppid = few.ppid = 2;
	fake_process(&f->proc, &many);
	fake_process(&f->proc, &few);
	assert_int_equal(ticks_until_seen(f, 60, 2), 1);
	many.ppid = few.ppid = 3;
	fake_process(&f->proc, &many);
	fake_process(&f->proc, &few);
	assert_int_equal(ticks_until_seen(f, 61, 3), 1);
	assert_int_equal(ticks_until_seen(f, 60, 3), 4);
}

int
main(void)
{
#define TICK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TICK_TEST(processes_come_in_rising_order_with_all_they_have),
		TICK_TEST(cpu_is_of_the_span_between_two_readings),
		TICK_TEST(only_kernel_threads_are_in_brackets),
		TICK_TEST(a_reused_pid_is_a_new_process),
		TICK_TEST(the_command_line_is_read_again_after_a_rename_or_an_exec),
		TICK_TEST(the_owner_is_read_each_time),
		TICK_TEST(a_long_command_line_is_cut),
		TICK_TEST(the_locks_of_a_process_that_hangs_are_not_touched),
		TICK_TEST(processes_come_and_go),
		TICK_TEST(hot_processes_are_read_whatever_the_budget),
		TICK_TEST(slices_reach_everyone_and_new_ones_first),
		TICK_TEST(a_list_has_all_who_came_before_its_time),
		TICK_TEST(a_process_that_may_not_be_read_is_left_out_until_it_may),
		TICK_TEST(what_processes_read_and_write_is_read_only_if_it_is_asked_for),
		TICK_TEST(threads_have_names_and_cpu_in_nanoseconds),
		TICK_TEST(the_threads_are_those_of_the_process_asked_for_last),
		TICK_TEST(shares_are_of_the_time_since_the_last_tick),
		TICK_TEST(a_process_of_thousands_of_threads_is_read_now_and_then),
		TICK_TEST(counters_that_stand_still_or_go_backwards_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
