/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of events that are sampled beside the one shown. */
#include "view/column_own.h"

#include <math.h>

static void
put_beside(struct buf *b, const struct row *row, const struct column_style *style, int n)
{
	if (row->beside == NULL)
		return; /* a sum, or a task without samples */
	if (style->per_second)
		column_put_per_s(b, row->beside[n].per_second);
	else
		buf_addf(b, "%.1f", row->beside[n].share * 100);
}

static double
share_beside(const struct row *row, int n)
{
	return row->beside != NULL ? row->beside[n].share : -1;
}

#define BESIDE(n)                                                                                  \
	void column_put_beside_##n(struct buf *b, const struct row *row,                           \
				   const struct column_style *style)                               \
	{                                                                                          \
		put_beside(b, row, style, n);                                                      \
	}                                                                                          \
	int column_by_beside_##n(const struct row *x, const struct row *y)                         \
	{                                                                                          \
		return ORDER(share_beside(x, n), share_beside(y, n));                      \
	}

BESIDE(0)
BESIDE(1)
BESIDE(2)
BESIDE(3)
_Static_assert(BESIDE_MAX == 4, "a pair of functions for each");

void
column_put_ipc(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!row_is_sum(row) && !isnan(row->ipc))
		buf_addf(b, "%.2f", row->ipc);
}

int
column_by_ipc(const struct row *a, const struct row *b)
{
	double x = isnan(a->ipc) ? -1 : a->ipc, y = isnan(b->ipc) ? -1 : b->ipc;

	return ORDER(x, y);
}
