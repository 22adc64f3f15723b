/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/journal.h"

#include <string.h>

enum { BYTES_MAX = 16 << 10 };

static void
drop_first(struct journal *j)
{
	const char *end = memchr(j->text.data, '\n', j->text.len);
	size_t len = (size_t)(end - j->text.data) + 1;

	memmove(j->text.data, j->text.data + len, j->text.len - len + 1);
	j->text.len -= len;
	j->dropped++;
}

void
journal_add(struct journal *j, time_t now, const char *text)
{
	char when[16];
	struct tm tm;

	strftime(when, sizeof(when), "%H:%M:%S", localtime_r(&now, &tm));
	buf_addf(&j->text, "%s ", when);
	for (; *text != '\0'; text++)
		buf_add_char(&j->text, *text == '\n' ? ' ' : *text);
	buf_add_char(&j->text, '\n');
	while (j->text.len > BYTES_MAX)
		drop_first(j);
}

void
journal_put(const struct journal *j, struct buf *out)
{
	if (j->dropped > 0)
		buf_addf(out, "(%zu older messages are not kept)\n", j->dropped);
	buf_add_str(out, buf_str(&j->text));
}

void
journal_release(struct journal *j)
{
	buf_release(&j->text);
}
