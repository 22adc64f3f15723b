/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_SCREEN_WORDS_H
#define PTOP_UI_SCREEN_WORDS_H
/* Words above the rows, in them, and signs before them, each with what it means: --explain has them from here. */
#include "ui/canvas.h"
#include "view/snapshot.h"

/* Beside those of header_parts[], header_times[] and loss_defs[]. */
enum screen_word {
	WORD_LIVE,
	WORD_PAST,
	WORD_FROZEN,
	WORD_FILE,
	WORD_READING,
	WORD_REC,
	WORD_PAUSED,
	WORD_OPENING,
	WORD_FILTERED,
	WORD_UP,
	WORD_ON_CPU,
	WORD_MEM,
	WORD_SWAP,
	WORD_STALL,
	WORD_STALL_CPU,
	WORD_STALL_IO,
	WORD_WINDOW,
	WORD_SO_FAR,
	WORD_HELD,
	WORD_NEAREST,
	WORD_AS_OF,
	WORD_THEN,
	WORD_NEEDS,
	WORD_FILTER,
	WORD_NOT_FILTERED,
	WORD_NO_KERNEL,
	WORD_NO_USER,
	WORD_NO_PTOP,
	WORD_THREADS_OFF,
	WORD_WITH_IDLE,
	WORD_OF_ALL_THREADS,
	WORD_NAMELESS,
	WORD_SAMPLES,
	WORD_RATE,
	WORD_EACH_ONE,
	WORD_OF_ALL,
	WORD_AUTO,
	WORD_DEEP,
	WORD_DEEP_STACKS,
	WORD_TITLES, /* from here on: of columns that are no view's */
	WORD_FUNC = WORD_TITLES,
	WORD_WHOLE_FILE,
	WORD_ALL,
	WORD_OFFSET,
	WORD_CLASS,
	WORD_JUMPS,
	WORD_TOTAL_PERCENT,
	WORD_SELF_PERCENT,
	WORD_SIGNS, /* from here on: before lines that are no rows */
	WORD_INLINED = WORD_SIGNS,
	WORD_ESTIMATE,
	WORD_NO_BOUND,
	WORD_LESS_THAN,
	WORD_ROWS, /* from here on: in the place of a name, also in reports */
	WORD_UNKNOWN = WORD_ROWS,
	WORD_CUT,
	WORD_UPROBES,
	WORD_NO_NAME,
	WORD_OTHER,
	WORD_OTHER_KERNEL,
	WORD_RARELY_SEEN,
	WORD_OTHER_ENDED,
	WORD_TOO_MANY_NAMES,
	WORD_TOO_MANY_FILES,
	WORD_OTHER_NAMESPACE,
	WORD_BEFORE_LOOK,
	WORD_INTERRUPT,
	WORD_LEFT_OUT,
	WORD_ELSEWHERE,
	WORD_FOLDED,
	WORD_NO_WAITS,
	WORD_NAMED,
	WORD_KERNEL,
	WORD_KALLSYMS,
	WORD_BPF,
	WORD_VDSO,
	WORD_VSYSCALL,
	WORD_ANON,
	WORD_JIT,
	WORD_HYPERVISOR,
	WORD_GUEST_KERNEL,
	WORD_GUEST_USER,
	WORD_WAITING,
	SCREEN_WORDS,
};

extern const struct screen_word_def {
	const char *word, *help;
} screen_words[SCREEN_WORDS];

#define WORD(which) (screen_words[WORD_##which].word)

/* The first one whose flags a row has stands before it. */
struct row_sign {
	unsigned flags; /* ROW_* that it is of; 0: of what has no flag */
	char sign;
	enum style style; /* STYLE_NORMAL: the row's */
	const char *glyph; /* GLYPH_DEAD, where the terminal can show it; NULL: the sign */
	const char *help;
};

enum row_sign_kind {
	SIGN_CHANCE,
	SIGN_DEADLOCK,
	SIGN_DEAD,
	SIGN_COUNTED,
	SIGN_PENDING,
	SIGN_UNNAMED,
	SIGN_IRQ_ON,
	SIGN_KERNEL,
	SIGN_SELF,
	SIGN_TAGGED,
	ROW_SIGNS,
};

extern const struct row_sign row_signs[ROW_SIGNS];

/* NULL: it has none. */
const struct row_sign *row_sign_of(const struct row *row);

/* Adds a line for each, for the page of help. */
void row_signs_put(struct buf *b);

#endif
