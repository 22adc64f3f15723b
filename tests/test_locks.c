/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view locks, by the whole program, beside locks whose owners are known (loads/owners.c).  It
 * takes more than half a minute: each kind of lock is looked at for seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { TRIES = 5, PATIENCE_S = 60, LOOK_S = 2, FEW = 8 };

#define LOOK_TEXT "2"

#define ptop_run(r, ...) \
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off", \
					       "-b", "-n", "1", "-d", LOOK_TEXT, "--view", "locks", \
					       __VA_ARGS__, NULL })

static void
wait_for_threads(pid_t pid, int threads)
{
	for (unsigned tries = 0; run_count_threads(pid) < threads; tries++, usleep(10000))
		assert_that(tries, <, 3000);
	usleep(100000); /* the last of them is on its way to its lock: sooner or later is all the same */
}

/* Once it has so many threads, main included. */
static pid_t
load_with(const char *mode, const char *more, int threads)
{
	pid_t pid = run_load_with("owners", mode, more);

	wait_for_threads(pid, threads);
	return pid;
}

/* The view's rows of a process, as CSV. */
static void
look_at_load(struct run_result *r, const char *event, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	/* On a machine that does not get to it a report says that it is not whole. */
	for (unsigned tries = 1;; tries++) {
		ptop_run(r, "-e", (char *)(uintptr_t)event, "-p", text, "--format", "csv");
		if (tries == TRIES || run_looks_are_whole(r))
			break;
		run_release(r);
	}
	assert_int_equal(r->status, 0);
}

static void
look_at(struct run_result *r, const char *event, const char *mode, const char *more, int threads)
{
	pid_t pid = load_with(mode, more, threads);

	look_at_load(r, event, pid);
	run_end(pid);
}

/* One lock of the view. */
struct lock {
	char lock[64], owner_comm[32], does[128];
	int owner, waiters, waiting, held;
	double seconds;
};

/* How many; the rest, [no lock], is none. */
static size_t
read_locks(const char *text, struct lock *locks, size_t max)
{
	struct csv c;
	size_t n = 0;

	csv_init(&c, text);
	while (csv_next(&c)) {
		struct lock *l = &locks[n];

		if (*csv_field(&c, "lock") == '\0')
			continue;
		assert_that(n, <, max);
		n++;
		snprintf(l->lock, sizeof(l->lock), "%s", csv_field(&c, "lock"));
		snprintf(l->owner_comm, sizeof(l->owner_comm), "%s", csv_field(&c, "owner_comm"));
		snprintf(l->does, sizeof(l->does), "%s", csv_field(&c, "does"));
		l->owner = atoi(csv_field(&c, "owner"));
		l->waiters = atoi(csv_field(&c, "waiters"));
		l->waiting = atoi(csv_field(&c, "waiting"));
		l->held = atoi(csv_field(&c, "held"));
		l->seconds = csv_number(&c, "period") / 1e9;
		if (max <= FEW)
			print_message("# %s by %d %s (%d %%), %d waiters, %.3f s: %s\n", l->lock,
				      l->owner, l->owner_comm, l->held, l->waiters, l->seconds,
				      l->does);
	}
	csv_release(&c);
	return n;
}

static void
the_owner_of_a_mutex_is_named_with_what_it_does_meanwhile(void **state)
{
	/* Three threads for 30 of each 100 ms, or a little less: each naps before it comes again. */
	const double share = 3 * 0.28, differs = 0.16;
	struct lock l[FEW] = { 0 };

	(void)state;
	need_root();
	/* On a machine that stalls the load has another rhythm: one look of some is enough. */
	for (int i = 0; i < TRIES && fabs(l[0].seconds / LOOK_S - share) > differs; i++) {
		struct run_result r;

		look_at(&r, "off-cpu", "held", NULL, 5);
		assert_int_equal(read_locks(r.out, l, FEW), 1);
		assert_string_equal(l[0].lock, "g_cache_lock");
		assert_string_equal(l[0].owner_comm, "keeper");
		assert_that(l[0].held, >=, 90);
		assert_int_equal(l[0].waiters, 3);
		assert_string_equal(l[0].does, "sleep in keep_it");
		run_release(&r);
	}
	assert_within(l[0].seconds / LOOK_S, share, differs);
}

