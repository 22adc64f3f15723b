/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_COLUMN_OWN_H
#define PTOP_VIEW_COLUMN_OWN_H
/*
 * Columns that are written, or ordered, in a way of their own: what rows of columns[] (column.c)
 * name beside a kind of value.
 */
#include "view/column.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* It stands for many others: it has a label, in symbol, and no keys. */
bool row_is_sum(const struct row *row);

/* How far off its share may be, NAN: it is not told. */
double row_error(const struct row *row);

void column_put_text(struct buf *b, const char *s, const struct column_style *style);
void column_put_function(struct buf *b, const char *name, const struct column_style *style);

void column_put_share(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_error(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_counter_now(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_counter_then(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_counter_delta(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_now(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_then(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_delta(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_delta_rate(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_low(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_high(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_q(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_significant(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_rate(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_mean(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_cpu_estimate(struct buf *b, const struct row *row,
			     const struct column_style *style);
void column_put_cpu(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_held(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_trend(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_threads(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_cpu_number(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_node(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_cgroup(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_comm(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_command(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_counter(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_per_second(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_total(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_running(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_note(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_lock(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_owner(struct buf *b, const struct row *row, const struct column_style *style);

void column_put_ipc(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_beside_0(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_beside_1(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_beside_2(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_beside_3(struct buf *b, const struct row *row, const struct column_style *style);
void column_put_per_s(struct buf *b, double n); /* 0.3, 41.2, 999, 41.2k; - if it is not known */

int column_by_ipc(const struct row *a, const struct row *b);
int column_by_beside_0(const struct row *a, const struct row *b);
int column_by_beside_1(const struct row *a, const struct row *b);
int column_by_beside_2(const struct row *a, const struct row *b);
int column_by_beside_3(const struct row *a, const struct row *b);
int column_by_share(const struct row *a, const struct row *b);
int column_by_rate(const struct row *a, const struct row *b);
int column_by_mean(const struct row *a, const struct row *b);
int column_by_cpu(const struct row *a, const struct row *b);
int column_by_trend(const struct row *a, const struct row *b);
int column_by_error(const struct row *a, const struct row *b);
int column_by_now(const struct row *a, const struct row *b);
int column_by_then(const struct row *a, const struct row *b);
int column_by_delta(const struct row *a, const struct row *b);
int column_by_delta_rate(const struct row *a, const struct row *b);
int column_by_low(const struct row *a, const struct row *b);
int column_by_high(const struct row *a, const struct row *b);
int column_by_q(const struct row *a, const struct row *b);
int column_by_counter(const struct row *a, const struct row *b);

#endif
