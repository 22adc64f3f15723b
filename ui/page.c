/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/page.h"

#include "ui/action_table.h"
#include "ui/header.h"
#include "ui/keys.h"
#include "ui/refusal.h"

#include <stdlib.h>
#include <string.h>

enum { STATUS_LINES_MAX = 4, NARROW = 40 };

/* The views that a page of their own shows; the rest are tables. */
static const enum page_id view_pages[VIEW_COUNT] = {
	[VIEW_TREE] = PAGE_TREE,
	[VIEW_CALLERS] = PAGE_TREE,
	[VIEW_CALLEES] = PAGE_TREE,
	[VIEW_FLAME] = PAGE_FLAME,
	[VIEW_ANNOTATE] = PAGE_ANNOTATE,
};

#define PAGE_NEW(NAME, page) ui->page = mem_calloc(1, pages[PAGE_##NAME]->state_size);
#define PAGE_FREE(NAME, page) free(ui->page);

void
page_init(struct ui *ui)
{
	PAGES(PAGE_NEW)
}

void
page_release(struct ui *ui)
{
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++)
		if (pages[id]->release != NULL)
			pages[id]->release(ui);
	PAGES(PAGE_FREE)
}

static enum page_id
page_of_view(enum view_id view)
{
	return view_pages[view] != PAGE_NONE ? view_pages[view] : PAGE_TABLE;
}

enum page_id
page_of_place(const struct ui *ui)
{
	return page_of_view(ui->nav.levels[ui->nav.depth].view);
}

enum page_id
page_full(const struct ui *ui)
{
	return ui->page != PAGE_NONE ? ui->page : page_of_place(ui);
}

enum page_id
page_front(const struct ui *ui)
{
	return ui->box != PAGE_NONE ? ui->box : page_full(ui);
}

unsigned
page_where(enum page_id id)
{
	return 1u << id | pages[id]->kinds | IN_ANY;
}

void
page_show(struct ui *ui, enum page_id id)
{
	ui->page = id;
	ui_touch(ui);
}

void
page_open_box(struct ui *ui, enum page_id id)
{
	ui->box = id;
	ui_touch(ui);
}

/* While the rows of a place are on their way, those of the one before are seen, as they were. */
static enum page_id
seen(const struct ui *ui)
{
	if (ui->page != PAGE_NONE)
		return ui->page;
	if (ui->snap == NULL || (ui->snap->node_count == 0 && ui->snap->code == NULL))
		return PAGE_TABLE;
	return page_of_view(ui->snap->query.view);
}

/* The first key of an action of this name; "": it has none. */
static const char *
key_of(const struct ui *ui, const char *action, char name[16])
{
	const char *keys = action_keys(&ui->keymap, action_find(action));

	key_next_name(&keys, name, 16);
	return name;
}

/* Of the key and its word, with the gap behind them; 0: the action has no key, or does nothing here. */
static int
footer_width(struct ui *ui, const struct footer_key *k, int gap, char name[16])
{
	if (*key_of(ui, k->action, name) == '\0' || refusal_of_action(ui, action_find(k->action), NULL))
		return 0;
	return (int)(strlen(name) + strlen(k->label)) + 1 + gap;
}

static void
draw_footer(struct ui *ui, int y)
{
	const struct page_ops *page = pages[page_front(ui)];
	const struct footer_key *keys = page->footer_of != NULL ? page->footer_of(ui) : page->footer;
	struct canvas *c = &ui->canvas;
	int gap = 2, x = 1, total = 1;
	char name[16];

	if (keys == NULL)
		return;
	for (const struct footer_key *k = keys; k->action != NULL; k++)
		total += footer_width(ui, k, gap, name);
	if (total - gap > c->width)
		gap = 1;
	for (const struct footer_key *k = keys; k->action != NULL; k++) {
		int width = footer_width(ui, k, gap, name);

		if (width == 0)
			continue;
		if (x + width - gap > c->width)
			break;
		canvas_put(c, x, y, c->width, STYLE_KEY, name);
		canvas_put_right(c, x, y, width - gap, STYLE_LABEL, k->label);
		x += width;
	}
}

/* Of a refusal the cause, where there is no room for all: "what failed: why; what to do". */
static const char *
cause_in(const struct status *status)
{
	const char *cause = status->is_error ? strstr(status->text.data, ": ") : NULL;

	return cause != NULL ? cause + 2 : status->text.data;
}

static int
most_lines(const struct canvas *c)
{
	return MIN(STATUS_LINES_MAX, MAX(c->height - 2, 1));
}

/* Of @text as much as has a line of the few there are; where it is the cause alone, the key that shows all. */
static const char *
fit_status(const struct ui *ui, struct buf *b, const char *key)
{
	const char *text = ui->status.text.data;

	if (canvas_wrapped_lines(&ui->canvas, text) <= most_lines(&ui->canvas))
		return text;
	buf_addf(b, "%s%s", cause_in(&ui->status), key);
	return buf_str(b);
}

