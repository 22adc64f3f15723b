/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines are made in one walk over the instructions.  At each, frames[0] is the function itself and
 * those behind it what is inlined there, each in the one before.  What is open at each level is a
 * header of inlined code and a line of source; both stand for all instructions until they close.
 */
#include "view/annotate.h"

#include "view/name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NO_LINE = -1 };

const char *const annotate_mode_names[ANNOTATE_MODES] = {
	[ANNOTATE_MIXED] = "source and instructions",
	[ANNOTATE_CODE] = "instructions",
	[ANNOTATE_SOURCE] = "source",
	[ANNOTATE_FILE] = "whole file",
};

/* The walk: by level what is open, as numbers of lines. */
struct walk {
	struct annotate *a;
	uint32_t at;       /* the instruction */
	uint32_t depth;    /* how many levels are open */
	const struct listing_frame *frames[LISTING_FRAMES_MAX]; /* outermost first */
	long headers[LISTING_FRAMES_MAX], sources[LISTING_FRAMES_MAX];
	uint32_t folded;   /* the level whose header is folded; 0: none */
};

static const struct listing_place *
place_of(const struct annotate *a, uint32_t instruction)
{
	const struct listing_lines *l = a->places;

	if (l == NULL || instruction >= l->count || l->places_of[instruction] >= l->place_count)
		return NULL;
	return &l->places[l->places_of[instruction]];
}

static struct annotate_line *
add_line(struct annotate *a, enum annotate_kind kind, uint32_t first)
{
	struct annotate_line *line = &VEC_ADD(a->lines, a->len, a->cap);

	*line = (struct annotate_line){ .kind = kind, .first = first, .end = first + 1,
					.file = LISTING_NONE };
	return line;
}

static bool
is_folded(const struct annotate *a, uint32_t first, uint32_t level)
{
	for (size_t i = 0; i < a->fold_len; i++)
		if (a->folds[i].first == first && a->folds[i].level == level)
			return true;
	return false;
}

/* Ends what is open from @level on. */
static void
close_levels(struct walk *w, uint32_t level)
{
	for (uint32_t i = level; i < w->depth; i++) {
		if (w->headers[i] != NO_LINE)
			w->a->lines[w->headers[i]].end = w->at;
		if (w->sources[i] != NO_LINE)
			w->a->lines[w->sources[i]].end = w->at;
	}
	if (w->folded >= level)
		w->folded = 0;
	w->depth = MIN(w->depth, level);
}

static bool
is_same_line(const struct listing_frame *a, const struct listing_frame *b)
{
	return a->file == b->file && a->line == b->line;
}

/* Whether the frame at @level is the call that is open there: its caller's line is still the same. */
static bool
is_same_call(const struct walk *w, const struct listing_place *p, uint32_t level)
{
	const struct listing_frame *now = &p->frames[p->count - 1 - level];

	if (level >= w->depth)
		return false;
	if (level == 0)
		return true;
	return strcmp(now->function, w->frames[level]->function) == 0;
}

/* Opens a level; its frame is not its line yet. */
static void
open_level(struct walk *w, const struct listing_place *p, uint32_t level)
{
	const struct listing_frame *frame = &p->frames[p->count - 1 - level];
	struct annotate_line *header;

	w->frames[level] = frame;
	w->headers[level] = w->sources[level] = NO_LINE;
	w->depth = level + 1;
	if (level == 0 || w->folded != 0)
		return;
	w->headers[level] = (long)w->a->len;
	header = add_line(w->a, ANNOTATE_INLINE, w->at);
	header->frame = frame;
	header->file = frame[1].file;
	header->line = frame[1].line;
	header->level = (uint16_t)level;
	header->is_folded = is_folded(w->a, w->at, level);
	if (header->is_folded)
		w->folded = level;
}

static void
open_source(struct walk *w, const struct listing_frame *frame, uint32_t level, bool is_shown)
{
	struct annotate_line *line;

	w->sources[level] = NO_LINE;
	w->frames[level] = frame;
	if (w->folded != 0 || frame->line == 0 || !is_shown)
		return;
	w->sources[level] = (long)w->a->len;
	line = add_line(w->a, ANNOTATE_LINE, w->at);
	line->file = frame->file;
	line->line = frame->line;
	line->level = (uint16_t)level;
}

