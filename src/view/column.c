/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/column.h"
#include "view/brief.h"

#include "base/text.h"
#include "view/name.h"

#include <math.h>
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
	if (s == NULL)
		return;
	if (style->ascii)
		text_add_ascii(b, s);
	else
		text_add_safe(b, s, strlen(s));
}

static void
put_share(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	buf_addf(b, "%.1f", row->share * 100);
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
put_unnamed(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row) && !isnan(row->unnamed))
		buf_addf(b, "%.1f", row->unnamed * 100);
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
put_u64(struct buf *b, uint64_t n)
{
	buf_addf(b, "%llu", (unsigned long long)n);
}

static void
put_samples(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_u64(b, row->samples);
}

static void
put_period(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_u64(b, row->period);
}

static void
put_number(struct buf *b, const struct row *row, int n)
{
	if (!is_sum(row) && n >= 0)
		buf_addf(b, "%d", n);
}

static void
put_pid(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_number(b, row, row->pid);
}

static void
put_tid(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	put_number(b, row, row->tid);
}

static void
put_threads(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (row->threads > 0) /* an ended process has none, and none are known of pid 0 */
		put_number(b, row, row->threads);
}

static void
put_cpu_number(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row) && row->cpu_number < 0)
		buf_add_char(b, '-'); /* sampled before CPUs were told apart */
	put_number(b, row, row->cpu_number);
}

static void
put_address(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row))
		buf_addf(b, "0x%llx", (unsigned long long)row->address);
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

/* Columns that show one string of the row as it is. */
#define PUT_STRING(member) \
	static void put_##member(struct buf *b, const struct row *row, \
				 const struct column_style *style) \
	{ \
		put_text(b, row->member, style); \
	}

PUT_STRING(event)
PUT_STRING(user)
PUT_STRING(dso)
PUT_STRING(source)
PUT_STRING(cgroup)
PUT_STRING(data_src)
PUT_STRING(path)
PUT_STRING(build_id)
PUT_STRING(names_from)
PUT_STRING(reason)
PUT_STRING(remedy)

/* The same for names of functions. */
#define PUT_FUNCTION(member) \
	static void put_##member(struct buf *b, const struct row *row, \
				 const struct column_style *style) \
	{ \
		put_function(b, row->member, style); \
	}

PUT_FUNCTION(hottest)
PUT_FUNCTION(symbol)
PUT_FUNCTION(branch)

static void
put_time(struct buf *b, const struct row *row, const struct column_style *style)
{
	char text[ROW_TIME_MAX];

	(void)style;
	row_time_text(row, text);
	if (!is_sum(row))
		buf_add_str(b, text);
}

