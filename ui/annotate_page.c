/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function by instruction: its code and source are read once, what each line has changes. */
#include "ui/action_table.h"
#include "ui/annotate_lines.h"
#include "ui/header.h"
#include "ui/pages.h"
#include "ui/place.h"

#include "base/text.h"
#include "view/name.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	BACK_MAX = 32,   /* calls and jumps that Esc comes back from */
	HEAD_FROM = 6,   /* of that many lines the first says which function it is */
	NOTES_FROM = 9,  /* and the second what is to be known */
};

/* Which function is asked for: by its location, by its place, or by its name. */
struct asked {
	uint32_t function, dso;
	uint64_t at;
	char symbol[QUERY_SYMBOL_MAX];
};

/* Where a call or jump was followed from. */
struct step {
	struct asked asked;
	uint32_t instruction;
};

struct annotate_page {
	struct annotate a;
	struct asked asked;
	bool is_asked;         /* else what the command line names, or the hottest */
	struct step back[BACK_MAX];
	size_t back_len;
	uint32_t *list;        /* locations of the list that it came from */
	size_t list_len, list_at;
	enum view_id from;     /* the view that Esc leads back to, if @has_from */
	bool has_from;
	size_t index, top, page;
	uint32_t instruction;  /* that the cursor is on: lines may be made anew */
	enum annotate_kind kind; /* and of its line */
	bool is_placed;        /* it is where the user, or the first counts, put it */
	size_t hot_rank;       /* of the key H */
	enum annotate_numbers numbers;
	bool jumps;
};

static const struct snapshot_code *
code_of(const struct ui *ui)
{
	return !ui_is_stale(ui) ? ui->snap->code : NULL;
}

/* There are lines of the place we are in. */
static bool
has_lines(const struct ui *ui)
{
	return code_of(ui) != NULL && ui->annotate_page->a.len > 0;
}

static void
release(struct ui *ui)
{
	annotate_release(&ui->annotate_page->a);
	free(ui->annotate_page->list);
}

static void
put_query(const struct ui *ui, struct query *q)
{
	const struct annotate_page *p = ui->annotate_page;

	if (q->view != VIEW_ANNOTATE || !p->is_asked)
		return;
	q->function = p->asked.function;
	q->code_dso = p->asked.dso;
	q->code_at = p->asked.at;
	strcpy(q->symbol, p->asked.symbol);
	q->symbol_dso[0] = '\0';
}

static uint32_t
shown_event(const struct ui *ui)
{
	for (uint32_t i = 0; i < ui->snap->event_count; i++)
		if (ui->snap->events[i].shown)
			return i;
	return 0;
}

static void
put_cursor(struct annotate_page *p, size_t line)
{
	p->index = line < p->a.len ? line : 0;
	if (p->a.len == 0)
		return;
	p->instruction = p->a.lines[p->index].first;
	p->kind = p->a.lines[p->index].kind;
}

/* On the same instruction, whatever lines there are now. */
static void
find_cursor(struct annotate_page *p)
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
	put_cursor(p, line);
}

/* With some lines above it. */
static void
show_cursor(struct annotate_page *p)
{
	p->top = p->index > p->page / 3 ? p->index - p->page / 3 : 0;
}

static void
to_hottest(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	size_t line = annotate_hottest(&p->a, shown_event(ui), 0);

	if (line < p->a.len) {
		put_cursor(p, line);
		show_cursor(p);
		p->is_placed = true;
	}
	p->hot_rank = 0;
}

/* The hottest now need not be so at the next refresh: it stays this function. */
static void
stay_with(struct ui *ui, uint32_t location)
{
	struct annotate_page *p = ui->annotate_page;

	if (p->is_asked || location == 0)
		return;
	p->is_asked = true;
	p->asked = (struct asked){ .function = location };
	place_ask(ui, false);
}

static void
take_snapshot(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	bool is_other = annotate_update(&p->a, ui->snap);

	if (ui_is_stale(ui))
		return;
	stay_with(ui, ui->snap->code->location);
	if (is_other && p->is_placed)
		find_cursor(p);
	if (!p->is_placed)
		to_hottest(ui);
}

