/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"

#include "ui/choice.h"
#include "ui/keys.h"
#include "ui/presets.h"
#include "ui/prompt.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 36, CLASS_WIDTH = 10, MARK_WIDTH = 2, WIDE = 100, DETAIL_MAX = 3, RECENT_MAX = 8,
       TICKS_MAX = 1 + BESIDE_MAX, LEGEND_FROM = 70 };

static const char legend[] = "+ opens  - cannot  ? not tried yet";

struct picker_page {
	struct catalogue *catalogue; /* NULL: on its way */
	struct prompt prompt;
	struct catalogue_event *presets; /* with the states of their events */
	size_t *order;               /* presets, then items: those used last, then all others */
	size_t *matches;             /* in that order, those that hold all words typed */
	size_t order_cap, order_len, match_cap;
	char *recent[RECENT_MAX];    /* names of those used, the last first; NULL: no more */
	char *ticks[TICKS_MAX];      /* names of those that will be sampled together, in that order */
	size_t tick_count;
	struct choice choice;        /* among matches */
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
	const char *const texts[] = { ev->name, ev->help, event_class_names[ev->class] };

	return words_are_in(text, texts, ARRAY_SIZE(texts));
}

static const struct catalogue_event *
item_at(const struct picker_page *p, size_t i)
{
	return i < preset_count ? &p->presets[i] : &p->catalogue->items[i - preset_count];
}

/* As lists of names have it: "cycles:P" is "cycles". */
static bool
is_same_event(const char *name, const char *used)
{
	size_t len = strlen(name);

	return strncmp(name, used, len) == 0 && (used[len] == '\0' || strcmp(used + len, ":P") == 0);
}

/* Its place among those used last, RECENT_MAX: it was not. */
static size_t
recent_place(const struct picker_page *p, const char *name)
{
	size_t i = 0;

	while (i < RECENT_MAX && p->recent[i] != NULL && !is_same_event(name, p->recent[i]))
		i++;
	return i < RECENT_MAX && p->recent[i] != NULL ? i : RECENT_MAX;
}

/* What needs counters that are not there is no question to be asked. */
static bool
is_offered(const struct picker_page *p, size_t preset)
{
	return !presets[preset].of_counters || p->presets[preset].state != EVENT_CANNOT;
}

static void
put_in_order(struct picker_page *p)
{
	const struct catalogue *c = p->catalogue;
	size_t first = 0, recent[RECENT_MAX];

	vec_reserve(&p->order, &p->order_cap, preset_count + c->len, sizeof(*p->order));
	memset(recent, 0xff, sizeof(recent));
	p->order_len = 0;
	for (size_t i = 0; i < preset_count; i++)
		if (is_offered(p, i))
			p->order[p->order_len++] = i;
	first = p->order_len;
	for (size_t i = 0; i < c->len; i++) {
		size_t place = recent_place(p, c->items[i].name);

		if (place < RECENT_MAX)
			recent[place] = preset_count + i;
	}
	for (size_t i = 0; i < RECENT_MAX; i++)
		if (recent[i] != SIZE_MAX)
			p->order[p->order_len++] = recent[i];
	for (size_t i = 0; i < c->len; i++) {
		bool is_recent = false;

		for (size_t k = first; k < first + RECENT_MAX && k < p->order_len; k++)
			is_recent |= p->order[k] == preset_count + i;
		if (!is_recent)
			p->order[p->order_len++] = preset_count + i;
	}
}

/* Those whose names begin with what was typed come first. */
static void
match_all(struct picker_page *p)
{
	size_t len = p->prompt.len;

	p->choice.count = 0;
	if (p->catalogue == NULL)
		return;
	vec_reserve(&p->matches, &p->match_cap, p->order_len, sizeof(*p->matches));
	for (int pass = len > 0 ? 0 : 1; pass < 2; pass++) {
		for (size_t i = 0; i < p->order_len; i++) {
			const struct catalogue_event *ev = item_at(p, p->order[i]);
			bool first = len > 0 && strncasecmp(ev->name, p->prompt.text, len) == 0;

			if (first == (pass == 0) && holds_words(ev, p->prompt.text))
				p->matches[p->choice.count++] = p->order[i];
		}
	}
}

static const struct catalogue_event *
find_event(const struct catalogue *c, const char *name, size_t len)
{
	for (size_t i = 0; i < c->len; i++)
		if (strncmp(c->items[i].name, name, len) == 0 && c->items[i].name[len] == '\0')
			return &c->items[i];
	return NULL;
}

