/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/column.h"
#include "view/call_column.h"
#include "view/moment.h"

#include "base/text.h"
#include "view/name.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows that stand for many others have a label, in symbol, and no keys. */
static bool
is_sum(const struct row *row)
{
	return (row->flags & (ROW_REST | ROW_FILTERED)) != 0;
}

static void
put_text(struct buf *b, const char *s, const struct column_style *style)
{
	if (style->ascii)
		text_add_ascii(b, s);
	else
		text_add_safe(b, s, strlen(s));
}

/* 0.3, 41.2, 999, 41.2k; - if it is not known. */
static void
put_per_s(struct buf *b, double n)
{
	if (isnan(n))
		buf_add_char(b, '-');
	else if (n < 99.95)
		buf_addf(b, "%.1f", n);
	else
		text_add_count(b, n);
}

static void
put_share(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (style->per_second)
		put_per_s(b, snapshot_period_per_second(style->event, row->period));
	else if (isnan(row->share))
		buf_add_char(b, '-');
	else
		buf_addf(b, "%.1f", row->share * 100);
}

#define WIDE_ERROR 0.1 /* of the share: what is surer is not worth a column */

static double
error_of(const struct row *row)
{
	return row->sums != NULL ? share_error(row->sums) : NAN;
}

bool
row_is_vague(const struct row *row)
{
	return row->sums != NULL && !(error_of(row) < row->share);
}

static void
put_error(struct buf *b, const struct row *row, const struct column_style *style)
{
	double error = error_of(row);

	if (row->sums == NULL || error <= row->share * WIDE_ERROR)
		return;
	buf_add_str(b, style->ascii ? "+-" : "\xc2\xb1");
	/* What is off by more than there is tells nothing. */
	if (isnan(error) || error >= 1)
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

static void
put_now(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->difference != NULL && style->per_second)
		put_per_s(b, row->difference->now_per_s);
	else if (row->difference != NULL)
		put_points(b, row->difference->change.now, false);
	else
		put_share(b, row, style);
}

static void
put_then(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (row->difference != NULL && style->per_second)
		put_per_s(b, row->difference->then_per_s);
	else if (row->difference != NULL)
		put_points(b, row->difference->change.then, false);
}

static void
put_delta(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL)
		put_points(b, row->difference->change.delta, true);
}

static void
put_delta_rate(struct buf *b, const struct row *row, const struct column_style *style)
{
	double n;

	(void)style;
	if (row->difference == NULL)
		return;
	n = row->difference->now_per_s - row->difference->then_per_s;
	if (!isnan(n))
		buf_add_char(b, n < 0 ? '-' : '+');
	put_per_s(b, fabs(n));
}

static void
put_low(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL)
		put_points(b, row->difference->change.low, true);
}

static void
put_high(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL)
		put_points(b, row->difference->change.high, true);
}

static void
put_q(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->difference != NULL && isnan(row->difference->change.q))
		buf_add_char(b, '-');
	else if (row->difference != NULL)
		buf_addf(b, row->difference->change.q < 0.0001 ? "%.0e" : "%.4f",
			 row->difference->change.q);
}

const char *
difference_word(const struct difference *d, char word[COLUMN_TEXT_MAX])
{
	if (d->change.is_significant)
		return d->is_new ? "new" : d->is_gone ? "gone" : "yes";
	if (d->change.needs_s <= 0)
		return d->is_new ? "= new" : d->is_gone ? "= gone" : "=";
	if (d->change.needs_s < 100)
		snprintf(word, COLUMN_TEXT_MAX, "needs %.0f s", ceil(d->change.needs_s));
	else
		snprintf(word, COLUMN_TEXT_MAX, "needs %.0f min", ceil(d->change.needs_s / 60));
	return word;
}

static void
put_significant(struct buf *b, const struct row *row, const struct column_style *style)
{
	char word[COLUMN_TEXT_MAX];

	(void)style;
	if (row->difference != NULL)
		buf_add_str(b, difference_word(row->difference, word));
}

static void
put_rate(struct buf *b, const struct row *row, const struct column_style *style)
{
	put_per_s(b, snapshot_per_second(style->event, row->samples));
}

static void
put_cpu_estimate(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (isnan(row->cpu))
		buf_add_char(b, '-');
	else
		buf_addf(b, row->cpu < 99.95 ? "%.1f" : "%.0f", row->cpu);
}

