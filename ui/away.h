/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_AWAY_H
#define PTOP_UI_AWAY_H
/*
 * The terminal is lent to a command of the user's: nothing is drawn and no key is taken, but
 * messages of the engine are, until it has ended and Enter brings the screen back.
 */
struct ui;

enum away {
	AWAY_NOT,
	AWAY_RUNS,
	AWAY_ENDED, /* Enter is waited for */
};

void away_begin(struct ui *ui);

/* Says it, below what the command wrote, and waits for Enter.  Nothing if it is not away. */
void away_is_over(struct ui *ui, const char *text);

void away_read(struct ui *ui); /* the terminal is readable: after AWAY_ENDED */

#endif
