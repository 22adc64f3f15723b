/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_OWN_THEME_H
#define PTOP_UI_OWN_THEME_H
/*
 * The theme of the configuration: "[theme]", with lines "base = light" and "hot = #ff8700 on black
 * bold".  Styles are called as style_defs[] has them; those without a line look as in the base.
 */
#include "ui/style.h"

struct rcfile;

struct own_theme {
	struct theme theme; /* of the arrays below */
	struct style_look full[STYLE_COUNT], some[STYLE_COUNT], few[STYLE_COUNT];
	bool is_told; /* there is such a section */
};

/* What is wrong in it is a fault of @rc; the rest is taken.  @t must not move any more. */
void own_theme_read(struct own_theme *t, struct rcfile *rc);

#endif
