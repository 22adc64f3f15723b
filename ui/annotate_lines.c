/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/annotate_lines.h"

#include "base/text.h"
#include "ui/screen_words.h"
#include "view/column.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	SHARE_WIDTH = 7, BAR_WIDTH = 4, COUNT_WIDTH = 8, OTHER_WIDTH = 8, OFFSET_WIDTH = 7,
	ADDRESS_WIDTH = 13, JUMPS_WIDTH = 4, ARROW_WIDTH = 2, TEXT_MIN = 12,
	INDENT = 2, INDENT_MAX = 8, /* of inlined code */
	COUNT_FROM = 60, OTHERS_FROM = 100,
	BLANKS_MAX = 12, BLANKS_NARROW_MAX = 2, /* before source among instructions */
};

#define HOT_SHARE 5.0  /* percent of the function */
#define WARM_SHARE 0.5

/* Where the columns are: 0 is not shown. */
struct columns {
	int bar, count, others, numbers, jumps, arrow, text;
};

static int
number_width(const struct annotate_look *look)
{
	return look->numbers == NUMBERS_OFFSETS ? OFFSET_WIDTH
	       : look->numbers == NUMBERS_ADDRESSES ? ADDRESS_WIDTH : 0;
}

/* One after the other, as far as the text keeps some room. */
static int
take(int *x, int width, const struct canvas *c)
{
	int at = *x;

	if (width == 0 || at + width + 1 + TEXT_MIN > c->width)
		return 0;
	*x += width + 1;
	return at;
}

static struct columns
place_columns(const struct annotate_look *look, const struct canvas *c)
{
	int x = SHARE_WIDTH + 1;
	struct columns at = { 0 };

	at.bar = take(&x, BAR_WIDTH, c);
	if (c->width >= COUNT_FROM)
		at.count = take(&x, COUNT_WIDTH, c);
	if (c->width >= OTHERS_FROM && look->other_count > 0)
		at.others = take(&x, (OTHER_WIDTH + 1) * (int)look->other_count - 1, c);
	at.numbers = take(&x, number_width(look), c);
	if (look->jumps) {
		at.jumps = take(&x, JUMPS_WIDTH, c);
		at.arrow = take(&x, ARROW_WIDTH, c);
	}
	at.text = x;
	return at;
}

void
annotate_look_make(struct annotate_look *look, const struct snapshot *s, const struct annotate *a)
{
	look->snap = s;
	look->a = a;
	look->other_count = 0;
	look->event = snapshot_shown_id(s);
	for (uint32_t i = 0; i < s->event_count; i++)
		if (i != look->event && s->events[i].open && look->other_count < ANNOTATE_EVENTS_MAX)
			look->others[look->other_count++] = i;
}

void
annotate_draw_titles(const struct annotate_look *look, struct canvas *c, int y)
{
	const char *const shares[SHARES_COUNT] = {
		[SHARES_OF_SHOWN] = look->a->mode == ANNOTATE_FILE ? WORD(WHOLE_FILE) : WORD(FUNC),
		[SHARES_OF_ALL] = WORD(ALL), [SHARES_PER_SECOND] = columns[COLUMN_RATE].title,
	};
	static const char *const texts[ANNOTATE_MODES] = {
		[ANNOTATE_MIXED] = "SOURCE AND INSTRUCTIONS", [ANNOTATE_CODE] = "INSTRUCTION",
		[ANNOTATE_SOURCE] = "SOURCE", [ANNOTATE_FILE] = "SOURCE OF THE WHOLE FILE",
	};
	const struct snapshot *s = look->snap;
	struct columns at = place_columns(look, c);
	struct buf b = { 0 };

	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	canvas_put_right(c, 0, y, SHARE_WIDTH, STYLE_TITLE, shares[s->query.shares]);
	if (at.count > 0)
		canvas_put_right(c, at.count, y, COUNT_WIDTH, STYLE_TITLE, "SAMPLES");
	for (size_t i = 0; at.others > 0 && i < look->other_count; i++) {
		buf_reset(&b);
		canvas_add_safe(c, &b, s->events[look->others[i]].name);
		canvas_put(c, at.others + (int)i * (OTHER_WIDTH + 1), y, OTHER_WIDTH, STYLE_TITLE,
			   buf_str(&b));
	}
	if (at.numbers > 0)
		canvas_put_right(c, at.numbers, y, number_width(look), STYLE_TITLE,
				 look->numbers == NUMBERS_OFFSETS ? WORD(OFFSET) : "ADDRESS");
	if (at.jumps > 0)
		canvas_put_right(c, at.jumps, y, JUMPS_WIDTH, STYLE_TITLE, WORD(JUMPS));
	canvas_put(c, at.text, y, c->width - at.text, STYLE_TITLE, texts[look->a->mode]);
	buf_release(&b);
}

