/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown of which snapshot: lines are made anew only when they are others. */
#include "view/annotate_impl.h"

#include <stdlib.h>

const char *const annotate_mode_names[ANNOTATE_MODES] = {
	[ANNOTATE_MIXED] = "source and instructions",
	[ANNOTATE_CODE] = "instructions",
	[ANNOTATE_SOURCE] = "source",
	[ANNOTATE_FILE] = "whole file",
};

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
		annotate_make_lines(a);
	annotate_sum_up(a, s);
	return is_other;
}

void
annotate_set_mode(struct annotate *a, const struct snapshot *s, enum annotate_mode mode)
{
	a->mode = mode;
	annotate_make_lines(a);
	annotate_sum_up(a, s);
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
	annotate_make_lines(a);
	annotate_sum_up(a, s);
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
