/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/notice.h"

#include "base/buf.h"

#include <string.h>

/* What follows a number that changes while what is said stays the same. */
static bool
is_unit(const char *text)
{
	static const char *const units[] = { " %", " s", " thread", " places" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strncmp(text, units[i], strlen(units[i])) == 0)
			return true;
	return false;
}

/* Adds the text without such numbers. */
static void
put_without_figures(struct buf *b, const char *text)
{
	bool begins = true;

	while (*text != '\0') {
		size_t len = begins ? strspn(text, "0123456789.") : 0;

		if (len > 0 && is_unit(text + len)) {
			text += len;
			continue;
		}
		begins = *text == ' ' || *text == '(';
		buf_add_char(b, *text++);
	}
}

bool
notice_is_new(struct strs *told, const char *text)
{
	size_t before = told->len;
	struct buf b = { 0 };

	put_without_figures(&b, text);
	strs_add(told, buf_str(&b), b.len);
	buf_release(&b);
	return told->len != before;
}
