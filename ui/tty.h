/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TTY_H
#define PTOP_UI_TTY_H
/*
 * The way to the terminal, on which nobody waits: it may be stopped (^S), at the end of a slow
 * line, or not read at all.  Curses writes to a stream of ours; while that is held, what it writes
 * is kept in memory and then sent as far as the terminal takes it.  Of the ui thread, but for
 * tty_send_last().
 */
#include "base/err.h"

#include <stdatomic.h>
#include <stdio.h>
#include <termios.h>

struct tty {
	FILE *stream;   /* curses' */
	int memory_fd;  /* a file in memory, which stands for the terminal while it is held */
	int out_fd;     /* the terminal, opened for us: that we do not wait is no other's business */
	bool waits;     /* @out_fd could not be opened for us alone */
	char *rest;     /* still to be sent: @rest_len bytes from @rest_at on */
	size_t rest_at, rest_len, cap;
	atomic_bool is_writing; /* in tty_send() */
	atomic_bool is_over;    /* the last has been sent */
};

/* The terminal is standard output.  -1: see @err. */
int tty_open(struct tty *t, struct err *err);
void tty_close(struct tty *t); /* what was not sent is dropped */

/* From here to tty_release(), the stream is memory: the terminal's settings are out of its reach. */
void tty_hold(struct tty *t);
void tty_release(struct tty *t);

/*
 * Sends what was held.  1: all, 0: the terminal takes no more now, -1: it has gone.  After
 * tty_send_last() it sends nothing, and says all.
 */
int tty_send(struct tty *t);

/* Polled for POLLOUT where tty_send() was 0. */
int tty_fd(const struct tty *t);

/* Forgets what could not be sent, and makes a terminal go on that ^S has stopped. */
void tty_drop(struct tty *t);

/*
 * For the end: puts back the settings @saved and sends the bytes, though the terminal is stopped;
 * it waits a second at most.  Async-signal-safe, of any thread.
 */
void tty_send_last(struct tty *t, const struct termios *saved, const char *bytes, size_t len);

#endif
