/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/choice.h"

#include <string.h>

void
choice_begin(struct choice *c, size_t count)
{
	c->selected = c->top = 0;
	c->count = count;
}

void
choice_move(struct choice *c, long delta)
{
	long to = (long)c->selected + delta, last = (long)c->count - 1;

	c->selected = to < 0 || last < 0 ? 0 : (size_t)MIN(to, last);
}

void
choice_place(struct choice *c, int y, int rows)
{
	c->y = y;
	c->rows = (size_t)MAX(rows, 0);
	if (c->selected < c->top)
		c->top = c->selected;
	if (c->rows > 0 && c->selected >= c->top + c->rows)
		c->top = c->selected - c->rows + 1;
}

bool
choice_hit(struct choice *c, int y)
{
	size_t i = c->top + (size_t)(y - c->y);

	if (y < c->y || y >= c->y + (int)c->rows || i >= c->count)
		return false;
	c->selected = i;
	return true;
}

static bool
word_is_in(const char *word, const char *const texts[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcasestr(texts[i], word) != NULL)
			return true;
	return false;
}

bool
words_are_in(const char *words, const char *const texts[], size_t count)
{
	char word[256];

	while (*(words += strspn(words, " ")) != '\0') {
		size_t len = strcspn(words, " "), kept = MIN(len, sizeof(word) - 1);

		memcpy(word, words, kept);
		word[kept] = '\0';
		if (!word_is_in(word, texts, count))
			return false;
		words += len;
	}
	return true;
}
