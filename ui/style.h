/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STYLE_H
#define PTOP_UI_STYLE_H
/*
 * What text on the screen means, and how it looks with many, few and no colours.  Views name the
 * meaning; ui/term.c turns it into attributes.  Nothing is told by colour alone.
 */
enum style {
	STYLE_NORMAL,
	STYLE_DIM,      /* dead rows, labels */
	STYLE_STRONG,   /* values in the header */
	STYLE_ALARM,    /* something is lost or frozen */
	STYLE_NOTICE,   /* what could not be measured */
	STYLE_CRUMB,
	STYLE_TITLE,    /* table header */
	STYLE_SORTED,   /* the title of the sort column */
	STYLE_SELECTED, /* the selected row */
	STYLE_HOT,
	STYLE_WARM,
	STYLE_KERNEL,
	STYLE_USER,
	STYLE_UNNAMED,
	STYLE_BAR_LOW,
	STYLE_BAR_MID,
	STYLE_BAR_HIGH,
	STYLE_KEY,      /* footer: the key */
	STYLE_LABEL,    /* footer: what it does */
	STYLE_STATUS,
	STYLE_ERROR,    /* status line: it did not work */
	STYLE_PROMPT,
	STYLE_CURSOR,
	STYLE_GOOD,     /* picker: can be opened */
	STYLE_BAD,      /* picker: cannot */
	STYLE_SOURCE,   /* a line of source among instructions */
	STYLE_FLAME_OWN, /* boxes of a flame graph, by what code it is */
	STYLE_FLAME_LIBRARY,
	STYLE_FLAME_KERNEL,
	STYLE_FLAME_JIT,
	STYLE_FLAME_OTHER,
	STYLE_FLAME_FOUND,
	STYLE_COUNT,
};

enum style_attr {
	STYLE_BOLD = 1 << 0,
	STYLE_FAINT = 1 << 1,
	STYLE_UNDER = 1 << 2,
	STYLE_REVERSE = 1 << 3,
};

struct style_look {
	short fg, bg;  /* terminal colour, -1: the terminal's own */
	unsigned attr; /* enum style_attr */
};

struct style_def {
	const char *name;
	struct style_look many; /* 256 colours */
	struct style_look some; /* 16 colours */
	struct style_look few;  /* 8 colours */
	unsigned mono;          /* enum style_attr, without colours */
};

extern const struct style_def style_defs[STYLE_COUNT];

/* How @style looks on a terminal of @colors colours (0: none). */
struct style_look style_look(enum style style, int colors);

#endif
