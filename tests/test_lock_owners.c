/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owners of locks by the thousand and on the heap, and what recordings, text and JSON say of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/locks.h"
#include "tests/root.h"

/* Where the load says who owns what, "": there is no such file.  It goes however the test ends. */
static char told_path[32];

static void
make_told(void)
{
	int fd;

	strcpy(told_path, "/tmp/ptop-locks-XXXXXX");
	fd = mkstemp(told_path);
	assert_return_code(fd, 0);
	close(fd);
}

static int
remove_told(void **state)
{
	(void)state;
	if (told_path[0] != '\0')
		unlink(told_path);
	told_path[0] = '\0';
	return 0;
}

/* What the load says of a mutex; 0: nothing. */
static int
owner_told(const char *told, const char *lock)
{
	char line[80];
	const char *at;

	snprintf(line, sizeof(line), "%s ", strcmp(lock, "many") == 0 ? "many+0x0" : lock);
	at = strstr(told, line);
	return at != NULL ? atoi(at + strlen(line)) : 0;
}

enum { MANY = 1000, MORE = 100, MANY_THREADS = MANY + 100 + 2 };

/* What a thread is called in its own namespace. */
static int
tid_inside(pid_t pid, int tid)
{
	char path[64];
	struct buf b = { 0 };
	int outer = 0, inner = 0, found;
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, tid);
	assert_return_code(file_read(path, &b, 8192), 0);
	at = strstr(buf_str(&b), "\nNSpid:");
	assert_non_null(at);
	found = sscanf(at, "\nNSpid: %d %d", &outer, &inner);
	buf_release(&b);
	return found == 2 ? inner : outer;
}

/* Threads that come late wait for locks of the C library, too. */
static bool
is_of_load(const struct lock *l)
{
	return strncmp(l->lock, "many", 4) == 0;
}

/* How many locks; a busy machine may not get to all in the first time. */
static size_t
look_at_many(struct run_result *r, pid_t load, struct lock *l)
{
	for (int tries = 1;; tries++) {
		size_t n, mutexes = 0;

		look_at_load(r, "off-cpu", load);
		n = read_locks(r->out, l, MANY + MORE);
		for (size_t i = 0; i < n; i++)
			mutexes += is_of_load(&l[i]);
		if (mutexes == MANY || tries == TRIES)
			return n;
		print_message("# %zu of %d, of %zu rows: %s\n", mutexes, MANY, n, r->err);
		run_release(r);
	}
}

/* Of the load "many", which says in @file who has its locks. */
static void
assert_owners_are_right(pid_t load, const char *file)
{
	struct lock *l = test_calloc(MANY + MORE, sizeof(*l));
	int known = 0, mutexes = 0;
	struct buf told = { 0 };
	struct run_result r;
	size_t n;

	wait_for_threads(load, MANY_THREADS);
	n = look_at_many(&r, load, l);
	assert_return_code(file_read(file, &told, 1 << 20), 0);
	for (size_t i = 0; i < n; i++) {
		if (!is_of_load(&l[i]))
			continue;
		mutexes++;
		if (l[i].owner == 0)
			continue;
		known++;
		assert_int_equal(tid_inside(load, l[i].owner), owner_told(buf_str(&told), l[i].lock));
	}
	print_message("# %d of %d owners are known\n", known, MANY);
	assert_int_equal(mutexes, MANY);
	assert_that(known, >=, MANY * 98 / 100);
	buf_release(&told);
	test_free(l);
	run_release(&r);
}

static void
a_thousand_owners_are_right(void **state)
{
	pid_t load;

	(void)state;
	need_root();
	make_told();
	load = run_load_with("owners", "many", told_path);
	assert_owners_are_right(load, told_path);
	run_end(load);
}