static void
an_owner_that_runs_is_said_to_and_where(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "wall-clock", "busy", NULL, 5);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].owner_comm, "keeper");
	assert_string_equal(l[0].does, "runs burn_it");
	run_release(&r);
}

static void
each_lock_of_a_deadlock_says_so(void **state)
{
	static const struct {
		const char *count;
		size_t locks;
	} circles[] = { { "2", 2 }, { "3", 3 } };
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	for (size_t i = 0; i < 2; i++) {
		look_at(&r, "off-cpu", "circle", circles[i].count, (int)circles[i].locks + 1);
		assert_int_equal(read_locks(r.out, l, FEW), circles[i].locks);
		for (size_t k = 0; k < circles[i].locks; k++) {
			assert_int_equal(strncmp(l[k].does, "deadlock with ", 14), 0);
			assert_int_equal(l[k].waiters, 1);
			assert_int_equal(l[k].waiting, 1);
		}
		assert_int_equal(run_count_text(r.out, "alpha"), circles[i].locks);
		run_release(&r);
	}
}

static void
owners_that_wait_lead_on_to_whom_they_wait_for(void **state)
{
	const struct lock *of_second = NULL, *of_first = NULL;
	struct lock l[FEW];
	struct run_result r;
	char want[64];

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "chain", NULL, 4);
	assert_int_equal(read_locks(r.out, l, FEW), 2);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(l[i].owner_comm, "first") == 0)
			of_first = &l[i];
		else if (strcmp(l[i].owner_comm, "second") == 0)
			of_second = &l[i];
	}
	assert_non_null(of_first);
	assert_non_null(of_second);
	assert_string_equal(of_first->does, "sleep in stay");
	snprintf(want, sizeof(want), "waits for %d first: sleep in stay", of_first->owner);
	assert_string_equal(of_second->does, want);
	run_release(&r);
}

/* All of these wait in futex(2), too. */
static void
what_is_no_lock_is_never_one(void **state)
{
	static const struct {
		const char *mode;
		int threads;
	} modes[] = { { "condition", 4 }, { "barrier", 5 } };
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	for (size_t i = 0; i < 2; i++) {
		double locked = 0, others = 0;

		/* Where a thread that holds it has to wait for a CPU all others wait for it. */
		for (unsigned tries = 0; tries < TRIES && (tries == 0 || locked >= 0.02 * LOOK_S);
		     tries++) {
			size_t n;

			locked = 0;
			look_at(&r, "off-cpu", modes[i].mode, NULL, modes[i].threads);
			n = read_locks(r.out, l, FEW);
			/* Who is woken takes its mutex again: for moments. */
			for (size_t k = 0; k < n; k++)
				locked += l[k].seconds;
			others = run_csv_sum(r.out, "period", 1, (const char *const[][2]){
					     { "comm", "[no lock]" } }) / 1e9;
			run_release(&r);
		}
		assert_that(locked, <, 0.02 * LOOK_S);
		assert_that(others, >, LOOK_S);
	}
}

static void
the_writer_of_a_rwlock_is_its_owner_and_readers_are_not_known(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "rwlock", NULL, 4);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].lock, "g_table_lock");
	assert_string_equal(l[0].owner_comm, "has-written");
	assert_int_equal(l[0].waiters, 2);
	run_release(&r);
	look_at(&r, "off-cpu", "readers", NULL, 3);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].lock, "g_table_lock");
	assert_int_equal(l[0].owner, 0);
	assert_non_null(strstr(l[0].does, "readers"));
	run_release(&r);
}

