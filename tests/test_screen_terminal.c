/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole program on the real kernel, in a terminal: small and plain ones, hostile names, ways to
 * end, little rights.
 */
#include "tests/screen_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/skip.h"

/* The row of the load "hot", when it is known how many threads that has. */
#define ONE_THREAD "^ +[0-9]+ +[^ ]+ +1 .* hot_loop .*hot"

#define HOSTILE "\033[2J;\n\377"

/* A process with that name, busy until the test ends. */
static void
start_hostile(struct screen *s)
{
	s->loads[0] = run_fork();
	if (s->loads[0] != 0)
		return;
	prctl(PR_SET_NAME, HOSTILE);
	for (;;)
		;
}

static void
a_hostile_thread_name_leaves_the_screen_whole(void **state)
{
	struct screen *s = *state;

	start_hostile(s);
	screen_start(s, 100, 24, ARGS("-V", "threads"), NULL);
	sees(s, "\\x1b[2J;\\x0a\\xff");
	pty_run(s->p, 1200);
	assert_int_equal(strncmp(pty_line(s->p, 0), " ptop ", 6), 0);
	assert_int_equal(strncmp(pty_line(s->p, 23), " F1 Help", 8), 0);
	assert_null(memmem(pty_raw(s->p)->data, pty_raw(s->p)->len, HOSTILE, strlen(HOSTILE)));
	assert_null(memchr(pty_raw(s->p)->data, '\377', pty_raw(s->p)->len));
	leave(s);
}

/* As the last stop does it: no more memory for what comes, while a flood of it comes. */
static void
without_memory_it_says_so_and_gives_the_terminal_back(void **state)
{
	const struct rlimit none = { 0, 0 };
	struct screen *s = *state;

	if (IS_SANITIZED)
		skip_for("a sanitizer ends the program itself when it gets no memory");
	screen_load(s, "syscalls");
	screen_start(s, 100, 24, ARGS("-e", "raw_syscalls:sys_enter", "-c", "1", "--memory", "1G",
				      "--history", "1G"), NULL);
	sees(s, "[Processes]");
	assert_int_equal(prlimit(pty_pid(s->p), RLIMIT_DATA, &none, NULL), 0);
	assert_int_equal(WEXITSTATUS(pty_wait_exit(s->p, 10 * SOON_MS)), 1);
	if (pty_not_restored(s->p) != NULL)
		fail_msg("not restored: %s", pty_not_restored(s->p));
	sees_match(s, "^ptop: (out of memory|cannot start a thread)");
}

static void
a_small_terminal_shows_the_first_rows(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start_on_load(s, 20, 5, ARGS(), NULL);
	sees(s, "LIVE");
	sees(s, "%EVT");
	sees_match(s, "^ +[1-9][0-9]*\\.[0-9] hot$");
	/* There is no room for how many threads it has, which must be known. */
	pty_resize(s->p, 80, 24);
	sees_match(s, ONE_THREAD);
	pty_resize(s->p, 20, 5);
	sees_match(s, "^ +[1-9][0-9]*\\.[0-9] hot$");
	keys(s, "\033[C"); /* as Enter, which would show all of news that are cut here */
	sees_match(s, "^ +[0-9]+\\.[0-9] hot_loop$");
	pty_resize(s->p, 80, 24);
	sees(s, "[Functions]");
	sees(s, "F1 Help");
	pty_resize(s->p, 20, 5);
	sees_match(s, "^ +[0-9]+\\.[0-9] hot_loop$");
	leave(s);
}

static void
a_resize_to_any_size_is_drawn(void **state)
{
	static const int sizes[][2] = { { 500, 200 }, { 1, 1 }, { 7, 3 }, { 200, 6 }, { 80, 24 } };
	struct screen *s = *state;

	screen_start(s, 80, 24, ARGS("-d", "0.2"), NULL);
	sees(s, "[Processes]");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		pty_resize(s->p, sizes[i][0], sizes[i][1]);
		pty_run(s->p, 250);
	}
	sees(s, "[Processes]");
	sees(s, "F1 Help");
	leave(s);
}

/* Whether an SGR sequence of the bytes sets a colour: 30 to 49 and 90 to 107. */
static bool
has_color(const struct buf *raw)
{
	const char *p = raw->data, *end = raw->data + raw->len;

	while ((p = memmem(p, (size_t)(end - p), "\033[", 2)) != NULL) {
		long n = strtol(p += 2, (char **)(uintptr_t)&p, 10);
		bool color = (n >= 30 && n <= 49) || (n >= 90 && n <= 107);

		while (*p == ';') {
			n = strtol(p + 1, (char **)(uintptr_t)&p, 10);
			color = color || (n >= 30 && n <= 49) || (n >= 90 && n <= 107);
		}
		if (*p == 'm' && color)
			return true;
	}
	return false;
}

