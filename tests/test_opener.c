/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/file_opener.h"
#include "symbol/find/debug_opener.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/asserts.h"

/* Stands for open_target(), in the opener's process: ask->pid is what to do. */
enum { OPEN_FINE, OPEN_FAIL, OPEN_HANG, OPEN_DIE, OPEN_BUSY };

enum { LATE_MS = 100, BUSY_MS = 1000, PATIENCE_MS = 60000 };

/* As one that waits for a CPU is: never asleep. */
static void
be_runnable(void)
{
	uint64_t end = clock_mono_ns() + BUSY_MS * NSEC_PER_MSEC;

	while (clock_mono_ns() < end)
		;
}

static int
fake_open(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	switch (ask->pid) {
	case OPEN_BUSY:
		be_runnable();
		return dup(0);
	case OPEN_FINE:
		return strcmp(proc, "/proc") == 0 ? dup(0) : -1;
	case OPEN_HANG:
		for (;;)
			pause();
	case OPEN_DIE:
		_exit(1);
	}
	return err_set(err, ERR_GONE, 0, "no '%s'", ask->path);
}

static struct file_opener *
file_opener_with(struct queue *answers)
{
	struct file_opener_config config = {
		.open = fake_open,
		.proc = "/proc",
		.late_ns = LATE_MS * NSEC_PER_MSEC,
		.answers = answers,
		.answer_type = 9,
	};

	return file_opener_new(&config);
}

/* How long that takes. */
static uint64_t
assert_gives_up(struct file_opener *o)
{
	uint64_t asked = clock_mono_ns(), until = asked + PATIENCE_MS * NSEC_PER_MSEC;
	bool gave_up = false;

	while (!gave_up && clock_mono_ns() < until) {
		usleep(5000);
		gave_up = file_opener_give_up(o);
	}
	assert_true(gave_up);
	assert_that(clock_mono_ns() - asked, >, (LATE_MS - 5) * NSEC_PER_MSEC);
	return clock_mono_ns() - asked;
}

static void
assert_opens(struct file_opener *o, struct queue *answers)
{
	struct symbol_ask ask = { .pid = OPEN_FINE, .path = "fine" };
	struct file_opener_answer *a;

	file_opener_ask(o, &ask, false);
	a = (struct file_opener_answer *)queue_wait(answers, PATIENCE_MS);
	assert_non_null(a);
	assert_int_equal(a->msg.type, 9);
	assert_that(a->file.fd, >=, 0);
	assert_that(a->file.cpu_ns, >, 0);
	close(a->file.fd);
	free(a);
}

static void
an_open_is_answered(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener *o = file_opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_FAIL, .path = "it" };
	struct file_opener_answer *a;

	(void)state;
	assert_opens(o, answers);
	file_opener_ask(o, &ask, false);
	a = (struct file_opener_answer *)queue_wait(answers, PATIENCE_MS);
	assert_non_null(a);
	assert_int_equal(a->file.fd, -1);
	assert_string_equal(a->file.err.text, "no 'it'");
	assert_that(a->file.cpu_ns, >, 0);
	free(a);
	usleep(30000);
	assert_false(file_opener_give_up(o));
	file_opener_free(o);
	queue_free(answers);
}

static void
an_open_that_hangs_is_left_behind(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener *o = file_opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_HANG, .path = "nfs" };

	(void)state;
	file_opener_ask(o, &ask, false);
	assert_gives_up(o);
	assert_false(file_opener_give_up(o));
	assert_opens(o, answers);
	assert_null(queue_take(answers));
	file_opener_free(o);
	queue_free(answers);
}

static void
an_open_that_waits_for_a_cpu_does_not_hang(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener *o = file_opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_BUSY, .path = "slow" };
	struct file_opener_answer *a;

	(void)state;
	file_opener_ask(o, &ask, false);
	while ((a = (struct file_opener_answer *)queue_wait(answers, 5)) == NULL)
		assert_false(file_opener_give_up(o));
	assert_that(a->file.fd, >=, 0);
	close(a->file.fd);
	free(a);
	file_opener_free(o);
	queue_free(answers);
}

/* Stands for the process of a debug_opener. */
static struct open_process
busy_process(void)
{
	const struct open_answer none = { .fd = -1 };
	struct open_process p;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	p = (struct open_process){ fork(), ends[0] };
	assert_that(p.pid, >=, 0);
	if (p.pid == 0) {
		be_runnable();
		_exit(send(ends[1], &none, sizeof(none), 0) != sizeof(none));
	}
	close(ends[1]);
	return p;
}

