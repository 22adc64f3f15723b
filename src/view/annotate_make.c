/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines are made in one walk over the instructions.  At each, frames[0] is the function itself and
 * those behind it what is inlined there, each in the one before.  What is open at each level is a
 * header of inlined code and a line of source; both stand for all instructions until they close.
 */
#include "view/annotate_impl.h"

#include <stdlib.h>
#include <string.h>

enum { NO_LINE = -1 };

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

const struct listing_frame *
annotate_own_line(const struct annotate *a, uint32_t instruction)
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
		const struct listing_frame *f = annotate_own_line(a, i);

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
		const struct listing_frame *f = annotate_own_line(a, i);

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

/* All lines that the text has; while it is on its way, or if it cannot be had, those with samples. */
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

void
annotate_make_lines(struct annotate *a)
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
