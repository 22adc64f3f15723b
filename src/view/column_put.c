/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/column_own.h"

#include "base/text.h"
#include "view/name.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows that stand for many others have a label, in symbol, and no keys. */
bool
row_is_sum(const struct row *row)
{
	return (row->flags & (ROW_REST | ROW_FILTERED)) != 0;
}

void
column_put_text(struct buf *b, const char *s, const struct column_style *style)
{
	if (style->ascii)
		text_add_ascii(b, s);
	else
		text_add_safe(b, s, strlen(s));
}

void
column_put_per_s(struct buf *b, double n)
{
	if (isnan(n))
		buf_add_char(b, '-');
	else if (n < 99.95)
		buf_addf(b, "%.1f", n);
	else
		text_add_count(b, n);
}

void
column_put_share(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (style->per_second)
		column_put_per_s(b, snapshot_period_per_second(style->event, row->period));
	else if (isnan(row->share))
		buf_add_char(b, '-');
	else
		buf_addf(b, "%.1f", row->share * 100);
}

#define WIDE_ERROR 0.1    /* of the share: what is surer is not worth a column */
#define TELLS_NOTHING 0.5 /* to either side */

double
row_error(const struct row *row)
{
	return row->sums != NULL ? share_error(row->sums) : NAN;
}

bool
row_is_vague(const struct row *row)
{
	return row->sums != NULL && !(row_error(row) < row->share);
}

void
column_put_error(struct buf *b, const struct row *row, const struct column_style *style)
{
	double error = row_error(row);

	if (row->sums == NULL || error <= row->share * WIDE_ERROR)
		return;
	/* What may be nothing at all is at most so much. */
	if (error > row->share && error < TELLS_NOTHING) {
		buf_addf(b, "<%.1f", (row->share + error) * 100);
		return;
	}
	buf_add_str(b, style->ascii ? "+-" : "\xc2\xb1");
	/* Of an interval as wide as all that there is nobody learns anything. */
	if (isnan(error) || error >= TELLS_NOTHING)
		buf_add_char(b, '?');
	else
		buf_addf(b, "%.1f", error * 100);
}

/* Of a percentage, signed; "-" if it is not known. */
static void
put_points(struct buf *b, double points, bool is_signed)
{
	if (isnan(points))
		buf_add_char(b, '-');
	else
		buf_addf(b, is_signed ? "%+.1f" : "%.1f", points * 100);
}

void
column_put_now(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->difference != NULL && style->per_second)
		column_put_per_s(b, row->difference->now_per_s);
	else if (row->difference != NULL)
		put_points(b, row->difference->change.now, false);
	else
		column_put_share(b, row, style);
}

void
column_put_then(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->difference != NULL && style->per_second)
		column_put_per_s(b, row->difference->then_per_s);
	else if (row->difference != NULL)
		put_points(b, row->difference->change.then, false);
}

void
column_put_delta(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL)
		put_points(b, row->difference->change.delta, true);
}

void
column_put_delta_rate(struct buf *b, const struct row *row, const struct column_style *style)
{
	double n;

	(void)style;
	if (row->difference == NULL)
		return;
	n = row->difference->now_per_s - row->difference->then_per_s;
	if (!isnan(n))
		buf_add_char(b, n < 0 ? '-' : '+');
	column_put_per_s(b, fabs(n));
}

void
column_put_low(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL)
		put_points(b, row->difference->change.low, true);
}

void
column_put_high(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL)
		put_points(b, row->difference->change.high, true);
}

void
column_put_q(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->difference != NULL && isnan(row->difference->change.q))
		buf_add_char(b, '-');
	else if (row->difference != NULL && style->brief && row->difference->change.q < 0.0001)
		buf_add_str(b, "<.0001");
	else if (row->difference != NULL)
		buf_addf(b, row->difference->change.q < 0.0001 ? "%.0e" : "%.4f",
			 row->difference->change.q);
}

bool
difference_is_tested(const struct difference *d)
{
	return !isnan(d->change.p) || d->change.needs_s > 0;
}

const char *
difference_word(const struct difference *d, char word[COLUMN_TEXT_MAX])
{
	static const struct {
		double below_s, seconds;
		const char *name;
	} units[] = { { 99, 1, "s" }, { 99 * 60, 60, "min" }, { INFINITY, 3600, "h" } };

	if (d->change.is_significant)
		return d->is_new ? "new" : d->is_gone ? "gone" : "yes";
	if (d->change.needs_s <= 0)
		return d->is_new ? "= new" : d->is_gone ? "= gone" : "=";
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (d->change.needs_s < units[i].below_s) {
			snprintf(word, COLUMN_TEXT_MAX, "needs %.0f %s",
				 ceil(d->change.needs_s / units[i].seconds), units[i].name);
			break;
		}
	return word;
}