static void
mutexes_of_each_kind_have_their_owners(void **state)
{
	static const char *const owners[] = { "has-pi", "has-robust", "has-recursive" };
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "kinds", NULL, 7);
	assert_int_equal(read_locks(r.out, l, FEW), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(run_count_text(r.out, owners[i]), 1);
		assert_int_equal(l[i].held, 100);
	}
	run_release(&r);
	look_at(&r, "off-cpu", "timed", NULL, 2);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].owner_comm, "owners");
	run_release(&r);
}

static void
a_lock_without_an_owner_word_says_why_nobody_is_named(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "malloc", NULL, 5);
	assert_that(read_locks(r.out, l, FEW), >=, 1);
	assert_int_equal(strncmp(l[0].lock, "malloc 0x", 9), 0);
	assert_int_equal(l[0].owner, 0);
	assert_string_equal(l[0].does, "malloc's own lock has no owner word");
	assert_int_equal(run_count_text(r.out, "allocator,"), 0);
	run_release(&r);
}

/* By their words they would be mutexes, and a deadlock. */
static void
words_that_only_look_like_locks_name_nobody(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "own", NULL, 3);
	assert_int_equal(read_locks(r.out, l, FEW), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(strncmp(l[i].lock, "futex 0x", 8), 0);
		assert_int_equal(l[i].owner, 0);
	}
	assert_int_equal(run_count_text(r.out, "deadlock"), 0);
	assert_int_equal(run_count_text(r.err, "deadlock"), 0);
	run_release(&r);
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
		print_message("# %zu of %d were looked at: %s\n", mutexes, MANY, r->err);
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
	char file[] = "/tmp/ptop-locks-XXXXXX";
	pid_t load;

	(void)state;
	need_root();
	close(mkstemp(file));
	load = run_load_with("owners", "many", file);
	assert_owners_are_right(load, file);
	run_end(load);
	unlink(file);
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

/* Forks a child that forks the load in a pid namespace of its own; the child is to be ended. */
static pid_t
load_in_namespace(const char *file, pid_t *parent)
{
	pid_t inside = 0;
	int fds[2];

	assert_return_code(pipe(fds), 0);
	*parent = run_fork();
	if (*parent == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(1);
		inside = run_load_with("owners", "many", file);
		if (write(fds[1], &inside, sizeof(inside)) != sizeof(inside))
			_exit(1);
		waitpid(inside, NULL, 0);
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &inside, sizeof(inside)), sizeof(inside));
	close(fds[0]);
	return inside;
}

static void
a_thousand_owners_in_a_pid_namespace_are_right(void **state)
{
	char file[] = "/tmp/ptop-locks-XXXXXX";
	pid_t parent, load;

	(void)state;
	need_root();
	close(mkstemp(file));
	load = load_in_namespace(file, &parent);
	assert_owners_are_right(load, file);
	run_end(parent);
	unlink(file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_owner_of_a_mutex_is_named_with_what_it_does_meanwhile),
		cmocka_unit_test(an_owner_that_runs_is_said_to_and_where),
		cmocka_unit_test(each_lock_of_a_deadlock_says_so),
		cmocka_unit_test(owners_that_wait_lead_on_to_whom_they_wait_for),
		cmocka_unit_test(what_is_no_lock_is_never_one),
		cmocka_unit_test(the_writer_of_a_rwlock_is_its_owner_and_readers_are_not_known),
		cmocka_unit_test(mutexes_of_each_kind_have_their_owners),
		cmocka_unit_test(a_lock_without_an_owner_word_says_why_nobody_is_named),
		cmocka_unit_test(words_that_only_look_like_locks_name_nobody),
		cmocka_unit_test(a_thousand_owners_are_right),
		cmocka_unit_test(a_lock_on_the_heap_is_told_by_who_waits_for_it),
		cmocka_unit_test(a_recording_says_the_same),
		cmocka_unit_test(text_and_json_have_the_owners),
		cmocka_unit_test(a_thousand_owners_in_a_pid_namespace_are_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
