/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_TASK_COLUMN_H
#define PTOP_VIEW_TASK_COLUMN_H
/* The columns of processes and threads that top and htop have, too: of row.stat. */
#include "view/column.h"

/* Whether it shows row.stat, which is only filled if such a column is there. */
bool column_is_of_stat(enum column_id id);

/* Whether it is known only if /proc/PID/io is read, too. */
bool column_is_of_io(enum column_id id);

void task_put_io_read(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_io_write(struct buf *b, const struct row *row, const struct column_style *style);
int task_by_io_read(const struct row *a, const struct row *b);
int task_by_io_write(const struct row *a, const struct row *b);

void task_put_ppid(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_priority(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_nice(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_state(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_virt(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_rss(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_memory(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_cpu_time(struct buf *b, const struct row *row, const struct column_style *style);
void task_put_start(struct buf *b, const struct row *row, const struct column_style *style);

int task_by_ppid(const struct row *a, const struct row *b);
int task_by_priority(const struct row *a, const struct row *b);
int task_by_nice(const struct row *a, const struct row *b);
int task_by_state(const struct row *a, const struct row *b);
int task_by_virt(const struct row *a, const struct row *b);
int task_by_rss(const struct row *a, const struct row *b); /* also their part of the memory */
int task_by_cpu_time(const struct row *a, const struct row *b);
int task_by_start(const struct row *a, const struct row *b);

#endif