static void
a_look_for_debug_files_that_waits_for_a_cpu_does_not_hang(void **state)
{
	const struct symbol_ask file = { .path = "it" };
	const struct debug_ask ask = { .want = DEBUG_BY_ID };
	atomic_bool stop = false;
	struct debug_opener d;

	(void)state;
	debug_opener_init(&d, "/nowhere", "/proc", LATE_MS * NSEC_PER_MSEC, &stop);
	d.finder.file = &file;
	d.process = busy_process();
	assert_int_equal(d.finder.find(&d.finder, &ask), -1);
	assert_false(d.was_late);
	assert_false(d.is_dead[DEBUG_BY_ID]);
	debug_opener_release(&d);
}

static void
a_process_that_ends_is_replaced(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener *o = file_opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_DIE, .path = "deadly" };
	struct file_opener_answer *a;

	(void)state;
	file_opener_ask(o, &ask, false);
	a = (struct file_opener_answer *)queue_wait(answers, PATIENCE_MS);
	assert_non_null(a);
	assert_int_equal(a->file.fd, -1);
	assert_non_null(strstr(a->file.err.text, "has ended"));
	free(a);
	assert_opens(o, answers);
	file_opener_free(o);
	queue_free(answers);
}

static void
a_path_beyond_all_bounds_is_refused(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener *o = file_opener_with(answers);
	static char path[100000];
	struct symbol_ask ask = { .pid = OPEN_FINE, .path = path };
	struct file_opener_answer *a;

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	file_opener_ask(o, &ask, false);
	a = (struct file_opener_answer *)queue_wait(answers, PATIENCE_MS);
	assert_non_null(a);
	assert_int_equal(a->file.fd, -1);
	assert_int_equal(a->file.err.sys, ENAMETOOLONG);
	free(a);
	assert_opens(o, answers);
	file_opener_free(o);
	queue_free(answers);
}

static void
a_file_system_that_hung_gets_less_time(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener_config config = { .open = fake_open,
					.proc = "/proc",
					.late_ns = 1500 * NSEC_PER_MSEC,
					.answers = answers,
					.answer_type = 9 };
	struct file_opener *o = file_opener_new(&config);
	struct symbol_ask ask = { .pid = OPEN_HANG, .path = "nfs", .maj = 7, .min = 3 };
	struct symbol_ask fine = { .pid = OPEN_FINE, .path = "fine", .maj = 7, .min = 3 };
	struct file_opener_answer *a;
	uint64_t took_ns;

	(void)state;
	for (int round = 0; round < 2; round++) {
		file_opener_ask(o, &ask, false);
		took_ns = assert_gives_up(o);
		assert_that(took_ns, >=, config.late_ns - 20 * NSEC_PER_MSEC);
		file_opener_ask(o, &ask, false);
		assert_that(assert_gives_up(o), <, took_ns);
		/* One that answers, and it has the whole time again. */
		file_opener_ask(o, &fine, false);
		a = (struct file_opener_answer *)queue_wait(answers, PATIENCE_MS);
		assert_non_null(a);
		close(a->file.fd);
		free(a);
	}
	file_opener_free(o);
	queue_free(answers);
}

static void
an_opener_ends_while_an_open_hangs(void **state)
{
	struct queue *answers = queue_new();
	struct file_opener *o = file_opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_HANG, .path = "nfs" };

	(void)state;
	file_opener_ask(o, &ask, false);
	/* Its process is in it: nothing else makes it late. */
	assert_gives_up(o);
	file_opener_ask(o, &ask, false);
	file_opener_free(o);
	assert_null(queue_take(answers));
	/* No process is left. */
	for (int ms = 0; ms < PATIENCE_MS && waitpid(-1, NULL, WNOHANG) >= 0; ms += 5)
		usleep(5000);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	queue_free(answers);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_is_answered),
		cmocka_unit_test(an_open_that_hangs_is_left_behind),
		cmocka_unit_test(an_open_that_waits_for_a_cpu_does_not_hang),
		cmocka_unit_test(a_look_for_debug_files_that_waits_for_a_cpu_does_not_hang),
		cmocka_unit_test(a_process_that_ends_is_replaced),
		cmocka_unit_test(a_path_beyond_all_bounds_is_refused),
		cmocka_unit_test(a_file_system_that_hung_gets_less_time),
		cmocka_unit_test(an_opener_ends_while_an_open_hangs),
	};

	return cmocka_run_group_tests_name("opener", tests, NULL, NULL);
}
