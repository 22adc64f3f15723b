/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys, the mouse and sizes of the screen at random: it does not crash, no page is stuck, q leaves.
 * PTOP_TEST_KEYS says how many, PTOP_TEST_SEED which.  What W writes is read by the next.
 */
#include "ui_test.h"
#include "tests/rc_folder.h"

#include <signal.h>
#include <sys/wait.h>

enum {
	KEYS = 4000,
	ROUND = 1000,
	BURST = 24,
	RESIZE_EACH = 50,
	ESCAPES = 12,
	ESCAPE_MS = 40,
	PASTE_MS = 4000, /* a paste without an end is over by then */
	WIDTH_MAX = 260,
	HEIGHT_MAX = 90,
};

/* Of them some begin a sequence that what comes next ends, or not. */
static const char *const sequences[] = {
	"\033", "\033OA", "\033OB", "\033OC", "\033OD", "\033[H", "\033[F", "\033[5~", "\033[6~", "\033[2~",
	"\033[3~", "\033[Z", "\033OP", "\033OQ", "\033OR", "\033OS", "\033[15~", "\033[17~", "\033[18~",
	"\033[19~", "\033[20~", "\033[24~", "\r", "\t", "\177", "\xc3\xa9", "\xe6\xbc\xa2", "\xc3", "\xff", "\033[",
	"\033[<0;1", "\033[<0;9;", "\033[M", "\033[M !!", "\033O", "\033[1;", "\033[1;5A", "\033[200~",
	"\033[201~", "\033P", "\033]1", "\033\\",
};

/* What ends ptop, stops it, or stops its terminal is not random. */
static bool
is_left_out(int byte)
{
	return byte == 'q' || (byte < ' ' && memchr("\x03\x11\x13\x1a\x1c", byte, 5) != NULL);
}

static long
below(long n)
{
	return random() % n;
}

static void
press_mouse(struct pty *p)
{
	static const int buttons[] = { 0, 0, 0, 2, 64, 65, 35 };
	char text[64];
	int button = buttons[below(ARRAY_SIZE(buttons))], x = 1 + (int)below(WIDTH_MAX),
	    y = 1 + (int)below(HEIGHT_MAX);

	snprintf(text, sizeof(text), "\033[<%d;%d;%dM\033[<%d;%d;%dm", button, x, y, button, x, y);
	pty_keys(p, text);
}

static void
press_key(struct pty *p)
{
	char text[2] = "";

	do
		text[0] = (char)(1 + below('~'));
	while (is_left_out(text[0]));
	pty_keys(p, text);
}

static void
do_something(struct pty *p)
{
	long what = below(10);

	if (below(RESIZE_EACH) == 0)
		pty_resize(p, 1 + (int)below(WIDTH_MAX), 1 + (int)below(HEIGHT_MAX));
	else if (what == 0)
		press_mouse(p);
	else if (what < 4)
		pty_keys(p, sequences[below(ARRAY_SIZE(sequences))]);
	else
		press_key(p);
	/* The palette can stop it. */
	if (pty_wait_stopped(p, 0))
		pty_signal(p, SIGCONT);
}

/* Whatever page is in front: Esc leads out of it, and q leaves. */
static int
press_to_leave(struct pty *p, int timeout_ms)
{
	for (int i = 0; i < ESCAPES && pty_wait_exit(p, 0) < 0; i++) {
		pty_keys(p, "\033");
		pty_run(p, ESCAPE_MS);
	}
	pty_keys(p, "q");
	return pty_wait_exit(p, timeout_ms);
}

/* In a paste that has not ended that is text, until nothing came for a while. */
static void
leaves(struct pty *p)
{
	int status;

	pty_run(p, ESCAPE_MS);
	if (pty_wait_exit(p, 0) < 0)
		pty_signal(p, SIGCONT);
	pty_resize(p, 80, 24);
	status = press_to_leave(p, PASTE_MS);
	if (status < 0)
		status = press_to_leave(p, SOON_MS);
	if (status != 0)
		fail_msg("it ends with status %x, -1: it does not:\n%s", (unsigned)status, pty_screen(p));
}

static long
number(const char *name, long missing)
{
	const char *text = getenv(name);

	return text != NULL ? atol(text) : missing;
}

static void
keys_mouse_and_sizes_at_random_do_no_harm(void **state)
{
	static const char *const worlds[][3] = {
		{ "FAKE_EVENTS=300", "FAKE_WALL=1", "FAKE_OUTPUT=text" },
		{ "FAKE_HOSTILE=1", "FAKE_SHUFFLE=1", "FAKE_DELAY=0.01" },
		{ "FAKE_CPUS=300", "FAKE_SLOW=3", "TERM=vt100" },
		{ "FAKE_NOTICES=9", "LC_ALL=C", "FAKE_LATE=5" },
	};
	const long keys = number("PTOP_TEST_KEYS", KEYS), seed = number("PTOP_TEST_SEED", 1);
	struct rc_folder rc;

	(void)state;
	rc_folder_make(&rc, NULL);
	srandom((unsigned)seed);
	for (long done = 0, round = 0; done < keys; round++) {
		const char *const *w = worlds[round % (long)ARRAY_SIZE(worlds)];
		struct pty *p = start(80, 24, ENV(w[0], w[1], w[2], rc.config, rc.state));

		is_up(p);
		/* A sequence can be a key that leaves, by chance. */
		for (int n = 0; n < ROUND && pty_wait_exit(p, 0) < 0; n++, done++) {
			do_something(p);
			if (below(BURST) == 0)
				pty_run(p, (int)below(4));
		}
		leaves(p);
		pty_free(p);
	}
	rc_folder_remove(&rc);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ui_test(keys_mouse_and_sizes_at_random_do_no_harm),
	};

	if (argc > 1 && strcmp(argv[1], "--ui") == 0)
		return fake_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
