/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/hung.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "engine/names/hung_said.h"
#include "tests/asserts.h"
#include "tests/fake_proc.h"

enum { EVE = 4001, BOB = 4002 };

struct fixture {
	struct fake_proc proc;
	int fd;
	struct hung hung;
	struct users *users;
};

static void
own(const struct fixture *f, int pid, uid_t uid)
{
	char path[128];

	fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "x", 'S', 0, 0, 9, 0 });
	fake_path(&f->proc, path, sizeof(path), "%d", pid);
	assert_int_equal(chown(path, uid, 0), 0);
}

/* Processes from @pid on. */
static void
hang(struct fixture *f, int pid, int count, uid_t uid)
{
	for (int i = 0; i < count; i++) {
		own(f, pid + i, uid);
		hung_add(&f->hung, f->fd, pid + i);
	}
}

static bool
is_kept_off(const struct fixture *f, int pid)
{
	return hung_keeps_off(&f->hung, f->fd, pid);
}

static void
a_user_has_half_of_what_others_have_left(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip(); /* processes of others are made */
	own(f, 90, EVE);
	own(f, 91, BOB);
	hang(f, 10, 7, EVE);
	assert_true(is_kept_off(f, 16));
	assert_false(is_kept_off(f, 90));
	hang(f, 17, 1, EVE);
	assert_true(is_kept_off(f, 90)); /* half of sixteen */
	assert_false(is_kept_off(f, 91));
	assert_false(is_kept_off(f, 99)); /* it is gone: nothing to keep off */
	hang(f, 30, 3, BOB);
	assert_false(is_kept_off(f, 91));
	hang(f, 33, 1, BOB);
	assert_true(is_kept_off(f, 91)); /* half of eight */
	/* Those of eve come back. */
	hung_remove(&f->hung, 0);
	hung_remove(&f->hung, 1);
	assert_true(is_kept_off(f, 10)); /* six: half of twelve */
	hung_remove(&f->hung, 2);
	assert_int_equal(f->hung.count, 9);
	assert_false(is_kept_off(f, 10));
	assert_false(is_kept_off(f, 90));
	assert_false(is_kept_off(f, 91));
	for (int pid = 13; pid < 18; pid++)
		assert_true(is_kept_off(f, pid));
}

static void
says(struct fixture *f, const char *text)
{
	struct buf b = { 0 };

	hung_put(&f->hung, f->users, &b);
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
}

static void
it_is_said_who_hangs_and_of_whom_nothing_is_read(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip(); /* processes of others are made */
	says(f, "");
	hang(f, 10, 1, EVE);
	says(f, "/proc hangs on processes (10): their memory maps and command lines are not read");
	hang(f, 11, 7, EVE);
	says(f, "/proc hangs on processes (10, 11, 12, 5 more): their memory maps and command lines are "
		"not read, nor are other processes of eve");
	hang(f, 30, 4, BOB);
	says(f, "/proc hangs on processes (10, 11, 12, 9 more): their memory maps and command lines are "
		"not read, nor are other processes of eve, nor are other processes of uid 4002");
	hang(f, 40, 4, 0);
	says(f, "/proc is not read any more: no %CPU, no names for what starts now; it hangs on processes "
		"10, 11, 12, 13 more");
}

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));
	char path[128];

	fake_proc_make(&f->proc);
	fake_machine(&f->proc, "passwd", "eve:x:4001:4001::/:/bin/sh\n");
	f->fd = open(f->proc.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	f->users = users_new(fake_path(&f->proc, path, sizeof(path), "passwd"));
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	users_free(f->users);
	close(f->fd);
	fake_proc_drop(&f->proc);
	free(f);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_user_has_half_of_what_others_have_left, setup, teardown),
		cmocka_unit_test_setup_teardown(it_is_said_who_hangs_and_of_whom_nothing_is_read, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