static void
put_weight(struct buf *b, const struct row *row, const struct column_style *style)
{
	(void)style;
	if (!is_sum(row) && row->weight == 0)
		buf_add_char(b, '-');
	else if (!is_sum(row))
		put_u64(b, row->weight - 1);
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

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int
compare_text(const char *x, const char *y)
{
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

/*
 * Equal values are ordered by name, so that two readings of a recording are the same, and then by
 * id, so that rows do not jump from one refresh to the next.
 */
static int
or_by_name(int order, const struct row *a, const struct row *b)
{
	if (order == 0)
		order = compare_text(a->symbol, b->symbol);
	if (order == 0)
		order = compare_text(a->comm, b->comm);
	if (order == 0)
		order = compare_text(a->dso, b->dso);
	return order != 0 ? order : ORDER(a->id, b->id);
}

#define COMPARE_NUMBER(member) \
	static int compare_##member(const struct row *a, const struct row *b) \
	{ \
		return or_by_name(ORDER(a->member, b->member), a, b); \
	}

COMPARE_NUMBER(share)
COMPARE_NUMBER(samples)
COMPARE_NUMBER(period)
COMPARE_NUMBER(pid)
COMPARE_NUMBER(tid)
COMPARE_NUMBER(threads)
COMPARE_NUMBER(cpu_number)
COMPARE_NUMBER(address)
COMPARE_NUMBER(time)
COMPARE_NUMBER(weight)

static int
compare_cpu(const struct row *a, const struct row *b)
{
	/* Not known is less than nothing: NAN itself has no order. */
	double x = isnan(a->cpu) ? -1 : a->cpu, y = isnan(b->cpu) ? -1 : b->cpu;

	return or_by_name(ORDER(x, y), a, b);
}

static int
compare_unnamed(const struct row *a, const struct row *b)
{
	double x = isnan(a->unnamed) ? -1 : a->unnamed, y = isnan(b->unnamed) ? -1 : b->unnamed;

	return or_by_name(ORDER(x, y), a, b);
}

/* The newest step first, then the one before: what rises now is on top. */
static int
compare_trend(const struct row *a, const struct row *b)
{
	int order = 0;

	for (int i = TREND_LEN - 1; i >= 0 && order == 0; i--)
		order = ORDER(a->trend[i], b->trend[i]);
	return or_by_name(order, a, b);
}

#define COMPARE_STRING(member) \
	static int compare_##member(const struct row *a, const struct row *b) \
	{ \
		return or_by_name(compare_text(a->member, b->member), a, b); \
	}

COMPARE_STRING(event)
COMPARE_STRING(user)
COMPARE_STRING(comm)
COMPARE_STRING(hottest)
COMPARE_STRING(symbol)
COMPARE_STRING(dso)
COMPARE_STRING(source)
COMPARE_STRING(cgroup)
COMPARE_STRING(data_src)
COMPARE_STRING(branch)
COMPARE_STRING(path)
COMPARE_STRING(build_id)
COMPARE_STRING(names_from)
COMPARE_STRING(reason)
COMPARE_STRING(remedy)
COMPARE_STRING(command)

/* Counters have units of their own: their order is that of their table. */
static int
compare_counter(const struct row *a, const struct row *b)
{
	return ORDER(a->id, b->id);
}

/* name, title, help, width, min_width, is_number, put, compare */
const struct column columns[COLUMN_COUNT] = {
	[COLUMN_SHARE] = { "evt", "%EVT", "share of all that the event counted in the window",
			   6, 0, true, put_share, compare_share },
	[COLUMN_CPU] = { "cpu", "%CPU", "measured CPU time, in percent of one CPU; ~ if estimated",
			 6, 0, true, put_cpu, compare_cpu },
	[COLUMN_CPU_ESTIMATE] = { "cpu-estimate", "~%CPU",
				  "CPU time estimated from samples, in percent of one CPU",
				  6, 0, true, put_cpu_estimate, compare_cpu },
	[COLUMN_TREND] = { "trend", "TREND", "the last eight refreshes, each row to its own scale",
			   TREND_LEN, 0, false, put_trend, compare_trend },
	[COLUMN_SAMPLES] = { "samples", "SAMPLES", "number of samples",
			     8, 0, true, put_samples, compare_samples },
	[COLUMN_PERIOD] = { "period", "PERIOD", "sum of the samples' periods",
			    14, 0, true, put_period, compare_period },
	[COLUMN_EVENT] = { "event", "EVENT", "the event that was sampled",
			   16, 0, false, put_event, compare_event },
	[COLUMN_PID] = { "pid", "PID", "process id", 7, 0, true, put_pid, compare_pid },
	[COLUMN_TID] = { "tid", "TID", "thread id", 7, 0, true, put_tid, compare_tid },
	[COLUMN_USER] = { "user", "USER", "owner of the process",
			  9, 0, false, put_user, compare_user },
	[COLUMN_THREADS] = { "threads", "THR", "number of threads",
			     4, 0, true, put_threads, compare_threads },
	[COLUMN_COMM] = { "comm", "COMM", "name of the thread",
			  16, 0, false, put_comm, compare_comm },
	[COLUMN_HOTTEST] = { "hottest", "HOTTEST", "function that the task spent most in",
			     0, 12, false, put_hottest, compare_hottest },
	[COLUMN_SYMBOL] = { "symbol", "FUNCTION", "function, or its address if it has no name",
			    0, 16, false, put_symbol, compare_symbol },
	[COLUMN_DSO] = { "dso", "DSO", "program, library or part of the kernel",
			 18, 0, false, put_dso, compare_dso },
	[COLUMN_SOURCE] = { "source", "SOURCE", "source file and line",
			    0, 10, false, put_source, compare_source },
	[COLUMN_ADDRESS] = { "address", "ADDRESS", "address of the instruction",
			     18, 0, true, put_address, compare_address },
	[COLUMN_CPU_NUMBER] = { "cpu-number", "CPU", "CPU that the samples were taken on",
				4, 0, true, put_cpu_number, compare_cpu_number },
	[COLUMN_CGROUP] = { "cgroup", "CGROUP", "control group",
			    0, 12, false, put_cgroup, compare_cgroup },
	[COLUMN_TIME] = { "time", "TIME", "seconds since the start",
			  8, 0, true, put_time, compare_time },
	[COLUMN_DATA_SRC] = { "data_src", "DATA SOURCE", "where the data came from",
			      0, 12, false, put_data_src, compare_data_src },
	[COLUMN_WEIGHT] = { "weight", "WEIGHT", "cost of the instruction",
			    8, 0, true, put_weight, compare_weight },
	[COLUMN_BRANCH] = { "branch", "BRANCH", "newest branch taken, from > to",
			    0, 16, false, put_branch, compare_branch },
	[COLUMN_COMMAND] = { "command", "COMMAND", "command line",
			     0, 12, false, put_command, compare_command },
	[COLUMN_COUNTER] = { "counter", "COUNTER", "the event that is counted, or a ratio of two",
			     0, 17, false, put_counter, compare_counter },
	[COLUMN_PER_SECOND] = { "per-second", "PER SECOND", "counted per second, since the last "
				"refresh; ~ if scaled up", 16, 0, true, put_per_second,
				compare_counter },
	[COLUMN_TOTAL] = { "total", "TOTAL", "counted since the view was entered; ~ if scaled up",
			   18, 0, true, put_total, compare_counter },
	[COLUMN_RUNNING] = { "running", "RUN%", "time that the hardware counted it for",
			     6, 0, true, put_running, compare_counter },
	[COLUMN_NOTE] = { "note", "NOTE", "why it cannot be read, or what it leaves out",
			  0, 10, false, put_note, compare_counter },
	[COLUMN_UNNAMED] = { "unnamed", "%OWN", "share of its own samples that have no name",
			     5, 0, true, put_unnamed, compare_unnamed },
	[COLUMN_PATH] = { "path", "PATH", "file that holds the code, as it was mapped",
			  0, 16, false, put_path, compare_path },
	[COLUMN_BUILD_ID] = { "build-id", "BUILD-ID", "build-id of the file",
			      40, 0, false, put_build_id, compare_build_id },
	[COLUMN_NAMES_FROM] = { "names-from", "NAMES FROM", "where the names of the file come from",
				0, 12, false, put_names_from, compare_names_from },
	[COLUMN_REASON] = { "reason", "WHY", "why the code has no name",
			    0, 16, false, put_reason, compare_reason },
	[COLUMN_REMEDY] = { "remedy", "WHAT MENDS IT", "what would give it a name: i shows all",
			    0, 30, false, put_remedy, compare_remedy },
};

const unsigned char key_columns[KEY_COUNT] = {
	[KEY_EVENT] = COLUMN_EVENT, [KEY_COMM] = COLUMN_COMM, [KEY_PID] = COLUMN_PID,
	[KEY_TID] = COLUMN_TID, [KEY_DSO] = COLUMN_DSO, [KEY_SYMBOL] = COLUMN_SYMBOL,
	[KEY_SRCLINE] = COLUMN_SOURCE, [KEY_ADDRESS] = COLUMN_ADDRESS,
	[KEY_CPU] = COLUMN_CPU_NUMBER, [KEY_CGROUP] = COLUMN_CGROUP, [KEY_USER] = COLUMN_USER,
	[KEY_TIME] = COLUMN_TIME, [KEY_DATA_SRC] = COLUMN_DATA_SRC,
	[KEY_WEIGHT] = COLUMN_WEIGHT, [KEY_BRANCH] = COLUMN_BRANCH,
	[KEY_PATH] = COLUMN_PATH, [KEY_BUILD_ID] = COLUMN_BUILD_ID,
	[KEY_SOURCE] = COLUMN_NAMES_FROM, [KEY_REASON] = COLUMN_REASON,
	[KEY_REMEDY] = COLUMN_REMEDY,
};

bool
column_list_has(const struct column_list *list, int column)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->ids[i] == column)
			return true;
	return false;
}