/* Closes and opens what is different at this instruction. */
static void
step_levels(struct walk *w, const struct listing_place *p)
{
	for (uint32_t level = 0; level < p->count && level < LISTING_FRAMES_MAX; level++) {
		const struct listing_frame *now = &p->frames[p->count - 1 - level];
		bool is_new = !is_same_call(w, p, level);

		if (is_new) {
			close_levels(w, level);
			open_level(w, p, level);
		}
		bool is_called = level > 0 && level + 1 < p->count; /* its header says the line */

		if (!is_new && is_same_line(now, w->frames[level]) &&
		    (is_called || w->folded != 0 || w->sources[level] != NO_LINE)) {
			w->frames[level] = now;
			continue;
		}
		/* What is inlined belongs to the line that calls it. */
		if (!is_new) {
			close_levels(w, level + 1);
			if (w->sources[level] != NO_LINE)
				w->a->lines[w->sources[level]].end = w->at;
		}
		open_source(w, now, level, !is_called);
	}
	close_levels(w, MIN(p->count, (uint32_t)LISTING_FRAMES_MAX));
}

static void
make_mixed(struct annotate *a)
{
	struct walk w = { .a = a };

	for (w.at = 0; w.at < a->listing->count; w.at++) {
		const struct listing_place *p = a->mode == ANNOTATE_MIXED ? place_of(a, w.at) : NULL;

		if (p != NULL)
			step_levels(&w, p);
		else
			close_levels(&w, 0);
		if (w.folded == 0)
			add_line(a, ANNOTATE_INSTRUCTION, w.at)->level =
				(uint16_t)(w.depth > 0 ? w.depth - 1 : 0);
	}
	close_levels(&w, 0);
}

/* The function's own line that an instruction is of, whatever is inlined there. */
static const struct listing_frame *
own_line(const struct annotate *a, uint32_t instruction)
{
	const struct listing_place *p = place_of(a, instruction);

	return p != NULL && p->frames[p->count - 1].line != 0 ? &p->frames[p->count - 1] : NULL;
}

/* The lines of the function's file, from its first to its last; of another file only those that it has. */
static void
make_source(struct annotate *a)
{
	uint32_t file = LISTING_NONE, first = UINT32_MAX, last = 0;

	a->line_of = mem_calloc(a->listing->count, sizeof(*a->line_of));
	for (uint32_t i = 0; i < a->listing->count; i++) {
		const struct listing_frame *f = own_line(a, i);

		a->line_of[i] = LISTING_NONE;
		if (f == NULL || (file != LISTING_NONE && f->file != file))
			continue;
		file = f->file;
		first = MIN(first, f->line);
		last = MAX(last, f->line);
	}
	for (uint32_t n = first; n <= last && last - first < LISTING_SOURCE_MAX; n++) {
		struct annotate_line *line = add_line(a, ANNOTATE_LINE, LISTING_NONE);

		line->file = file;
		line->line = n;
		line->first = line->end = 0;
	}
	for (uint32_t i = 0; i < a->listing->count; i++) {
		const struct listing_frame *f = own_line(a, i);

		if (f == NULL || f->file != file || f->line - first >= a->len)
			continue;
		a->line_of[i] = f->line - first;
		if (a->lines[f->line - first].end == 0)
			a->lines[f->line - first].first = i;
		a->lines[f->line - first].end = i + 1;
	}
}

static void
add_file_line(struct annotate *a, uint32_t line)
{
	add_line(a, ANNOTATE_LINE, line)->line = line;
}

/*
 * All lines that the text has; while it is on its way, or if it cannot be had, those with
 * samples.
 */
static void
make_file(struct annotate *a)
{
	const struct snapshot_file *f = a->code->file;
	uint32_t before = 0;

	for (uint32_t i = 0; a->text != NULL && i < a->text->count; i++)
		add_file_line(a, a->text->first + i);
	for (size_t i = 0; (a->text == NULL || a->text->count == 0) && i < f->count; i++) {
		if (f->lines[i].line != before)
			add_file_line(a, f->lines[i].line);
		before = f->lines[i].line;
	}
}

