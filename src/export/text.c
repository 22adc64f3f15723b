/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/formats.h"

#include "base/text.h"
#include "export/code_rows.h"
#include "view/column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAD_MAX = 64 }; /* a longer name pushes the rest of its own line only */

static const char irq_on_mark[] = " (irqs on)"; /* ROW_IRQ_ON: behind the name, for people */

/* The columns that are printed: chosen, then measured, then written row by row. */
struct table {
	enum column_id ids[TABLE_COLUMNS_MAX];
	size_t widths[TABLE_COLUMNS_MAX];
	size_t count;
	size_t label; /* column that names a row which stands for many */
	struct column_style style; /* its event: the one that the screen shows; NULL: a report's rows */
};

/* Each column once, and none that only screens have data for. */
static void
add_column(struct table *t, enum column_id id)
{
	if (column_is_of_screen(id))
		return;
	for (size_t i = 0; i < t->count; i++)
		if (t->ids[i] == id)
			return;
	t->ids[t->count++] = id;
}

/* Whether an event of the report has the column in its views. */
static bool
has_column(const struct snapshot *s, enum column_id id)
{
	bool is_of_any = s->event_count == 0 && column_is_of(id, NULL);

	for (size_t i = 0; i < s->event_count && !is_of_any; i++)
		is_of_any = column_is_of(id, &s->events[i]);
	return is_of_any;
}

static void
add_counts(struct table *t)
{
	add_column(t, COLUMN_SHARE);
	add_column(t, COLUMN_SAMPLES);
	add_column(t, COLUMN_PERIOD);
}

/* Whose counters they are: those of the machine have no task, those of a process no thread. */
static void
add_counted_task(struct table *t, const struct snapshot *s)
{
	bool has_pid = false, has_tid = false;

	for (size_t i = 0; i < s->row_count; i++) {
		has_pid |= s->rows[i].pid >= 0;
		has_tid |= s->rows[i].tid >= 0;
	}
	if (has_pid)
		add_column(t, COLUMN_PID);
	if (has_tid)
		add_column(t, COLUMN_TID);
	if (has_pid || has_tid)
		add_column(t, COLUMN_COMM);
}

/* NOW and THEN in place of counts; then what names the rows. */
static void
add_compared_columns(struct table *t, const struct snapshot *s)
{
	const struct query *q = &s->query;
	const struct view_def *view = &view_defs[q->view];
	const bool is_counters = report_is_counters(q);
	const unsigned char *ids = is_counters ? counter_difference_columns : difference_columns;
	size_t count = is_counters ? counter_difference_column_count : difference_column_count;

	if (is_counters)
		add_counted_task(t, s);
	for (size_t i = 0; i < count; i++)
		add_column(t, (enum column_id)ids[i]);
	for (size_t i = 0; i < q->key_count && !q->by_view; i++)
		add_column(t, (enum column_id)q->keys[i]);
	for (size_t i = 0; i < view->column_count && q->by_view; i++)
		if (!column_is_of_window((enum column_id)view->columns[i]) &&
		    has_column(s, (enum column_id)view->columns[i]))
			add_column(t, (enum column_id)view->columns[i]);
}

/* What was written from a screen has its columns, as if that were wide enough for all. */
static void
add_shown_columns(struct table *t, const struct snapshot *s)
{
	const struct snapshot_event *shown = t->style.event;
	const bool is_measured = s->head.recording == NULL && (shown == NULL || !shown->is_of_hosts);
	struct column_list list;

	if (report_is_counters(&s->query))
		add_counted_task(t, s);
	column_list_make(&list, &s->query, !is_measured, shown);
	for (size_t i = 0; i < list.count; i++)
		t->ids[t->count++] = (enum column_id)list.ids[i];
}

