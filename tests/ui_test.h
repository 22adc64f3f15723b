/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_UI_TEST_H
#define PTOP_TESTS_UI_TEST_H
/*
 * Tests of the screen on the fake engine: the test program starts itself again, as the program in
 * the pseudo-terminal.  Include it in one file of each test program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_engine.h"
#include "pty.h"
#include "tests/asserts.h"

enum { SOON_MS = 60000, QUIET_MS = 40, FRAME_MS = 1000 };

/* A test that fails leaves its program. */
#define ui_test(name) cmocka_unit_test_teardown(name, end_what_is_left)

static inline int
end_what_is_left(void **state)
{
	(void)state;
	pty_free_all();
	return 0;
}

/* Environment as variable arguments. */
#define ENV(...) (const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL }

static char *const self_argv[] = { (char *)(uintptr_t)"/proc/self/exe", (char *)(uintptr_t)"--ui",
				   NULL };

static inline struct pty *
start(int width, int height, const char *const *env)
{
	struct pty *p = pty_start(self_argv, &(struct pty_options){ width, height, env });

	assert_non_null(p);
	return p;
}

/* The screen holds @text, or the test fails and shows what it held instead. */
static inline void
sees(struct pty *p, const char *text)
{
	if (!pty_wait_text(p, text, SOON_MS))
		fail_msg("'%s' is not on the screen:\n%s", text, pty_screen(p));
	pty_settle(p, 8, FRAME_MS); /* the rest of the same frame */
}

static inline void
sees_no(struct pty *p, const char *text)
{
	if (!pty_wait_gone(p, text, SOON_MS))
		fail_msg("'%s' is still on the screen:\n%s", text, pty_screen(p));
	pty_settle(p, 8, FRAME_MS);
}

/* On a busy machine the two can be too far apart to be one: then it is done again. */
static inline void
double_clicked(struct pty *p, int x, int y, const char *shows)
{
	char press[32], release[32];

	snprintf(press, sizeof(press), "\033[<0;%d;%dM", x, y);
	snprintf(release, sizeof(release), "\033[<0;%d;%dm", x, y);
	for (int i = 0; i < 10 && strstr(pty_screen(p), shows) == NULL; i++) {
		for (int clicks = 0; clicks < 2; clicks++) {
			pty_keys(p, press);
			pty_run(p, 30);
			pty_keys(p, release);
			pty_run(p, 30);
		}
		pty_wait_text(p, shows, FRAME_MS);
	}
	sees(p, shows);
}

/* It has drawn its first screen, however small that is. */
static inline void
is_up(struct pty *p)
{
	for (int ms = 0; ms < SOON_MS && pty_byte_count(p) == 0; ms += 20)
		pty_run(p, 20);
	assert_that(pty_byte_count(p), >, 0);
	pty_settle(p, QUIET_MS, FRAME_MS);
}

static inline void
ends_in_order(struct pty *p)
{
	const char *bad;

	assert_int_equal(pty_wait_exit(p, SOON_MS), 0);
	bad = pty_not_restored(p);
	if (bad != NULL)
		fail_msg("not restored: %s", bad);
}

/* Leaves by 'q', and all is as it was. */
static inline void
leave(struct pty *p)
{
	pty_keys(p, "q");
	ends_in_order(p);
	pty_free(p);
}

#endif
