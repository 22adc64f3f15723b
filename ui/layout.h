/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_LAYOUT_H
#define PTOP_UI_LAYOUT_H
/* Which line of the screen holds what; what is less important gives way on a low screen. */
#include "base/util.h"

enum { LAYOUT_NOTICES_MAX = 2 };

/* Line numbers, -1: not shown. */
struct layout {
	int width, height;
	int machine, event, strip, crumbs, titles, footer;
	int notices, notice_count; /* first line, how many */
	int cpus, cpu_count;       /* the same of bars of CPUs */
	int rows, row_count;
};

/* What there is to be shown, if there is room for it. */
struct layout_wants {
	size_t notices;
	bool event, strip;
	int cpu_lines;
};

struct layout layout_make(int width, int height, const struct layout_wants *wants);

/* How many lines there are above the footer. */
static inline int
layout_above_footer(const struct layout *l)
{
	return l->height - (l->footer >= 0);
}

#endif
