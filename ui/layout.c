/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/layout.h"

/* From this height on each is shown. */
enum {
	HEIGHT_MACHINE = 2,
	HEIGHT_TITLES = 3,
	HEIGHT_FOOTER = 6,
	HEIGHT_CRUMBS = 7,
	HEIGHT_EVENT = 9,
	HEIGHT_STRIP = 10,
	HEIGHT_NOTICES = 12,
};

static int
take(int *y, int height, int from)
{
	return height >= from ? (*y)++ : -1;
}

struct layout
layout_make(int width, int height, size_t notices)
{
	struct layout l = { .width = width, .height = height, .notices = -1 };
	int y = 0;

	l.machine = take(&y, height, HEIGHT_MACHINE);
	l.event = take(&y, height, HEIGHT_EVENT);
	if (height >= HEIGHT_NOTICES && notices > 0) {
		l.notices = y;
		l.notice_count = (int)MIN(notices, (size_t)LAYOUT_NOTICES_MAX);
		y += l.notice_count;
	}
	l.strip = take(&y, height, HEIGHT_STRIP);
	l.crumbs = take(&y, height, HEIGHT_CRUMBS);
	l.titles = take(&y, height, HEIGHT_TITLES);
	l.rows = y;
	l.footer = height >= HEIGHT_FOOTER ? height - 1 : -1;
	l.row_count = height - y - (l.footer >= 0 ? 1 : 0);
	return l;
}
