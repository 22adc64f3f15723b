/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/opener.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Stands for open_target(), in the opener's process: ask->pid is what to do. */
enum { OPEN_FINE, OPEN_FAIL, OPEN_HANG, OPEN_DIE };

static int
fake_open(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	switch (ask->pid) {
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

static struct opener *
opener_with(struct queue *answers)
{
	struct opener_config config = {
		.open = fake_open,
		.proc = "/proc",
		.late_ns = 20 * NSEC_PER_MSEC,
		.answers = answers,
		.answer_type = 9,
	};

	return opener_new(&config);
}

static void
assert_opens(struct opener *o, struct queue *answers)
{
	struct symbol_ask ask = { .pid = OPEN_FINE, .path = "fine" };
	struct opener_answer *a;

	opener_ask(o, &ask, false);
	a = (struct opener_answer *)queue_wait(answers, 5000);
	assert_non_null(a);
	assert_int_equal(a->msg.type, 9);
	assert_true(a->file.fd >= 0);
	close(a->file.fd);
	free(a);
}

static void
an_open_is_answered(void **state)
{
	struct queue *answers = queue_new();
	struct opener *o = opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_FAIL, .path = "it" };
	struct opener_answer *a;

	(void)state;
	assert_opens(o, answers);
	opener_ask(o, &ask, false);
	a = (struct opener_answer *)queue_wait(answers, 5000);
	assert_non_null(a);
	assert_int_equal(a->file.fd, -1);
	assert_string_equal(a->file.err.text, "no 'it'");
	free(a);
	usleep(30000);
	assert_false(opener_give_up(o));
	opener_free(o);
	queue_free(answers);
}

static void
an_open_that_hangs_is_left_behind(void **state)
{
	struct queue *answers = queue_new();
	struct opener *o = opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_HANG, .path = "nfs" };

	(void)state;
	opener_ask(o, &ask, false);
	assert_false(opener_give_up(o));
	usleep(30000);
	assert_true(opener_give_up(o));
	assert_false(opener_give_up(o));
	assert_opens(o, answers);
	assert_null(queue_take(answers));
	opener_free(o);
	queue_free(answers);
}

static void
a_process_that_ends_is_replaced(void **state)
{
	struct queue *answers = queue_new();
	struct opener *o = opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_DIE, .path = "deadly" };
	struct opener_answer *a;

	(void)state;
	opener_ask(o, &ask, false);
	a = (struct opener_answer *)queue_wait(answers, 5000);
	assert_non_null(a);
	assert_int_equal(a->file.fd, -1);
	assert_non_null(strstr(a->file.err.text, "has ended"));
	free(a);
	assert_opens(o, answers);
	opener_free(o);
	queue_free(answers);
}

static void
a_path_beyond_all_bounds_is_refused(void **state)
{
	struct queue *answers = queue_new();
	struct opener *o = opener_with(answers);
	static char path[100000];
	struct symbol_ask ask = { .pid = OPEN_FINE, .path = path };
	struct opener_answer *a;

	(void)state;
	memset(path, '/', sizeof(path) - 1);
	opener_ask(o, &ask, false);
	a = (struct opener_answer *)queue_wait(answers, 5000);
	assert_non_null(a);
	assert_int_equal(a->file.fd, -1);
	assert_int_equal(a->file.err.sys, ENAMETOOLONG);
	free(a);
	assert_opens(o, answers);
	opener_free(o);
	queue_free(answers);
}

static void
a_file_system_that_hung_gets_less_time(void **state)
{
	struct queue *answers = queue_new();
	struct opener_config config = { .open = fake_open,
					.proc = "/proc",
					.late_ns = 1500 * NSEC_PER_MSEC,
					.answers = answers,
					.answer_type = 9 };
	struct opener *o = opener_new(&config);
	struct symbol_ask ask = { .pid = OPEN_HANG, .path = "nfs", .maj = 7, .min = 3 };
	struct symbol_ask fine = { .pid = OPEN_FINE, .path = "fine", .maj = 7, .min = 3 };
	struct opener_answer *a;

	(void)state;
	for (int round = 0; round < 2; round++) {
		opener_ask(o, &ask, false);
		usleep(200000);
		assert_false(opener_give_up(o));
		usleep(1500000);
		assert_true(opener_give_up(o));
		opener_ask(o, &ask, false);
		usleep(200000);
		assert_true(opener_give_up(o));
		/* One that answers, and it has the whole time again. */
		opener_ask(o, &fine, false);
		a = (struct opener_answer *)queue_wait(answers, 5000);
		assert_non_null(a);
		close(a->file.fd);
		free(a);
	}
	opener_free(o);
	queue_free(answers);
}

static void
an_opener_ends_while_an_open_hangs(void **state)
{
	struct queue *answers = queue_new();
	struct opener *o = opener_with(answers);
	struct symbol_ask ask = { .pid = OPEN_HANG, .path = "nfs" };

	(void)state;
	opener_ask(o, &ask, false);
	opener_free(o);
	queue_free(answers);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_open_is_answered),
		cmocka_unit_test(an_open_that_hangs_is_left_behind),
		cmocka_unit_test(a_process_that_ends_is_replaced),
		cmocka_unit_test(a_path_beyond_all_bounds_is_refused),
		cmocka_unit_test(a_file_system_that_hung_gets_less_time),
		cmocka_unit_test(an_opener_ends_while_an_open_hangs),
	};

	return cmocka_run_group_tests_name("opener", tests, NULL, NULL);
}
