/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which function the page annotate asks for, and where its cursor is. */
#include "ui/annotate_impl.h"
#include "ui/place.h"

#include <string.h>

const struct snapshot_code *
annotate_code_of(const struct ui *ui)
{
	return !ui_is_stale(ui) ? ui->snap->code : NULL;
}

/* There are lines of the place we are in. */
bool
annotate_has_lines(const struct ui *ui)
{
	return annotate_code_of(ui) != NULL && ui->annotate_page->a.len > 0;
}

const char *
annotate_why_no_lines(const struct ui *ui)
{
	const struct snapshot_code *code = ui->snap->code;

	if (code->why != NULL)
		return code->why;
	if (code->listing != NULL && code->listing->count == 0)
		return code->listing->why;
	return ui->annotate_page->a.mode == ANNOTATE_FILE ? "reading its source..." : "reading its code...";
}

bool
annotate_needs_lines(struct ui *ui)
{
	if (annotate_has_lines(ui))
		return true;
	if (annotate_code_of(ui) != NULL)
		ui_say(ui, false, "%s", annotate_why_no_lines(ui));
	return false;
}

void
annotate_put_query(const struct ui *ui, struct query *q)
{
	const struct annotate_page *p = ui->annotate_page;

	q->source_file[0] = '\0';
	if (q->view != VIEW_ANNOTATE || !p->is_asked)
		return;
	if (p->a.mode == ANNOTATE_FILE)
		strcpy(q->source_file, p->file);
	q->function = p->asked.function;
	q->code_dso = p->asked.dso;
	q->code_at = p->asked.at;
	strcpy(q->symbol, p->asked.symbol);
	q->symbol_dso[0] = '\0';
}

uint32_t
annotate_shown_event(const struct ui *ui)
{
	return snapshot_shown_id(ui->snap);
}

void
annotate_put_cursor(struct annotate_page *p, size_t line)
{
	p->index = line < p->a.len ? line : 0;
	if (p->a.len == 0)
		return;
	p->instruction = p->a.lines[p->index].first;
	p->kind = p->a.lines[p->index].kind;
}

/* On the same instruction, whatever lines there are now. */
void
annotate_find_cursor(struct annotate_page *p)
{
	size_t line = annotate_find(&p->a, p->instruction);

	for (size_t i = line; i > 0 && i < p->a.len; i--) {
		const struct annotate_line *l = &p->a.lines[i - 1];

		if (p->kind != ANNOTATE_INSTRUCTION && l->kind == p->kind &&
		    l->first == p->instruction)
			line = i - 1;
		if (l->first < p->instruction)
			break;
	}
	annotate_put_cursor(p, line);
}

/* With some lines above it. */
void
annotate_show_cursor(struct annotate_page *p)
{
	p->top = p->index > p->page / 3 ? p->index - p->page / 3 : 0;
}

void
annotate_to_hottest(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	size_t line = annotate_hottest(&p->a, annotate_shown_event(ui), 0);

	if (line < p->a.len) {
		annotate_put_cursor(p, line);
		annotate_show_cursor(p);
		p->is_placed = true;
	}
	p->hot_rank = 0;
}

/* Another function: nothing of the one before is left but the way back. */
void
annotate_ask(struct ui *ui, const struct annotate_asked *asked)
{
	struct annotate_page *p = ui->annotate_page;

	p->asked = *asked;
	p->is_asked = true;
	p->is_placed = false;
	p->hot_rank = 0;
	p->file[0] = '\0';
	place_ask(ui, true);
}

void
annotate_set(struct ui *ui, enum annotate_mode mode)
{
	struct annotate_page *p = ui->annotate_page;

	if (mode == p->a.mode)
		return;
	if (annotate_code_of(ui) != NULL && p->a.code == ui->snap->code) {
		annotate_set_mode(&p->a, ui->snap, mode);
		return;
	}
	/* Lines are made when there is code. */
	p->a.mode = mode;
	p->a.len = 0;
	p->a.listing = NULL;
}

/* The hottest now need not be so at the next refresh: it stays this function. */
static void
stay_with(struct ui *ui, uint32_t location)
{
	struct annotate_page *p = ui->annotate_page;

	if (p->is_asked || location == 0)
		return;
	p->is_asked = true;
	p->asked = (struct annotate_asked){ .function = location };
	place_ask(ui, false);
}

/* Which file is shown whole, once the lines of the function tell. */
static void
find_file(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	const struct snapshot_code *code = ui->snap->code;
	const char *path = NULL, *why = code->why;

	if (p->a.mode != ANNOTATE_FILE || p->file[0] != '\0' || (why == NULL && code->is_reading))
		return;
	for (uint32_t i = 0; path == NULL && code->lines != NULL && i < code->lines->count; i++)
		path = annotate_own_file(&p->a, i);
	if (path != NULL && strlen(path) < sizeof(p->file)) {
		strcpy(p->file, path);
		place_ask(ui, false);
		return;
	}
	if (why == NULL && code->lines != NULL)
		why = code->lines->why;
	ui_say(ui, false, "it has no source lines%s%s", why != NULL ? ": " : "", why != NULL ? why : "");
	annotate_set(ui, ANNOTATE_MIXED);
}

void
annotate_take_snapshot(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	bool is_other = annotate_update(&p->a, ui->snap);

	if (ui_is_stale(ui))
		return;
	stay_with(ui, ui->snap->code->location);
	find_file(ui);
	if (is_other && p->is_placed) {
		annotate_find_cursor(p);
		annotate_show_cursor(p);
	}
	if (!p->is_placed)
		annotate_to_hottest(ui);
}