static void
put_share(struct buf *b, double share)
{
	if (share < 9999.995)
		buf_addf(b, "%.2f", share);
	else
		text_add_count(b, share);
}

/* By what part of the function, or the file, it is, whatever the numbers are of. */
static enum style
heat(const struct annotate_look *look, const struct cost *cost)
{
	const struct snapshot_code *code = look->a->code;
	const struct cost *told = look->a->mode == ANNOTATE_FILE && code->file != NULL
					  ? &code->file->told[look->event] : &code->told[look->event];
	double share = told->period > 0 ? (double)cost->period * 100 / (double)told->period : 0;

	return share >= HOT_SHARE ? STYLE_HOT : share >= WARM_SHARE ? STYLE_WARM : STYLE_NORMAL;
}

/* As long as it is part of the hottest line: eighths of cells, or whole ones. */
static void
draw_bar(const struct annotate_look *look, struct canvas *c, int x, int y, const struct cost *cost)
{
	uint64_t most = look->a->most.period;
	double part = most > 0 ? MIN((double)cost->period / (double)most, 1) : 0;
	enum style style = part >= 0.5 ? STYLE_BAR_HIGH : part >= 0.1 ? STYLE_BAR_MID : STYLE_BAR_LOW;
	int eighths = (int)ceil(part * BAR_WIDTH * 8);

	for (int i = 0; i < BAR_WIDTH && eighths > 0; i++, eighths -= 8) {
		/* U+2588 is a whole block, those up to U+258F an eighth less each. */
		uint32_t ch = c->ascii ? (eighths >= 4 || i == 0 ? '#' : ' ')
				       : 0x2588 + (uint32_t)(8 - MIN(eighths, 8));

		canvas_put_char(c, x + i, y, style, ch);
	}
}

static void
draw_cost(const struct annotate_look *look, struct canvas *c, const struct columns *at, int y,
	  size_t line)
{
	const struct snapshot *s = look->snap;
	bool is_instruction = look->a->lines[line].kind == ANNOTATE_INSTRUCTION;
	const struct cost *cost;
	struct buf b = { 0 };

	for (size_t i = 0; at->others > 0 && i < look->other_count; i++) {
		cost = annotate_cost(look->a, look->others[i], line);
		buf_reset(&b);
		if (cost->samples == 0)
			continue;
		put_share(&b, snapshot_share(s, &s->events[look->others[i]], cost->period));
		canvas_put_right(c, at->others + (int)i * (OTHER_WIDTH + 1), y, OTHER_WIDTH,
				 is_instruction ? STYLE_NORMAL : STYLE_DIM, buf_str(&b));
	}
	cost = look->event < look->a->event_count ? annotate_cost(look->a, look->event, line) : NULL;
	if (cost != NULL && cost->samples > 0) {
		enum style style = heat(look, cost);

		buf_reset(&b);
		put_share(&b, snapshot_share(s, &s->events[look->event], cost->period));
		canvas_put_right(c, 0, y, SHARE_WIDTH, style, buf_str(&b));
		if (at->bar > 0)
			draw_bar(look, c, at->bar, y, cost);
		buf_reset(&b);
		buf_add_u64(&b, cost->samples);
		if (at->count > 0)
			canvas_put_right(c, at->count, y, COUNT_WIDTH, style, buf_str(&b));
	}
	buf_release(&b);
}

static const struct listing_instruction *
instruction_of(const struct annotate_look *look, size_t line)
{
	const struct annotate_line *l = &look->a->lines[line];

	return l->kind == ANNOTATE_INSTRUCTION ? &look->a->listing->items[l->first] : NULL;
}

static void
draw_numbers(const struct annotate_look *look, struct canvas *c, int x, int y,
	     const struct listing_instruction *i)
{
	struct buf b = { 0 };

	if (look->numbers == NUMBERS_OFFSETS)
		buf_addf(&b, "+%" PRIx64, i->offset - look->a->listing->offset);
	else
		buf_addf(&b, "%" PRIx64, i->addr);
	canvas_put_right(c, x, y, number_width(look), STYLE_DIM, buf_str(&b));
	buf_release(&b);
}

/* Between the selected jump and where it goes to, as far as both are lines. */
static void
draw_arrow(const struct annotate_look *look, struct canvas *c, int x, int y, size_t line)
{
	const struct listing_instruction *i = instruction_of(look, MIN(look->cursor, look->a->len - 1));
	size_t from = look->cursor, to;

	if (i == NULL || i->target_index >= look->a->listing->count || i->kind == LISTING_CALL)
		return;
	to = annotate_find(look->a, i->target_index);
	if (line < MIN(from, to) || line > MAX(from, to) || to >= look->a->len)
		return;
	if (line != from && line != to) {
		canvas_put_char(c, x, y, STYLE_CRUMB, c->ascii ? '|' : 0x2502);
		return;
	}
	canvas_put_char(c, x, y, STYLE_CRUMB, c->ascii ? '+' : line == MIN(from, to) ? 0x250c : 0x2514);
	canvas_put_char(c, x + 1, y, STYLE_CRUMB, line == to ? '>' : c->ascii ? '-' : 0x2500);
}

