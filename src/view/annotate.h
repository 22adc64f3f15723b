/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_ANNOTATE_H
#define PTOP_VIEW_ANNOTATE_H
/*
 * A function as it is read: the listing of its code as lines of source, of inlined functions and of
 * instructions, and what each has.  Lines are made once for a listing; costs change with each
 * snapshot.  One thread.
 */
#include "view/listing.h"
#include "view/snapshot.h"

enum annotate_mode {
	ANNOTATE_MIXED,
	ANNOTATE_CODE,   /* instructions alone */
	ANNOTATE_SOURCE, /* the function's own lines alone */
	ANNOTATE_FILE,   /* all lines of snapshot_code.file, with what all functions have there */
	ANNOTATE_MODES,
};

extern const char *const annotate_mode_names[ANNOTATE_MODES]; /* "whole file" */

enum annotate_kind {
	ANNOTATE_LINE,        /* of source */
	ANNOTATE_INLINE,      /* here begins code that is inlined */
	ANNOTATE_INSTRUCTION,
};

struct annotate_line {
	enum annotate_kind kind;
	/*
	 * The instructions that it stands for, but of ANNOTATE_SOURCE see line_of; of ANNOTATE_FILE
	 * first is its number.
	 */
	uint32_t first, end;
	uint32_t file, line; /* of source; of what is inlined where it is called */
	const struct listing_frame *frame; /* of what is inlined: itself, behind it its caller */
	uint16_t level;      /* how deep it is inlined; 0: it is not */
	bool is_folded;      /* what is inlined here has no lines of its own */
};

/* What is inlined at an instruction was folded by hand. */
struct annotate_fold {
	uint32_t first;
	uint16_t level;
};

/* Zero-initialise to begin. */
struct annotate {
	const struct snapshot_code *code; /* of the snapshot seen last: borrowed from it */
	const struct listing *listing;    /* that the lines are of; so the next two */
	const struct listing_lines *places;
	const struct listing_source *text; /* of ANNOTATE_FILE */
	size_t source_count;              /* files whose text is here */
	enum annotate_mode mode;
	struct annotate_line *lines;
	size_t len, cap;
	uint32_t *line_of;       /* of ANNOTATE_SOURCE: by instruction its line, LISTING_NONE: none */
	uint32_t *jumps;         /* by instruction: jumps to it in this function */
	struct annotate_fold *folds;
	size_t fold_len, fold_cap;
	struct cost *sums;       /* by event and line, see annotate_cost() */
	size_t event_count;
	struct cost most;        /* of the shown event: the most that an instruction, or line, has */
};

/*
 * Another snapshot, which must stay until the next call: lines anew if the listing is another one,
 * costs in any case.  Whether the lines are other ones.
 */
bool annotate_update(struct annotate *a, const struct snapshot *s);

void annotate_set_mode(struct annotate *a, const struct snapshot *s, enum annotate_mode mode);

/* Folds or unfolds what is inlined at the line.  false: nothing is. */
bool annotate_fold(struct annotate *a, const struct snapshot *s, size_t line, bool fold);

/* What the line has of the event. */
static inline const struct cost *
annotate_cost(const struct annotate *a, uint32_t event, size_t line)
{
	return &a->sums[event * a->len + line];
}

/* The line of the instruction, or the one that it is folded into; len: none. */
size_t annotate_find(const struct annotate *a, uint32_t instruction);

/* Lines with samples, hottest first, instructions before others: the @n-th; len: there are fewer. */
size_t annotate_hottest(const struct annotate *a, uint32_t event, size_t n);

/* The path of the file that the function itself is in, as the place of @instruction tells; NULL. */
const char *annotate_own_file(const struct annotate *a, uint32_t instruction);

/*
 * Of ANNOTATE_FILE: where the code of the line is that has most of the event; false: it has no
 * samples.
 */
bool annotate_line_at(const struct annotate *a, uint32_t event, size_t line, uint64_t *at);

/* The member that the instruction accesses, by the name of its variable: "req->len"; "": none. */
const char *annotate_member(const struct listing_lines *l, uint32_t instruction);

/* Adds the instruction's text with what it names, else with @member: "jne    4a10 <main+0x20>". */
void annotate_put_code(struct buf *b, const struct listing_instruction *i, const char *member);

/* The same for people: names are brief, its own function has none: "jne    4a10 <+0x20>". */
void annotate_put_brief(struct buf *b, const struct annotate *a, uint32_t instruction);

/* Adds "std::move sort.cc:12 in sort", raw, names brief: the second is where it is called. */
void annotate_put_inline(struct buf *b, const struct annotate *a, const struct annotate_line *l);

/* The text of a source line, NULL: it is not here. */
const char *annotate_source_text(const struct annotate *a, uint32_t file, uint32_t line);

/*
 * What is not at any instruction, of the event: not told by address, or outside of the listing.
 * Without a listing: what is not told by address.
 */
struct cost annotate_elsewhere(const struct annotate *a, uint32_t event);

void annotate_release(struct annotate *a);

#endif