void
column_put_significant(struct buf *b, const struct row *row, const struct column_style *style)
{
	char word[COLUMN_TEXT_MAX];

	(void)style;
	if (row->difference != NULL)
		buf_add_str(b, difference_word(row->difference, word));
}

void
column_put_rate(struct buf *b, const struct row *row, const struct column_style *style)
{
	column_put_per_s(b, snapshot_per_second(style->event, row->counted));
}

void
column_put_cpu_estimate(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (isnan(row->cpu))
		buf_add_char(b, '-');
	else
		buf_addf(b, row->cpu < 99.95 ? "%.1f" : "%.0f", row->cpu);
}

/* Among what is measured an estimate is marked. */
void
column_put_cpu(struct buf *b, const struct row *row, const struct column_style *style)
{
	if ((row->flags & ROW_ESTIMATE) != 0 && !isnan(row->cpu))
		buf_add_char(b, '~');
	column_put_cpu_estimate(b, row, style);
}

void
column_put_held(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->held >= 0 && !row_is_sum(row))
		buf_addf(b, "%s%d", row->flags & ROW_HELD_ROUGHLY ? "~" : "", row->held);
}

void
column_put_trend(struct buf *b, const struct row *row, const struct column_style *style)
{
	static const char plain[] = " .:-=+*#@";

	for (int i = 0; i < TREND_LEN; i++) {
		unsigned level = MIN(row->trend[i], 8u);

		if (style->ascii || level == 0)
			buf_add_char(b, plain[level]);
		else
			buf_addf(b, "\xe2\x96%c", (char)(0x80 + level)); /* U+2581 to U+2588 */
	}
}

void
column_put_threads(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!row_is_sum(row) && row->threads > 0) /* an ended process has none, nor pid 0 */
		buf_addf(b, "%d", row->threads);
}

void
column_put_cpu_number(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!row_is_sum(row) && row->cpu_number < 0)
		buf_add_char(b, '-'); /* sampled before CPUs were told apart */
	else if (!row_is_sum(row))
		buf_addf(b, "%d", row->cpu_number);
}

void
column_put_node(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!row_is_sum(row) && row->node < 0)
		buf_add_char(b, '-');
	else if (!row_is_sum(row))
		buf_addf(b, "%d", row->node);
}

/* In a tree the last part alone, behind those of the groups that it is in. */
void
column_put_cgroup(struct buf *b, const struct row *row, const struct column_style *style)
{
	const char *name = row->cgroup != NULL ? row->cgroup : "", *slash = strrchr(name, '/');

	if (row_is_sum(row))
		return;
	if (row->depth == 0 || slash == NULL || slash[1] == '\0') {
		column_put_text(b, name, style);
		return;
	}
	buf_add_fill(b, ' ', 2 * (row->depth - 1u));
	column_put_text(b, slash + 1, style);
}

enum { INDENT_MAX = 20 }; /* levels of a tree */

/* A task's name: what stands for many shows its label here. */
static void
put_task(struct buf *b, const struct row *row, const char *name, const struct column_style *style)
{
	if (row_is_sum(row)) {
		column_put_text(b, row->symbol, style);
		return;
	}
	/* In a tree. */
	buf_add_fill(b, ' ', row->depth > 0 ? 2 * MIN(row->depth - 1u, (unsigned)INDENT_MAX) : 0);
	column_put_text(b, name, style);
	if ((row->flags & ROW_DEAD) != 0)
		buf_add_str(b, " (ended)");
}

void
column_put_comm(struct buf *b, const struct row *row, const struct column_style *style)
{
	put_task(b, row, row->comm, style);
}

void
column_put_command(struct buf *b, const struct row *row, const struct column_style *style)
{
	bool has = row->command != NULL && *row->command != '\0';

	put_task(b, row, has ? row->command : row->comm, style);
}

void
column_put_function(struct buf *b, const char *name, const struct column_style *style)
{
	struct buf brief = { 0 };

	if (style->brief && name != NULL) {
		brief_add(&brief, name);
		name = buf_str(&brief);
	}
	column_put_text(b, name, style);
	buf_release(&brief);
}

