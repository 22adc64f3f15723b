/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <string.h>

/* Length of the well-formed UTF-8 sequence at @s, its code point in @cp; 0 if broken. */
static size_t
utf8_next(const unsigned char *s, size_t len, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;
	uint32_t c;

	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		n = 2, c = s[0] & 0x1fu;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		n = 3, c = s[0] & 0x0fu;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		n = 4, c = s[0] & 0x07u;
	else
		return 0;
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*cp = c;
	return n;
}

/*
 * Code points that change the state of a terminal or the direction or place of other text, or that
 * nobody sees: two names would look the same.
 */
static bool
is_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x34f || c == 0x61c ||
	       c == 0x115f || c == 0x1160 || c == 0x17b4 || c == 0x17b5 || (c >= 0x180b && c <= 0x180f) ||
	       c == 0x3164 || c == 0xffa0 || (c >= 0xfe00 && c <= 0xfe0f) ||
	       (c >= 0x1d173 && c <= 0x1d17a) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) ||
	       (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef) ||
	       (c >= 0xe0000 && c <= 0xe0fff) || (c >= 0xe000 && c <= 0xf8ff) || c >= 0xf0000;
}

/* How many bytes from @s on are printable ASCII: nearly all of nearly all names. */
static size_t
plain_span(const unsigned char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return n;
}

void
text_add_safe(struct buf *b, const char *str, size_t len)
{
	const unsigned char *s = (const unsigned char *)str;
	uint32_t c;

	while (len > 0) {
		size_t n = plain_span(s, len);

		if (n > 0) {
			buf_add(b, s, n);
			s += n;
			len -= n;
			continue;
		}
		n = utf8_next(s, len, &c);
		if (n != 0 && !is_harmful(c)) {
			buf_add(b, s, n);
		} else {
			n = MAX(n, 1);
			for (size_t i = 0; i < n; i++)
				buf_addf(b, "\\x%02x", s[i]);
		}
		s += n;
		len -= n;
	}
}

void
text_add_ascii(struct buf *b, const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x20 && c < 0x7f)
			buf_add_char(b, (char)c);
		else
			buf_addf(b, "\\x%02x", c);
	}
}

void
text_add_line(struct buf *b, const char *s, size_t len)
{
	enum { TAB = 8 };
	struct buf plain = { 0 };

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\t')
			buf_add_fill(&plain, ' ', TAB - plain.len % TAB);
		else
			buf_add_char(&plain, s[i]);
	}
	text_add_safe(b, buf_str(&plain), plain.len);
	buf_release(&plain);
}

unsigned
text_distance(const char *a, const char *b)
{
	enum { LONGEST = 63 };
	unsigned rows[3][LONGEST + 1];
	size_t la = strnlen(a, LONGEST), lb = strnlen(b, LONGEST);
	unsigned *before = rows[0], *prev = rows[1], *cur = rows[2], *swap;

	for (size_t j = 0; j <= lb; j++)
		prev[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned d = prev[j - 1] + (a[i - 1] != b[j - 1]);

			d = MIN(d, prev[j] + 1);
			d = MIN(d, cur[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = MIN(d, before[j - 2] + 1);
			cur[j] = d;
		}
		swap = before;
		before = prev;
		prev = cur;
		cur = swap;
	}
	return prev[lb];
}

const char *
text_nearest(const char *word, const char *const *names, size_t n)
{
	/* About one slip in three letters is still a slip; more is another word. */
	unsigned best = (unsigned)(strlen(word) + 2) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = text_distance(word, names[i]);

		if (d < best) {
			best = d;
			found = names[i];
		}
	}
	return found;
}

static void
add_scaled(struct buf *b, double n, double step, const char *units)
{
	while (n >= step * 0.9995 && units[1] != '\0') {
		n /= step;
		units++;
	}
	if (n < 99.95 && units[0] != ' ')
		buf_addf(b, "%.1f", n);
	else
		buf_addf(b, "%.0f", n);
	if (units[0] != ' ')
		buf_add_char(b, units[0]);
}

void
text_add_count(struct buf *b, double n)
{
	add_scaled(b, n, 1000, " kMGTPE");
}

const char *
text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void
text_add_bytes(struct buf *b, uint64_t bytes)
{
	const char *unit = "KMGTPE";
	double n = (double)bytes / 1024;

	for (; n >= 999.5 && unit[1] != '\0'; unit++)
		n /= 1024;
	buf_addf(b, *unit != 'K' && n < 9.95 ? "%.1f%c" : "%.0f%c", n, *unit);
}
