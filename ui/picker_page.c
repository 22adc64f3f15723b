/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"

#include "ui/keys.h"
#include "ui/prompt.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 36, CLASS_WIDTH = 10, MARK_WIDTH = 2, WIDE = 100, DETAIL_MAX = 3 };

struct picker_page {
	struct catalogue *catalogue; /* NULL: on its way */
	struct prompt prompt;
	size_t *matches;             /* items that hold all words typed */
	size_t match_count, match_cap;
	size_t selected, top;        /* among matches */
	int list_y;
};

static const struct {
	const char *mark;
	enum style style;
} states[] = {
	[EVENT_UNKNOWN] = { "?", STYLE_NORMAL },
	[EVENT_CAN]     = { "+", STYLE_GOOD },
	[EVENT_CANNOT]  = { "-", STYLE_BAD },
};

/* All words of @text are somewhere in the event's name, class or help. */
static bool
holds_words(const struct catalogue_event *ev, const char *text)
{
	char word[PROMPT_MAX];
	size_t len;

	for (; *text != '\0'; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		memcpy(word, text, len);
		word[len] = '\0';
		if (strcasestr(ev->name, word) == NULL && strcasestr(ev->help, word) == NULL &&
		    strcasestr(event_class_names[ev->class], word) == NULL)
			return false;
	}
	return true;
}

/* Those whose names begin with what was typed come first. */
static void
match_all(struct picker_page *p)
{
	const struct catalogue *c = p->catalogue;
	size_t len = p->prompt.len;

	p->match_count = 0;
	if (c == NULL)
		return;
	vec_reserve(&p->matches, &p->match_cap, c->len, sizeof(*p->matches));
	for (int pass = len > 0 ? 0 : 1; pass < 2; pass++) {
		for (size_t i = 0; i < c->len; i++) {
			bool first = len > 0 &&
				     strncasecmp(c->items[i].name, p->prompt.text, len) == 0;

			if (first == (pass == 0) && holds_words(&c->items[i], p->prompt.text))
				p->matches[p->match_count++] = i;
		}
	}
}

void
picker_page_show(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;

	prompt_open(&p->prompt, "");
	p->selected = p->top = 0;
	match_all(p);
	page_show(ui, PAGE_PICKER);
	engine_ask_catalogue(ui->engine);
}

/* NULL: nothing matches. */
static const struct catalogue_event *
selected(const struct picker_page *p)
{
	if (p->catalogue == NULL || p->selected >= p->match_count)
		return NULL;
	return &p->catalogue->items[p->matches[p->selected]];
}

static void
take_message(struct ui *ui, const struct msg *m)
{
	struct picker_page *p = ui->picker_page;
	const struct catalogue_event *ev = selected(p);
	struct catalogue *old = p->catalogue;

	if (m->type != ENGINE_MSG_CATALOGUE)
		return;
	p->catalogue = catalogue_get(((const struct engine_catalogue_msg *)m)->catalogue);
	match_all(p);
	for (size_t i = 0; ev != NULL && i < p->match_count; i++)
		if (strcmp(p->catalogue->items[p->matches[i]].name, ev->name) == 0)
			p->selected = i;
	if (p->selected >= p->match_count)
		p->selected = 0;
	catalogue_put(old);
	ui_touch(ui);
}

/* Text narrows the list; keys that do not edit it may be actions. */
static bool
take_key(struct ui *ui, int key)
{
	struct picker_page *p = ui->picker_page;

	if (prompt_edit(&p->prompt, key)) {
		match_all(p);
		p->selected = p->top = 0;
		return true;
	}
	return key == KEYCODE_BACKSPACE || (key >= ' ' && key < KEYCODE_UP);
}

static void
move(struct ui *ui, long delta)
{
	struct picker_page *p = ui->picker_page;
	long to = (long)p->selected + delta, last = (long)p->match_count - 1;

	p->selected = to < 0 || last < 0 ? 0 : (size_t)MIN(to, last);
}

/* Selects what is there; Enter opens it. */
static bool
click(struct ui *ui, int x, int y)
{
	struct picker_page *p = ui->picker_page;
	size_t i = p->top + (size_t)(y - p->list_y);

	(void)x;
	if (y >= p->list_y && y < p->list_y + (int)ui->rows[PAGE_PICKER] && i < p->match_count)
		p->selected = i;
	return false;
}

/* Opens the selected event; if nothing matches what was typed, that is the text of an event. */
static void
in(struct ui *ui)
{
	const struct picker_page *p = ui->picker_page;
	const struct catalogue_event *ev = selected(p);
	const char *text = p->prompt.text + strspn(p->prompt.text, " ");

	if (ev == NULL && *text == '\0')
		return;
	if (ev != NULL && ev->state == EVENT_CANNOT) {
		ui_say(ui, true, "%s cannot be opened: %s", ev->name, ev->reason);
		return;
	}
	engine_switch_event(ui->engine, ev != NULL ? ev->name : text);
	page_show(ui, PAGE_NONE);
}

static void
put_safe(struct canvas *c, int x, int y, int max, enum style style, const char *text)
{
	struct buf b = { 0 };

	canvas_add_safe(c, &b, text);
	canvas_put(c, x, y, max, style, buf_str(&b));
	buf_release(&b);
}