/* A preset can be opened if all its events can. */
static void
join_preset(const struct catalogue *c, const struct preset *preset, struct catalogue_event *out)
{
	*out = (struct catalogue_event){ .name = preset->name, .help = preset->help,
					 .class = EVENT_PRESET, .reason = "", .state = EVENT_CAN };
	for (const char *at = preset->spec; *at != '\0'; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");
		const struct catalogue_event *ev = find_event(c, at, len);

		at += len;
		if (ev != NULL && ev->state == EVENT_CANNOT)
			out->reason = ev->reason;
		if (ev == NULL)
			out->state = preset->of_counters ? EVENT_CANNOT : EVENT_UNKNOWN;
		else if (ev->state != EVENT_CAN)
			out->state = ev->state;
		if (out->state == EVENT_CANNOT)
			return;
	}
}

static void
join_presets(struct picker_page *p)
{
	if (p->presets == NULL)
		p->presets = mem_calloc(preset_count, sizeof(*p->presets));
	for (size_t i = 0; i < preset_count; i++)
		join_preset(p->catalogue, &presets[i], &p->presets[i]);
}

/* It is the first of those used last. */
static void
note_used(struct picker_page *p, const char *name)
{
	size_t at = MIN(recent_place(p, name), (size_t)RECENT_MAX - 1);

	free(p->recent[at]);
	memmove(&p->recent[1], &p->recent[0], at * sizeof(p->recent[0]));
	p->recent[0] = mem_strdup(name);
}

/* Also what was sampled without the picker: by -e, or by itself. */
static void
note_sampled(struct ui *ui)
{
	for (size_t i = 0; ui->snap != NULL && i < ui->snap->event_count; i++)
		if (recent_place(ui->picker_page, ui->snap->events[i].name) == RECENT_MAX)
			note_used(ui->picker_page, ui->snap->events[i].name);
}

static void
drop_ticks(struct picker_page *p)
{
	while (p->tick_count > 0)
		free(p->ticks[--p->tick_count]);
}

void
picker_page_show(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;

	prompt_open(&p->prompt, "");
	drop_ticks(p);
	note_sampled(ui);
	if (p->catalogue != NULL)
		put_in_order(p);
	match_all(p);
	choice_begin(&p->choice, p->choice.count);
	page_show(ui, PAGE_PICKER);
	engine_ask_catalogue(ui->engine);
}

/* NULL: nothing matches. */
static const struct catalogue_event *
selected(const struct picker_page *p)
{
	if (p->catalogue == NULL || p->choice.selected >= p->choice.count)
		return NULL;
	return item_at(p, p->matches[p->choice.selected]);
}

static void
take_message(struct ui *ui, const struct msg *m)
{
	struct picker_page *p = ui->picker_page;
	const struct catalogue_event *ev = selected(p);
	const char *name = ev != NULL ? ev->name : NULL;
	struct catalogue *old = p->catalogue;

	if (m->type != ENGINE_MSG_CATALOGUE)
		return;
	p->catalogue = catalogue_get(((const struct engine_catalogue_msg *)m)->catalogue);
	join_presets(p);
	note_sampled(ui);
	put_in_order(p);
	match_all(p);
	for (size_t i = 0; name != NULL && i < p->choice.count; i++)
		if (strcmp(item_at(p, p->matches[i])->name, name) == 0)
			p->choice.selected = i;
	if (p->choice.selected >= p->choice.count)
		p->choice.selected = 0;
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
		choice_begin(&p->choice, p->choice.count);
		return true;
	}
	return prompt_is_text(key);
}

static void
move(struct ui *ui, long delta)
{
	choice_move(&ui->picker_page->choice, delta);
}

/* Selects what is there; Enter opens it. */
static bool
click(struct ui *ui, int x, int y)
{
	(void)x;
	choice_hit(&ui->picker_page->choice, y);
	return false;
}

void
picker_take(struct ui *ui, const struct catalogue_event *ev)
{
	if (ev->state == EVENT_CANNOT) {
		ui_say(ui, true, "%s cannot be opened: %s", ev->name, ev->reason);
		return;
	}
	note_used(ui->picker_page, ev->name);
	engine_switch_event(ui->engine, ev->name);
}

/* The event's place among those ticked, SIZE_MAX: it is not. */
static size_t
tick_of(const struct picker_page *p, const char *name)
{
	for (size_t i = 0; i < p->tick_count; i++)
		if (strcmp(p->ticks[i], name) == 0)
			return i;
	return SIZE_MAX;
}

/* Ticks the selected event, or takes that back, and goes on to the next. */
static void
tick(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;
	const struct catalogue_event *ev = selected(p);
	size_t at = ev != NULL ? tick_of(p, ev->name) : SIZE_MAX;

	if (ev == NULL || ev->class == EVENT_PRESET) {
		ui_say(ui, false, "only events can be ticked: a preset has its own");
	} else if (at != SIZE_MAX) {
		free(p->ticks[at]);
		memmove(&p->ticks[at], &p->ticks[at + 1], (--p->tick_count - at) * sizeof(p->ticks[0]));
	} else if (ev->state == EVENT_CANNOT) {
		ui_say(ui, true, "%s cannot be opened: %s", ev->name, ev->reason);
	} else if (p->tick_count == TICKS_MAX) {
		ui_say(ui, true, "at most %d events are sampled together", TICKS_MAX);
	} else {
		p->ticks[p->tick_count++] = mem_strdup(ev->name);
		choice_move(&p->choice, p->choice.selected + 1 < p->choice.count ? 1 : 0);
	}
}

