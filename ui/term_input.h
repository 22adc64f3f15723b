/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TERM_INPUT_H
#define PTOP_UI_TERM_INPUT_H
/*
 * What the terminal sends, cut into keys, reports of the mouse and characters (of LC_CTYPE), typed or
 * pasted.  It reads nothing and waits for nothing: bytes are given to it one by one, with the time.
 * A sequence that is begun and not ended is given up; so is a paste, after seconds without a byte.
 */
#include "base/util.h"

struct term_event {
	int key;  /* ui/keys.h: a code point or KEYCODE_... */
	int x, y; /* of mouse events */
	bool is_pasted; /* the key is a character of a text, and no key */
};

enum {
	TERM_STRINGS_MAX = 128,
	TERM_STRING_MAX = 16,   /* bytes of what a key sends */
	TERM_SEQUENCE_MAX = 64, /* a longer one is dropped */
};

struct term_string {
	unsigned char bytes[TERM_STRING_MAX];
	size_t len;
	int key;
};

struct term_input {
	struct term_string strings[TERM_STRINGS_MAX]; /* of two with the same bytes the first counts */
	size_t string_count;
	bool has_mouse;
	unsigned char bytes[TERM_SEQUENCE_MAX]; /* not yet cut */
	size_t len;
	bool is_dropping; /* the rest of a sequence that is too long */
	bool is_pasting;
	bool is_in_string; /* an answer that is a string, which nobody wants */
	uint64_t last_ns; /* when the last byte came */
};

void term_input_begin(struct term_input *in, bool has_mouse);

/* The key sends these bytes, if nothing else was said of them.  NULL: none. */
void term_input_add_string(struct term_input *in, const char *bytes, int key);

/* A byte has come.  Before it, term_input_next() has taken all that is whole. */
void term_input_put(struct term_input *in, unsigned char byte, uint64_t now_ns);

/* The next whole one.  false: none is. */
bool term_input_next(struct term_input *in, struct term_event *ev);

/* When what is begun is to be given up, if no byte comes; 0: nothing is begun. */
uint64_t term_input_until_ns(const struct term_input *in);

/*
 * After all bytes that were there: what is begun is given up if its time is over.  true: it is an
 * event, as Esc alone is.  What is left may be whole now.
 */
bool term_input_give_up(struct term_input *in, uint64_t now_ns, struct term_event *ev);

/* What came is not meant for us any more. */
void term_input_forget(struct term_input *in);

#endif
