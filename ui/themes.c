/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How styles look in each theme, with many colours, with 16 and with 8.  The test of contrasts
 * (test_themes) reads these tables: text is to be readable on the palettes of xterm and of the
 * console.
 */
#include "ui/style.h"

enum { NONE = STYLE_COLOUR_OWN, B = STYLE_BOLD, U = STYLE_UNDER, R = STYLE_REVERSE };

#define RGB(hex) STYLE_RGB(0x##hex)

static const struct style_look dark_full[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { 245, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 203, NONE, B },
	[STYLE_NOTICE] = { 179, NONE, 0 }, [STYLE_CRUMB] = { 75, NONE, B },
	[STYLE_TITLE] = { 252, 238, 0 }, [STYLE_SORTED] = { 231, 25, B },
	[STYLE_SELECTED] = { 231, 24, 0 }, [STYLE_HOT] = { 203, NONE, B },
	[STYLE_WARM] = { 114, NONE, B }, [STYLE_KERNEL] = { 180, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { 139, NONE, 0 },
	[STYLE_BAR_LOW] = { 71, NONE, 0 }, [STYLE_BAR_MID] = { 179, NONE, 0 },
	[STYLE_BAR_HIGH] = { 203, NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 252, 238, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 203, NONE, B }, [STYLE_PROMPT] = { 75, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 114, NONE, 0 },
	[STYLE_BAD] = { 245, NONE, 0 }, [STYLE_SOURCE] = { 150, NONE, 0 },
	[STYLE_FLAME_OWN] = { 16, 114, 0 }, [STYLE_FLAME_LIBRARY] = { 16, 179, 0 },
	[STYLE_FLAME_KERNEL] = { 16, 173, 0 }, [STYLE_FLAME_JIT] = { 16, 110, 0 },
	[STYLE_FLAME_OTHER] = { 16, 248, 0 }, [STYLE_FLAME_FOUND] = { 231, 90, B },
};

static const struct style_look dark_some[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { 7, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 9, NONE, B },
	[STYLE_NOTICE] = { 11, NONE, 0 }, [STYLE_CRUMB] = { 14, NONE, B },
	[STYLE_TITLE] = { 0, 6, 0 }, [STYLE_SORTED] = { 15, 4, B },
	[STYLE_SELECTED] = { 0, 14, 0 }, [STYLE_HOT] = { 9, NONE, B },
	[STYLE_WARM] = { 10, NONE, B }, [STYLE_KERNEL] = { 11, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { 13, NONE, 0 },
	[STYLE_BAR_LOW] = { 10, NONE, 0 }, [STYLE_BAR_MID] = { 11, NONE, 0 },
	[STYLE_BAR_HIGH] = { 9, NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 0, 6, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 9, NONE, B }, [STYLE_PROMPT] = { 14, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 10, NONE, 0 },
	[STYLE_BAD] = { 9, NONE, 0 }, [STYLE_SOURCE] = { 6, NONE, 0 },
	[STYLE_FLAME_OWN] = { 0, 10, 0 }, [STYLE_FLAME_LIBRARY] = { 0, 11, 0 },
	[STYLE_FLAME_KERNEL] = { 0, 9, 0 }, [STYLE_FLAME_JIT] = { 15, 4, 0 },
	[STYLE_FLAME_OTHER] = { 0, 7, 0 }, [STYLE_FLAME_FOUND] = { 15, 5, B },
};

static const struct style_look dark_few[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { NONE, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 7, 1, B },
	[STYLE_NOTICE] = { 3, NONE, B }, [STYLE_CRUMB] = { 6, NONE, B },
	[STYLE_TITLE] = { 0, 6, 0 }, [STYLE_SORTED] = { 7, 4, B },
	[STYLE_SELECTED] = { 0, 6, 0 }, [STYLE_HOT] = { 3, NONE, B },
	[STYLE_WARM] = { 2, NONE, B }, [STYLE_KERNEL] = { 6, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { NONE, NONE, 0 },
	[STYLE_BAR_LOW] = { 2, NONE, 0 }, [STYLE_BAR_MID] = { 3, NONE, B },
	[STYLE_BAR_HIGH] = { 1, NONE, B }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 0, 6, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 7, 1, B }, [STYLE_PROMPT] = { 6, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 2, NONE, 0 },
	[STYLE_BAD] = { 3, NONE, B }, [STYLE_SOURCE] = { 6, NONE, B },
	[STYLE_FLAME_OWN] = { 0, 2, 0 }, [STYLE_FLAME_LIBRARY] = { 0, 6, 0 },
	[STYLE_FLAME_KERNEL] = { 7, 1, B }, [STYLE_FLAME_JIT] = { 7, 4, 0 },
	[STYLE_FLAME_OTHER] = { 0, 7, 0 }, [STYLE_FLAME_FOUND] = { NONE, NONE, B | R },
};

static const struct style_look light_full[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { 241, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 160, NONE, B },
	[STYLE_NOTICE] = { 94, NONE, 0 }, [STYLE_CRUMB] = { 25, NONE, B },
	[STYLE_TITLE] = { 235, 252, 0 }, [STYLE_SORTED] = { 231, 25, B },
	[STYLE_SELECTED] = { 16, 153, 0 }, [STYLE_HOT] = { 160, NONE, B },
	[STYLE_WARM] = { 28, NONE, B }, [STYLE_KERNEL] = { 94, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { 90, NONE, 0 },
	[STYLE_BAR_LOW] = { 28, NONE, 0 }, [STYLE_BAR_MID] = { 130, NONE, 0 },
	[STYLE_BAR_HIGH] = { 160, NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 235, 252, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 160, NONE, B }, [STYLE_PROMPT] = { 25, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 28, NONE, 0 },
	[STYLE_BAD] = { 241, NONE, 0 }, [STYLE_SOURCE] = { 58, NONE, 0 },
	[STYLE_FLAME_OWN] = { 16, 150, 0 }, [STYLE_FLAME_LIBRARY] = { 16, 222, 0 },
	[STYLE_FLAME_KERNEL] = { 16, 216, 0 }, [STYLE_FLAME_JIT] = { 16, 153, 0 },
	[STYLE_FLAME_OTHER] = { 16, 250, 0 }, [STYLE_FLAME_FOUND] = { 231, 90, B },
};

static const struct style_look light_some[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { NONE, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 15, 1, B },
	[STYLE_NOTICE] = { 5, NONE, 0 }, [STYLE_CRUMB] = { 4, NONE, B },
	[STYLE_TITLE] = { 0, 7, 0 }, [STYLE_SORTED] = { 15, 4, B },
	[STYLE_SELECTED] = { 15, 4, 0 }, [STYLE_HOT] = { 1, NONE, 0 },
	[STYLE_WARM] = { 4, NONE, 0 }, [STYLE_KERNEL] = { 5, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { 5, NONE, 0 },
	[STYLE_BAR_LOW] = { 4, NONE, 0 }, [STYLE_BAR_MID] = { 5, NONE, 0 },
	[STYLE_BAR_HIGH] = { 1, NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 0, 7, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 15, 1, B }, [STYLE_PROMPT] = { 4, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 4, NONE, 0 },
	[STYLE_BAD] = { 1, NONE, 0 }, [STYLE_SOURCE] = { 4, NONE, 0 },
	[STYLE_FLAME_OWN] = { 0, 10, 0 }, [STYLE_FLAME_LIBRARY] = { 0, 11, 0 },
	[STYLE_FLAME_KERNEL] = { 0, 9, 0 }, [STYLE_FLAME_JIT] = { 15, 4, 0 },
	[STYLE_FLAME_OTHER] = { 0, 7, 0 }, [STYLE_FLAME_FOUND] = { 15, 5, B },
};

static const struct style_look light_few[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { NONE, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 7, 1, B },
	[STYLE_NOTICE] = { 5, NONE, 0 }, [STYLE_CRUMB] = { 4, NONE, 0 },
	[STYLE_TITLE] = { 0, 6, 0 }, [STYLE_SORTED] = { 7, 4, B },
	[STYLE_SELECTED] = { 7, 4, 0 }, [STYLE_HOT] = { 1, NONE, 0 },
	[STYLE_WARM] = { 4, NONE, 0 }, [STYLE_KERNEL] = { 5, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { 5, NONE, 0 },
	[STYLE_BAR_LOW] = { 4, NONE, 0 }, [STYLE_BAR_MID] = { 5, NONE, 0 },
	[STYLE_BAR_HIGH] = { 1, NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 0, 6, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 7, 1, B }, [STYLE_PROMPT] = { 4, NONE, 0 },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 4, NONE, 0 },
	[STYLE_BAD] = { 1, NONE, 0 }, [STYLE_SOURCE] = { 4, NONE, 0 },
	[STYLE_FLAME_OWN] = { 0, 2, 0 }, [STYLE_FLAME_LIBRARY] = { 0, 6, 0 },
	[STYLE_FLAME_KERNEL] = { 7, 1, B }, [STYLE_FLAME_JIT] = { 7, 4, 0 },
	[STYLE_FLAME_OTHER] = { 0, 7, 0 }, [STYLE_FLAME_FOUND] = { NONE, NONE, B | R },
};

static const struct style_look safe_full[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { 245, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 16, RGB(e69f00), B },
	[STYLE_NOTICE] = { RGB(f0e442), NONE, 0 }, [STYLE_CRUMB] = { RGB(56b4e9), NONE, B },
	[STYLE_TITLE] = { 252, 238, 0 }, [STYLE_SORTED] = { 231, RGB(0072b2), B },
	[STYLE_SELECTED] = { 231, 24, 0 }, [STYLE_HOT] = { RGB(e69f00), NONE, B },
	[STYLE_WARM] = { RGB(56b4e9), NONE, B }, [STYLE_KERNEL] = { RGB(f0e442), NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { RGB(cc79a7), NONE, 0 },
	[STYLE_BAR_LOW] = { RGB(56b4e9), NONE, 0 }, [STYLE_BAR_MID] = { RGB(f0e442), NONE, 0 },
	[STYLE_BAR_HIGH] = { RGB(e69f00), NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 252, 238, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 16, RGB(e69f00), B }, [STYLE_PROMPT] = { RGB(56b4e9), NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { RGB(56b4e9), NONE, 0 },
	[STYLE_BAD] = { RGB(e69f00), NONE, 0 }, [STYLE_SOURCE] = { RGB(cc79a7), NONE, 0 },
	[STYLE_FLAME_OWN] = { 16, RGB(56b4e9), 0 },
	[STYLE_FLAME_LIBRARY] = { 16, RGB(f0e442), 0 },
	[STYLE_FLAME_KERNEL] = { 16, RGB(e69f00), 0 },
	[STYLE_FLAME_JIT] = { 16, RGB(cc79a7), 0 }, [STYLE_FLAME_OTHER] = { 16, 248, 0 },
	[STYLE_FLAME_FOUND] = { 231, RGB(0072b2), B },
};

static const struct style_look safe_some[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { 7, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { 0, 11, B },
	[STYLE_NOTICE] = { 11, NONE, 0 }, [STYLE_CRUMB] = { 14, NONE, B },
	[STYLE_TITLE] = { 0, 6, 0 }, [STYLE_SORTED] = { 15, 4, B },
	[STYLE_SELECTED] = { 0, 14, 0 }, [STYLE_HOT] = { 11, NONE, B },
	[STYLE_WARM] = { 14, NONE, B }, [STYLE_KERNEL] = { 13, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { 7, NONE, 0 },
	[STYLE_BAR_LOW] = { 14, NONE, 0 }, [STYLE_BAR_MID] = { 11, NONE, 0 },
	[STYLE_BAR_HIGH] = { 15, NONE, 0 }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 0, 6, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { 0, 11, B }, [STYLE_PROMPT] = { 14, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 14, NONE, 0 },
	[STYLE_BAD] = { 11, NONE, 0 }, [STYLE_SOURCE] = { 6, NONE, 0 },
	[STYLE_FLAME_OWN] = { 0, 14, 0 }, [STYLE_FLAME_LIBRARY] = { 0, 11, 0 },
	[STYLE_FLAME_KERNEL] = { 0, 13, 0 }, [STYLE_FLAME_JIT] = { 15, 4, 0 },
	[STYLE_FLAME_OTHER] = { 0, 7, 0 }, [STYLE_FLAME_FOUND] = { 15, 4, B },
};

static const struct style_look safe_few[STYLE_COUNT] = {
	[STYLE_NORMAL] = { NONE, NONE, 0 }, [STYLE_DIM] = { NONE, NONE, 0 },
	[STYLE_STRONG] = { NONE, NONE, B }, [STYLE_ALARM] = { NONE, NONE, B | R },
	[STYLE_NOTICE] = { 3, NONE, B }, [STYLE_CRUMB] = { 6, NONE, B },
	[STYLE_TITLE] = { 0, 6, 0 }, [STYLE_SORTED] = { 7, 4, B },
	[STYLE_SELECTED] = { 0, 6, 0 }, [STYLE_HOT] = { 3, NONE, B },
	[STYLE_WARM] = { 6, NONE, B }, [STYLE_KERNEL] = { 6, NONE, 0 },
	[STYLE_USER] = { NONE, NONE, 0 }, [STYLE_UNNAMED] = { NONE, NONE, 0 },
	[STYLE_BAR_LOW] = { 6, NONE, 0 }, [STYLE_BAR_MID] = { 3, NONE, B },
	[STYLE_BAR_HIGH] = { 7, NONE, B }, [STYLE_KEY] = { NONE, NONE, B },
	[STYLE_LABEL] = { 0, 6, 0 }, [STYLE_STATUS] = { NONE, NONE, B },
	[STYLE_ERROR] = { NONE, NONE, B | R }, [STYLE_PROMPT] = { 6, NONE, B },
	[STYLE_CURSOR] = { NONE, NONE, R }, [STYLE_GOOD] = { 6, NONE, 0 },
	[STYLE_BAD] = { 3, NONE, B }, [STYLE_SOURCE] = { 6, NONE, B },
	[STYLE_FLAME_OWN] = { 0, 6, 0 }, [STYLE_FLAME_LIBRARY] = { 0, 7, 0 },
	[STYLE_FLAME_KERNEL] = { 7, 4, B }, [STYLE_FLAME_JIT] = { 0, 2, 0 },
	[STYLE_FLAME_OTHER] = { NONE, NONE, U }, [STYLE_FLAME_FOUND] = { NONE, NONE, B | R },
};

static const struct style_look solar_full[STYLE_COUNT] = {
	[STYLE_NORMAL] = { RGB(93a1a1), RGB(002b36), 0 }, [STYLE_DIM] = { RGB(839496), NONE, 0 },
	[STYLE_STRONG] = { RGB(eee8d5), NONE, B }, [STYLE_ALARM] = { RGB(f2716b), NONE, B },
	[STYLE_NOTICE] = { RGB(c79a1e), NONE, 0 }, [STYLE_CRUMB] = { RGB(4fa3e0), NONE, B },
	[STYLE_TITLE] = { RGB(eee8d5), RGB(0b4452), 0 },
	[STYLE_SORTED] = { RGB(fdf6e3), RGB(1a6aa3), B },
	[STYLE_SELECTED] = { RGB(fdf6e3), RGB(145374), 0 },
	[STYLE_HOT] = { RGB(f2716b), NONE, B }, [STYLE_WARM] = { RGB(9aad1a), NONE, B },
	[STYLE_KERNEL] = { RGB(c79a1e), NONE, 0 }, [STYLE_USER] = { NONE, NONE, 0 },
	[STYLE_UNNAMED] = { RGB(e07ab4), NONE, 0 }, [STYLE_BAR_LOW] = { RGB(859900), NONE, 0 },
	[STYLE_BAR_MID] = { RGB(b58900), NONE, 0 }, [STYLE_BAR_HIGH] = { RGB(f2716b), NONE, 0 },
	[STYLE_KEY] = { RGB(eee8d5), NONE, B }, [STYLE_LABEL] = { RGB(eee8d5), RGB(0b4452), 0 },
	[STYLE_STATUS] = { RGB(eee8d5), NONE, B }, [STYLE_ERROR] = { RGB(f2716b), NONE, B },
	[STYLE_PROMPT] = { RGB(4fa3e0), NONE, B }, [STYLE_CURSOR] = { NONE, NONE, R },
	[STYLE_GOOD] = { RGB(9aad1a), NONE, 0 }, [STYLE_BAD] = { RGB(839496), NONE, 0 },
	[STYLE_SOURCE] = { RGB(35b5aa), NONE, 0 },
	[STYLE_FLAME_OWN] = { RGB(002b36), RGB(9aad1a), 0 },
	[STYLE_FLAME_LIBRARY] = { RGB(002b36), RGB(c79a1e), 0 },
	[STYLE_FLAME_KERNEL] = { RGB(002b36), RGB(e8743f), 0 },
	[STYLE_FLAME_JIT] = { RGB(002b36), RGB(4fa3e0), 0 },
	[STYLE_FLAME_OTHER] = { RGB(002b36), RGB(93a1a1), 0 },
	[STYLE_FLAME_FOUND] = { RGB(fdf6e3), RGB(b0286c), B },
};

/* With few colours a terminal that was made solarized has its own. */
const struct theme theme_table[THEME_COUNT] = {
	[THEME_DEFAULT] = { dark_full, dark_some, dark_few },
	[THEME_LIGHT] = { light_full, light_some, light_few },
	[THEME_SAFE] = { safe_full, safe_some, safe_few },
	[THEME_MONO] = { NULL, NULL, NULL },
	[THEME_SOLARIZED] = { solar_full, dark_some, dark_few },
	[THEME_OWN] = { dark_full, dark_some, dark_few },
};
