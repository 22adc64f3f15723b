/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes from the terminal: no more events than bytes, each one of a key, and when it has been
 * quiet for a while the next key is that key.  The first byte: whether it has a mouse.  0xfd and
 * 0xfe, which are of no character, are pauses.
 */
#include "fuzz.h"

#include "base/clock.h"
#include "tests/sent.h"
#include "ui/keys.h"

#include <locale.h>
#include <stdlib.h>

#define SHORT_NS (20 * NSEC_PER_MSEC)
#define QUIET_NS (3 * NSEC_PER_SEC)

static void
note(struct sent *t, const struct term_event *ev)
{
	if (ev->key <= 0 || ev->key > KEYCODE_OTHER || (ev->key > 0x10ffff && ev->key < KEYCODE_UP) ||
	    ev->x < 0 || ev->y < 0 || t->in.len >= TERM_SEQUENCE_MAX)
		abort();
	t->count++;
	t->last_key = ev->key;
}

static void
put(struct sent *t, uint8_t byte)
{
	sent_put(t, byte);
	if (t->in.len >= TERM_SEQUENCE_MAX)
		abort();
}

int
FUZZ_TARGET(input)(const uint8_t *data, size_t size)
{
	struct sent t = { .now_ns = QUIET_NS, .note = note };

	if (size == 0)
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8");
	term_input_begin(&t.in, (data[0] & 1) != 0);
	term_input_add_string(&t.in, "\001A\r", KEYCODE_F1);
	for (size_t i = 1; i < size; i++) {
		if (data[i] == 0xfd)
			sent_pass(&t, SHORT_NS);
		else if (data[i] == 0xfe)
			sent_pass(&t, QUIET_NS);
		else
			put(&t, data[i]);
	}
	sent_pass(&t, QUIET_NS);
	if (term_input_until_ns(&t.in) != 0 || t.count >= size)
		abort();
	put(&t, 'q');
	if (t.last_key != 'q')
		abort();
	return 0;
}
