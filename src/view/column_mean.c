/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long each sample of a row took, of events whose samples are times from begin to end. */
#include "view/column_own.h"

#include "view/call_column.h"

static uint64_t
mean_ns(const struct row *row)
{
	return row->samples > 0 ? row->period / row->samples : 0;
}

void
column_put_mean(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->samples > 0)
		call_put_ns(b, mean_ns(row));
}

int
column_by_mean(const struct row *a, const struct row *b)
{
	return ORDER(mean_ns(a), mean_ns(b));
}
