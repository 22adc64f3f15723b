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
	HEIGHT_CPUS = 14,
};

enum { CPUS_PART = 4 }; /* of the height, bars of CPUs have at most that part */

static int
take(int *y, int height, int from)
{
	return height >= from ? (*y)++ : -1;
}

struct layout
layout_make(int width, int height, const struct layout_wants *wants)
{
	struct layout l = { .width = width, .height = height, .notices = -1, .cpus = -1 };
	int y = 0;

	l.machine = take(&y, height, HEIGHT_MACHINE);
	l.event = take(&y, wants->event ? height : 0, HEIGHT_EVENT);
	if (height >= HEIGHT_NOTICES && wants->notices > 0) {
		l.notices = y;
		l.notice_count = (int)MIN(wants->notices, (size_t)LAYOUT_NOTICES_MAX);
		y += l.notice_count;
	}
	if (height >= HEIGHT_CPUS && wants->cpu_lines > 0) {
		l.cpus = y;
		l.cpu_count = MIN(wants->cpu_lines, height / CPUS_PART);
		y += l.cpu_count;
	}
	l.strip = take(&y, wants->strip ? height : 0, HEIGHT_STRIP);
	l.crumbs = take(&y, height, HEIGHT_CRUMBS);
	l.titles = take(&y, height, HEIGHT_TITLES);
	l.rows = y;
	l.footer = height >= HEIGHT_FOOTER ? height - 1 : -1;
	l.row_count = height - y - (l.footer >= 0 ? 1 : 0);
	return l;
}
