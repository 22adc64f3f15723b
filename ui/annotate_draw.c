/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page annotate, drawn: which function it is, what is to be known of it, its lines. */
#include "ui/annotate_impl.h"
#include "ui/header.h"

#include "base/text.h"
#include "view/name.h"

#include <time.h>

enum {
	HEAD_FROM = 6,   /* of that many lines the first says which function it is */
	NOTES_FROM = 9,  /* and the second what is to be known */
};

static void
put_clock(struct buf *b, uint64_t real_ns)
{
	time_t s = (time_t)(real_ns / NSEC_PER_SEC);
	char text[16];
	struct tm tm;

	strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&s, &tm));
	buf_add_str(b, text);
}

/* Which function it is, what it has, and of whom. */
static void
draw_head(struct ui *ui, int y)
{
	const struct annotate_page *p = ui->annotate_page;
	const struct snapshot_code *code = ui->snap->code;
	const struct snapshot_event *e = snapshot_shown(ui->snap);
	uint32_t event = annotate_shown_event(ui);
	const struct cost *told = p->a.mode != ANNOTATE_FILE ? code->told
				  : code->file != NULL ? code->file->told : NULL;
	struct canvas *c = &ui->canvas;
	struct segs segs = { 0 };
	struct buf raw = { 0 }, b = { 0 };

	if (p->a.mode == ANNOTATE_FILE)
		buf_add_str(&raw, p->file);
	else
		brief_add(&raw, code->symbol);
	canvas_add_safe(c, &b, buf_str(&raw));
	segs_add(&segs, RANK_MUST, STYLE_STRONG, "%s", buf_str(&b));
	buf_reset(&b);
	canvas_add_safe(c, &b, code->dso);
	segs_add(&segs, 80, STYLE_NORMAL, "%s", buf_str(&b));
	buf_reset(&b);
	if (e != NULL && e->period > 0 && told != NULL && code->why == NULL) {
		text_add_count(&b, (double)told[event].samples);
		segs_add(&segs, 70, STYLE_NORMAL, "%s sample%s, %.1f%% of all", buf_str(&b),
			 text_plural(told[event].samples),
			 (double)told[event].period * 100 / (double)e->period);
	}
	segs_add(&segs, 40, STYLE_NORMAL, "[%s]", annotate_mode_names[p->a.mode]);
	buf_reset(&b);
	if (code->since_ns != 0) {
		put_clock(&b, code->since_ns);
		segs_add(&segs, 60, STYLE_NOTICE, "told apart since %s", buf_str(&b));
	}
	if (p->list_len > 1)
		segs_add(&segs, 30, STYLE_DIM, "%zu of %zu", p->list_at + 1, p->list_len);
	segs_draw(&segs, c, 1, y, c->width - 1, 2);
	segs_release(&segs);
	buf_release(&raw);
	buf_release(&b);
}

static void
add_note(struct buf *b, const char *text)
{
	if (*text != '\0')
		buf_addf(b, "%s%s", b->len > 0 ? "; " : "", text);
}

static void
add_source_notes(struct buf *b, const struct snapshot_code *code)
{
	for (size_t i = 0; code->lines != NULL && i < code->lines->file_count; i++) {
		const struct listing_source *s = code->sources[i];
		const char *what = s == NULL ? "" : s->count == 0 ? s->why : s->warning;

		if (*what != '\0') {
			add_note(b, code->lines->files[i].name);
			buf_addf(b, ": %s", what);
		}
	}
}

/* The same of a whole file. */
static void
put_file_notes(const struct snapshot_code *code, struct buf *b)
{
	const struct listing_source *text = code->file != NULL ? code->file->text : NULL;

	add_note(b, "a line has the samples of all functions that have code of it");
	if (text == NULL) {
		add_note(b, "its text is being read");
		return;
	}
	add_note(b, text->count == 0 ? text->why : text->warning);
	add_note(b, text->count == 0 ? text->remedy : "");
	if (text->count > 0 && text->total > text->count)
		buf_addf(b, "; its first %u of %u line%s", text->count, text->total, text_plural(text->total));
}