static void
add_columns(struct table *t, const struct snapshot *s, const struct report_run *run)
{
	const struct query *q = &s->query;
	const struct view_def *view = &view_defs[q->view];

	if (run->has_events)
		add_column(t, COLUMN_EVENT);
	if (q->trends) {
		add_shown_columns(t, s);
		return;
	}
	if (query_compares(q)) {
		add_compared_columns(t, s);
		return;
	}
	if (!q->by_view) {
		add_counts(t);
		for (size_t i = 0; i < q->key_count; i++)
			add_column(t, (enum column_id)q->keys[i]);
		return;
	}
	if (report_is_counters(q))
		add_counted_task(t, s);
	for (size_t i = 0; i < view->column_count; i++) {
		if (view->columns[i] == COLUMN_SHARE)
			add_counts(t);
		else if (has_column(s, (enum column_id)view->columns[i]))
			add_column(t, column_of_view((enum column_id)view->columns[i],
						     s->head.recording != NULL));
	}
}

/* What rows that stand for many have, too. */
static bool
is_count(enum column_id id)
{
	static const unsigned char ids[] = { COLUMN_SHARE, COLUMN_ERROR, COLUMN_SAMPLES, COLUMN_PERIOD,
					     COLUMN_EVENTS, COLUMN_RATE, COLUMN_CPU,
					     COLUMN_CPU_ESTIMATE, COLUMN_TREND, COLUMN_EVENT,
					     COLUMN_NOW };

	return memchr(ids, (int)id, sizeof(ids)) != NULL;
}

/*
 * Where the label of a sum goes: to the row's name, else the first column that is no count, else
 * beside the event.
 */
static void
choose_label(struct table *t)
{
	static const unsigned char names[] = { COLUMN_SYMBOL, COLUMN_COMMAND, COLUMN_COMM,
					       COLUMN_DSO, COLUMN_USER, COLUMN_CGROUP,
					       COLUMN_CONTAINER, COLUMN_POD, COLUMN_UNIT,
					       COLUMN_PROGRAM, COLUMN_HOST,
					       COLUMN_SOURCE, COLUMN_DATA_SRC,
					       COLUMN_BRANCH, COLUMN_PATH };

	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		for (size_t i = 0; i < t->count; i++) {
			if (t->ids[i] == names[n]) {
				t->label = i;
				return;
			}
		}
	}
	t->label = t->count;
	for (size_t i = t->count; i-- > 0;)
		if (!is_count(t->ids[i]) || (t->ids[i] == COLUMN_EVENT && t->label == t->count))
			t->label = i;
}

static void
put_cell(struct buf *b, const struct table *t, size_t i, const struct row *row)
{
	bool is_sum = (row->flags & (ROW_REST | ROW_FILTERED)) != 0;
	size_t start = b->len;

	if (is_sum && i == t->label)
		column_put(b, COLUMN_SYMBOL, row, &t->style);
	if (is_sum && i == t->label && t->ids[i] == COLUMN_EVENT)
		buf_add_str(b, " of ");
	if (!is_sum || is_count(t->ids[i]))
		column_put(b, t->ids[i], row, &t->style);
	if (t->ids[i] == COLUMN_SYMBOL && (row->flags & ROW_IRQ_ON) != 0)
		buf_add_str(b, irq_on_mark);
	if (b->len == start)
		buf_add_char(b, '-');
}