/* Walks through all that can be shown. */
static void
look_everywhere(struct screen *s)
{
	static const struct {
		const char *keys, *sees;
	} places[] = {
		{ "\r", "[Functions]" }, { "\033[Z", "[Threads]" }, { "\t", "[Functions]" }, { "\t", "[Programs" },
		{ "v", "View" }, { "\033", "[Programs" }, { "\x1b[17~", "Sort by" },
		{ "\033", "[Programs" }, { "h", "Help (" }, { "\033", "[Programs" },
		{ "!", "Messages" }, { "\033", "[Programs" }, { "e", " event:" },
		{ "\033", "[Programs" }, { "i", "About this" }, { "\033", "[Programs" },
		{ "\\", "filter:" }, { "\033", "[Programs" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		keys(s, places[i].keys);
		sees(s, places[i].sees);
	}
}

static void
a_plain_terminal_gets_ascii_and_no_colour(void **state)
{
	static const struct {
		const char *env[3];
		bool ascii, mono;
	} terminals[] = {
		{ { "LC_ALL=C", "TERM=vt100" }, true, true },
		{ { "LC_ALL=C" }, true, false },
		{ { "NO_COLOR=1" }, false, true },
		{ { "TERM=vt100" }, false, true },
	};
	struct screen *s = *state;

	screen_load(s, "hot");
	for (size_t t = 0; t < sizeof(terminals) / sizeof(terminals[0]); t++) {
		const struct buf *raw;
		bool ascii = true;

		/* A name that leaves room for what is shown of it. */
		screen_start_on_load(s, 80, 24, ARGS(), terminals[t].env);
		sees_match(s, ONE_THREAD);
		look_everywhere(s);
		raw = pty_raw(s->p);
		for (size_t i = 0; i < raw->len; i++)
			ascii = ascii && (unsigned char)raw->data[i] < 0x7f;
		assert_int_equal(ascii, terminals[t].ascii);
		assert_int_equal(has_color(raw), !terminals[t].mono);
		leave(s);
	}
}

static void
every_end_gives_the_terminal_back(void **state)
{
	static const struct {
		int sig;
		bool kills; /* ends it by that signal (a sanitizer: not in order), else in order */
	} ends[] = { { SIGTERM, false }, { SIGINT, false }, { SIGSEGV, true }, { SIGABRT, true } };
	struct screen *s = *state;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		int status;

		screen_start(s, 80, 24, ARGS(), ENV("XDG_STATE_HOME=/dev/null"));
		sees(s, "[Processes]");
		assert_true(pty_in_alternate_screen(s->p));
		pty_signal(s->p, ends[i].sig);
		status = pty_wait_exit(s->p, SOON_MS);
		if (ends[i].kills) {
			assert_int_not_equal(status, 0);
			assert_int_not_equal(status, -1);
			if (WIFSIGNALED(status))
				assert_int_equal(WTERMSIG(status), ends[i].sig);
		} else {
			assert_int_equal(status, 0);
		}
		if (pty_not_restored(s->p) != NULL)
			fail_msg("signal %d: %s", ends[i].sig, pty_not_restored(s->p));
		pty_free(s->p);
		s->p = NULL;
	}
}

static void
it_stops_and_goes_on_as_a_job_of_the_shell(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start_on_load(s, 80, 24, ARGS(), NULL);
	sees_match(s, ONE_THREAD);
	keys(s, "\032");
	assert_true(pty_wait_stopped(s->p, SOON_MS));
	assert_null(pty_not_restored(s->p));
	pty_signal(s->p, SIGCONT);
	pty_run(s->p, 100);
	sees(s, "[Processes]");
	assert_true(pty_in_alternate_screen(s->p));
	keys(s, "\r");
	sees(s, "[Functions]");
	leave(s);
}

/* perf_event_paranoid, -2 if it cannot be told. */
static int
paranoid(void)
{
	struct buf b = { 0 };
	int level = -2;

	if (file_read("/proc/sys/kernel/perf_event_paranoid", &b, 64) == 0)
		level = atoi(buf_str(&b));
	buf_release(&b);
	return level;
}

static void
an_ordinary_user_sees_the_processes_and_what_is_missing(void **state)
{
	struct screen *s = *state;
	pid_t pid;

	if (paranoid() != 2 || access("/usr/bin/setpriv", X_OK) != 0)
		skip_for("needs setpriv and perf_event_paranoid at 2");
	screen_load(s, "hot");
	screen_run(s, 80, 24, ARGS("setpriv", "--reuid", "65534", "--regid", "65534",
				   "--clear-groups", (char *)(uintptr_t)run_ptop()), NULL);
	pid = pty_pid(s->p);
	if (pty_wait_text(s->p, "Permission denied", 300) && kill(pid, 0) != 0)
		skip_for("that user cannot reach %s", run_ptop());
	sees_match(s, "^ ! only your own processes.*perf_event_paranoid is 2");
	/* Beside a third notice it gives way, and that is said. */
	sees_match(s, "^ ! kernel samples are off|\\+[0-9]+ more: !");
	sees_match(s, "^ +[0-9]+ root .*hot$");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(without_memory_it_says_so_and_gives_the_terminal_back),
		screen_test(a_hostile_thread_name_leaves_the_screen_whole),
		screen_test(a_small_terminal_shows_the_first_rows),
		screen_test(a_resize_to_any_size_is_drawn),
		screen_test(a_plain_terminal_gets_ascii_and_no_colour),
		screen_test(every_end_gives_the_terminal_back),
		screen_test(it_stops_and_goes_on_as_a_job_of_the_shell),
		screen_test(an_ordinary_user_sees_the_processes_and_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