static void
count_jumps(struct annotate *a)
{
	const struct listing *l = a->listing;

	free(a->jumps);
	a->jumps = mem_calloc(l->count + 1, sizeof(*a->jumps));
	for (uint32_t i = 0; i < l->count; i++)
		if ((l->items[i].kind == LISTING_JUMP ||
		     l->items[i].kind == LISTING_CONDITIONAL) &&
		    l->items[i].target_index < l->count)
			a->jumps[l->items[i].target_index]++;
}

static void
make_lines(struct annotate *a)
{
	a->len = 0;
	free(a->line_of);
	a->line_of = NULL;
	if (a->mode == ANNOTATE_FILE) {
		if (a->code->file != NULL)
			make_file(a);
		return;
	}
	if (a->listing == NULL)
		return;
	if (a->mode == ANNOTATE_SOURCE && a->places != NULL && a->places->count > 0)
		make_source(a);
	else
		make_mixed(a);
	count_jumps(a);
}

static void
add_cost(struct cost *sum, const struct cost *cost)
{
	sum->samples += cost->samples;
	sum->period += cost->period;
}

/* By event and instruction.  Both are in rising order of offsets. */
static struct cost *
instruction_costs(const struct annotate *a)
{
	const struct listing *l = a->listing;
	struct cost *costs = mem_calloc(a->event_count * l->count + 1, sizeof(*costs));
	uint32_t at = 0;

	for (size_t i = 0; i < a->code->count_len; i++) {
		const struct snapshot_count *c = &a->code->counts[i];

		while (at < l->count && l->items[at].offset + l->items[at].len <= c->offset)
			at++;
		if (at < l->count && l->items[at].offset <= c->offset && c->event < a->event_count)
			add_cost(&costs[c->event * l->count + at], &c->cost);
	}
	return costs;
}

/* A line has what the instructions that it stands for have. */
static void
sum_lines(struct annotate *a, const struct cost *costs, struct cost *sums)
{
	uint32_t count = a->listing->count;
	struct cost *before = mem_calloc(count + 1, sizeof(*before));

	for (uint32_t i = 0; i < count; i++) {
		before[i + 1] = before[i];
		add_cost(&before[i + 1], &costs[i]);
		if (a->line_of != NULL && a->line_of[i] != LISTING_NONE)
			add_cost(&sums[a->line_of[i]], &costs[i]);
	}
	for (size_t i = 0; i < a->len && a->line_of == NULL; i++) {
		const struct annotate_line *l = &a->lines[i];

		sums[i].samples = before[l->end].samples - before[l->first].samples;
		sums[i].period = before[l->end].period - before[l->first].period;
	}
	free(before);
}

/* Both are in rising order of lines. */
static void
sum_file(struct annotate *a)
{
	const struct snapshot_file *f = a->code->file;
	size_t at = 0;

	for (size_t i = 0; f != NULL && i < f->count; i++) {
		while (at < a->len && a->lines[at].line < f->lines[i].line)
			at++;
		if (at < a->len && a->lines[at].line == f->lines[i].line &&
		    f->lines[i].event < a->event_count)
			add_cost(&a->sums[f->lines[i].event * a->len + at], &f->lines[i].cost);
	}
}

static void
find_most(struct annotate *a, uint32_t shown)
{
	a->most = (struct cost){ 0 };
	for (size_t i = 0; i < a->len && shown < a->event_count; i++) {
		const struct cost *c = annotate_cost(a, shown, i);

		if (a->lines[i].kind == ANNOTATE_INSTRUCTION || a->line_of != NULL ||
		    a->mode == ANNOTATE_FILE)
			if (c->period > a->most.period)
				a->most = *c;
	}
}

static uint32_t
shown_event(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->event_count; i++)
		if (s->events[i].shown)
			return i;
	return 0;
}

