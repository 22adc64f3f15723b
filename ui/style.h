/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_STYLE_H
#define PTOP_UI_STYLE_H
/*
 * What text on the screen means, and how it looks in each theme, with many, few and no colours.  Views
 * name the meaning; ui/term.c turns it into attributes.  Nothing is told by colour alone, and the
 * terminal's palette is never changed.
 */
#include "base/util.h"
#include "view/theme.h"

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

enum { STYLE_COLOUR_OWN = -1 }; /* the terminal's own */

/* Beside the numbers of xterm's 256 colours: one by its red, green and blue. */
enum { STYLE_RGB_FLAG = 1 << 24 };
#define STYLE_RGB(hex) ((hex) | STYLE_RGB_FLAG)

struct style_look {
	int fg, bg;    /* a colour */
	unsigned attr; /* enum style_attr */
};

struct style_def {
	const char *name;
	unsigned mono; /* enum style_attr, without colours */
};

extern const struct style_def style_defs[STYLE_COUNT];

/* STYLE_COUNT looks with 256 colours and more, 16, and 8; NULL: without. */
struct theme {
	const struct style_look *full, *some, *few;
};

extern const struct theme theme_table[THEME_COUNT]; /* ui/themes.c */

/*
 * How @style looks on a terminal of @colors colours, in its own numbers: 0, none; 8; 16; 256; more:
 * colours are red, green and blue there.
 */
struct style_look style_look(const struct theme *theme, enum style style, int colors);
struct style_look style_look_selected(const struct theme *theme, enum style style, int colors);

int style_colour_of(int colour, int colors);  /* the nearest that there is */
uint32_t style_colour_rgb(int colour); /* on xterm's palette; it is not the terminal's own */

#endif
