/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes from the terminal: no more events than bytes, each one of a key, and when it has been
 * quiet for a while the next key is that key.  The first byte: whether it has a mouse.  0xfd and
 * 0xfe, which are of no character, are pauses.
 */
#include "fuzz.h"

#include "base/clock.h"
#include "ui/keys.h"
#include "ui/term_input.h"

#include <locale.h>
#include <stdlib.h>

#define SHORT_NS (20 * NSEC_PER_MSEC)
#define QUIET_NS NSEC_PER_SEC

struct sent {
	struct term_input in;
	uint64_t now_ns;
	size_t events;
	int last;
};

static void
note(struct sent *t, const struct term_event *ev)
{
	if (ev->key <= 0 || ev->key > KEYCODE_OTHER || (ev->key > 0x10ffff && ev->key < KEYCODE_UP) ||
	    ev->x < 0 || ev->y < 0 || t->in.len >= TERM_SEQUENCE_MAX)
		abort();
	t->events++;
	t->last = ev->key;
}

static void
put(struct sent *t, uint8_t byte)
{
	struct term_event ev;

	term_input_put(&t->in, byte, t->now_ns);
	while (term_input_next(&t->in, &ev))
		note(t, &ev);
	if (t->in.len >= TERM_SEQUENCE_MAX)
		abort();
}

static void
pass(struct sent *t, uint64_t ns)
{
	struct term_event ev;

	t->now_ns += ns;
	while (term_input_give_up(&t->in, t->now_ns, &ev)) {
		note(t, &ev);
		while (term_input_next(&t->in, &ev))
			note(t, &ev);
	}
}

int
FUZZ_TARGET(input)(const uint8_t *data, size_t size)
{
	struct sent t = { .now_ns = QUIET_NS };

	if (size == 0)
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8");
	term_input_begin(&t.in, (data[0] & 1) != 0);
	term_input_add_string(&t.in, "\001A\r", KEYCODE_F1);
	for (size_t i = 1; i < size; i++) {
		if (data[i] == 0xfd)
			pass(&t, SHORT_NS);
		else if (data[i] == 0xfe)
			pass(&t, QUIET_NS);
		else
			put(&t, data[i]);
	}
	pass(&t, QUIET_NS);
	if (term_input_until_ns(&t.in) != 0 || t.events >= size)
		abort();
	put(&t, 'q');
	if (t.last != 'q')
		abort();
	return 0;
}