static void
sum_up(struct annotate *a, const struct snapshot *s)
{
	struct cost *costs;

	a->event_count = s->event_count;
	free(a->sums);
	a->sums = mem_calloc(a->event_count * a->len + 1, sizeof(*a->sums));
	if (a->mode == ANNOTATE_FILE) {
		sum_file(a);
		find_most(a, shown_event(s));
		return;
	}
	if (a->listing == NULL || a->listing->count == 0)
		return;
	costs = instruction_costs(a);
	for (size_t e = 0; e < a->event_count; e++)
		if (a->code->told[e].samples > 0)
			sum_lines(a, &costs[e * a->listing->count], &a->sums[e * a->len]);
	free(costs);
	find_most(a, shown_event(s));
}

static size_t
count_sources(const struct snapshot_code *code)
{
	size_t count = 0;

	for (size_t i = 0; code->lines != NULL && i < code->lines->file_count; i++)
		count += code->sources[i] != NULL;
	return count;
}

static const struct listing_source *
text_of(const struct snapshot_code *code)
{
	return code->file != NULL ? code->file->text : NULL;
}

/* Whether lines are to be made anew. */
static bool
is_changed(const struct annotate *a, const struct snapshot_code *code)
{
	if (a->mode != ANNOTATE_FILE)
		return code->listing != a->listing || code->lines != a->places;
	return text_of(code) != a->text || a->text == NULL || a->text->count == 0;
}

bool
annotate_update(struct annotate *a, const struct snapshot *s)
{
	const struct snapshot_code *code = s->code;
	bool is_other = a->code == NULL || is_changed(a, code);

	if (a->listing != code->listing)
		a->fold_len = 0;
	a->code = code;
	a->listing = code->listing;
	a->places = code->lines;
	a->text = text_of(code);
	a->source_count = count_sources(code);
	if (is_other)
		make_lines(a);
	sum_up(a, s);
	return is_other;
}

void
annotate_set_mode(struct annotate *a, const struct snapshot *s, enum annotate_mode mode)
{
	a->mode = mode;
	make_lines(a);
	sum_up(a, s);
}

bool
annotate_fold(struct annotate *a, const struct snapshot *s, size_t line, bool fold)
{
	const struct annotate_line *l;
	struct annotate_fold f;
	size_t kept = 0;

	/* The header itself, or that of the line. */
	while (line > 0 && line < a->len && a->lines[line].kind != ANNOTATE_INLINE &&
	       a->lines[line].level > 0)
		line--;
	if (line >= a->len || a->lines[line].kind != ANNOTATE_INLINE)
		return false;
	l = &a->lines[line];
	if (l->is_folded == fold)
		return true;
	f = (struct annotate_fold){ l->first, l->level };
	for (size_t i = 0; i < a->fold_len; i++)
		if (a->folds[i].first != f.first || a->folds[i].level != f.level)
			a->folds[kept++] = a->folds[i];
	a->fold_len = kept;
	if (fold)
		VEC_ADD(a->folds, a->fold_len, a->fold_cap) = f;
	make_lines(a);
	sum_up(a, s);
	return true;
}

size_t
annotate_find(const struct annotate *a, uint32_t instruction)
{
	size_t found = a->len;

	if (a->line_of != NULL)
		return instruction < a->listing->count && a->line_of[instruction] != LISTING_NONE
			       ? a->line_of[instruction] : a->len;
	for (size_t i = 0; i < a->len; i++) {
		const struct annotate_line *l = &a->lines[i];

		if (instruction < l->first || instruction >= l->end)
			continue;
		found = i;
		if (l->kind == ANNOTATE_INSTRUCTION || l->is_folded)
			return i;
	}
	return found;
}

/* Whether the line is one that the hottest are looked for among. */
static bool
is_ranked(const struct annotate *a, const struct annotate_line *l)
{
	return l->kind == ANNOTATE_INSTRUCTION || l->is_folded || a->line_of != NULL ||
	       a->mode == ANNOTATE_FILE;
}

