/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/call_column.h"

#include "view/column_own.h"

#include <math.h>

void
call_put_function(struct buf *b, const struct row *row, const struct column_style *style)
{
	column_put_text(b, row->call != NULL ? row->call->shown : row->symbol, style);
}

void
call_put_rate(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->call != NULL && (row->call->is_on || row->call->per_second > 0))
		buf_addf(b, "%.0f", row->call->per_second);
	else if (row->call != NULL)
		buf_add_char(b, '-');
}

void
call_put_calls(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->call != NULL)
		buf_addf(b, "%llu", (unsigned long long)row->call->calls);
}

void
call_put_lost(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->call != NULL)
		buf_addf(b, "%llu", (unsigned long long)row->call->lost);
}

void
call_put_ns(struct buf *b, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t unit = 0;
	int places;

	while (value >= 999.5 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		unit++;
	}
	places = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	buf_addf(b, "%.*f %s", places, value, units[unit]);
}

static void
put_time(struct buf *b, const struct call_row *c, uint64_t ns)
{
	if (c == NULL)
		return;
	if (c->is_timed)
		call_put_ns(b, ns);
	else
		buf_add_char(b, '-');
}

void
call_put_min(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_time(b, row->call, row->call != NULL ? row->call->min_ns : 0);
}

void
call_put_p50(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_time(b, row->call, row->call != NULL ? row->call->p50_ns : 0);
}

void
call_put_p95(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_time(b, row->call, row->call != NULL ? row->call->p95_ns : 0);
}

void
call_put_p99(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_time(b, row->call, row->call != NULL ? row->call->p99_ns : 0);
}

void
call_put_max(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_time(b, row->call, row->call != NULL ? row->call->max_ns : 0);
}

static void
put_bar(struct buf *b, uint64_t count, uint64_t most, bool ascii)
{
	static const char plain[] = " .:-=+*#@";
	unsigned level = count == 0 ? 0 : (unsigned)ceil((double)count * 8 / (double)most);

	if (ascii || level == 0)
		buf_add_char(b, plain[level]);
	else
		buf_addf(b, "\xe2\x96%c", (char)(0x80 + level)); /* U+2581 to U+2588 */
}

void
call_put_picture(struct buf *b, const struct call_row *c, bool ascii)
{
	size_t first = CALL_ROW_OCTAVES, last = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < CALL_ROW_OCTAVES && c->octaves != NULL; i++) {
		if (c->octaves[i] == 0)
			continue;
		first = MIN(first, i);
		last = i;
		most = MAX(most, c->octaves[i]);
	}
	if (most == 0)
		return;
	call_put_ns(b, UINT64_C(1) << first);
	buf_add_char(b, ' ');
	for (size_t i = first; i <= last; i++)
		put_bar(b, c->octaves[i], most, ascii);
	buf_add_char(b, ' ');
	call_put_ns(b, UINT64_C(2) << last);
}

void
call_put_times(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->call != NULL)
		call_put_picture(b, row->call, style->ascii);
}

bool
call_has_times(const struct row *row)
{
	return row->call != NULL && row->call->is_timed;
}

void
call_put_state(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->call != NULL)
		buf_add_str(b, row->call->state);
}

void
call_put_note(struct buf *b, const struct row *row, const struct column_style *style)
{
	column_put_text(b, row->call != NULL ? row->call->note : "", style);
}

int
call_compare(const struct row *a, const struct row *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}
