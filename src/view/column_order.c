/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/column_own.h"

#include <math.h>
#include <string.h>

int
column_by_share(const struct row *a, const struct row *b)
{
	return ORDER(a->share, b->share);
}

/* All rows of a table are of the same window. */
int
column_by_rate(const struct row *a, const struct row *b)
{
	return ORDER(a->counted, b->counted);
}

int
column_by_cpu(const struct row *a, const struct row *b)
{
	/* Not known is less than nothing: NAN itself has no order. */
	double x = isnan(a->cpu) ? -1 : a->cpu, y = isnan(b->cpu) ? -1 : b->cpu;

	return ORDER(x, y);
}

/* The newest step first, then the one before: what rises now is on top. */
int
column_by_trend(const struct row *a, const struct row *b)
{
	int order = 0;

	for (int i = TREND_LEN - 1; i >= 0 && order == 0; i--)
		order = ORDER(a->trend[i], b->trend[i]);
	return order;
}

/* Not known is less than anything. */
static double
known(double x)
{
	return isnan(x) ? -INFINITY : x;
}

int
column_by_error(const struct row *a, const struct row *b)
{
	return ORDER(known(row_error(a)), known(row_error(b)));
}

static const struct share_change *
change_of(const struct row *row)
{
	static const struct share_change none;

	return row->difference != NULL ? &row->difference->change : &none;
}

/* As it is shown: of what is not compared its share. */
static double
now_of(const struct row *row)
{
	return known(row->difference != NULL ? row->difference->change.now : row->share);
}

int
column_by_now(const struct row *a, const struct row *b)
{
	return ORDER(now_of(a), now_of(b));
}

int
column_by_then(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->then), known(change_of(b)->then));
}

/* What is significant first, whichever way it went; what is not compared last, by its share. */
int
column_by_delta(const struct row *a, const struct row *b)
{
	const struct share_change *x = change_of(a), *y = change_of(b);

	if (a->difference == NULL && b->difference == NULL)
		return column_by_now(a, b);
	if (a->difference == NULL || b->difference == NULL)
		return ORDER(a->difference != NULL, b->difference != NULL);
	if (x->is_significant != y->is_significant)
		return ORDER(x->is_significant, y->is_significant);
	return ORDER(known(fabs(x->delta)), known(fabs(y->delta)));
}

static double
per_s_of(const struct row *row)
{
	double n = row->difference != NULL
			   ? row->difference->now_per_s - row->difference->then_per_s : 0;

	return isnan(n) ? 0 : fabs(n);
}

int
column_by_delta_rate(const struct row *a, const struct row *b)
{
	return ORDER(per_s_of(a), per_s_of(b));
}

int
column_by_low(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->low), known(change_of(b)->low));
}

int
column_by_high(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->high), known(change_of(b)->high));
}

int
column_by_q(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->q), known(change_of(b)->q));
}

/* Counters have units of their own: their order is that of their table. */
int
column_by_counter(const struct row *a, const struct row *b)
{
	return ORDER(a->id, b->id);
}