/* Among what is measured an estimate is marked. */
static void
put_cpu(struct buf *b, const struct row *row, const struct column_style *style)
{
	if ((row->flags & ROW_ESTIMATE) != 0 && !isnan(row->cpu))
		buf_add_char(b, '~');
	put_cpu_estimate(b, row, style);
}

static void
put_trend(struct buf *b, const struct row *row, const struct column_style *style)
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

static void
put_threads(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row) && row->threads > 0) /* an ended process has none, nor pid 0 */
		buf_addf(b, "%d", row->threads);
}

static void
put_cpu_number(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row) && row->cpu_number < 0)
		buf_add_char(b, '-'); /* sampled before CPUs were told apart */
	else if (!is_sum(row))
		buf_addf(b, "%d", row->cpu_number);
}

static void
put_node(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row) && row->node < 0)
		buf_add_char(b, '-');
	else if (!is_sum(row))
		buf_addf(b, "%d", row->node);
}

/* A task's name: what stands for many shows its label here. */
static void
put_task(struct buf *b, const struct row *row, const char *name, const struct column_style *style)
{
	if (is_sum(row)) {
		put_text(b, row->symbol, style);
		return;
	}
	put_text(b, name, style);
	if ((row->flags & ROW_DEAD) != 0)
		buf_add_str(b, " (ended)");
}

static void
put_comm(struct buf *b, const struct row *row, const struct column_style *style)
{
	put_task(b, row, row->comm, style);
}

static void
put_command(struct buf *b, const struct row *row, const struct column_style *style)
{
	bool has = row->command != NULL && *row->command != '\0';

	put_task(b, row, has ? row->command : row->comm, style);
}

static void
put_function(struct buf *b, const char *name, const struct column_style *style)
{
	struct buf brief = { 0 };

	if (style->brief && name != NULL) {
		brief_add(&brief, name);
		name = buf_str(&brief);
	}
	put_text(b, name, style);
	buf_release(&brief);
}

static void
put_counter(struct buf *b, const struct row *row, const struct column_style *style)
{
	put_text(b, row->counter != NULL ? row->counter->name : row->symbol, style);
}

const char *const counter_unit_names[] = {
	[COUNTER_COUNTS] = "count",
	[COUNTER_NS] = "ns",
	[COUNTER_RATIO] = "ratio",
	[COUNTER_PERCENT] = "percent",
};

/* Times in milliseconds, as perf stat has them. */
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

	buf_addf(b, "%s%.*f%s", c->is_scaled ? "~" : "", units[c->unit].places,
		 value * units[c->unit].scale, units[c->unit].unit);
}

static void
put_per_second(struct buf *b, const struct row *row, const struct column_style *style)
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

static void
put_total(struct buf *b, const struct row *row, const struct column_style *style)
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

static void
put_running(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->counter != NULL && row->counter->running >= 0)
		buf_addf(b, "%.1f", row->counter->running * 100);
	else if (row->counter != NULL)
		buf_add_char(b, '-');
}

static void
put_note(struct buf *b, const struct row *row, const struct column_style *style)
{
	put_text(b, row->counter != NULL ? row->counter->note : "", style);
}

/* Most are mutexes: on narrow screens the digits that tell one from another count more. */
static void
put_lock(struct buf *b, const struct row *row, const struct column_style *style)
{
	static const char word[] = "mutex ";
	const char *lock = row->lock != NULL ? row->lock : "";

	if (style->brief && strncmp(lock, word, sizeof(word) - 1) == 0)
		lock += sizeof(word) - 1;
	if (!is_sum(row))
		put_text(b, lock, style);
}

