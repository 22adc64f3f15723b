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
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_engine.h"
#include "pty.h"
#include "run.h"

enum { SOON_MS = IS_SANITIZED ? 60000 : 20000, QUIET_MS = 40 };

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
	pty_settle(p, 8, 100); /* the rest of the same frame */
}

static inline void
sees_no(struct pty *p, const char *text)
{
	if (!pty_wait_gone(p, text, SOON_MS))
		fail_msg("'%s' is still on the screen:\n%s", text, pty_screen(p));
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