/* The first ticked is shown, the others beside it. */
static void
take_ticked(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;
	struct buf b = { 0 };

	for (size_t i = 0; i < p->tick_count; i++)
		buf_addf(&b, "%s%s", i > 0 ? "," : "", p->ticks[i]);
	for (size_t i = p->tick_count; i-- > 0;)
		note_used(p, p->ticks[i]);
	engine_switch_event(ui->engine, buf_str(&b));
	if (p->tick_count > 1)
		ui_say(ui, false, "%zu events are sampled together: a column each; ] makes the next the first",
		       p->tick_count);
	buf_release(&b);
}

/*
 * Opens what is ticked, else the selected event; if nothing matches what was typed, that is the text
 * of an event.
 */
static void
in(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;
	const struct catalogue_event *ev = selected(p);
	const char *text = p->prompt.text + strspn(p->prompt.text, " ");

	if (p->tick_count == 0 && ev == NULL && *text == '\0')
		return;
	if (p->tick_count > 0 || ev == NULL || ev->state != EVENT_CANNOT)
		page_show(ui, PAGE_NONE);
	if (p->tick_count > 0)
		take_ticked(ui);
	else if (ev != NULL && ev->class == EVENT_PRESET && ev->state != EVENT_CANNOT)
		preset_take(ui, &presets[ev - p->presets]);
	else if (ev != NULL)
		picker_take(ui, ev);
	else
		engine_switch_event(ui->engine, text);
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
draw_event(struct canvas *c, int y, const struct catalogue_event *ev, bool is_ticked)
{
	int x = 1, name = MIN(NAME_WIDTH, MAX(c->width - MARK_WIDTH - 1, 1));
	enum style style = ev->state == EVENT_CANNOT ? STYLE_DIM : STYLE_NORMAL;
	bool why = ev->state == EVENT_CANNOT && ev->reason[0] != '\0';

	if (is_ticked)
		canvas_put(c, 0, y, 1, STYLE_STRONG, "*");
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
draw_list(const struct picker_page *p, struct canvas *c)
{
	const struct choice *list = &p->choice;

	for (size_t i = 0; i < list->rows && list->top + i < list->count; i++) {
		const struct catalogue_event *ev = item_at(p, p->matches[list->top + i]);
		int y = list->y + (int)i;

		draw_event(c, y, ev, tick_of(p, ev->name) != SIZE_MAX);
		if (list->top + i == list->selected)
			canvas_select(c, y, 0, c->width);
	}
	if (list->rows == 0)
		return;
	if (p->catalogue == NULL)
		canvas_put(c, 1, list->y, c->width - 1, STYLE_NORMAL, "reading events...");
	else if (list->count == 0)
		canvas_put(c, 1, list->y, c->width - 1, STYLE_NORMAL,
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
	if (p->tick_count > 0)
		buf_addf(&b, "%zu ticked, ", p->tick_count);
	buf_addf(&b, "%zu of %zu", p->choice.count, p->order_len);
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

	prompt_draw(&p->prompt, c, y, height >= 3 ? " event: " : "");
	if (c->width >= LEGEND_FROM && p->prompt.len <= (size_t)(c->width - LEGEND_FROM) + 16)
		canvas_put_right(c, 0, y, c->width - 1, STYLE_DIM, legend);
	y++;
	if (height >= 3)
		draw_titles(p, c, y++);
	choice_place(&p->choice, y, height - y - detail);
	ui->rows[PAGE_PICKER] = p->choice.rows;
	draw_list(p, c);
	if (detail > 0)
		draw_detail(p, c, height - detail, detail);
}

static void
release(struct ui *ui)
{
	catalogue_put(ui->picker_page->catalogue);
	free(ui->picker_page->presets);
	free(ui->picker_page->order);
	free(ui->picker_page->matches);
	for (size_t i = 0; i < RECENT_MAX; i++)
		free(ui->picker_page->recent[i]);
	drop_ticks(ui->picker_page);
}

static const struct footer_key footer[] = {
	{ "in", "Switch" }, { "event-tick", "Tick several" }, { "out", "Back" }, { "page-down", "More" },
	{ NULL },
};

static const struct action actions[] = {
	{ "event-tick", "Insert ^T", "tick this event, or not: Enter samples all ticked together", IN_PICKER,
	  tick },
	{ NULL },
};

const struct page_ops picker_page = {
	.name = "picker", .kinds = IN_LISTS, .actions = actions, .footer = footer,
	.state_size = sizeof(struct picker_page), .release = release,
	.draw = draw, .move = move, .in = in, .take_key = take_key, .click = click,
	.take_message = take_message,
};
