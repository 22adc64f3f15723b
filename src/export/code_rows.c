/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/code_rows.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { INDENT_MAX = 8 }; /* of inlined code */

void
code_rows_begin(struct code_rows *r, const struct snapshot *s, const struct report_run *run)
{
	*r = (struct code_rows){ .s = s };
	if (s->code == NULL || s->code->location == 0)
		return;
	r->a.mode = ANNOTATE_CODE;
	annotate_update(&r->a, s);
	r->event = run->has_events ? 0 : (uint32_t)report_main_event(s);
	r->event_end = run->has_events ? (uint32_t)s->event_count
				       : (uint32_t)MIN(r->event + 1, s->event_count);
}

void
code_rows_release(struct code_rows *r)
{
	annotate_release(&r->a);
}

static void
fill_place(const struct code_rows *r, uint32_t instruction, struct code_row *row)
{
	const struct listing_lines *l = r->a.places;
	const struct listing_frame *f;

	if (l == NULL || instruction >= l->count || l->places_of[instruction] >= l->place_count)
		return;
	row->lines = l;
	row->place = &l->places[l->places_of[instruction]];
	f = &row->place->frames[0];
	row->line = f->line;
	if (f->file < l->file_count)
		row->file = l->files[f->file].path;
}

static bool
next_instruction(struct code_rows *r, struct code_row *row)
{
	const struct listing_instruction *i;

	if (r->at >= r->a.len)
		return false;
	i = &r->a.listing->items[r->a.lines[r->at].first];
	row->instruction = i;
	row->member = annotate_member(r->a.places, r->a.lines[r->at].first);
	row->addr = i->addr;
	row->cost = *annotate_cost(&r->a, r->event, r->at);
	fill_place(r, r->a.lines[r->at].first, row);
	r->at++;
	return true;
}

/* Where its code is not known. */
static bool
next_count(struct code_rows *r, struct code_row *row)
{
	const struct snapshot_code *code = r->a.code;

	while (r->at < code->count_len && code->counts[r->at].event != r->event)
		r->at++;
	if (r->at >= code->count_len)
		return false;
	row->addr = code->counts[r->at].offset;
	row->cost = code->counts[r->at++].cost;
	return true;
}

static bool
next_elsewhere(struct code_rows *r, struct code_row *row)
{
	if (r->at == SIZE_MAX)
		return false;
	r->at = SIZE_MAX;
	row->is_elsewhere = true;
	row->cost = annotate_elsewhere(&r->a, r->event);
	return row->cost.samples > 0;
}

bool
code_rows_next(struct code_rows *r, struct code_row *row)
{
	for (; r->event < r->event_end; r->event++, r->at = 0) {
		*row = (struct code_row){ .event = r->event, .file = "" };
		if (r->at == SIZE_MAX ||
		    !((r->a.len > 0 ? next_instruction(r, row) : next_count(r, row)) ||
		      next_elsewhere(r, row)))
			continue;
		row->percent = snapshot_share(r->s, &r->s->events[r->event], row->cost.period);
		return true;
	}
	return false;
}

void
code_row_put_bytes(struct buf *b, const struct code_row *row)
{
	for (unsigned i = 0; row->instruction != NULL && i < row->instruction->len; i++)
		buf_addf(b, "%02x", row->instruction->bytes[i]);
}

void
code_row_put_inline(struct buf *b, const struct code_row *row)
{
	for (uint32_t i = 0; row->place != NULL && i + 1 < row->place->count; i++) {
		const struct listing_frame *f = &row->place->frames[i], *caller = f + 1;

		buf_addf(b, "%s%s", i > 0 ? ";" : "", f->function);
		if (caller->file < row->lines->file_count && caller->line != 0)
			buf_addf(b, "@%s:%u", row->lines->files[caller->file].name, caller->line);
	}
}

static void
put_numbers(struct buf *b, const struct snapshot *s, uint32_t event, const struct cost *cost)
{
	if (cost->samples > 0)
		buf_addf(b, "%7.2f %9" PRIu64 "  ", snapshot_share(s, &s->events[event], cost->period),
			 cost->samples);
	else
		buf_addf(b, "%7s %9s  ", "", "");
}

