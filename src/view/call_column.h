/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_CALL_COLUMN_H
#define PTOP_VIEW_CALL_COLUMN_H
/* How the columns of the view calls are written, and their order: rows of columns[] (column.c). */
#include "view/column.h"

void call_put_function(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_rate(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_calls(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_lost(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_min(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_p50(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_p95(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_p99(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_max(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_times(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_state(struct buf *b, const struct row *row, const struct column_style *style);
void call_put_note(struct buf *b, const struct row *row, const struct column_style *style);

bool call_has_times(const struct row *row);

/* In the order in which they were begun. */
int call_compare(const struct row *a, const struct row *b);

/* "1.25 ms": three digits and a unit. */
void call_put_ns(struct buf *b, uint64_t ns);

/* Each power of two from the shortest to the longest is a bar: "1 us .:#* 8 ms" at its ends. */
void call_put_picture(struct buf *b, const struct call_row *c, bool ascii);

#endif
