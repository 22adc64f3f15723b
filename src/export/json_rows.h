/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_JSON_ROWS_H
#define PTOP_EXPORT_JSON_ROWS_H
/* The rows of a report as objects of JSON, and values as all of its formats have them.  Any thread. */
#include <config.h>

#ifdef HAVE_JANSSON

#include "export/code_rows.h"

#include <jansson.h>

json_t *json_text(const char *s); /* made safe; NULL is "" */
json_t *json_count(uint64_t n);
json_t *json_rounded(double value, int places); /* to @places after the point */
json_t *json_if_known(double value, int places); /* the same; null of NAN */

/* Adds the text of @value, which it takes. */
void json_put(struct buf *b, json_t *value);

void json_set_counts(json_t *object, const struct row *row); /* samples, period, percent */
void json_set_row(json_t *object, const struct query *q, const struct row *row);

/* All rows, but for sums of others. */
struct json_rows {
	const struct snapshot *s;
	const char *event;      /* of the row that is come to; NULL: it is of none */
	const struct row *rest; /* at the end: the sum of rows beyond a bound, NULL: there is none */
	const struct snapshot_node *node; /* the row is one, */
	const struct row *row;            /* or one of these, or an instruction */
	struct code_row instruction;
	struct code_rows code;
	bool has_code;
	size_t next_node, next_row;
};

void json_rows_begin(struct json_rows *r, const struct snapshot *s, const struct report_run *run);
bool json_rows_next(struct json_rows *r); /* comes to the first, or the next.  false: there is none */
void json_rows_set(const struct json_rows *r, json_t *object); /* adds the row's members */
void json_rows_release(struct json_rows *r);

#endif

#endif
