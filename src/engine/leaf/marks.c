/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/marks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void
drop(struct marks *m, size_t i)
{
	m->len--;
	m->dropped++;
	memmove(&m->items[i], &m->items[i + 1], (m->len - i) * sizeof(m->items[0]));
}

static void
make_room(struct marks *m)
{
	size_t i = 0;

	if (m->len < MARKS_MAX)
		return;
	while (i < m->len && m->items[i].kind == MARK_OWN)
		i++;
	drop(m, i < m->len ? i : 0);
}

/* UTF-8 that was cut in the middle of a character loses all of it. */
static void
mend_end(char *text, size_t len)
{
	size_t at = len;

	while (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at > 0 && ((unsigned char)text[at - 1] & 0xc0) == 0xc0)
		text[at - 1] = '\0';
}

void
marks_add(struct marks *m, enum mark_kind kind, uint64_t at_ns, const char *fmt, ...)
{
	struct mark mark = { .at_ns = at_ns, .kind = kind };
	struct buf raw = { 0 }, text = { 0 };
	va_list ap;
	size_t at;

	va_start(ap, fmt);
	buf_addv(&raw, fmt, ap);
	va_end(ap);
	text_add_safe(&text, buf_str(&raw), raw.len);
	snprintf(mark.text, sizeof(mark.text), "%s", buf_str(&text));
	if (text.len >= sizeof(mark.text))
		mend_end(mark.text, sizeof(mark.text) - 1);
	buf_release(&raw);
	buf_release(&text);
	make_room(m);
	for (at = m->len; at > 0 && m->items[at - 1].at_ns > at_ns; at--)
		m->items[at] = m->items[at - 1];
	m->items[at] = mark;
	m->len++;
}
