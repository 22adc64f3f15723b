/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/theme.h"

#include "view/name.h"

#include <string.h>

const struct theme_def theme_defs[THEME_COUNT] = {
	[THEME_DEFAULT] = { "default", "for a dark background" },
	[THEME_LIGHT] = { "light", "for a white background" },
	[THEME_SAFE] = { "colour-blind", "blue, orange and yellow in place of green and red" },
	[THEME_MONO] = { "mono", "bold, underlined, reversed: no colours" },
	[THEME_SOLARIZED] = { "solarized", "solarized dark, with its background" },
	[THEME_OWN] = { "own", "the one that [theme] of the configuration describes" },
};

int
theme_parse(const char *text, enum theme_id *theme, struct err *err)
{
	const char *names[THEME_COUNT];

	for (int t = 0; t < THEME_COUNT; t++) {
		names[t] = theme_defs[t].name;
		if (strcmp(names[t], text) == 0) {
			*theme = (enum theme_id)t;
			return 0;
		}
	}
	return name_unknown(err, "unknown theme", text, names, THEME_COUNT);
}
