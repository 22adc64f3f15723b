/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/row_order.h"

#include <math.h>

/* @b is below @a.  Tasks without samples are ordered by their CPU time. */
static bool
read_alike(const struct row *a, const struct row *b)
{
	return a->samples > 0 && b->samples > 0 && b->share * 2 > a->share &&
	       lrint(a->share * 1000) == lrint(b->share * 1000);
}

/* Those in [from, to) are in any order. */
static void
keep_places(const struct row_order *o, struct row *rows, size_t from, size_t to)
{
	for (size_t place = from; place < MIN(to, o->len); place++) {
		size_t at = from;
		struct row row;

		while (at < to && rows[at].id != o->ids[place])
			at++;
		if (at == to)
			continue;
		row = rows[place];
		rows[place] = rows[at];
		rows[at] = row;
	}
}

void
row_order_keep(struct row_order *o, uint64_t list, struct row *rows, size_t len)
{
	if (o->list != list)
		*o = (struct row_order){ .list = list };
	len = MIN(len, (size_t)ROW_ORDER_MAX);
	for (size_t from = 0, to; from < len; from = to) {
		for (to = from + 1; to < len && read_alike(&rows[from], &rows[to]); to++)
			;
		keep_places(o, rows, from, to);
	}
	for (size_t i = 0; i < len; i++)
		o->ids[i] = rows[i].id;
	o->len = len;
}
