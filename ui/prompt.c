/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt.h"

#include "ui/keys.h"

#include <string.h>

enum { KEY_CLEAR = 'U' & 0x1f, KEY_WORD = 'W' & 0x1f };

void
prompt_open(struct prompt *p, const char *text)
{
	*p = (struct prompt){ 0 };
	p->len = MIN(strlen(text), (size_t)PROMPT_MAX - 1);
	memcpy(p->text, text, p->len);
}

static bool
cut(struct prompt *p, size_t len)
{
	bool changed = len != p->len;

	p->len = len;
	p->text[len] = '\0';
	return changed;
}

static size_t
without_last_char(const struct prompt *p)
{
	size_t len = p->len;

	while (len > 0 && ((unsigned char)p->text[--len] & 0xc0) == 0x80)
		;
	return len;
}

static size_t
without_last_word(const struct prompt *p)
{
	size_t len = p->len;

	while (len > 0 && p->text[len - 1] == ' ')
		len--;
	while (len > 0 && p->text[len - 1] != ' ')
		len--;
	return len;
}

static bool
add_char(struct prompt *p, int key)
{
	struct buf b = { 0 };
	bool fits;

	canvas_add_utf8(&b, (uint32_t)key);
	fits = p->len + b.len < PROMPT_MAX;
	if (fits) {
		memcpy(p->text + p->len, b.data, b.len + 1);
		p->len += b.len;
	}
	buf_release(&b);
	return fits;
}

static bool
is_char(int key)
{
	return key >= ' ' && key < KEYCODE_UP;
}

bool
prompt_edit(struct prompt *p, int key)
{
	if (key == KEYCODE_BACKSPACE)
		return cut(p, without_last_char(p));
	if (key == KEY_CLEAR)
		return cut(p, 0);
	if (key == KEY_WORD)
		return cut(p, without_last_word(p));
	if (is_char(key))
		return add_char(p, key);
	return false;
}

enum prompt_result
prompt_key(struct prompt *p, int key)
{
	if (p->is_proposed && is_char(key))
		cut(p, 0);
	p->is_proposed = false;
	if (key == KEYCODE_ENTER)
		return PROMPT_DONE;
	if (key == KEYCODE_ESCAPE || (key == KEYCODE_BACKSPACE && p->len == 0))
		return PROMPT_LEFT;
	return prompt_edit(p, key) ? PROMPT_CHANGED : PROMPT_GOES_ON;
}

/* Beside the text, else above it, on as many lines as it needs. */
static void
draw_fault(const struct prompt *p, struct canvas *c, int x, int y)
{
	const int lines = MIN(canvas_wrapped_lines(c, p->fault), y);

	if (canvas_text_width(c, p->fault) <= c->width - x || lines == 0) {
		canvas_put(c, x, y, c->width - x, STYLE_ERROR, p->fault);
		return;
	}
	for (int i = 1; i <= lines; i++)
		canvas_fill(c, 0, y - i, c->width, STYLE_NORMAL);
	canvas_put_wrapped(c, y - lines, lines, STYLE_ERROR, p->fault);
}

void
prompt_draw(const struct prompt *p, struct canvas *c, int y, const char *label)
{
	struct buf b = { 0 };
	int x, room, over;
	const char *text;

	canvas_fill(c, 0, y, c->width, STYLE_NORMAL);
	x = canvas_put(c, 0, y, c->width - 1, STYLE_PROMPT, label);
	canvas_add_safe(c, &b, p->text);
	/* The end of a long text is what is being typed. */
	text = buf_str(&b);
	room = MAX(c->width - x - 1, 0);
	for (over = canvas_text_width(c, text) - room; over > 0;)
		over -= canvas_char_width(c, canvas_next(&text));
	x += canvas_put(c, x, y, room, p->is_proposed ? STYLE_SELECTED : STYLE_NORMAL, text);
	canvas_put_char(c, x, y, STYLE_CURSOR, ' ');
	if (p->fault[0] != '\0')
		draw_fault(p, c, x + 3, y);
	buf_release(&b);
}

bool
prompt_is_text(int key)
{
	return key == KEYCODE_BACKSPACE || is_char(key);
}