/* Nothing names it, and nobody has seen who allocated it: the function that wants it tells what it is. */
static void
a_lock_on_the_heap_is_told_by_who_waits_for_it(void **state)
{
	struct run_result r;
	unsigned heaps = 0;
	char text[16];
	struct csv c;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("locks");
	run_thread(load, "owner");
	snprintf(text, sizeof(text), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu", "-p", text, "--format", "csv");
	csv_init(&c, r.out);
	while (csv_next(&c)) {
		if (strncmp(csv_field(&c, "lock"), "heap 0x", 7) != 0)
			continue;
		heaps++;
		assert_string_equal(csv_field(&c, "waits-in"), "wait_for");
		assert_null(strchr(csv_field(&c, "lock") + 5, ' '));
	}
	csv_release(&c);
	run_release(&r);
	assert_int_equal(heaps, 1);
	ptop_run(&r, "-e", "off-cpu", "-p", text);
	run_end(load);
	/* What is called by its name needs no more. */
	assert_int_equal(run_count_text(r.out, " in wait_for"), 2);
	run_release(&r);
}

static void
a_recording_says_the_same(void **state)
{
	char dir[] = "/tmp/ptop-locks-XXXXXX", file[64], text[16];
	struct run_result r, again;
	struct lock l[FEW], m[FEW];
	pid_t pid;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	pid = load_with("held", NULL, 5);
	snprintf(text, sizeof(text), "%d", (int)pid);
	ptop_run(&r, "-p", text, "--format", "csv", "-r", file);
	run_end(pid);
	run_program(&again, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--view", "locks", "--format", "csv", NULL });
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_int_equal(again.status, 0);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	/* Its first look is counted before libc's names are read. */
	assert_in_range(read_locks(again.out, m, FEW), 1, 2);
	assert_string_equal(m[0].lock, l[0].lock);
	assert_int_equal(m[0].owner, l[0].owner);
	assert_string_equal(m[0].does, "sleep in keep_it");
	assert_within(m[0].seconds, l[0].seconds, 0.2);
	run_release(&r);
	run_release(&again);
}

/* Nobody looked at the lock while it was waited for. */
static void
waits_by_their_switches_say_that_they_do_not_tell_who(void **state)
{
	char dir[] = "/tmp/ptop-locks-XXXXXX", file[64], text[16];
	struct run_result r;
	struct lock l[FEW];
	pid_t pid;
	size_t n;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	pid = load_with("held", NULL, 5);
	snprintf(text, sizeof(text), "%d", (int)pid);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "2",
			"-e", "off-cpu/exact/", "-p", text, "-r", file, NULL });
	run_end(pid);
	assert_int_equal(r.status, 0);
	run_release(&r);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--view", "locks", "--format", "csv", NULL });
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	n = read_locks(r.out, l, FEW);
	assert_in_range(n, 1, 2);
	assert_string_equal(l[0].lock, "g_cache_lock");
	assert_int_equal(l[0].owner, 0);
	assert_string_equal(l[0].does, "switches do not tell who: off-cpu does");
	run_release(&r);
}

static void
text_and_json_have_the_owners(void **state)
{
	struct run_result r;
	char text[16];
	pid_t pid;

	(void)state;
	need_root();
	pid = load_with("circle", "2", 3);
	snprintf(text, sizeof(text), "%d", (int)pid);
	ptop_run(&r, "-p", text);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "HELD BY"));
	assert_int_equal(run_count_text(r.out, "deadlock with "), 2);
	run_release(&r);
	ptop_run(&r, "-p", text, "--format", "json");
	run_end(pid);
	assert_int_equal(r.status, 0);
	assert_int_equal(run_count_text(r.out, "\"deadlock\":true"), 2);
	assert_int_equal(run_count_text(r.out, "\"owner_comm\":\"alpha\""), 1);
	assert_non_null(strstr(r.out, "\"other\":{"));
	run_release(&r);
}

static void
a_thousand_owners_in_a_pid_namespace_are_right(void **state)
{
	pid_t parent, load;

	(void)state;
	need_root();
	make_told();
	load = run_load_in_pids("owners", "many", told_path, &parent);
	assert_that(load, >, 0);
	assert_owners_are_right(load, told_path);
	run_end(parent);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_thousand_owners_are_right, remove_told),
		cmocka_unit_test(a_lock_on_the_heap_is_told_by_who_waits_for_it),
		cmocka_unit_test(a_recording_says_the_same),
		cmocka_unit_test(waits_by_their_switches_say_that_they_do_not_tell_who),
		cmocka_unit_test(text_and_json_have_the_owners),
		cmocka_unit_test_teardown(a_thousand_owners_in_a_pid_namespace_are_right, remove_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