/* What is to be known of what is shown. */
static void
put_notes(const struct ui *ui, struct buf *b)
{
	const struct snapshot_code *code = ui->snap->code;
	struct cost left = annotate_elsewhere(&ui->annotate_page->a, annotate_shown_event(ui));
	struct buf n = { 0 };

	if (code->is_changed)
		add_note(b, "this code is not what it was when it was read first");
	if (left.samples > 0 && !code->is_reading) {
		text_add_count(&n, (double)left.samples);
		add_note(b, code->begins_before ? "samples from before threads were told apart: "
						: "samples not told by address: ");
		buf_add_str(b, buf_str(&n));
	}
	for (size_t i = 0; code->listing != NULL && i < code->listing->notice_count; i++)
		add_note(b, code->listing->notices[i]);
	if (code->others != NULL) {
		add_note(b, "others of this name (A shows them): ");
		buf_add_str(b, code->others);
	}
	if (code->lines != NULL && code->lines->count == 0 &&
	    (ui->annotate_page->a.len > 0 || strcmp(code->lines->why, annotate_why_no_lines(ui)) != 0))
		add_note(b, code->lines->why);
	add_source_notes(b, code);
	if (code->is_skidding)
		add_note(b, "interrupts come late: a count may be of the instruction before");
	buf_release(&n);
}

static void
draw_notes(struct ui *ui, int y)
{
	struct buf raw = { 0 }, b = { 0 };

	if (ui->annotate_page->a.mode == ANNOTATE_FILE)
		put_file_notes(ui->snap->code, &raw);
	else
		put_notes(ui, &raw);
	canvas_add_safe(&ui->canvas, &b, buf_str(&raw));
	canvas_put(&ui->canvas, 1, y, ui->canvas.width - 1, STYLE_NOTICE, buf_str(&b));
	buf_release(&raw);
	buf_release(&b);
}

static void
draw_why(struct ui *ui, int y)
{
	struct buf b = { 0 };

	canvas_add_safe(&ui->canvas, &b, annotate_why_no_lines(ui));
	canvas_put_wrapped(&ui->canvas, y, layout_above_footer(&ui->layout) - y, STYLE_NORMAL, buf_str(&b));
	buf_release(&b);
}

static void
scroll(struct annotate_page *p, size_t rows)
{
	bool was_small = p->page == 0;

	p->page = rows;
	if (was_small)
		annotate_show_cursor(p);
	if (p->index < p->top)
		p->top = p->index;
	if (rows > 0 && p->index >= p->top + rows)
		p->top = p->index - rows + 1;
	if (p->top + rows > p->a.len)
		p->top = p->a.len > rows ? p->a.len - rows : 0;
}

static void
draw_lines(struct ui *ui, int y, int rows)
{
	struct annotate_page *p = ui->annotate_page;
	struct annotate_look look = { .numbers = p->numbers, .jumps = p->jumps };

	annotate_look_make(&look, ui->snap, &p->a);
	if (ui->layout.titles >= 0)
		annotate_draw_titles(&look, &ui->canvas, ui->layout.titles);
	scroll(p, (size_t)MAX(rows, 0));
	look.cursor = p->index;
	for (size_t i = 0; i < p->page && p->top + i < p->a.len; i++) {
		annotate_draw_line(&look, &ui->canvas, y + (int)i, p->top + i);
		if (p->top + i == p->index)
			canvas_select(&ui->canvas, y + (int)i, 0, ui->canvas.width);
	}
}

/* The first line of the list; those above it say which function it is. */
int
annotate_first_row(const struct ui *ui)
{
	const struct layout *l = &ui->layout;

	return l->rows + (l->row_count >= HEAD_FROM) + (l->row_count >= NOTES_FROM);
}

void
annotate_draw(struct ui *ui)
{
	const struct layout *l = &ui->layout;
	int y = annotate_first_row(ui), rows = l->rows + l->row_count - y;

	header_draw(&ui->canvas, l, ui->snap, &ui->query, ui->header, &ui->strip);
	ui->rows[PAGE_ANNOTATE] = (size_t)MAX(rows, 0);
	if (ui->snap->code == NULL || ui->snap->code->location == 0) {
		if (ui->snap->code != NULL)
			draw_why(ui, l->rows);
		return;
	}
	if (l->row_count >= HEAD_FROM)
		draw_head(ui, l->rows);
	if (l->row_count >= NOTES_FROM)
		draw_notes(ui, l->rows + 1);
	if (ui->annotate_page->a.len > 0)
		draw_lines(ui, y, rows);
	else
		draw_why(ui, y);
}