size_t
annotate_hottest(const struct annotate *a, uint32_t event, size_t n)
{
	uint64_t limit = UINT64_MAX;
	size_t limit_at = 0, best = a->len;

	if (event >= a->event_count)
		return a->len;
	/* The one below the last, n times: lines of the same cost from above. */
	for (size_t k = 0; k <= n; k++) {
		best = a->len;
		for (size_t i = 0; i < a->len; i++) {
			uint64_t period = annotate_cost(a, event, i)->period;
			bool is_after = period < limit || (period == limit && i > limit_at);

			if (is_ranked(a, &a->lines[i]) && period > 0 && is_after &&
			    (best == a->len || period > annotate_cost(a, event, best)->period))
				best = i;
		}
		if (best == a->len)
			break;
		limit = annotate_cost(a, event, best)->period;
		limit_at = best;
	}
	return best;
}

static bool
is_jump(const struct listing_instruction *i)
{
	return i->kind == LISTING_JUMP || i->kind == LISTING_CONDITIONAL || i->kind == LISTING_CALL;
}

void
annotate_put_code(struct buf *b, const struct listing_instruction *i)
{
	buf_add_str(b, i->text);
	if (*i->operand != '\0')
		buf_addf(b, is_jump(i) ? " <%s>" : "  # %s", i->operand);
}

void
annotate_put_brief(struct buf *b, const struct listing *l, const struct listing_instruction *i)
{
	buf_add_str(b, i->text);
	if (*i->operand == '\0')
		return;
	if (is_jump(i) && i->target_index < l->count) {
		buf_addf(b, " <+0x%" PRIx64 ">", l->items[i->target_index].offset - l->offset);
		return;
	}
	buf_add_str(b, is_jump(i) ? " <" : "  # ");
	brief_add(b, i->operand);
	buf_add_str(b, is_jump(i) ? ">" : "");
}

void
annotate_put_inline(struct buf *b, const struct annotate *a, const struct annotate_line *l)
{
	const struct listing_frame *caller = l->frame + 1;

	brief_add(b, l->frame->function);
	if (caller->file < a->places->file_count && caller->line != 0)
		buf_addf(b, " %s:%u", a->places->files[caller->file].name, caller->line);
	buf_add_str(b, " in ");
	brief_add(b, caller->function);
}

const char *
annotate_own_file(const struct annotate *a, uint32_t instruction)
{
	const struct listing_frame *f = own_line(a, instruction);

	return f != NULL && f->file < a->places->file_count ? a->places->files[f->file].path : NULL;
}

bool
annotate_line_at(const struct annotate *a, uint32_t event, size_t line, uint64_t *at)
{
	const struct snapshot_file *f = a->code->file;

	for (size_t i = 0; f != NULL && line < a->len && i < f->count; i++) {
		if (f->lines[i].line != a->lines[line].line || f->lines[i].event != event)
			continue;
		*at = f->lines[i].at;
		return true;
	}
	return false;
}

const char *
annotate_source_text(const struct annotate *a, uint32_t file, uint32_t line)
{
	const struct listing_source *s = a->text;

	if (a->mode != ANNOTATE_FILE) {
		if (a->places == NULL || file >= a->places->file_count)
			return NULL;
		s = a->code->sources[file];
	}
	if (s == NULL || line < s->first || line - s->first >= s->count)
		return NULL;
	return s->lines[line - s->first];
}

struct cost
annotate_elsewhere(const struct annotate *a, uint32_t event)
{
	struct cost left = a->code->all[event];
	const struct listing *l = a->listing;
	uint32_t at = 0;

	for (size_t i = 0; l != NULL && i < a->code->count_len; i++) {
		const struct snapshot_count *c = &a->code->counts[i];

		while (at < l->count && l->items[at].offset + l->items[at].len <= c->offset)
			at++;
		if (at == l->count || l->items[at].offset > c->offset || c->event != event)
			continue;
		left.samples -= MIN(left.samples, c->cost.samples);
		left.period -= MIN(left.period, c->cost.period);
	}
	return left;
}

void
annotate_release(struct annotate *a)
{
	free(a->lines);
	free(a->line_of);
	free(a->jumps);
	free(a->folds);
	free(a->sums);
	*a = (struct annotate){ 0 };
}