/* Over what is above. */
static void
draw_lines(struct canvas *c, int y, enum style style, const char *text)
{
	const int lines = MIN(canvas_wrapped_lines(c, text), most_lines(c));

	for (int i = 1; i < lines; i++)
		canvas_fill(c, 0, y - i, c->width, STYLE_NORMAL);
	canvas_put_wrapped(c, y - lines + 1, lines, style, text);
}

/* Its beginning, and the key that shows all. */
static void
draw_cut(struct ui *ui, int x, int y, enum style style)
{
	struct canvas *c = &ui->canvas;
	const int room = c->width - x;
	const char *key = room > 22 ? " Enter: all" : room > 12 ? " Enter" : "";
	const int width = room - (int)strlen(key);

	canvas_put(c, x + width, y, (int)strlen(key), STYLE_STATUS, key);
	canvas_put(c, x, y, width, style, cause_in(&ui->status));
}

/*
 * What a line has no room for has more lines where it is so narrow that each answer would be cut, and
 * where Enter is the page's own; else that key shows all of it.
 */
static void
draw_status(struct ui *ui, int x, int y)
{
	const enum style style = ui->status.is_error ? STYLE_ERROR : STYLE_STATUS;
	const bool has_enter = pages[page_front(ui)]->take_key == NULL;
	struct canvas *c = &ui->canvas;
	const char *whole = ui->status.text.data, *fit;
	struct buf b = { 0 };

	canvas_fill(c, 0, y, c->width, STYLE_NORMAL);
	ui->status.is_cut = false;
	if (canvas_text_width(c, whole) <= c->width - x) {
		canvas_put(c, x, y, c->width - x, style, whole);
		return;
	}
	fit = fit_status(ui, &b, has_enter ? " (Enter)" : "");
	ui->status.is_cut = has_enter && (c->width >= NARROW || fit != whole);
	if (!has_enter || (c->width < NARROW && canvas_wrapped_lines(c, fit) <= most_lines(c)))
		draw_lines(c, y, style, fit);
	else
		draw_cut(ui, x, y, style);
	buf_release(&b);
}

/* The last line: what came of a key, else the keys if there is room for them. */
static void
draw_last_line(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	int x = c->width > 20 ? 1 : 0, y = c->height - 1;

	if (ui->status.text.len > 0) {
		draw_status(ui, x, y);
	} else if (ui->layout.footer >= 0) {
		draw_footer(ui, y);
	}
}

void
page_draw(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	struct layout_wants wants;

	canvas_clear(c);
	wants = header_wants(ui->snap, ui->header, c->width);
	ui->layout = layout_make(c->width, c->height, &wants);
	ui->strip = (struct strip){ 0 }; /* pages that draw it say where it is */
	pages[seen(ui)]->draw(ui);
	if (ui->box != PAGE_NONE)
		pages[ui->box]->draw(ui);
	if (ui->box != PAGE_PROMPT) /* that is the last line itself */
		draw_last_line(ui);
	ui->dirty = false;
}

void
page_move(struct ui *ui, long delta)
{
	const struct page_ops *p = pages[page_front(ui)];

	if (p->move != NULL)
		p->move(ui, delta);
}

/* A prompt leaves to be seen, and pointed to, what is above it. */
static const struct page_ops *
hovered(const struct ui *ui)
{
	return pages[ui->box == PAGE_PROMPT ? page_full(ui) : page_front(ui)];
}

bool
page_can_hover(const struct ui *ui)
{
	return hovered(ui)->hover != NULL && !ui_is_stale(ui);
}

void
page_hover(struct ui *ui, int x, int y)
{
	if (hovered(ui)->hover != NULL)
		hovered(ui)->hover(ui, x, y);
}

void
page_put_query(const struct ui *ui, struct query *q)
{
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++)
		if (pages[id]->put_query != NULL)
			pages[id]->put_query(ui, q);
}

void
page_pass_message(struct ui *ui, const struct msg *m)
{
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++)
		if (pages[id]->take_message != NULL)
			pages[id]->take_message(ui, m);
}

void
page_show_snapshot(struct ui *ui)
{
	const struct query *q = &ui->snap->query;
	const struct page_ops *p = pages[page_of_view(q->view)];

	if ((query_wants_nodes(q) || ui->snap->code != NULL) && p->take_snapshot != NULL)
		p->take_snapshot(ui);
}

uint32_t
page_location(struct ui *ui)
{
	const struct row *row = ui_selected(ui);

	if (!ui_is_stale(ui) && ui->snap->code != NULL)
		return ui->snap->code->location;
	if (ui_has_nodes(ui))
		return ui->snap->nodes[pages[page_of_place(ui)]->selected(ui)].location;
	return row != NULL ? row->location : 0;
}