void
column_put_counter(struct buf *b, const struct row *row, const struct column_style *style)
{
	column_put_text(b, row->counter != NULL ? row->counter->name : row->symbol, style);
}

const char *const counter_unit_names[] = {
	[COUNTER_COUNTS] = "count",
	[COUNTER_NS] = "ns",
	[COUNTER_RATIO] = "ratio",
	[COUNTER_PERCENT] = "percent",
};

/* Times in milliseconds, as perf stat has them; who reads millions reads no tenths. */
static void
put_counted(struct buf *b, const struct counter_row *c, double value)
{
	static const struct {
		int places;
		double scale;
		const char *unit;
	} units[] = {
		[COUNTER_COUNTS] = { 1, 1, "" },
		[COUNTER_NS] = { 2, 1e-6, " ms" },
		[COUNTER_RATIO] = { 3, 1, "" },
		[COUNTER_PERCENT] = { 2, 1, " %" },
	};

	const double told = value * units[c->unit].scale;
	const int places = fabs(told) < 1e6 ? units[c->unit].places : 0;

	buf_addf(b, "%s%.*f%s", c->is_scaled ? "~" : "", places, told, units[c->unit].unit);
}

/* A part of a difference, in the counter's own unit. */
static void
put_compared(struct buf *b, const struct row *row, double part, const char *sign)
{
	if (isnan(part)) {
		buf_add_char(b, '-');
		return;
	}
	buf_add_str(b, sign);
	put_counted(b, row->counter, part * row->difference->scale);
}

void
column_put_counter_now(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->counter != NULL && row->difference != NULL)
		put_compared(b, row, row->difference->change.now, "");
	else
		column_put_per_second(b, row, style);
}

void
column_put_counter_then(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->counter != NULL && row->difference != NULL)
		put_compared(b, row, row->difference->change.then, "");
}

void
column_put_counter_delta(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->counter != NULL && row->difference != NULL)
		put_compared(b, row, row->difference->change.delta,
			     row->difference->change.delta < 0 ? "" : "+");
}

void
column_put_per_second(struct buf *b, const struct row *row, const struct column_style *style)
{
	const struct counter_row *c = row->counter;

	(void)style;
	if (c == NULL)
		return;
	if (c->is_rate_known)
		put_counted(b, c, c->per_second);
	else
		buf_add_char(b, c->is_first && c->is_known ? '-' : '?');
}

void
column_put_total(struct buf *b, const struct row *row, const struct column_style *style)
{
	const struct counter_row *c = row->counter;

	(void)style;
	if (c == NULL)
		return;
	if (!c->is_known)
		buf_add_char(b, '?');
	else if (c->unit != COUNTER_COUNTS)
		put_counted(b, c, c->unit == COUNTER_NS ? (double)c->total : c->ratio);
	else
		buf_addf(b, "%s%llu", c->is_scaled ? "~" : "", (unsigned long long)c->total);
}

void
column_put_running(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->counter != NULL && row->counter->running >= 0)
		buf_addf(b, "%.1f", row->counter->running * 100);
	else if (row->counter != NULL)
		buf_add_char(b, '-');
}

void
column_put_note(struct buf *b, const struct row *row, const struct column_style *style)
{
	column_put_text(b, row->counter != NULL ? row->counter->note : "", style);
}

/*
 * Most are mutexes: on narrow screens the digits that tell one from another count more.  One that is
 * no variable of the program is told by the function that waits for it: "heap 0x55d0 in get_node".
 */
void
column_put_lock(struct buf *b, const struct row *row, const struct column_style *style)
{
	static const char word[] = "mutex ";
	const char *lock = row->lock != NULL ? row->lock : "";
	bool is_nameless = strstr(lock, " 0x") != NULL;
	struct buf text = { 0 };

	if (row_is_sum(row))
		return;
	if (style->brief && strncmp(lock, word, sizeof(word) - 1) == 0)
		lock += sizeof(word) - 1;
	buf_add_str(&text, lock);
	if (is_nameless && row->waits_in != NULL && row->waits_in[0] != '\0') {
		buf_add_str(&text, " in ");
		brief_add(&text, row->waits_in);
	}
	column_put_text(b, buf_str(&text), style);
	buf_release(&text);
}

/* "1234 worker" */
void
column_put_owner(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row_is_sum(row))
		return;
	if (row->owner > 0)
		buf_addf(b, "%d ", row->owner);
	column_put_text(b, row->owner > 0 ? row->owner_comm : "unknown", style);
}
