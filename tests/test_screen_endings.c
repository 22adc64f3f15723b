/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole program on the real kernel, in a terminal that stops, is not read, goes away, or is
 * taken by the shell: ptop goes on, and ends when it is told to.
 */
#include "tests/asserts.h"
#include "tests/screen_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "tests/skip.h"

/*
 * Nothing piles up while nothing can be shown.  The heap grows in steps of 1 MiB, which are there at once
 * (base/pages.c): one can fall into the time of the test, as what is kept of two minutes fills up.  A
 * snapshot kept of each refresh is three.  A sanitizer sees at once what would only show as growth.
 */
enum { STOPPED_MS = IS_SANITIZED ? 6000 : 12000, UNREAD_MS = 2000, AT_ONCE_MS = 5000,
       GROWTH_MAX_KB = 1536 };

static long
resident_kb(pid_t pid)
{
	struct buf b = { 0 };
	char path[64];
	long pages = 0;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	if (file_read(path, &b, 256) == 0 && sscanf(buf_str(&b), "%*d %ld", &pages) != 1)
		pages = 0;
	buf_release(&b);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* CPU time of all its threads, in clock ticks. */
static long
cpu_ticks(pid_t pid)
{
	struct buf b = { 0 };
	char path[64];
	long user = 0, system = 0;
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read(path, &b, 4096) == 0 && (end = strrchr(buf_str(&b), ')')) != NULL &&
	    sscanf(end, ") %*c %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld %ld", &user,
		   &system) != 2)
		user = system = 0;
	buf_release(&b);
	return user + system;
}

static void
nap(int ms)
{
	usleep((useconds_t)ms * 1000);
}

/* Long after it shows what is now, at once; it has lost nothing and nothing piles up. */
static void
a_stopped_terminal_holds_up_nothing(void **state)
{
	struct screen *s = *state;
	uint64_t bytes, start;
	char pids[32];
	long kb, ticks;

	screen_load(s, "hot");
	screen_load(s, "nested");
	/* Alone with what it measures: the machine's own bustle is other memory. */
	snprintf(pids, sizeof(pids), "%d,%d", (int)s->loads[0], (int)s->loads[1]);
	screen_start(s, 100, 30, ARGS("-w", "5", "-d", "0.1", "--history", "0", "-p", pids), NULL);
	sees_match(s, " hot_loop .*hot");
	pty_run(s->p, 3000);
	keys(s, "\023");
	pty_run(s->p, 300);
	bytes = pty_byte_count(s->p);
	ticks = cpu_ticks(pty_pid(s->p));
	screen_end_load(s, 0);
	pty_run(s->p, STOPPED_MS / 4);
	kb = resident_kb(pty_pid(s->p));
	pty_run(s->p, STOPPED_MS * 3 / 4);
	assert_int_equal(pty_byte_count(s->p), bytes);
	if (!IS_SANITIZED) /* what is freed stays for a while */
		assert_that(resident_kb(pty_pid(s->p)), <, kb + GROWTH_MAX_KB);
	assert_that(cpu_ticks(pty_pid(s->p)) - ticks, <, 2 * sysconf(_SC_CLK_TCK));
	start = clock_mono_ns();
	keys(s, "\021");
	assert_true(pty_wait_match(s->p, "nested", AT_ONCE_MS));
	assert_true(pty_wait_match(s->p, IS_SANITIZED ? "the terminal stood still for " :
				   "the terminal stood still for 1[0-9]", AT_ONCE_MS));
	assert_that(clock_mono_ns() - start, <, AT_ONCE_MS * NSEC_PER_MSEC);
	sees_no(s, " hot_loop");
	loses_few(s);
	leave(s);
}

/* Larger frames than its buffer holds, and nobody reads them. */
static void
a_terminal_that_is_not_read_holds_up_nothing(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 400, 120, ARGS("-d", "0.1"), NULL);
	sees_match(s, " hot_loop .*hot");
	for (int i = 0; i < 20; i++) {
		keys(s, i % 2 == 0 ? "h" : "\033");
		nap(UNREAD_MS / 20);
	}
	sees_match(s, " hot_loop .*hot");
	sees(s, "F1 Help");
	leave(s);
}