void
annotate_put_text(struct buf *b, const struct annotate *a, const struct annotate_line *l)
{
	const char *text;

	switch (l->kind) {
	case ANNOTATE_INSTRUCTION:
		annotate_put_brief(b, a, l->first);
		return;
	case ANNOTATE_INLINE:
		annotate_put_inline(b, a, l);
		return;
	case ANNOTATE_LINE:
		text = annotate_source_text(a, l->file, l->line);
		if (text != NULL)
			buf_addf(b, "%5u  %s", l->line, text);
		else if (a->mode == ANNOTATE_FILE)
			buf_addf(b, "%5u", l->line);
		else if (l->file < a->places->file_count)
			buf_addf(b, "%s:%u", a->places->files[l->file].name, l->line);
		return;
	}
}

static void
put_inline(struct buf *b, const struct annotate *a, const struct annotate_line *l,
	   const struct canvas *c)
{
	struct buf raw = { 0 };

	buf_addf(b, "%s ", l->is_folded ? "+" : c->ascii ? "\\" : WORD(INLINED));
	annotate_put_inline(&raw, a, l);
	canvas_add_safe(c, b, buf_str(&raw));
	buf_release(&raw);
}

static enum style
text_style(const struct annotate_look *look, const struct annotate_line *l)
{
	if (l->kind == ANNOTATE_INLINE)
		return STYLE_CRUMB;
	if (l->kind == ANNOTATE_LINE)
		return look->a->mode >= ANNOTATE_SOURCE ? STYLE_NORMAL : STYLE_SOURCE;
	return look->a->listing->items[l->first].kind == LISTING_BYTES ? STYLE_DIM : STYLE_NORMAL;
}

/* Lines of source that are no neighbours tell nothing by how far they are indented. */
static void
put_source(struct buf *b, const struct annotate_look *look, const struct canvas *c,
	   const struct annotate_line *l)
{
	const char *text = annotate_source_text(look->a, l->file, l->line);
	size_t blanks = text != NULL ? strspn(text, " ") : 0;
	size_t kept = c->width >= OTHERS_FROM ? BLANKS_MAX : BLANKS_NARROW_MAX;

	if (text == NULL || look->a->mode != ANNOTATE_MIXED)
		annotate_put_text(b, look->a, l);
	else
		buf_addf(b, "%5u  %s", l->line, text + blanks - MIN(blanks, kept));
}

static void
draw_text(const struct annotate_look *look, struct canvas *c, int x, int y, size_t line)
{
	const struct annotate_line *l = &look->a->lines[line];
	struct buf raw = { 0 }, b = { 0 };

	int indent = c->width >= COUNT_FROM ? INDENT : 0;

	x += MIN(indent * (int)l->level, INDENT_MAX);
	if (l->kind == ANNOTATE_INLINE) {
		put_inline(&b, look->a, l, c);
	} else {
		if (l->kind == ANNOTATE_LINE)
			put_source(&raw, look, c, l);
		else
			annotate_put_text(&raw, look->a, l);
		canvas_add_safe(c, &b, buf_str(&raw));
		/* Instructions stand behind the numbers of lines. */
		x += l->kind == ANNOTATE_INSTRUCTION && look->a->mode == ANNOTATE_MIXED ? 2 * indent : 0;
	}
	canvas_put(c, x, y, c->width - x, text_style(look, l), buf_str(&b));
	buf_release(&raw);
	buf_release(&b);
}

void
annotate_draw_line(const struct annotate_look *look, struct canvas *c, int y, size_t line)
{
	const struct listing_instruction *i = instruction_of(look, line);
	struct columns at = place_columns(look, c);
	struct buf b = { 0 };

	draw_cost(look, c, &at, y, line);
	if (i != NULL && at.numbers > 0)
		draw_numbers(look, c, at.numbers, y, i);
	if (i != NULL && at.jumps > 0 && look->a->jumps[look->a->lines[line].first] > 0) {
		buf_addf(&b, "%u", look->a->jumps[look->a->lines[line].first]);
		canvas_put_right(c, at.jumps, y, JUMPS_WIDTH, STYLE_DIM, buf_str(&b));
	}
	if (at.arrow > 0)
		draw_arrow(look, c, at.arrow, y, line);
	draw_text(look, c, at.text, y, line);
	buf_release(&b);
}
