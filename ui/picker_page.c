/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/pages.h"

#include "ui/choice.h"
#include "ui/picker_list.h"
#include "ui/place.h"
#include "ui/prompt.h"
#include "ui/screen_words.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 36, CLASS_WIDTH = 10, MARK_WIDTH = 2, WIDE = 100, DETAIL_MAX = 4,
       TICKS_MAX = 1 + BESIDE_MAX, LEGEND_FROM = 70 };

static const char legend[] = "+ opens  - cannot  ? not tried yet";

struct picker_page {
	struct prompt prompt;
	struct picker_list list;
	struct choice choice;   /* among its matches */
	char *ticks[TICKS_MAX]; /* names of those that will be sampled together, in that order */
	size_t tick_count;
	char *left; /* shown when another was asked for, until that is shown or refused; NULL: none was */
	bool is_comparing; /* that was the next of those used: the row stays selected */
};

static const struct {
	const char *mark;
	enum style style;
} states[] = {
	[EVENT_UNKNOWN] = { "?", STYLE_NORMAL },
	[EVENT_CAN]     = { "+", STYLE_GOOD },
	[EVENT_CANNOT]  = { "-", STYLE_BAD },
};

/* Also what was sampled without the picker: by -e, or by itself. */
static void
note_sampled(struct ui *ui)
{
	struct picker_list *list = &ui->picker_page->list;

	for (size_t i = 0; ui->snap != NULL && i < ui->snap->event_count; i++)
		if (!picker_list_was_used(list, ui->snap->events[i].name))
			picker_list_note_used(list, ui->snap->events[i].name);
}

/* Narrows the list to what was typed. */
static void
match(struct picker_page *p)
{
	p->choice.count = picker_list_match(&p->list, p->prompt.text);
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
	picker_list_order(&p->list);
	match(p);
	choice_begin(&p->choice, p->choice.count);
	page_show(ui, PAGE_PICKER);
	engine_ask_catalogue(ui->engine);
}

/* NULL: nothing matches. */
static const struct catalogue_event *
selected(const struct picker_page *p)
{
	return p->choice.selected < p->choice.count ? picker_list_at(&p->list, p->choice.selected) : NULL;
}

/* NULL: none is yet. */
static const char *
shown_name(const struct ui *ui)
{
	const struct snapshot_event *e = ui->snap != NULL ? snapshot_shown(ui->snap) : NULL;

	return e != NULL ? e->name : NULL;
}

static void
forget_left(struct picker_page *p)
{
	free(p->left);
	p->left = NULL;
}

static bool
has_field(const struct snapshot_event *e, const char *name)
{
	for (size_t i = 0; i < e->field_count; i++)
		if (*name == '\0' || strcmp(e->fields[i], name) == 0)
			return true;
	return false;
}

/* All of the event would be one row, that of what has nothing to be told apart by. */
static bool
is_void(const struct nav_level *l, const struct snapshot_event *e)
{
	return (l->view == VIEW_SYSCALLS && !e->has_syscalls) ||
	       (l->view == VIEW_FIELDS && !has_field(e, l->field)) ||
	       (l->view == VIEW_LOCKS && (!e->is_looks || e->is_traced));
}

static void
leave_void(struct ui *ui)
{
	const struct nav_level *l = nav_level(&ui->nav);
	const struct snapshot_event *e = snapshot_shown(ui->snap);
	const char *title = view_defs[l->view].title;

	if (!ui->query.by_view || !is_void(l, e))
		return;
	place_set_view(ui, l->process != 0 ? VIEW_FUNCTIONS : VIEW_PROCESSES);
	ui_say(ui, false, "the view %s has nothing of this event: v and g have other views", title);
}

/*
 * Once the new event is open: to what is hottest of it, not the row that was selected, which may be the
 * last now.  Who goes through those used compares that row.
 */
static void
take_snapshot(struct ui *ui)
{
	struct picker_page *p = ui->picker_page;
	const char *now = shown_name(ui);

	if (p->left == NULL || now == NULL || ui->snap->head.switching || strcmp(now, p->left) == 0)
		return;
	if (!p->is_comparing)
		nav_unpin(nav_place(&ui->nav));
	forget_left(p);
	leave_void(ui);
}

static void
take_catalogue(struct ui *ui, struct catalogue *catalogue)
{
	struct picker_page *p = ui->picker_page;
	const struct catalogue_event *ev = selected(p);
	char *name = ev != NULL ? mem_strdup(ev->name) : NULL;

	note_sampled(ui);
	picker_list_take(&p->list, catalogue);
	match(p);
	for (size_t i = 0; name != NULL && i < p->choice.count; i++)
		if (strcmp(picker_list_at(&p->list, i)->name, name) == 0)
			p->choice.selected = i;
	if (p->choice.selected >= p->choice.count)
		p->choice.selected = 0;
	free(name);
	ui_touch(ui);
}

static void
take_message(struct ui *ui, const struct msg *m)
{
	if (m->type == ENGINE_MSG_CATALOGUE)
		take_catalogue(ui, ((const struct engine_catalogue_msg *)m)->catalogue);
	else if (m->type == ENGINE_MSG_SNAPSHOT)
		take_snapshot(ui);
	else if (m->type == ENGINE_MSG_STATUS && ((const struct engine_text_msg *)m)->is_error)
		forget_left(ui->picker_page);
}