enum column_id
column_of_view(enum column_id id, bool is_recording)
{
	return id == COLUMN_CPU && is_recording ? COLUMN_CPU_ESTIMATE : id;
}

void
column_list_make(struct column_list *list, const struct query *q, bool is_recording)
{
	static const unsigned char counts[] = { COLUMN_SHARE, COLUMN_SAMPLES, COLUMN_PERIOD,
						COLUMN_TREND };
	const struct view_def *view = &view_defs[q->view];
	const unsigned char *ids = q->by_view ? view->columns : counts;
	size_t count = q->by_view ? view->column_count : ARRAY_SIZE(counts);

	list->count = list->first_key = count;
	for (size_t i = 0; i < count; i++)
		list->ids[i] = (unsigned char)column_of_view((enum column_id)ids[i], is_recording);
	for (size_t i = 0; i < q->key_count && !q->by_view; i++)
		list->ids[list->count++] = key_columns[q->keys[i]];
}

/* "asc" or "desc", after the colon. */
static int
parse_direction(const char *text, bool *ascending, struct err *err)
{
	static const char *const names[] = { "asc", "desc" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*ascending = i == 0;
			return 0;
		}
	}
	return name_unknown(err, "unknown order", text, names, ARRAY_SIZE(names));
}

int
column_parse(const char *text, enum column_id *id, bool *ascending, struct err *err)
{
	const char *names[COLUMN_COUNT];
	size_t len = strcspn(text, ":");
	char word[32];

	memcpy(word, text, MIN(len, sizeof(word) - 1));
	word[MIN(len, sizeof(word) - 1)] = '\0';
	for (int c = 0; c < COLUMN_COUNT; c++) {
		names[c] = columns[c].name;
		if (strcmp(columns[c].name, word) != 0)
			continue;
		*id = c;
		*ascending = !columns[c].is_number;
		return text[len] == '\0' ? 0 : parse_direction(text + len + 1, ascending, err);
	}
	return name_unknown(err, "unknown column", word, names, COLUMN_COUNT);
}
