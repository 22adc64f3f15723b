/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_THEME_H
#define PTOP_VIEW_THEME_H
/* Themes by their names: what they look like is of the screen (ui/themes.c). */
#include "base/err.h"

enum theme_id {
	THEME_DEFAULT,
	THEME_LIGHT,
	THEME_SAFE,      /* for those who do not tell red from green */
	THEME_MONO,
	THEME_SOLARIZED,
	THEME_OWN,       /* of the configuration */
	THEME_COUNT,
};

struct theme_def {
	const char *name, *help;
};

extern const struct theme_def theme_defs[THEME_COUNT];

/* ERR_USAGE names the nearest right name. */
int theme_parse(const char *text, enum theme_id *theme, struct err *err);

#endif
