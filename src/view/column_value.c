/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of all columns, by their kind: as text, and which of two rows is first. */
#include "view/column_own.h"

#include "view/moment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds, with as many places as it takes, at least one: "12.0". */
static void
put_seconds(uint64_t ns, char text[COLUMN_TEXT_MAX])
{
	uint64_t ms = (ns + NSEC_PER_MSEC / 2) / NSEC_PER_MSEC;
	int len = snprintf(text, COLUMN_TEXT_MAX, "%" PRIu64 ".%03u", ms / 1000,
			   (unsigned)(ms % 1000));

	while (text[len - 1] == '0' && text[len - 2] != '.')
		text[--len] = '\0';
}

/* A start is never so long ago. */
#define EPOCH_LEAST_NS (UINT64_C(100000000) * NSEC_PER_SEC)

bool
column_time_is_real(uint64_t ns)
{
	return ns >= EPOCH_LEAST_NS;
}

/* Times since the epoch are the time of day. */
static void
put_moment(uint64_t ns, char text[COLUMN_TEXT_MAX])
{
	struct buf b = { 0 };

	if (!column_time_is_real(ns)) {
		put_seconds(ns, text);
		return;
	}
	/* With its day: another one is none of today's. */
	moment_put_real(&b, ns, 0, true);
	snprintf(text, COLUMN_TEXT_MAX, "%s", buf_str(&b));
	buf_release(&b);
}

const char *
column_text(enum column_id id, const struct row *row, char number[COLUMN_TEXT_MAX])
{
	const struct column *c = &columns[id];

	switch (c->kind) {
	case VALUE_TEXT:
	case VALUE_FUNCTION:
		return column_string(id, row) != NULL ? column_string(id, row) : "";
	case VALUE_NUMBER:
		snprintf(number, COLUMN_TEXT_MAX, "%d", column_number(id, row));
		return number;
	case VALUE_COUNT:
		snprintf(number, COLUMN_TEXT_MAX, "%" PRIu64, column_u64(id, row));
		return number;
	case VALUE_ADDRESS:
		snprintf(number, COLUMN_TEXT_MAX, "0x%" PRIx64, column_u64(id, row));
		return number;
	case VALUE_TIME:
	case VALUE_OPTIONAL:
		if (column_u64(id, row) == 0)
			return "-";
		if (c->kind == VALUE_TIME)
			put_moment(column_u64(id, row) - 1, number);
		else
			snprintf(number, COLUMN_TEXT_MAX, "%" PRIu64, column_u64(id, row) - 1);
		return number;
	case VALUE_PART:
		if (isnan(column_part(id, row)))
			return "";
		snprintf(number, COLUMN_TEXT_MAX, "%.1f", column_part(id, row) * 100);
		return number;
	case VALUE_OWN:
		break;
	}
	return "";
}

void
column_put(struct buf *b, enum column_id id, const struct row *row,
	   const struct column_style *style)
{
	const struct column *c = &columns[id];
	char number[COLUMN_TEXT_MAX];
	const char *text;

	if (c->put != NULL) {
		c->put(b, row, style);
		return;
	}
	text = column_text(id, row, number);
	if (c->kind == VALUE_FUNCTION)
		column_put_function(b, text, style);
	else if (c->kind == VALUE_TEXT)
		column_put_text(b, text, style);
	else if (c->kind == VALUE_COUNT ||
		 (!row_is_sum(row) && !(c->kind == VALUE_NUMBER && column_number(id, row) < 0)))
		buf_add_str(b, text);
}

/* Names are interned: most that are equal are the same. */
static int
compare_text(const char *x, const char *y)
{
	return x == y ? 0 : strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int
compare_values(enum column_id id, const struct row *a, const struct row *b)
{
	double x, y;

	switch (columns[id].kind) {
	case VALUE_TEXT:
	case VALUE_FUNCTION:
		return compare_text(column_string(id, a), column_string(id, b));
	case VALUE_NUMBER:
		return ORDER(column_number(id, a), column_number(id, b));
	case VALUE_PART:
		/* Not known is less than nothing: NAN itself has no order. */
		x = column_part(id, a);
		y = column_part(id, b);
		return ORDER(isnan(x) ? -1 : x, isnan(y) ? -1 : y);
	case VALUE_COUNT:
	case VALUE_ADDRESS:
	case VALUE_TIME:
	case VALUE_OPTIONAL:
		return ORDER(column_u64(id, a), column_u64(id, b));
	case VALUE_OWN:
		break;
	}
	return columns[id].compare(a, b);
}

/*
 * Equal values are ordered by name, so that two readings of a recording are the same, and then by
 * id, so that rows do not jump from one refresh to the next.
 */
int
column_compare(enum column_id id, const struct row *a, const struct row *b)
{
	int order = compare_values(id, a, b);

	if (order == 0)
		order = compare_text(a->symbol, b->symbol);
	if (order == 0)
		order = compare_text(a->comm, b->comm);
	if (order == 0)
		order = compare_text(a->dso, b->dso);
	return order != 0 ? order : ORDER(a->id, b->id);
}

static int
compare_order(const void *a, const void *b, void *query)
{
	const struct query *q = query;
	int order = column_compare((enum column_id)q->sort, a, b);

	return q->ascending ? order : -order;
}

void
rows_sort(struct row *rows, size_t count, const struct query *q)
{
	if (count > 0)
		qsort_r(rows, count, sizeof(*rows), compare_order, (void *)(uintptr_t)q);
}
