/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/style.h"

#include <limits.h>

enum { B = STYLE_BOLD, U = STYLE_UNDER, R = STYLE_REVERSE };

/* Of xterm's 256 colours: where its cube begins, where its greys. */
enum { CUBE = 16, GREYS = 232, XTERM = 256 };

/* Attributes are what it looks like without colours. */
const struct style_def style_defs[STYLE_COUNT] = {
	[STYLE_NORMAL]   = { "normal", 0 },
	[STYLE_DIM]      = { "dim", 0 },
	[STYLE_STRONG]   = { "strong", B },
	[STYLE_ALARM]    = { "alarm", B | R },
	[STYLE_NOTICE]   = { "notice", B },
	[STYLE_CRUMB]    = { "crumb", B },
	[STYLE_TITLE]    = { "title", B | U }, /* the selected row below it is R */
	[STYLE_SORTED]   = { "sorted", R | B },
	[STYLE_SELECTED] = { "selected", R },
	[STYLE_HOT]      = { "hot", B },
	[STYLE_WARM]     = { "warm", B },
	[STYLE_KERNEL]   = { "kernel", 0 },
	[STYLE_USER]     = { "user", 0 },
	[STYLE_UNNAMED]  = { "unnamed", 0 },
	[STYLE_BAR_LOW]  = { "bar-low", 0 },
	[STYLE_BAR_MID]  = { "bar-mid", 0 },
	[STYLE_BAR_HIGH] = { "bar-high", B },
	[STYLE_KEY]      = { "key", B },
	[STYLE_LABEL]    = { "label", R },
	[STYLE_STATUS]   = { "status", B },
	[STYLE_ERROR]    = { "error", B | R },
	[STYLE_PROMPT]   = { "prompt", B },
	[STYLE_CURSOR]   = { "cursor", R },
	[STYLE_GOOD]     = { "good", 0 },
	[STYLE_FLAME_OWN]     = { "flame-program", U },
	[STYLE_FLAME_LIBRARY] = { "flame-library", U },
	[STYLE_FLAME_KERNEL]  = { "flame-kernel", U },
	[STYLE_FLAME_JIT]     = { "flame-jit", U },
	[STYLE_FLAME_OTHER]   = { "flame-other", U },
	[STYLE_FLAME_FOUND]   = { "found", U | B },
	[STYLE_SOURCE]   = { "source", B },
	[STYLE_BAD]      = { "bad", 0 },
};

/* xterm's first 16; the steps of its cube. */
static const uint32_t first_colours[CUBE] = {
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};
static const uint32_t steps[] = { 0, 95, 135, 175, 215, 255 };

uint32_t
style_colour_rgb(int colour)
{
	uint32_t n = (uint32_t)colour;

	if (n & STYLE_RGB_FLAG)
		return n & 0xffffff;
	if (n < CUBE)
		return first_colours[n];
	if (n >= GREYS)
		return (8 + 10 * (n - GREYS)) * 0x010101u;
	n -= CUBE;
	return steps[n / 36] << 16 | steps[n / 6 % 6] << 8 | steps[n % 6];
}

static int
distance(uint32_t a, uint32_t b)
{
	int sum = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		int off = (int)(a >> shift & 0xff) - (int)(b >> shift & 0xff);

		sum += off * off;
	}
	return sum;
}

/* Of the numbers from @from up to @to, without that. */
static int
nearest(uint32_t rgb, int from, int to)
{
	int best = from, least = INT_MAX;

	for (int i = from; i < to; i++) {
		int far = distance(rgb, style_colour_rgb(i));

		if (far < least) {
			least = far;
			best = i;
		}
	}
	return best;
}

int
style_colour_of(int colour, int colors)
{
	/* From 16 on the numbers of a terminal of 88 are other colours than those of one of 256. */
	int known = colors == XTERM ? XTERM : MIN(colors, CUBE);

	if (colour < 0)
		return STYLE_COLOUR_OWN;
	/* A terminal of true colours takes the first 8 as they are numbered. */
	if (colors > XTERM)
		return colour < 8 ? colour : (int)style_colour_rgb(colour);
	if (colour < known)
		return colour;
	/* The first 16 can be anything, where there are others. */
	return nearest(style_colour_rgb(colour), colors == XTERM ? CUBE : 0, known);
}

static const struct style_look *
looks_of(const struct theme *theme, int colors)
{
	return colors >= 256 ? theme->full : colors >= CUBE ? theme->some : theme->few;
}

struct style_look
style_look(const struct theme *theme, enum style style, int colors)
{
	const struct style_look *looks = colors >= 8 ? looks_of(theme, colors) : NULL;
	struct style_look look;

	if (looks == NULL)
		return (struct style_look){ STYLE_COLOUR_OWN, STYLE_COLOUR_OWN, style_defs[style].mono };
	look = looks[style];
	/* What has no colours of its own has those of plain text. */
	look.fg = style_colour_of(look.fg >= 0 ? look.fg : looks[STYLE_NORMAL].fg, colors);
	look.bg = style_colour_of(look.bg >= 0 ? look.bg : looks[STYLE_NORMAL].bg, colors);
	return look;
}

struct style_look
style_look_selected(const struct theme *theme, enum style style, int colors)
{
	struct style_look look = style_look(theme, STYLE_SELECTED, colors);

	/* Terminals that show bold as bright would make black grey. */
	if (look.fg != 0)
		look.attr |= style_look(theme, style, colors).attr & STYLE_BOLD;
	return look;
}