/* Text narrows the list; keys that do not edit it may be actions. */
static bool
take_key(struct ui *ui, int key)
{
	struct picker_page *p = ui->picker_page;

	if (prompt_edit(&p->prompt, key)) {
		match(p);
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

/* The row that is selected stays so until the event is there: it may be refused. */
static void
note_left(struct ui *ui, bool is_comparing)
{
	struct picker_page *p = ui->picker_page;
	const char *now = shown_name(ui);

	forget_left(p);
	p->left = now != NULL ? mem_strdup(now) : NULL;
	p->is_comparing = is_comparing;
}

static void
switch_to(struct ui *ui, const char *spec)
{
	note_left(ui, false);
	engine_switch_event(ui->engine, spec);
}

void
picker_step(struct ui *ui, int by)
{
	note_left(ui, true);
	engine_step_event(ui->engine, by);
}

/* Why, and what would change that. */
static void
say_refused(struct ui *ui, const struct catalogue_event *ev)
{
	ui_say(ui, true, "%s cannot be opened: %s%s%s", ev->name, ev->reason, *ev->remedy != '\0' ? "; " : "",
	       ev->remedy);
}

void
picker_take(struct ui *ui, const struct catalogue_event *ev)
{
	if (ev->state == EVENT_CANNOT) {
		say_refused(ui, ev);
		return;
	}
	picker_list_note_used(&ui->picker_page->list, ev->name);
	switch_to(ui, ev->name);
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
		say_refused(ui, ev);
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
		picker_list_note_used(&p->list, p->ticks[i]);
	switch_to(ui, buf_str(&b));
	if (p->tick_count > 1)
		ui_say(ui, false, "%zu events are sampled together%s: a column each; ] makes the next "
		       "the first", p->tick_count,
		       ui->config->engine.events_given ? ", beside those of -e" : "");
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
		preset_take(ui, picker_list_preset(&p->list, ev));
	else if (ev != NULL)
		picker_take(ui, ev);
	else
		switch_to(ui, text);
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

/* What was typed is in no name: it may be a tracepoint, where these cannot be read. */
static void
draw_none(const struct catalogue *catalogue, const struct choice *list, struct canvas *c)
{
	const struct err *err = &catalogue->no_tracepoints;
	struct buf b = { 0 };

	canvas_put(c, 1, list->y, c->width - 1, STYLE_NORMAL,
		   "no event of the list holds these words: Enter opens what is typed");
	if (err->code == ERR_NONE || list->rows < 2)
		return;
	buf_addf(&b, "tracepoints are missing: %s (%s)", err->text, err->hint);
	canvas_put_wrapped(c, list->y + 1, (int)list->rows - 1, STYLE_NOTICE, b.data);
	buf_release(&b);
}

static void
draw_list(const struct picker_page *p, struct canvas *c, bool is_of_hosts)
{
	const struct choice *list = &p->choice;

	for (size_t i = 0; i < list->rows && list->top + i < list->count; i++) {
		const struct catalogue_event *ev = picker_list_at(&p->list, list->top + i);
		int y = list->y + (int)i;

		draw_event(c, y, ev, tick_of(p, ev->name) != SIZE_MAX);
		if (list->top + i == list->selected)
			canvas_select(c, y, 0, c->width);
	}
	if (list->rows == 0)
		return;
	if (p->list.catalogue == NULL)
		canvas_put(c, 1, list->y, c->width - 1, STYLE_NORMAL,
			   is_of_hosts ? "type the event that all hosts are to sample, then Enter"
				       : "reading events...");
	else if (list->count == 0)
		draw_none(p->list.catalogue, list, c);
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
		if (*ev->remedy != '\0')
			buf_add_str(&b, "; ");
		canvas_add_safe(c, &b, ev->remedy);
	} else {
		canvas_add_safe(c, &b, ev->help);
	}
	canvas_put_wrapped(c, y, lines, ev->state == EVENT_CANNOT ? STYLE_NOTICE : STYLE_STRONG, b.data);
	buf_release(&b);
}

static void
draw_titles(const struct picker_page *p, struct canvas *c, int y)
{
	struct buf b = { 0 };

	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	buf_addf(&b, "  %-*s ", NAME_WIDTH, "EVENT");
	if (c->width >= WIDE)
		buf_addf(&b, "%-*s ", CLASS_WIDTH, WORD(CLASS));
	buf_add_str(&b, "WHAT IT COUNTS");
	canvas_put(c, 1, y, c->width - 1, STYLE_TITLE, b.data);
	buf_reset(&b);
	if (p->tick_count > 0)
		buf_addf(&b, "%zu ticked, ", p->tick_count);
	buf_addf(&b, "%zu of %zu", p->choice.count, p->list.order_len);
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
	draw_list(p, c, ui->config->engine.host_count > 0);
	/* The message of a refusal says it all. */
	if (detail > 0 && !ui->status.is_error)
		draw_detail(p, c, height - detail, detail);
}

void
picker_recall(struct ui *ui, const struct rcfile *last)
{
	picker_list_recall(&ui->picker_page->list, last);
}

/* Those of a recording were picked by nobody. */
size_t
picker_remember(struct ui *ui, struct rc_change *changes)
{
	if (ui->config->engine.input != NULL)
		return 0;
	note_sampled(ui);
	return picker_list_remember(&ui->picker_page->list, changes);
}

static void
release(struct ui *ui)
{
	picker_list_release(&ui->picker_page->list);
	drop_ticks(ui->picker_page);
	forget_left(ui->picker_page);
}

static const struct footer_key footer[] = {
	{ "in", "Switch" }, { "event-tick", "Tick several" }, { "out", "Back" },
	{ "page-down", "More" }, { NULL },
};

static const struct action actions[] = {
	{ "event-tick", "Insert ^T", "tick this event, or not: Enter samples all ticked together",
	  IN_PICKER, tick },
	{ NULL },
};

const struct page_ops picker_page = {
	.name = "picker", .kinds = IN_LISTS, .actions = actions, .footer = footer,
	.state_size = sizeof(struct picker_page), .release = release,
	.draw = draw, .move = move, .in = in, .take_key = take_key, .click = click,
	.take_message = take_message,
};
