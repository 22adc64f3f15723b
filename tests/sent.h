/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SENT_H
#define PTOP_TESTS_SENT_H
/* What a terminal sends, byte by byte, and the time that passes: for the test of it and its fuzz target. */
#include "base/buf.h"
#include "ui/term_input.h"

struct sent {
	struct term_input in;
	uint64_t now_ns;
	void (*note)(struct sent *t, const struct term_event *ev); /* checks each event */
	/* what it keeps of them */
	struct buf names;
	size_t count;
	int last_key;
};

static inline void
sent_take_all(struct sent *t)
{
	struct term_event ev;

	while (term_input_next(&t->in, &ev))
		t->note(t, &ev);
}

static inline void
sent_put(struct sent *t, unsigned char byte)
{
	term_input_put(&t->in, byte, t->now_ns);
	sent_take_all(t);
}

/* Nothing is sent for so long. */
static inline void
sent_pass(struct sent *t, uint64_t ns)
{
	struct term_event ev;

	t->now_ns += ns;
	while (term_input_give_up(&t->in, t->now_ns, &ev)) {
		t->note(t, &ev);
		sent_take_all(t);
	}
}

#endif