/* Characters, not bytes: what continues a UTF-8 sequence takes no place. */
static size_t
text_cells(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void
measure(struct table *t, const struct row *row, struct buf *scratch)
{
	for (size_t i = 0; i < t->count; i++) {
		size_t cells;

		buf_reset(scratch);
		put_cell(scratch, t, i, row);
		cells = text_cells(scratch->data, scratch->len);
		t->widths[i] = MAX(t->widths[i], MIN(cells, (size_t)PAD_MAX));
	}
}

static void
put_padded(struct buf *b, const struct table *t, size_t i, const char *text, size_t len)
{
	size_t cells = text_cells(text, len);
	size_t pad = t->widths[i] > cells ? t->widths[i] - cells : 0;
	bool right = columns[t->ids[i]].is_number;

	if (i > 0)
		buf_add_str(b, "  ");
	if (right)
		buf_add_fill(b, ' ', pad);
	buf_add(b, text, len);
	if (!right && i + 1 < t->count)
		buf_add_fill(b, ' ', pad);
}

static void
put_row(struct buf *b, const struct table *t, const struct row *row, struct buf *scratch)
{
	for (size_t i = 0; i < t->count; i++) {
		buf_reset(scratch);
		put_cell(scratch, t, i, row);
		put_padded(b, t, i, scratch->data, scratch->len);
	}
	buf_add_char(b, '\n');
}

static void
put_name(struct buf *b, const struct snapshot *s, const struct snapshot_node *n,
	 const struct report_run *run)
{
	const char *event = s->events[n->event].name;

	buf_add_fill(b, ' ', (size_t)n->depth * 2);
	text_add_safe(b, n->name, strlen(n->name));
	buf_add_str(b, report_inlined_mark(n->is_inlined));
	if (n->is_irq_on)
		buf_add_str(b, irq_on_mark);
	if (n->depth == 0 && run->has_events) {
		buf_add_str(b, " of ");
		text_add_safe(b, event, strlen(event));
	}
	if (*n->dso != '\0') {
		buf_add_str(b, "  ");
		text_add_safe(b, n->dso, strlen(n->dso));
	}
}

static void
put_node_sum(struct buf *b, const struct row *sum, bool is_apart, const struct report_run *run)
{
	char share[16] = "-";

	if (is_apart)
		buf_add_char(b, '\n');
	if (!isnan(sum->share))
		snprintf(share, sizeof(share), "%.2f", sum->share * 100);
	buf_addf(b, "%6s %6s %11" PRIu64 "  %s", share, share, sum->samples, sum->symbol);
	if (run->has_events) {
		buf_add_str(b, " of ");
		text_add_safe(b, sum->event, strlen(sum->event));
	}
	buf_add_char(b, '\n');
}

/*
 * Whether it has changed by more than chance, as rows say it; without a test it says less, and of
 * the rest of a node, which is of other things each time, nothing.
 */
static const char *
node_word(const struct snapshot_node *n, char word[COLUMN_TEXT_MAX])
{
	const struct difference *d = n->difference;

	if (n->kind == NODE_REST)
		return "";
	if (!difference_is_tested(d))
		return d->is_new ? "new" : d->is_gone ? "gone" : "";
	return difference_word(d, word);
}

/* NOW, THEN, and what is between, with its sign; of an event that is not compared NOW alone. */
static void
put_node_difference(struct buf *b, const struct snapshot *s, const struct snapshot_node *n)
{
	const struct difference *d = n->difference;
	char word[COLUMN_TEXT_MAX];

	if (d == NULL) {
		buf_addf(b, "%6.2f      -       -  %-10s  ", report_node_percent(s, n, &n->total), "");
		return;
	}
	buf_addf(b, "%6.2f %6.2f %+7.2f  %-10s  ", d->change.now * 100, d->change.then * 100,
		 d->change.delta * 100, node_word(n, word));
}

/* What is compared with what. */
static void
put_then(struct buf *b, const struct snapshot *s)
{
	if (s->then.label == NULL || !snapshot_compares_nodes(s))
		return;
	buf_addf(b, "NOW %.1f s, THEN %.1f s: ", s->head.window_have_s, s->then.window_s);
	text_add_safe(b, s->then.label, strlen(s->then.label));
	buf_add_char(b, '\n');
}

static void
put_nodes(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct buf *b = &out->buf;
	bool apart = s->query.view == VIEW_CALLERS || s->query.view == VIEW_CALLEES;
	bool is_compared = snapshot_compares_nodes(s);

	if (!run->is_first)
		buf_add_char(b, '\n');
	if (run->is_series)
		buf_addf(b, "time %.3f\n", s->elapsed_s);
	buf_add_str(b, is_compared ? "  %NOW  %THEN   DELTA  CHANGED     FUNCTION\n"
				   : "%TOTAL  %SELF     SAMPLES  FUNCTION\n");
	for (size_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];

		/* Trees of functions are told apart by an empty line. */
		if (apart && i > 0 && n->depth == 0 &&
		    (s->nodes[i - 1].depth > 0 || n->end > i + 1))
			buf_add_char(b, '\n');
		if (is_compared)
			put_node_difference(b, s, n);
		else
			buf_addf(b, "%6.2f %6.2f %11" PRIu64 "  ",
				 report_node_percent(s, n, &n->total),
				 report_node_percent(s, n, &n->self), n->total.samples);
		put_name(b, s, n, run);
		buf_add_char(b, '\n');
		sink_flow(out);
	}
	for (size_t i = 0; i < s->named_count; i++)
		put_node_sum(b, &s->named[i], apart && s->node_count > 0, run);
	for (size_t i = 0; i < s->filtered_count; i++)
		put_node_sum(b, &s->filtered[i], apart && s->node_count > 0, run);
	put_then(b, s);
}

