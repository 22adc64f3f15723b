/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SCREEN_FIXTURE_H
#define PTOP_TESTS_SCREEN_FIXTURE_H
/* ptop itself in a pseudo-terminal, on the real kernel, with loads beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/pty.h"
#include "tests/run.h"

enum { SOON_MS = 60000, LOADS_MAX = 4 };

struct screen {
	struct pty *p;
	pid_t loads[LOADS_MAX];
};

/* Arguments and environment, as lists. */
#define ARGS(...) ((char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL })
#define ENV(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(,) NULL })

#define screen_test(name) cmocka_unit_test_setup_teardown(name, screen_setup, screen_teardown)

int screen_setup(void **state);    /* makes a struct screen */
int screen_teardown(void **state); /* ends what still runs */

/* A program of tests/loads, until the test ends. */
void screen_load(struct screen *s, const char *name);
void screen_load_with(struct screen *s, const char *name, const char *arg);

/* Ends the @i-th load started. */
void screen_end_load(struct screen *s, int i);

/* Starts ptop with @args after its own name; skips the test if this is not root. */
void screen_start(struct screen *s, int width, int height, char *const args[],
		  const char *const *env);

/* The same, of the first load alone: of its name there may be others, of tests beside this one. */
void screen_start_on_load(struct screen *s, int width, int height, char *const args[],
			  const char *const *env);

/* argv[0] too. */
void screen_run(struct screen *s, int width, int height, char *const argv[],
		const char *const *env);

/* The test fails, "'@text' @how", and shows the screen. */
void fail_with_screen(struct screen *s, const char *text, const char *how);

/* The screen holds the text, or a line matches, soon; or the test fails and shows the screen. */
void sees(struct screen *s, const char *text);
void sees_match(struct screen *s, const char *regex);
void sees_no(struct screen *s, const char *text);

/*
 * The header says that fewer samples are lost than are taken in a second: on a busy machine a few
 * can be.
 */
void loses_few(struct screen *s);

/* How many perf events it has, once that stays the same: they come and go beside the screen. */
int settled_events(struct screen *s);

/* It has so many soon. */
void wait_for_events(struct screen *s, int wanted);

void keys(struct screen *s, const char *keys);

/* It ends by itself with status 0, and the terminal is as it was. */
void ends_in_order(struct screen *s);
void leave(struct screen *s); /* the same, after 'q' */

/*
 * The small recording of the fuzz corpus, made long: so many samples of one process, @step_ns
 * apart.  @path is a template of mkstemp().
 */
void screen_recording(char *path, unsigned records, uint64_t step_ns);

#endif
