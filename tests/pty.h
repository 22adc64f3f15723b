/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_PTY_H
#define PTOP_TESTS_PTY_H
/*
 * A program in a pseudo-terminal, looked at as a person would: keys go in, a screen comes out
 * (libvterm reads the bytes).  Nothing is read from the program unless one of these functions is
 * running, so a test that does not look holds the program up as a blocked terminal would.
 *
 * The program runs in the foreground of a session of its own, below a leader that watches it, so
 * that ^Z and ^C act as they do in a shell.  One thread.
 */
#include "base/buf.h"

#include <sys/resource.h>
#include <sys/types.h>

struct pty;

struct pty_options {
	int width, height;
	/* "NAME=VALUE" sets, "NAME" unsets; ends with NULL; may be NULL.  TERM is xterm-256color,
	 * LC_ALL is C.UTF-8, NO_COLOR is unset, there is no configuration, and nothing is kept for the
	 * next start, if it does not say otherwise. */
	const char *const *env;
};

struct pty_cell {
	uint32_t ch;
	bool bold, underline, reverse;
	bool colored; /* foreground or background is not the terminal's own */
	bool own_fg, own_bg;
	uint32_t fg, bg; /* red, green, blue, if they are not */
};

/* Starts argv[0] (looked for in PATH).  NULL when it cannot. */
struct pty *pty_start(char *const argv[], const struct pty_options *options);

/* Kills the program if it still runs. */
void pty_free(struct pty *p);
void pty_free_all(void); /* each that was started and is not freed yet */

void pty_keys(struct pty *p, const char *keys);
int pty_unread(struct pty *p); /* how many bytes of them nobody has read */
void pty_resize(struct pty *p, int width, int height);
void pty_tell_size(struct pty *p, int width, int height); /* to the program alone, true or not */
void pty_signal(struct pty *p, int sig); /* to the program */
void pty_hangup(struct pty *p);          /* the terminal goes away */
pid_t pty_pid(const struct pty *p);

/* As another program: puts the settings back that were there at first, and writes @bytes. */
void pty_restore(struct pty *p, const char *bytes);

/* Reads what comes for @ms. */
void pty_run(struct pty *p, int ms);

/* Waits until @text is, or is not, on the screen.  false: not within @timeout_ms. */
bool pty_wait_text(struct pty *p, const char *text, int timeout_ms);
bool pty_wait_gone(struct pty *p, const char *text, int timeout_ms);

/* The same with an extended regular expression, matched against each line. */
bool pty_wait_match(struct pty *p, const char *regex, int timeout_ms);

/* Waits until nothing came for @quiet_ms and the program waits too, at most @timeout_ms. */
void pty_settle(struct pty *p, int quiet_ms, int timeout_ms);

/*
 * Writes @keys; the time in ms until the last byte of the answer, which ends when nothing came
 * for @quiet_ms.  0 when nothing came at all.
 */
double pty_key_ms(struct pty *p, const char *keys, int quiet_ms);

/* Time in ms from the start of the program to the first byte it wrote; <0: none yet. */
double pty_first_byte_ms(const struct pty *p);

/* The screen as it is now: lines without blanks at the end.  Valid until the next call. */
const char *pty_line(struct pty *p, int y);
const char *pty_screen(struct pty *p); /* all lines, each with a newline */
int pty_find_line(struct pty *p, const char *text); /* the first that holds it, -1: none */
struct pty_cell pty_cell(struct pty *p, int x, int y);
bool pty_line_is_reverse(struct pty *p, int y); /* its first cell is drawn reverse or on colour */

/* All bytes since the start (the first 64 MiB are kept). */
const struct buf *pty_raw(const struct pty *p);
uint64_t pty_byte_count(const struct pty *p);

/*
 * Waits for the program's end, and for all that it wrote.  Its status as of waitpid(), -1: it still
 * runs.
 */
int pty_wait_exit(struct pty *p, int timeout_ms);
bool pty_wait_stopped(struct pty *p, int timeout_ms);
const struct rusage *pty_usage(const struct pty *p); /* of the program, after its end */

/* Whether the terminal is as it was: settings, main screen, cursor, pastes.  NULL: yes, else what not. */
const char *pty_not_restored(struct pty *p);
bool pty_in_alternate_screen(const struct pty *p);

#endif