static void
draw_event(struct canvas *c, int y, const struct catalogue_event *ev)
{
	int x = 1, name = MIN(NAME_WIDTH, MAX(c->width - MARK_WIDTH - 1, 1));
	enum style style = ev->state == EVENT_CANNOT ? STYLE_DIM : STYLE_NORMAL;
	bool why = ev->state == EVENT_CANNOT && ev->reason[0] != '\0';

	canvas_put(c, x, y, 1, states[ev->state].style, states[ev->state].mark);
	x += MARK_WIDTH;
	put_safe(c, x, y, name, style, ev->name);
	x += name + 1;
	if (c->width >= WIDE) {
		canvas_put(c, x, y, CLASS_WIDTH, style, event_class_names[ev->class]);
		x += CLASS_WIDTH + 1;
	}
	put_safe(c, x, y, c->width - x, style, why ? ev->reason : ev->help);
}

static void
draw_list(struct picker_page *p, struct canvas *c, size_t rows)
{
	if (p->selected < p->top)
		p->top = p->selected;
	if (p->selected >= p->top + rows)
		p->top = p->selected - rows + 1;
	for (size_t i = 0; i < rows && p->top + i < p->match_count; i++) {
		int y = p->list_y + (int)i;

		draw_event(c, y, &p->catalogue->items[p->matches[p->top + i]]);
		if (p->top + i == p->selected)
			canvas_select(c, y, 0, c->width);
	}
	if (p->catalogue == NULL)
		canvas_put(c, 1, p->list_y, c->width - 1, STYLE_NORMAL, "reading events...");
	else if (p->match_count == 0)
		canvas_put(c, 1, p->list_y, c->width - 1, STYLE_NORMAL,
			   "no event of the list holds these words: Enter opens what is typed");
}

/* How much of the text goes on one line: up to the last blank that fits. */
static size_t
line_length(const struct canvas *c, const char *text, int width)
{
	const char *p = text, *blank = NULL, *at = text;
	int used = 0;

	while (*p != '\0') {
		at = p;
		used += canvas_char_width(c, canvas_next(&p));
		if (used > width)
			return (size_t)((blank != NULL ? blank : at) - text);
		if (*at == ' ')
			blank = p;
	}
	return (size_t)(p - text);
}

/* On @lines lines; the last is cut. */
static void
put_wrapped(struct canvas *c, int y, int lines, enum style style, const char *text)
{
	int width = c->width - 1;

	for (; lines > 1; lines--) {
		size_t len = line_length(c, text, width);
		char *line = mem_strndup(text, len);

		canvas_put(c, 1, y++, width, style, line);
		free(line);
		text += len;
	}
	canvas_put(c, 1, y, width, style, text);
}

/* Whole help of the selected event, since the list may cut it. */
static void
draw_detail(const struct picker_page *p, struct canvas *c, int y, int lines)
{
	const struct catalogue_event *ev = selected(p);
	struct buf b = { 0 };

	if (ev == NULL)
		return;
	canvas_add_safe(c, &b, ev->name);
	buf_add_str(&b, ": ");
	if (ev->state == EVENT_CANNOT) {
		buf_add_str(&b, "cannot be opened: ");
		canvas_add_safe(c, &b, ev->reason[0] != '\0' ? ev->reason : "reason not known");
	} else {
		canvas_add_safe(c, &b, ev->help);
	}
	put_wrapped(c, y, lines, ev->state == EVENT_CANNOT ? STYLE_NOTICE : STYLE_STRONG, b.data);
	buf_release(&b);
}

static void
draw_titles(const struct picker_page *p, struct canvas *c, int y)
{
	struct buf b = { 0 };

	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	buf_addf(&b, "  %-*s ", NAME_WIDTH, "EVENT");
	if (c->width >= WIDE)
		buf_addf(&b, "%-*s ", CLASS_WIDTH, "CLASS");
	buf_add_str(&b, "WHAT IT COUNTS");
	canvas_put(c, 1, y, c->width - 1, STYLE_TITLE, b.data);
	buf_reset(&b);
	buf_addf(&b, "%zu of %zu", p->match_count, p->catalogue == NULL ? 0 : p->catalogue->len);
	if (c->width >= 80)
		canvas_put_right(c, 0, y, c->width - 1, STYLE_TITLE, b.data);
	buf_release(&b);
}

static void
draw(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;
	struct canvas *c = &ui->canvas;
	int height = layout_above_footer(&ui->layout), y = 0;
	int detail = height >= 16 ? DETAIL_MAX : height >= 8 ? 1 : 0;

	prompt_draw(&p->prompt, c, y++, height >= 3 ? " event: " : "");
	if (height >= 3)
		draw_titles(p, c, y++);
	p->list_y = y;
	ui->rows[PAGE_PICKER] = (size_t)MAX(height - y - detail, 0);
	if (ui->rows[PAGE_PICKER] > 0)
		draw_list(p, c, ui->rows[PAGE_PICKER]);
	if (detail > 0)
		draw_detail(p, c, height - detail, detail);
}

static void
release(struct ui *ui)
{
	catalogue_put(ui->picker_page->catalogue);
	free(ui->picker_page->matches);
}

static const struct footer_key footer[] = {
	{ "in", "Switch" }, { "out", "Back" }, { "page-down", "More" }, { NULL },
};

const struct page_ops picker_page = {
	.name = "picker", .kinds = IN_LISTS, .footer = footer,
	.state_size = sizeof(struct picker_page), .release = release,
	.draw = draw, .move = move, .in = in, .take_key = take_key, .click = click,
	.take_message = take_message,
};