static void
put_line(struct buf *b, const struct annotate *a, const struct annotate_line *l)
{
	const char *text;

	buf_add_fill(b, ' ', MIN((size_t)l->level * 2, INDENT_MAX));
	switch (l->kind) {
	case ANNOTATE_INSTRUCTION:
		buf_addf(b, "%12" PRIx64 ":  ", a->listing->items[l->first].addr);
		annotate_put_brief(b, a, l->first);
		return;
	case ANNOTATE_INLINE:
		buf_add_str(b, "\xe2\xa4\xb7 ");
		annotate_put_inline(b, a, l);
		return;
	case ANNOTATE_LINE:
		text = annotate_source_text(a, l->file, l->line);
		if (l->file < a->places->file_count)
			buf_addf(b, "%s:%u  %s", a->places->files[l->file].name, l->line,
				 text != NULL ? text : "");
		return;
	}
}

static void
put_head(struct buf *b, const struct snapshot *s, uint32_t event, const struct report_run *run)
{
	const struct snapshot_code *code = s->code;

	if (run->has_events)
		buf_addf(b, "%s: ", s->events[event].name);
	buf_addf(b, "%s  %s  %" PRIu64 " sample%s", code->symbol, code->dso, code->told[event].samples,
		 text_plural(code->told[event].samples));
}

/* One event's lines. */
static void
put_event(struct sink *out, const struct snapshot *s, const struct annotate *a, uint32_t event,
	  const struct report_run *run)
{
	struct cost left = annotate_elsewhere(a, event);
	struct buf raw = { 0 };

	put_head(&raw, s, event, run);
	sink_add_safe(out, buf_str(&raw));
	buf_add_str(&out->buf, "\n%PERCENT   SAMPLES  CODE\n");
	for (size_t i = 0; i < a->len; i++) {
		buf_reset(&raw);
		put_line(&raw, a, &a->lines[i]);
		put_numbers(&out->buf, s, event, annotate_cost(a, event, i));
		sink_add_safe(out, buf_str(&raw));
		buf_add_char(&out->buf, '\n');
		sink_flow(out);
	}
	if (left.samples > 0) {
		put_numbers(&out->buf, s, event, &left);
		buf_add_str(&out->buf, "[elsewhere]\n");
	}
	buf_release(&raw);
}

/* Its code is not known: addresses alone. */
static void
put_counts(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct code_rows rows;
	struct code_row row;

	sink_add_safe(out, s->code->symbol);
	buf_add_str(&out->buf, "  ");
	sink_add_safe(out, s->code->dso);
	if (s->code->listing != NULL && *s->code->listing->why != '\0') {
		buf_add_str(&out->buf, "  (its code cannot be shown: ");
		sink_add_safe(out, s->code->listing->why);
		buf_add_char(&out->buf, ')');
	}
	buf_add_str(&out->buf, "\n%PERCENT   SAMPLES  ADDRESS\n");
	code_rows_begin(&rows, s, run);
	while (code_rows_next(&rows, &row)) {
		put_numbers(&out->buf, s, row.event, &row.cost);
		if (row.is_elsewhere)
			buf_add_str(&out->buf, "[elsewhere]\n");
		else
			buf_addf(&out->buf, "0x%" PRIx64 "\n", row.addr);
		sink_flow(out);
	}
	code_rows_release(&rows);
}

void
code_put_text(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	uint32_t event = run->has_events ? 0 : (uint32_t)report_main_event(s);
	struct annotate a = { .mode = ANNOTATE_MIXED };

	if (!run->is_first)
		buf_add_char(&out->buf, '\n');
	if (run->is_series)
		buf_addf(&out->buf, "time %.3f\n", s->elapsed_s);
	if (s->code == NULL || s->code->location == 0) {
		sink_add_safe(out, s->code != NULL ? s->code->why : "no function is shown");
		buf_add_char(&out->buf, '\n');
		return;
	}
	annotate_update(&a, s);
	if (a.len == 0)
		put_counts(out, s, run);
	for (; a.len > 0 && event < s->event_count; event++) {
		put_event(out, s, &a, event, run);
		if (!run->has_events)
			break;
	}
	annotate_release(&a);
}