/* "1234 worker" */
static void
put_owner(struct buf *b, const struct row *row, const struct column_style *style)
{
	if (is_sum(row))
		return;
	if (row->owner > 0)
		buf_addf(b, "%d ", row->owner);
	put_text(b, row->owner > 0 ? row->owner_comm : "unknown", style);
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int
compare_share(const struct row *a, const struct row *b)
{
	return ORDER(a->share, b->share);
}

/* All rows of a table are of the same window. */
static int
compare_rate(const struct row *a, const struct row *b)
{
	return ORDER(a->samples, b->samples);
}

static int
compare_cpu(const struct row *a, const struct row *b)
{
	/* Not known is less than nothing: NAN itself has no order. */
	double x = isnan(a->cpu) ? -1 : a->cpu, y = isnan(b->cpu) ? -1 : b->cpu;

	return ORDER(x, y);
}

/* The newest step first, then the one before: what rises now is on top. */
static int
compare_trend(const struct row *a, const struct row *b)
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

static int
compare_error(const struct row *a, const struct row *b)
{
	return ORDER(known(error_of(a)), known(error_of(b)));
}

static const struct share_change *
change_of(const struct row *row)
{
	static const struct share_change none;

	return row->difference != NULL ? &row->difference->change : &none;
}

static int
compare_now(const struct row *a, const struct row *b)
{
	return ORDER(change_of(a)->now, change_of(b)->now);
}

static int
compare_then(const struct row *a, const struct row *b)
{
	return ORDER(change_of(a)->then, change_of(b)->then);
}

/* What is significant first, whichever way it went. */
static int
compare_delta(const struct row *a, const struct row *b)
{
	const struct share_change *x = change_of(a), *y = change_of(b);

	if (x->is_significant != y->is_significant)
		return ORDER(x->is_significant, y->is_significant);
	return ORDER(fabs(x->delta), fabs(y->delta));
}

static double
per_s_of(const struct row *row)
{
	double n = row->difference != NULL
			   ? row->difference->now_per_s - row->difference->then_per_s : 0;

	return isnan(n) ? 0 : fabs(n);
}

static int
compare_delta_rate(const struct row *a, const struct row *b)
{
	return ORDER(per_s_of(a), per_s_of(b));
}

static int
compare_low(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->low), known(change_of(b)->low));
}

static int
compare_high(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->high), known(change_of(b)->high));
}

static int
compare_q(const struct row *a, const struct row *b)
{
	return ORDER(known(change_of(a)->q), known(change_of(b)->q));
}

/* Counters have units of their own: their order is that of their table. */
static int
compare_counter(const struct row *a, const struct row *b)
{
	return ORDER(a->id, b->id);
}

#define ROW(value, member) .kind = (value), .at = offsetof(struct row, member)
#define TEXT(member) ROW(VALUE_TEXT, member)
#define FUNCTION(member) ROW(VALUE_FUNCTION, member)
#define NUMBER(member) ROW(VALUE_NUMBER, member), .is_number = true
#define COUNT(member) ROW(VALUE_COUNT, member), .is_number = true
#define PART(member) ROW(VALUE_PART, member), .is_number = true

/* What is told apart by a label of its own, see profile/count/label.h. */
#define LABEL(key) .labels = KEY_BIT(key)

