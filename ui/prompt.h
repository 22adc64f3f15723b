/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PROMPT_H
#define PTOP_UI_PROMPT_H
/* One line of text that the user types.  Zero-initialise to begin. */
#include "ui/canvas.h"

enum { PROMPT_MAX = 256 };

enum prompt_result {
	PROMPT_GOES_ON, /* nothing happened, or only the cursor did */
	PROMPT_CHANGED,
	PROMPT_DONE,
	PROMPT_LEFT,
};

struct prompt {
	char text[PROMPT_MAX];
	size_t len;
	char fault[640]; /* what is wrong with the text, safe; "" nothing */
	bool is_proposed; /* the text: the first character replaces it, any other key keeps it */
};

void prompt_open(struct prompt *p, const char *text);
enum prompt_result prompt_key(struct prompt *p, int key);
void prompt_draw(const struct prompt *p, struct canvas *c, int y, const char *label);

/* The keys that edit a text, also for the picker: true if it changed. */
bool prompt_edit(struct prompt *p, int key);

/* Of keys that edited nothing: whether it is text, and nobody else's key. */
bool prompt_is_text(int key);

#endif