/* ---- what is drawn */

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
	uint32_t event = shown_event(ui);
	struct canvas *c = &ui->canvas;
	struct segs segs = { 0 };
	struct buf raw = { 0 }, b = { 0 };

	brief_add(&raw, code->symbol);
	canvas_add_safe(c, &b, buf_str(&raw));
	segs_add(&segs, RANK_MUST, STYLE_STRONG, "%s", buf_str(&b));
	buf_reset(&b);
	canvas_add_safe(c, &b, code->dso);
	segs_add(&segs, 80, STYLE_NORMAL, "%s", buf_str(&b));
	buf_reset(&b);
	if (e != NULL && e->period > 0) {
		text_add_count(&b, (double)code->told[event].samples);
		segs_add(&segs, 70, STYLE_NORMAL, "%s samples, %.1f%% of all", buf_str(&b),
			 (double)code->told[event].period * 100 / (double)e->period);
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

/* What is to be known of what is shown. */
static void
put_notes(const struct ui *ui, struct buf *b)
{
	const struct snapshot_code *code = ui->snap->code;
	struct cost left = annotate_elsewhere(&ui->annotate_page->a, shown_event(ui));
	struct buf n = { 0 };

	if (code->is_changed)
		add_note(b, "this code is not what it was when it was read first");
	if (left.samples > 0 && !code->is_reading) {
		text_add_count(&n, (double)left.samples);
		add_note(b, buf_str(&n));
		buf_add_str(b, code->is_filtered ? " samples are from before threads were told apart"
						 : " samples are not told by address");
	}
	for (size_t i = 0; code->listing != NULL && i < code->listing->notice_count; i++)
		add_note(b, code->listing->notices[i]);
	if (code->others != NULL) {
		add_note(b, "others of this name (A shows them): ");
		buf_add_str(b, code->others);
	}
	if (code->lines != NULL && code->lines->count == 0)
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

	put_notes(ui, &raw);
	canvas_add_safe(&ui->canvas, &b, buf_str(&raw));
	canvas_put(&ui->canvas, 1, y, ui->canvas.width - 1, STYLE_NOTICE, buf_str(&b));
	buf_release(&raw);
	buf_release(&b);
}

/* Why there are no lines. */
static void
draw_why(struct ui *ui, int y)
{
	const struct snapshot_code *code = ui->snap->code;
	const char *why = "reading its code...";
	struct buf b = { 0 };

	if (code->why != NULL)
		why = code->why;
	else if (code->listing != NULL && code->listing->count == 0)
		why = code->listing->why;
	canvas_add_safe(&ui->canvas, &b, why);
	canvas_put(&ui->canvas, 2, y, ui->canvas.width - 2, STYLE_NORMAL, buf_str(&b));
	buf_release(&b);
}

static void
scroll(struct annotate_page *p, size_t rows)
{
	bool was_small = p->page == 0;

	p->page = rows;
	if (was_small)
		show_cursor(p);
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
static int
first_row(const struct ui *ui)
{
	const struct layout *l = &ui->layout;

	return l->rows + (l->row_count >= HEAD_FROM) + (l->row_count >= NOTES_FROM);
}

static void
draw(struct ui *ui)
{
	const struct layout *l = &ui->layout;
	int y = first_row(ui), rows = l->rows + l->row_count - y;

	header_draw(&ui->canvas, l, ui->snap, &ui->query, &ui->strip);
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

/* ---- keys */

static void
move(struct ui *ui, long delta)
{
	struct annotate_page *p = ui->annotate_page;
	long to = (long)p->index + delta;

	if (!has_lines(ui))
		return;
	put_cursor(p, to < 0 ? 0 : MIN((size_t)to, p->a.len - 1));
	p->is_placed = true;
}

/* Another function: nothing of the one before is left but the way back. */
static void
ask(struct ui *ui, const struct asked *asked)
{
	struct annotate_page *p = ui->annotate_page;

	p->asked = *asked;
	p->is_asked = true;
	p->is_placed = false;
	p->hot_rank = 0;
	place_ask(ui, true);
}

static void
go(struct ui *ui, const struct asked *asked)
{
	struct annotate_page *p = ui->annotate_page;

	if (p->back_len == BACK_MAX)
		memmove(&p->back[0], &p->back[1], --p->back_len * sizeof(p->back[0]));
	p->back[p->back_len++] = (struct step){ p->asked, p->instruction };
	if (asked != NULL)
		ask(ui, asked);
}

/* "malloc@plt": the stub is nothing to look at, what it leads to is. */
static bool
is_stub(const char *operand, char name[QUERY_SYMBOL_MAX])
{
	static const char plt[] = "@plt";
	size_t len = strlen(operand);

	if (len < sizeof(plt) || len >= QUERY_SYMBOL_MAX ||
	    strcmp(operand + len - strlen(plt), plt) != 0)
		return false;
	memcpy(name, operand, len - strlen(plt));
	name[len - strlen(plt)] = '\0';
	return true;
}

static void
follow(struct ui *ui, const struct listing_instruction *i)
{
	struct annotate_page *p = ui->annotate_page;
	struct asked to = { 0 };

	if (i->target_index < p->a.listing->count) {
		go(ui, NULL);
		put_cursor(p, annotate_find(&p->a, i->target_index));
		show_cursor(p);
	} else if (is_stub(i->operand, to.symbol)) {
		go(ui, &to);
	} else if (i->target != 0) {
		to.dso = p->a.code->dso_id;
		to.at = i->target - i->addr + i->offset;
		go(ui, &to);
	} else if (i->kind == LISTING_CALL || i->kind == LISTING_JUMP) {
		ui_say(ui, false, "where it goes to is known only when it runs: c shows callees");
	} else {
		ui_say(ui, false, "this is neither a call nor a jump");
	}
}

static bool
fold(struct ui *ui, bool fold)
{
	struct annotate_page *p = ui->annotate_page;

	if (!annotate_fold(&p->a, ui->snap, p->index, fold))
		return false;
	find_cursor(p);
	return true;
}

static void
in(struct ui *ui)
{
	const struct annotate_page *p = ui->annotate_page;
	const struct annotate_line *l;

	if (!has_lines(ui))
		return;
	l = &p->a.lines[p->index];
	if (l->kind == ANNOTATE_INLINE)
		fold(ui, !l->is_folded);
	else if (l->kind == ANNOTATE_INSTRUCTION)
		follow(ui, &p->a.listing->items[l->first]);
	else
		ui_say(ui, false, "select a call or a jump to follow it");
}

/* Back from what was followed, then to the view that it came from. */
static bool
out(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	struct step step;

	if (p->back_len > 0) {
		step = p->back[--p->back_len];
		if (memcmp(&step.asked, &p->asked, sizeof(step.asked)) != 0)
			ask(ui, &step.asked);
		p->instruction = step.instruction;
		p->kind = ANNOTATE_INSTRUCTION;
		p->is_placed = true;
		find_cursor(p);
		show_cursor(p);
		return true;
	}
	if (!p->has_from)
		return false;
	p->has_from = false;
	nav_level(&ui->nav)->view = p->from;
	place_ask(ui, true);
	return true;
}

static void
side(struct ui *ui, int direction)
{
	const struct annotate_page *p = ui->annotate_page;

	if (has_lines(ui) && direction < 0 && p->a.lines[p->index].level > 0 && fold(ui, true))
		return;
	if (direction > 0)
		in(ui);
	else if (!out(ui))
		place_out(ui);
}

static bool
click(struct ui *ui, int x, int y)
{
	struct annotate_page *p = ui->annotate_page;
	size_t line = p->top + (size_t)(y - first_row(ui));

	(void)x;
	if (!has_lines(ui) || y < first_row(ui) || line >= p->a.len ||
	    line >= p->top + p->page)
		return false;
	put_cursor(p, line);
	p->is_placed = true;
	return true;
}

static size_t
count(const struct ui *ui)
{
	return has_lines(ui) ? ui->annotate_page->a.len : 0;
}

static size_t
selected(struct ui *ui)
{
	return ui->annotate_page->index;
}

static void
select_line(struct ui *ui, size_t i)
{
	put_cursor(ui->annotate_page, i);
	ui->annotate_page->is_placed = true;
}

static bool
holds(const struct ui *ui, size_t i)
{
	struct buf b = { 0 };
	bool found;

	annotate_put_text(&b, &ui->annotate_page->a, &ui->annotate_page->a.lines[i]);
	found = strcasestr(buf_str(&b), ui->find) != NULL;
	buf_release(&b);
	return found;
}

static void
keep(struct ui *ui)
{
	(void)ui;
}

static void
go_back(struct ui *ui)
{
	(void)ui;
}

/* ---- actions */

/* Functions of the table that is shown, for < and >. */
static void
keep_list(struct ui *ui, uint32_t function)
{
	struct annotate_page *p = ui->annotate_page;
	const struct snapshot *s = ui->snap;

	free(p->list);
	p->list = mem_calloc(s->row_count + 1, sizeof(*p->list));
	p->list_len = p->list_at = 0;
	for (size_t i = 0; i < s->row_count; i++) {
		if (s->rows[i].location == 0 || (s->rows[i].flags & ROW_UNNAMED) != 0)
			continue;
		if (s->rows[i].location == function)
			p->list_at = p->list_len;
		p->list[p->list_len++] = s->rows[i].location;
	}
}

void
annotate_page_show(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	struct nav_level *l = nav_level(&ui->nav);
	uint32_t function = page_location(ui);

	if (l->view == VIEW_ANNOTATE)
		return;
	if (function == 0) {
		ui_say(ui, false, "select a function first: it has instructions");
		return;
	}
	if (place_refuses(ui, VIEW_ANNOTATE))
		return;
	keep_list(ui, function);
	p->from = l->view;
	p->has_from = true;
	p->back_len = 0;
	p->asked = (struct asked){ .function = function };
	p->is_asked = true;
	p->is_placed = false;
	p->hot_rank = 0;
	l->view = VIEW_ANNOTATE;
	place_ask(ui, true);
}

static void
step_function(struct ui *ui, int by)
{
	struct annotate_page *p = ui->annotate_page;
	size_t to = p->list_at + (size_t)by;

	if (to >= p->list_len) {
		ui_say(ui, false, p->list_len == 0 ? "it came from no list of functions"
						   : "no further function in the list it came from");
		return;
	}
	p->list_at = to;
	p->back_len = 0;
	ask(ui, &(struct asked){ .function = p->list[to] });
}

/* Functions of one name go around. */
static void
next_same(struct ui *ui)
{
	const struct snapshot_code *code = code_of(ui);
	struct annotate_page *p = ui->annotate_page;
	size_t at = 0;

	if (code == NULL || code->same_len < 2) {
		ui_say(ui, false, "no other function of this name has samples");
		return;
	}
	while (at < code->same_len && code->same[at] != code->location)
		at++;
	at = at + 1 < code->same_len ? at + 1 : 0;
	ui_say(ui, false, "functions of this name: %zu of %zu", at + 1, code->same_len);
	p->back_len = 0;
	ask(ui, &(struct asked){ .function = code->same[at] });
}

static void
next_hottest(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	size_t line = annotate_hottest(&p->a, shown_event(ui), p->hot_rank);

	/* Where the cursor is already is no step. */
	if (line == p->index && line < p->a.len)
		line = annotate_hottest(&p->a, shown_event(ui), ++p->hot_rank);
	if (line >= p->a.len) {
		to_hottest(ui);
		ui_say(ui, false, p->a.most.samples == 0 ? "nothing here has samples"
							 : "the hottest again");
		return;
	}
	put_cursor(p, line);
	show_cursor(p);
	p->is_placed = true;
	ui_say(ui, false, "hottest: number %zu", ++p->hot_rank);
}

static void
next_mode(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;

	if (code_of(ui) == NULL)
		return;
	if (p->a.places == NULL || p->a.places->count == 0) {
		ui_say(ui, false, "it has no source lines: %s",
		       p->a.places != NULL ? p->a.places->why : "they are on their way");
		return;
	}
	annotate_set_mode(&p->a, ui->snap, (p->a.mode + 1) % ANNOTATE_MODES);
	find_cursor(p);
	show_cursor(p);
	ui_say(ui, false, "shown: %s", annotate_mode_names[p->a.mode]);
}

static void
next_numbers(struct ui *ui)
{
	static const char *const says[NUMBERS_COUNT] = {
		[NUMBERS_NONE] = "without numbers", [NUMBERS_OFFSETS] = "offsets in the function",
		[NUMBERS_ADDRESSES] = "addresses, as the file has them",
	};
	struct annotate_page *p = ui->annotate_page;

	p->numbers = (p->numbers + 1) % NUMBERS_COUNT;
	ui_say(ui, false, "%s", says[p->numbers]);
}

static void
toggle_jumps(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;

	p->jumps = !p->jumps;
	ui_say(ui, false, p->jumps ? "jumps: an arrow of the selected one, and how many lead to a line"
				   : "no jumps");
}

static void
copy(struct ui *ui)
{
	struct annotate_page *p = ui->annotate_page;
	struct buf raw = { 0 };

	if (!has_lines(ui))
		return;
	annotate_put_text(&raw, &p->a, &p->a.lines[p->index]);
	buf_reset(&ui->copy);
	text_add_safe(&ui->copy, buf_str(&raw), raw.len);
	ui_say(ui, false, "copied: %s", buf_str(&raw));
	buf_release(&raw);
}

static const struct action actions[] = {
	{ "annotate", "a", "the selected function: its source lines and instructions", IN_SAMPLES,
	  annotate_page_show, WITH_ROWS },
	{ "hottest", "H", "to the hottest line; again: to the next", IN_ANNOTATE, next_hottest,
	  WITH_ROWS },
	{ "source", "s", "source and instructions, instructions alone, source alone", IN_ANNOTATE,
	  next_mode, WITH_ROWS },
	{ "numbers", "o", "offsets, addresses, or neither", IN_ANNOTATE, next_numbers },
	{ "jumps", "J", "arrows of jumps, and how many lead to a line", IN_ANNOTATE, toggle_jumps },
	{ "function-previous", "<", "the function before it in the list it came from", IN_ANNOTATE,
	  .step = step_function, .by = -1 },
	{ "function-next", ">", "the function after it", IN_ANNOTATE, .step = step_function,
	  .by = 1 },
	{ "function-same", "A", "another function of the same name", IN_ANNOTATE, next_same,
	  WITH_ROWS },
	{ "copy", "y", "copy the selected line, by the terminal", IN_ANNOTATE, copy, WITH_ROWS },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "hottest", "Hottest" }, { "source", "Source" },
	{ "in", "Follow" }, { "out", "Back" }, { "find", "Find" }, { "numbers", "Numbers" },
	{ "jumps", "Jumps" }, { "function-next", "Next" }, { "quit", "Quit" }, { NULL },
};

const struct page_ops annotate_page = {
	.name = "annotate", .kinds = IN_SAMPLES | IN_VIEWS | IN_LISTS | IN_FULL,
	.actions = actions, .footer = footer,
	.state_size = sizeof(struct annotate_page), .release = release,
	.draw = draw,
	.help = "Percent are of the function (% chooses); the bar is of the hottest line.\n"
		"Enter follows a call or a jump, Esc comes back.  Enter on an inlined function\n"
		"folds it: its line has what all of it has.  Where interrupts come late a count\n"
		"may be of the instruction before.\n",
	.move = move, .in = in, .out = out, .side = side, .click = click,
	.finds = "line", .count = count, .selected = selected, .select = select_line,
	.holds = holds, .keep = keep, .go_back = go_back,
	.put_query = put_query, .take_snapshot = take_snapshot,
};