/* Keys and signals do what they do, though nothing can be shown. */
static void
a_stopped_terminal_is_given_back_at_the_end(void **state)
{
	static const struct {
		int sig; /* 0: the key */
		const char *key;
	} ends[] = {
		{ SIGTERM, NULL }, { SIGHUP, NULL }, { SIGINT, NULL }, { 0, "q" }, { 0, "\003" },
	};
	struct screen *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		screen_start(s, 100, 30, ARGS("-d", "0.2"), NULL);
		sees(s, "[Processes]");
		keys(s, "\023");
		pty_run(s->p, 700);
		if (ends[i].sig != 0)
			pty_signal(s->p, ends[i].sig);
		else
			keys(s, ends[i].key);
		ends_in_order(s);
	}
}

static void
a_terminal_that_nobody_reads_does_not_keep_it(void **state)
{
	struct screen *s = *state;
	int status = -1;

	screen_start(s, 400, 120, ARGS("-d", "0.1"), NULL);
	sees(s, "[Processes]");
	for (int i = 0; i < 20; i++) {
		pty_resize(s->p, 400 - i % 2, 120);
		nap(100);
	}
	pty_signal(s->p, SIGTERM);
	for (int ms = 0; ms < SOON_MS && run_count_threads(pty_pid(s->p)) > 0; ms += 50)
		nap(50);
	assert_int_equal(run_count_threads(pty_pid(s->p)), 0);
	status = pty_wait_exit(s->p, SOON_MS);
	assert_int_equal(status, 0);
}

/* Also one that was stopped before. */
static void
a_terminal_that_goes_away_ends_it(void **state)
{
	struct screen *s = *state;

	for (int stopped = 0; stopped < 2; stopped++) {
		screen_load(s, "hot");
		screen_start(s, 100, 30, ARGS("-d", "0.2"), NULL);
		sees(s, "[Processes]");
		if (stopped)
			keys(s, "\023");
		pty_run(s->p, 700);
		pty_hangup(s->p);
		assert_int_equal(pty_wait_exit(s->p, SOON_MS), 0);
		pty_free(s->p);
		s->p = NULL;
	}
}

/* SIGSTOP cannot be caught: what the shell did to the terminal meanwhile shows at SIGCONT. */
static void
a_stop_that_it_did_not_see_is_mended(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start_on_load(s, 100, 30, ARGS(), NULL);
	sees_match(s, "^ +[0-9]+ +[^ ]+ +1 .* hot_loop .*hot"); /* it has one thread */
	pty_signal(s->p, SIGSTOP);
	assert_true(pty_wait_stopped(s->p, SOON_MS));
	pty_restore(s->p, "\033[?1049l\033[2J\ra shell's line\r\n");
	sees(s, "a shell's line");
	sees_no(s, "[Processes]");
	pty_signal(s->p, SIGCONT);
	sees(s, "[Processes]");
	sees_no(s, "a shell's line");
	assert_true(pty_in_alternate_screen(s->p));
	assert_non_null(pty_not_restored(s->p));
	keys(s, "\r");
	sees(s, "[Functions]");
	leave(s);
}

/* From some moment on it gets no more memory. */
static void
a_lack_of_memory_is_told_on_a_terminal_that_is_as_it_was(void **state)
{
	const struct rlimit none = { 0, 0 };
	struct screen *s = *state;
	int status = -1;

	if (IS_SANITIZED)
		skip_for("a sanitizer takes what memory there is");
	screen_load(s, "hot");
	screen_start(s, 100, 30, ARGS("-d", "0.1"), NULL);
	sees_match(s, " hot_loop .*hot");
	assert_int_equal(prlimit(pty_pid(s->p), RLIMIT_DATA, &none, NULL), 0);
	/* On a busy machine it takes a while to want more. */
	for (int i = 0; i < 300 && status == -1; i++) {
		pty_resize(s->p, 100 + 10 * (i % 60), 30 + 3 * (i % 60));
		keys(s, i % 2 == 0 ? "e" : "\033\t");
		status = pty_wait_exit(s->p, 200);
	}
	assert_true(status != -1);
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_null(pty_not_restored(s->p));
	sees_match(s, "^ptop: (out of memory|cannot start a thread)");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_stopped_terminal_holds_up_nothing),
		screen_test(a_terminal_that_is_not_read_holds_up_nothing),
		screen_test(a_stopped_terminal_is_given_back_at_the_end),
		screen_test(a_terminal_that_nobody_reads_does_not_keep_it),
		screen_test(a_terminal_that_goes_away_ends_it),
		screen_test(a_lack_of_memory_is_told_on_a_terminal_that_is_as_it_was),
		screen_test(a_stop_that_it_did_not_see_is_mended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
