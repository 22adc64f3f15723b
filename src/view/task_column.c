/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/task_column.h"

#include "base/clock.h"
#include "base/text.h"
#include "view/column_own.h"

#include <math.h>
#include <time.h>

enum { DAY_S = 24 * 3600, REAL_TIME = -100 };

bool
column_is_of_stat(enum column_id id)
{
	return id >= COLUMN_PPID && id <= COLUMN_START;
}

bool
column_is_of_io(enum column_id id)
{
	return id == COLUMN_IO_READ || id == COLUMN_IO_WRITE;
}

static void
put_bytes_per_s(struct buf *b, double n)
{
	if (isnan(n))
		buf_add_char(b, '-');
	else
		text_add_bytes(b, (uint64_t)n);
}

void
task_put_io_read(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		put_bytes_per_s(b, row->stat->io_read);
}

void
task_put_io_write(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		put_bytes_per_s(b, row->stat->io_write);
}

void
task_put_ppid(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		buf_addf(b, "%d", row->stat->ppid);
}

void
task_put_priority(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL && row->stat->priority <= REAL_TIME)
		buf_add_str(b, "RT");
	else if (row->stat != NULL)
		buf_addf(b, "%d", row->stat->priority);
}

void
task_put_nice(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		buf_addf(b, "%d", row->stat->nice);
}

void
task_put_state(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->stat != NULL)
		column_put_text(b, (const char[]){ row->stat->state, '\0' }, style);
}

void
task_put_virt(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		text_add_bytes(b, row->stat->virt_bytes);
}

void
task_put_rss(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		text_add_bytes(b, row->stat->rss_bytes);
}

void
task_put_memory(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->stat != NULL)
		buf_addf(b, "%.1f", row->stat->memory * 100);
}

/* 0:00.12, 59:59.99, 1h00:00, 99d23h. */
void
task_put_cpu_time(struct buf *b, const struct row *row, const struct column_style *style)
{
	uint64_t s, hours;

	(void)style;
	if (row->stat == NULL)
		return;
	s = row->stat->cpu_ns / NSEC_PER_SEC;
	hours = s / 3600;
	if (hours == 0)
		buf_addf(b, "%u:%02u.%02u", (unsigned)(s / 60), (unsigned)(s % 60),
			 (unsigned)(row->stat->cpu_ns % NSEC_PER_SEC / (10 * NSEC_PER_MSEC)));
	else if (hours < 100)
		buf_addf(b, "%uh%02u:%02u", (unsigned)hours, (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	else
		buf_addf(b, "%ud%02uh", (unsigned)(hours / 24), (unsigned)(hours % 24));
}

/* The time of day, or the day if it was yesterday or before. */
void
task_put_start(struct buf *b, const struct row *row, const struct column_style *style)
{
	char text[COLUMN_TEXT_MAX];
	time_t start;
	struct tm tm;

	(void)style;
	if (row->stat == NULL)
		return;
	start = (time_t)(row->stat->start_ns / NSEC_PER_SEC);
	if (localtime_r(&start, &tm) == NULL)
		return;
	strftime(text, sizeof(text), time(NULL) - start < DAY_S ? "%H:%M" : "%b%d", &tm);
	buf_add_str(b, text);
}

/* Those that nothing is known of come first. */
#define BY(name, member)                                                                      \
	int task_by_##name(const struct row *a, const struct row *b)                          \
	{                                                                                     \
		const struct task_stat *x = a->stat, *y = b->stat;                            \
                                                                                              \
		if (x == NULL || y == NULL)                                                   \
			return (x != NULL) - (y != NULL);                                     \
		return (x->member > y->member) - (x->member < y->member);                     \
	}

BY(ppid, ppid)
BY(priority, priority)
BY(nice, nice)
BY(state, state)
BY(virt, virt_bytes)
BY(rss, rss_bytes)
BY(cpu_time, cpu_ns)
BY(start, start_ns)

/* Not known is less than nothing: NAN itself has no order. */
static int
compare_rates(double x, double y)
{
	return ORDER(isnan(x) ? -1 : x, isnan(y) ? -1 : y);
}

int
task_by_io_read(const struct row *a, const struct row *b)
{
	return compare_rates(a->stat != NULL ? a->stat->io_read : NAN, b->stat != NULL ? b->stat->io_read : NAN);
}

int
task_by_io_write(const struct row *a, const struct row *b)
{
	return compare_rates(a->stat != NULL ? a->stat->io_write : NAN, b->stat != NULL ? b->stat->io_write : NAN);
}
