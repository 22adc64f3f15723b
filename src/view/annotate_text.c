/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions, source lines and inlined functions as text. */
#include "view/annotate_impl.h"

#include "view/name.h"

#include <inttypes.h>

static bool
is_jump(const struct listing_instruction *i)
{
	return i->kind == LISTING_JUMP || i->kind == LISTING_CONDITIONAL || i->kind == LISTING_CALL;
}

const char *
annotate_member(const struct listing_lines *l, uint32_t instruction)
{
	return l != NULL && l->members != NULL && instruction < l->count ? l->members[instruction] : "";
}

void
annotate_put_code(struct buf *b, const struct listing_instruction *i, const char *member)
{
	const char *named = *i->operand != '\0' ? i->operand : member;

	buf_add_str(b, i->text);
	if (*named != '\0')
		buf_addf(b, is_jump(i) ? " <%s>" : "  # %s", named);
}

void
annotate_put_brief(struct buf *b, const struct annotate *a, uint32_t instruction)
{
	const struct listing *l = a->listing;
	const struct listing_instruction *i = &l->items[instruction];

	if (*i->operand == '\0') {
		annotate_put_code(b, i, annotate_member(a->places, instruction));
		return;
	}
	buf_add_str(b, i->text);
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
	const struct listing_frame *f = annotate_own_line(a, instruction);

	return f != NULL && f->file < a->places->file_count ? a->places->files[f->file].path : NULL;
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
