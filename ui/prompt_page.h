/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PROMPT_PAGE_H
#define PTOP_UI_PROMPT_PAGE_H
/* Asks the user for a text, in the last line of the screen. */
#include "ui/prompt.h"
#include "ui/state.h"

/* What becomes of the text.  What is NULL does nothing. */
struct question {
	void (*done)(struct ui *ui, const char *text);   /* Enter */
	void (*change)(struct ui *ui, const char *text); /* a key changed it */
	void (*leave)(struct ui *ui);                    /* Esc */
};

/* Opens the prompt, with @text to be changed; it stays open while done() finds a fault. */
void prompt_ask(struct ui *ui, const struct question *question, const char *label,
		const char *text);

/* Called by done() and change(): says beside the text, until it changes, what is wrong with it. */
void prompt_fault(struct ui *ui, const char *fault);

int *prompt_value(struct ui *ui); /* of the question's own, kept while the prompt is open */

#endif
