/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/style.h"

enum { B = STYLE_BOLD, F = STYLE_FAINT, U = STYLE_UNDER, R = STYLE_REVERSE };

/* Colours of the first 16: 0 black 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 7 white. */
const struct style_def style_defs[STYLE_COUNT] = {
	[STYLE_NORMAL]   = { "normal",   { -1, -1, 0 }, { -1, -1, 0 }, { -1, -1, 0 }, 0 },
	[STYLE_DIM]      = { "dim",      { 245, -1, 0 }, { 8, -1, 0 }, { -1, -1, F }, 0 },
	[STYLE_STRONG]   = { "strong",   { -1, -1, B }, { -1, -1, B }, { -1, -1, B }, B },
	[STYLE_ALARM]    = { "alarm",    { 203, -1, B }, { 9, -1, B }, { 1, -1, B }, B | R },
	[STYLE_NOTICE]   = { "notice",   { 179, -1, 0 }, { 3, -1, 0 }, { 3, -1, 0 }, B },
	[STYLE_CRUMB]    = { "crumb",    { 75, -1, B }, { 14, -1, B }, { 6, -1, B }, B },
	[STYLE_TITLE]    = { "title",    { 252, 238, 0 }, { 0, 6, 0 }, { 0, 6, 0 }, R },
	[STYLE_SORTED]   = { "sorted",   { 231, 25, B }, { 15, 4, B }, { 7, 4, B }, R | B | U },
	[STYLE_SELECTED] = { "selected", { 231, 24, 0 }, { 0, 14, 0 }, { 0, 6, 0 }, R },
	[STYLE_HOT]      = { "hot",      { 203, -1, B }, { 9, -1, B }, { 1, -1, B }, B },
	[STYLE_WARM]     = { "warm",     { 114, -1, B }, { 10, -1, B }, { 2, -1, B }, B },
	[STYLE_KERNEL]   = { "kernel",   { 180, -1, 0 }, { 11, -1, 0 }, { 3, -1, 0 }, 0 },
	[STYLE_USER]     = { "user",     { -1, -1, 0 }, { -1, -1, 0 }, { -1, -1, 0 }, 0 },
	[STYLE_UNNAMED]  = { "unnamed",  { 139, -1, 0 }, { 5, -1, 0 }, { 5, -1, 0 }, 0 },
	[STYLE_BAR_LOW]  = { "bar-low",  { 71, -1, 0 }, { 10, -1, 0 }, { 2, -1, 0 }, 0 },
	[STYLE_BAR_MID]  = { "bar-mid",  { 179, -1, 0 }, { 11, -1, 0 }, { 3, -1, 0 }, 0 },
	[STYLE_BAR_HIGH] = { "bar-high", { 203, -1, 0 }, { 9, -1, 0 }, { 1, -1, 0 }, B },
	[STYLE_KEY]      = { "key",      { -1, -1, B }, { -1, -1, B }, { -1, -1, B }, B },
	[STYLE_LABEL]    = { "label",    { 252, 238, 0 }, { 0, 6, 0 }, { 0, 6, 0 }, R },
	[STYLE_STATUS]   = { "status",   { -1, -1, B }, { -1, -1, B }, { -1, -1, B }, B },
	[STYLE_ERROR]    = { "error",    { 203, -1, B }, { 9, -1, B }, { 1, -1, B }, B | R },
	[STYLE_PROMPT]   = { "prompt",   { 75, -1, B }, { 14, -1, B }, { 6, -1, B }, B },
	[STYLE_CURSOR]   = { "cursor",   { -1, -1, R }, { -1, -1, R }, { -1, -1, R }, R },
	[STYLE_GOOD]     = { "good",     { 114, -1, 0 }, { 10, -1, 0 }, { 2, -1, 0 }, 0 },
	[STYLE_FLAME_OWN]     = { "flame-program", { 16, 114, 0 }, { 0, 10, 0 }, { 0, 2, 0 }, U },
	[STYLE_FLAME_LIBRARY] = { "flame-library", { 16, 179, 0 }, { 0, 11, 0 }, { 0, 3, 0 }, U },
	[STYLE_FLAME_KERNEL]  = { "flame-kernel", { 16, 173, 0 }, { 0, 9, 0 }, { 7, 1, 0 }, U },
	[STYLE_FLAME_JIT]     = { "flame-jit", { 16, 110, 0 }, { 15, 4, 0 }, { 7, 4, 0 }, U },
	[STYLE_FLAME_OTHER]   = { "flame-other", { 16, 248, 0 }, { 0, 7, 0 }, { 0, 7, 0 }, U },
	[STYLE_FLAME_FOUND]   = { "found", { 231, 90, B }, { 15, 5, B }, { 7, 5, B }, U | B },
	[STYLE_SOURCE]   = { "source",   { 150, -1, 0 }, { 6, -1, 0 }, { 6, -1, 0 }, B },
	[STYLE_BAD]      = { "bad",      { 245, -1, 0 }, { 9, -1, 0 }, { 1, -1, 0 }, 0 },
};

struct style_look
style_look(enum style style, int colors)
{
	const struct style_def *def = &style_defs[style];

	if (colors >= 256)
		return def->many;
	if (colors >= 16)
		return def->some;
	if (colors >= 8)
		return def->few;
	return (struct style_look){ .fg = -1, .bg = -1, .attr = def->mono };
}