const struct column columns[COLUMN_COUNT] = {
	[KEY_EVENT] = {
		"event", "EVENT", "the event that was sampled, as perf names it",
		.key = "event", TEXT(event), .width = 16, .rank = 55 },
	[KEY_COMM] = {
		"comm", "COMM", "name of the thread",
		.key = "comm", TEXT(comm), .width = 16, .rank = 85, .put = put_comm },
	[KEY_PID] = {
		"pid", "PID", "process id",
		.key = "pid", NUMBER(pid), .width = 7, .rank = 75 },
	[KEY_TID] = {
		"tid", "TID", "thread id",
		.key = "tid", NUMBER(tid), .width = 7, .rank = 76 },
	[KEY_DSO] = {
		"dso", "DSO", "program, library or part of the kernel that holds the code",
		.key = "dso", TEXT(dso), .width = 18, .rank = 60 },
	[KEY_SYMBOL] = {
		"symbol", "FUNCTION", "function, or its address if it has no name",
		.key = "symbol", FUNCTION(symbol), .min_width = 16, .weight = 4, .rank = 90 },
	[KEY_SRCLINE] = {
		"source", "SOURCE", "source file and line of the instruction",
		.key = "srcline", LABEL(KEY_SRCLINE), TEXT(source),
		.min_width = 10, .weight = 2, .rank = 35 },
	[KEY_ADDRESS] = {
		"address", "ADDRESS", "address of the instruction",
		.key = "address", LABEL(KEY_ADDRESS), ROW(VALUE_ADDRESS, address),
		.is_number = true, .width = 18, .rank = 58 },
	[KEY_INSTRUCTION] = {
		"instruction", "INSTRUCTION", "the instruction itself, as the file or the memory has it",
		.key = "instruction", LABEL(KEY_INSTRUCTION), TEXT(instruction),
		.min_width = 16, .weight = 3, .rank = 36 },
	[KEY_CPU] = {
		"cpu-number", "CPU", "CPU that the samples were taken on",
		.key = "cpu", LABEL(KEY_CPU), NUMBER(cpu_number), .width = 4, .rank = 57,
		.put = put_cpu_number },
	[KEY_CGROUP] = {
		"cgroup", "CGROUP", "control group of the process",
		.key = "cgroup", TEXT(cgroup),
		.min_width = 12, .weight = 2, .rank = 59 },
	[KEY_USER] = {
		"user", "USER", "owner of the process",
		.key = "user", TEXT(user), .width = 9, .rank = 40 },
	[KEY_TIME] = {
		"time", "TIME", "seconds since the start, in steps of one refresh (-d)",
		.key = "time", LABEL(KEY_TIME), ROW(VALUE_TIME, time),
		.is_number = true, .width = 8, .rank = 56 },
	[KEY_DATA_SRC] = {
		"data_src", "DATA SOURCE", "where the data came from that was loaded or stored",
		.key = "data_src", LABEL(KEY_DATA_SRC), TEXT(data_src),
		.min_width = 12, .weight = 2, .rank = 54 },
	[KEY_WEIGHT] = {
		"weight", "WEIGHT", "cost of the instruction, mostly its latency in cycles",
		.key = "weight", LABEL(KEY_WEIGHT), ROW(VALUE_OPTIONAL, weight),
		.is_number = true, .width = 8, .rank = 53 },
	[KEY_ID] = {
		"id", "ID", "the kernel's number of the opened event: one for each CPU or task",
		.key = "id", LABEL(KEY_ID), ROW(VALUE_OPTIONAL, sample_id),
		.is_number = true, .width = 8, .rank = 51 },
	[KEY_STREAM_ID] = {
		"stream_id", "STREAM ID", "the same of what children inherited: one for each of them",
		.key = "stream_id", LABEL(KEY_STREAM_ID), ROW(VALUE_OPTIONAL, stream_id),
		.is_number = true, .width = 9, .rank = 50 },
	[KEY_BRANCH] = {
		"branch", "BRANCH", "newest branch taken: the functions it went from > to",
		.key = "branch", LABEL(KEY_BRANCH), FUNCTION(branch),
		.min_width = 16, .weight = 2, .rank = 52 },
	[KEY_PATH] = {
		"path", "PATH", "file that holds the code, as it was mapped",
		.key = "path", TEXT(path), .min_width = 16, .weight = 2, .rank = 49 },
	[KEY_BUILD_ID] = {
		"build-id", "BUILD-ID", "build-id of the file, if it is known",
		.key = "build_id", TEXT(build_id), .width = 40, .rank = 15 },
	[KEY_SOURCE] = {
		"names-from", "NAMES FROM", "where the names of the file come from",
		.key = "source", TEXT(names_from), .min_width = 12, .weight = 2, .rank = 16 },
	[KEY_REASON] = {
		"reason", "WHY", "why the code has no name; empty if it has one",
		.key = "reason", TEXT(reason), .min_width = 16, .weight = 4, .rank = 65 },
	[KEY_REMEDY] = {
		"remedy", "WHAT MENDS IT",
		"what would give it a name, as far as is known: i shows all",
		.key = "remedy", TEXT(remedy), .min_width = 30, .weight = 3, .rank = 44 },

	[KEY_STATE] = {
		"state", "STATE", "what the thread does: run, or what it waits for; idle: nothing",
		.key = "state", TEXT(state), .width = 6, .rank = 61 },
	[KEY_WAITKIND] = {
		"waitkind", "WAITS FOR", "what the thread waits for, in words",
		.key = "waitkind", TEXT(waitkind), .width = 14, .rank = 60 },
	[KEY_ON] = {
		"on", "ON", "the lock, peer or file that is waited for the longest",
		.key = "on", LABEL(KEY_ON), TEXT(on), .min_width = 14, .weight = 4, .rank = 79,
		.of = COLUMN_OF_LOOKS },
	[KEY_LOCK] = {
		"lock", "LOCK", "the lock that is waited for",
		.key = "lock", LABEL(KEY_ON), TEXT(lock), .min_width = 17, .weight = 2, .rank = 92,
		.put = put_lock },
	[KEY_WAKER] = {
		"waker", "WOKEN BY", "the thread that ended the wait: by off-cpu/exact/",
		.key = "waker", LABEL(KEY_WAKER), TEXT(waker),
		.min_width = 12, .weight = 1, .rank = 47 },
	[KEY_LENGTH] = {
		"length", "LASTED", "how long each wait was, by powers of two: by off-cpu/exact/",
		.key = "length", LABEL(KEY_LENGTH), TEXT(length), .width = 11, .rank = 46 },
	[KEY_NODE] = {
		"node", "NODE", "NUMA node of the CPU that the samples were taken on",
		.key = "node", LABEL(KEY_CPU), NUMBER(node), .width = 4, .rank = 57,
		.put = put_node },
	[KEY_CONTAINER] = {
		"container", "CONTAINER", "container or machine: its name, or its id until that is known",
		.key = "container", TEXT(container), .min_width = 12, .weight = 2, .rank = 62 },
	[KEY_POD] = {
		"pod", "POD", "pod of Kubernetes or podman: namespace/name, or its uid",
		.key = "pod", TEXT(pod), .min_width = 12, .weight = 2, .rank = 63 },
	[KEY_UNIT] = {
		"unit", "UNIT", "unit of systemd: service, scope, or the slice that it is in alone",
		.key = "unit", TEXT(unit), .min_width = 12, .weight = 2, .rank = 62 },
	[KEY_PROGRAM] = {
		"program", "PROGRAM", "name of the process that the thread is of",
		.key = "program", TEXT(program), .width = 16, .rank = 85 },

	[COLUMN_SHARE] = {
		"evt", "%EVT", "share of what the event counted: of what is shown, or of all; % chooses",
		.is_number = true, .width = 6, .rank = 100,
		.put = put_share, .compare = compare_share },
	[COLUMN_CPU] = {
		"cpu", "%CPU", "measured CPU time, in percent of one CPU; ~ if estimated",
		.is_number = true, .width = 6, .rank = 80,
		.put = put_cpu, .compare = compare_cpu, .of = COLUMN_OF_SAMPLES },
	[COLUMN_CPU_ESTIMATE] = {
		"cpu-estimate", "~%CPU", "CPU time estimated from samples, in percent of one CPU",
		.is_number = true, .width = 6, .rank = 70,
		.put = put_cpu_estimate, .compare = compare_cpu },
	[COLUMN_TREND] = {
		"trend", "TREND", "the last eight refreshes, each row to its own scale",
		.width = TREND_LEN, .rank = 50, .put = put_trend, .compare = compare_trend },
	[COLUMN_SAMPLES] = {
		"samples", "SAMPLES", "number of samples", COUNT(samples), .width = 8, .rank = 45 },
	[COLUMN_PERIOD] = {
		"period", "PERIOD", "sum of the samples' periods",
		COUNT(period), .width = 14, .rank = 20 },
	[COLUMN_THREADS] = {
		"threads", "THR", "number of threads",
		NUMBER(threads), .width = 4, .rank = 30, .put = put_threads },
	[COLUMN_HOTTEST] = {
		"hottest", "HOTTEST", "function that the task spent most in",
		FUNCTION(hottest), .min_width = 12, .weight = 3, .rank = 78 },
	[COLUMN_COMMAND] = {
		"command", "COMMAND", "command line",
		TEXT(command), .min_width = 12, .weight = 3, .rank = 84, .put = put_command },
	[COLUMN_COUNTER] = {
		"counter", "COUNTER", "the event that is counted, or a ratio of two",
		.min_width = 17, .weight = 2, .rank = 99,
		.put = put_counter, .compare = compare_counter },
	[COLUMN_PER_SECOND] = {
		"per-second", "PER SECOND",
		"counted per second, since the last refresh; ~ if scaled up",
		.is_number = true, .width = 16, .rank = 70,
		.put = put_per_second, .compare = compare_counter },
	[COLUMN_TOTAL] = {
		"total", "TOTAL", "counted since the view was entered; ~ if scaled up",
		.is_number = true, .width = 18, .rank = 75,
		.put = put_total, .compare = compare_counter },
	[COLUMN_RUNNING] = {
		"running", "RUN%", "time that the hardware counted it for",
		.is_number = true, .width = 6, .rank = 40,
		.put = put_running, .compare = compare_counter },
	[COLUMN_NOTE] = {
		"note", "NOTE", "why it cannot be read, or what it leaves out",
		.min_width = 10, .weight = 6, .rank = 50,
		.put = put_note, .compare = compare_counter },
	[COLUMN_FUNCTION] = {
		"function", "FUNCTION", "the function whose calls are counted",
		.min_width = 16, .weight = 3, .rank = 99,
		.put = call_put_function, .compare = call_compare },
	[COLUMN_CALLS_PER_SECOND] = {
		"calls-per-second", "CALLS/s", "calls begun in the last second",
		.is_number = true, .width = 9, .rank = 80,
		.put = call_put_rate, .compare = call_compare },
	[COLUMN_CALLS] = {
		"calls", "CALLS", "calls begun since they are counted: exact",
		.is_number = true, .width = 11, .rank = 75,
		.put = call_put_calls, .compare = call_compare },
	[COLUMN_CALLS_LOST] = {
		"calls-lost", "LOST",
		"calls whose end was not seen: left by an exception or longjmp, or no room for the hit",
		.is_number = true, .width = 7, .rank = 52,
		.put = call_put_lost, .compare = call_compare },
	[COLUMN_CALL_MIN] = {
		"call-min", "MIN", "the shortest time inside, what it calls included, without the probes",
		.is_number = true, .width = 8, .rank = 45,
		.put = call_put_min, .compare = call_compare },
	[COLUMN_CALL_P50] = {
		"call-p50", "P50", "half of the calls took no longer",
		.is_number = true, .width = 8, .rank = 72,
		.put = call_put_p50, .compare = call_compare },
	[COLUMN_CALL_P95] = {
		"call-p95", "P95", "95 of a hundred calls took no longer",
		.is_number = true, .width = 8, .rank = 60,
		.put = call_put_p95, .compare = call_compare },
	[COLUMN_CALL_P99] = {
		"call-p99", "P99", "99 of a hundred calls took no longer",
		.is_number = true, .width = 8, .rank = 70,
		.put = call_put_p99, .compare = call_compare },
	[COLUMN_CALL_MAX] = {
		"call-max", "MAX", "the longest time inside",
		.is_number = true, .width = 8, .rank = 62,
		.put = call_put_max, .compare = call_compare },
	[COLUMN_CALL_TIMES] = {
		"call-times", "TIMES", "how the times are spread: a bar for each power of two",
		.width = 30, .rank = 65,
		.put = call_put_times, .compare = call_compare },
	[COLUMN_CALL_STATE] = {
		"call-state", "STATE", "timed, begins alone, on trial, or closed",
		.width = 12, .rank = 68,
		.put = call_put_state, .compare = call_compare },
	[COLUMN_CALL_NOTE] = {
		"call-note", "NOTE", "what is not as it was asked for, and why",
		.min_width = 10, .weight = 4, .rank = 42,
		.put = call_put_note, .compare = call_compare },
	[COLUMN_UNNAMED] = {
		"unnamed", "%OWN", "share of its own samples that have no name",
		PART(unnamed), .width = 5, .rank = 46 },
	[COLUMN_EVENTS] = {
		"count", "COUNT", "number of samples; of an event that is sampled each time, of events",
		COUNT(samples), .width = 8, .rank = 48 },
	[COLUMN_RATE] = {
		"rate", "/S", "the same, per second of the window",
		.is_number = true, .width = 6, .rank = 47,
		.put = put_rate, .compare = compare_rate },
	[COLUMN_WAITERS] = {
		"waiters", "WAITERS", "threads that have waited for the lock in the window",
		NUMBER(waiters), .width = 7, .rank = 66 },
	[COLUMN_WAITING] = {
		"waiting", "NOW", "threads that waited for it in the last refresh",
		NUMBER(waiting), .width = 4, .rank = 88 },
	[COLUMN_OWNER] = {
		"owner", "HELD BY", "the thread that held it for most of the time",
		ROW(VALUE_NUMBER, owner), .min_width = 12, .weight = 1, .rank = 91,
		.put = put_owner },
	[COLUMN_OWNER_COMM] = {
		"owner_comm", "OWNER", "name of that thread",
		TEXT(owner_comm), .width = 16, .rank = 64 },
	[COLUMN_HELD] = {
		"held", "%HELD", "part of the time waited for the lock that this thread held it",
		NUMBER(held), .width = 5, .rank = 65 },
	[COLUMN_DOES] = {
		"does", "OWNER DOES", "what its owner does while others wait: runs, or waits for what",
		TEXT(does), .min_width = 18, .weight = 3, .rank = 90 },
	[COLUMN_RUN] = {
		"run", "RUN", "part of the time of its threads that they ran",
		PART(run), .width = 5, .rank = 74, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_QUEUE] = {
		"queue", "QUEUE", "the same, that they could run and waited for a CPU",
		PART(queue), .width = 5, .rank = 60, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_STOLEN] = {
		"stolen", "STOLEN", "the same, missing though they never slept: steal, interrupts",
		PART(stolen), .width = 6, .rank = 44, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_WAIT] = {
		"wait", "WAIT", "the same, that they waited; what is left they had nothing to do",
		PART(wait), .width = 5, .rank = 82, .of = COLUMN_OF_ALL_TIME },
	[COLUMN_WAITS_IN] = {
		"waits-in", "WAITS IN", "function of the program that was waited in for the longest",
		FUNCTION(waits_in), .min_width = 12, .weight = 3, .rank = 81,
		.of = COLUMN_OF_LOOKS },
	[COLUMN_ERROR] = {
		"error", "95%", "the share is no more off than that, as sure as 95 %; ^B hides it",
		.width = 6, .rank = 49, .put = put_error, .compare = compare_error },
	[COLUMN_NOW] = {
		"now", "NOW", "share in the window, where two times or recordings are compared",
		.is_number = true, .width = 6, .rank = 98, .put = put_now, .compare = compare_now },
	[COLUMN_THEN] = {
		"then", "THEN", "the same in what the window is compared with",
		.is_number = true, .width = 6, .rank = 97, .put = put_then, .compare = compare_then },
	[COLUMN_DELTA] = {
		"delta", "DELTA", "NOW less THEN, in points; what is significant comes first",
		.is_number = true, .width = 6, .rank = 99, .put = put_delta,
		.compare = compare_delta },
	[COLUMN_DELTA_RATE] = {
		"delta-rate", "DELTA/S", "the same per second: of time, milliseconds",
		.is_number = true, .width = 8, .rank = 48, .put = put_delta_rate,
		.compare = compare_delta_rate },
	[COLUMN_LOW] = {
		"low", "LOW", "where DELTA begins, as sure as 95 %",
		.is_number = true, .width = 6, .rank = 33, .put = put_low, .compare = compare_low },
	[COLUMN_HIGH] = {
		"high", "HIGH", "where DELTA ends, as sure as 95 %",
		.is_number = true, .width = 6, .rank = 34, .put = put_high, .compare = compare_high },
	[COLUMN_Q] = {
		"q", "Q", "part of rows as clear as this that are chance",
		.is_number = true, .width = 6, .rank = 31, .put = put_q, .compare = compare_q },
	[COLUMN_SIGNIFICANT] = {
		"significant", "CHANGED", "yes, new, gone: it is no chance; =: it may be chance",
		.width = 11, .rank = 96, .put = put_significant, .compare = compare_delta },
};

const unsigned char difference_columns[] = {
	COLUMN_NOW, COLUMN_THEN, COLUMN_DELTA, COLUMN_DELTA_RATE, COLUMN_LOW, COLUMN_HIGH, COLUMN_Q,
	COLUMN_SIGNIFICANT,
};
const size_t difference_column_count = ARRAY_SIZE(difference_columns);

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

/* Times since the epoch are the time of day: a start is never so long ago. */
#define EPOCH_LEAST_NS (UINT64_C(100000000) * NSEC_PER_SEC)

static void
put_moment(uint64_t ns, char text[COLUMN_TEXT_MAX])
{
	struct buf b = { 0 };

	if (ns < EPOCH_LEAST_NS) {
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
		put_function(b, text, style);
	else if (c->kind == VALUE_TEXT)
		put_text(b, text, style);
	else if (c->kind == VALUE_COUNT ||
		 (!is_sum(row) && !(c->kind == VALUE_NUMBER && column_number(id, row) < 0)))
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