/* As the screen says it; percent of all need no words. */
static void
put_shares(struct buf *b, const struct query *q)
{
	if (q->shares == SHARES_OF_SHOWN && !(q->by_view && view_defs[q->view].is_counted))
		buf_add_str(b, "% of shown\n");
}

static const char *
title(const struct table *t, size_t i, const struct query *q)
{
	return column_title(t->ids[i], q, t->style.event);
}

static void
make_table(struct table *t, const struct snapshot *s, const struct report_run *run, struct buf *scratch)
{
	const struct query *q = &s->query;

	t->style.event = q->trends ? snapshot_shown(s) : NULL;
	t->style.per_second = q->shares == SHARES_PER_SECOND;
	add_columns(t, s, run);
	choose_label(t);
	for (size_t i = 0; i < t->count; i++)
		t->widths[i] = text_cells(title(t, i, q), strlen(title(t, i, q)));
	for (size_t i = 0; i < s->row_count; i++)
		measure(t, &s->rows[i], scratch);
	for (size_t i = 0; i < s->named_count; i++)
		measure(t, &s->named[i], scratch);
	for (size_t i = 0; i < s->filtered_count; i++)
		measure(t, &s->filtered[i], scratch);
}

static void
put_titles(struct buf *b, const struct table *t, const struct query *q)
{
	for (size_t i = 0; i < t->count; i++)
		put_padded(b, t, i, title(t, i, q), strlen(title(t, i, q)));
	buf_add_char(b, '\n');
}

void
text_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct table t = { .count = 0 };
	struct buf *b = &out->buf;
	struct buf scratch = { 0 };

	if (run->is_first)
		put_shares(b, &s->query);
	if (query_wants_code(&s->query)) {
		code_put_text(out, s, run);
		return;
	}
	if (query_wants_nodes(&s->query)) {
		put_nodes(out, s, run);
		return;
	}
	make_table(&t, s, run, &scratch);
	if (!run->is_first)
		buf_add_char(b, '\n');
	if (run->is_series)
		buf_addf(b, "time %.3f\n", s->elapsed_s);
	put_titles(b, &t, &s->query);
	for (size_t i = 0; i < s->row_count; i++) {
		put_row(b, &t, &s->rows[i], &scratch);
		sink_flow(out);
	}
	for (size_t i = 0; i < s->named_count; i++)
		put_row(b, &t, &s->named[i], &scratch);
	for (size_t i = 0; i < s->filtered_count; i++)
		put_row(b, &t, &s->filtered[i], &scratch);
	if (s->head.forgotten != NULL)
		buf_addf(b, "%s\n", s->head.forgotten);
	put_then(b, s);
	buf_release(&scratch);
}
