/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TERM_H
#define PTOP_UI_TERM_H
/*
 * The terminal: the only part that knows curses.  There is one, owned by the ui thread; only
 * term_emergency_restore() may be called by any thread, or from a signal handler.
 */
#include "base/err.h"
#include "ui/canvas.h"
#include "ui/term_input.h"

/*
 * Catches the signals that concern the screen.  Before any other thread is started; the
 * terminal itself is left alone until term_open().
 */
int term_catch_signals(struct err *err);

/* Takes the terminal over.  -1: it cannot show a screen, see @err. */
int term_open(struct err *err);
void term_close(void); /* as it was before; more than once is allowed */

/* As it was before, by bare writes; for the crash of any thread. */
void term_emergency_restore(void);

int term_input_fd(void);
int term_output_fd(void);
int term_signal_fd(void);   /* readable: ask term_next_signal() */
int term_next_signal(void); /* the next signal caught, 0: none */

bool term_is_ascii(void);

/* Asks the terminal anew; of one that does not know LINES and COLUMNS tell.  Bounded. */
void term_size(int *width, int *height);

/*
 * Brings the canvas to the terminal: only what changed since the last time.  It may not take all of
 * it now: 0 is then returned and the rest is kept for term_send(), which is to be called when
 * term_output_fd() has room and before the next flush.  1: it has all; -1: it has gone.
 */
int term_flush(const struct canvas *canvas);
int term_send(void); /* the same results */

/*
 * Gives the text to the terminal's clipboard, with the next flush (OSC 52); not all terminals take
 * it.
 */
void term_copy(const char *text, size_t len);

/* Whether the mouse's moves are events, too, from the next flush on; not all terminals tell them. */
void term_hover(bool on);

/* How all looks from the next flush on; also before term_open().  It must stay. */
void term_set_theme(const struct theme *theme);

void term_redraw(void); /* the next flush draws all of it */

/*
 * The next event, of bytes that are there: it does not wait.  0: none yet; -1: the terminal has
 * gone.  Of what comes behind it nothing is read: that may be for the shell.
 */
int term_read(struct term_event *ev);
uint64_t term_until_ns(void); /* read then, though nothing comes (CLOCK_MONOTONIC); 0: no need */

/* Gives it to another program of the same terminal, until term_resume(). */
void term_lend(void);

/* That one has ended: the terminal is ours again, as it was before all; writes the text on it. */
void term_take_back(const char *text, size_t len);
int term_has_enter(void); /* then: 1: Enter was typed; 0: not yet; -1: the terminal has gone */

void term_suspend(void); /* gives the terminal back, stops; returns when continued */
void term_resume(void);  /* takes it over again: it was continued after another stop */

#endif
