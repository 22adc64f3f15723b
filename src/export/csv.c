/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/formats.h"

#include "base/text.h"
#include "export/code_rows.h"
#include "view/column.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Whether it is ASCII that needs no escape and no quotes, as nearly all is.  Its length. */
static bool
is_plain(const char *s, size_t *len)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~' && s[n] != ',' && s[n] != '"')
		n++;
	*len = n;
	return s[n] == '\0';
}

/* Adds the field made safe; quoted if it holds what would end it. */
static void
put_string(struct buf *b, const char *s)
{
	struct buf safe = { 0 };
	const char *text;
	size_t len;

	if (s == NULL)
		return;
	if (is_plain(s, &len)) {
		buf_add(b, s, len);
		return;
	}
	text_add_safe(&safe, s, strlen(s));
	text = buf_str(&safe);
	/* Line ends are \x0a by now. */
	if (strpbrk(text, ",\"") == NULL) {
		buf_add(b, text, safe.len);
	} else {
		buf_add_char(b, '"');
		for (; *text != '\0'; text++) {
			if (*text == '"')
				buf_add_char(b, '"');
			buf_add_char(b, *text);
		}
		buf_add_char(b, '"');
	}
	buf_release(&safe);
}

static void
put_number(struct buf *b, int n)
{
	if (n >= 0)
		buf_addf(b, "%d", n);
}

static bool
is_text(enum column_id id)
{
	return columns[id].kind == VALUE_TEXT || columns[id].kind == VALUE_FUNCTION;
}

/* A number that is not known is an empty field. */
static void
put_value(struct buf *b, const struct row *row, enum column_id id)
{
	char number[COLUMN_TEXT_MAX];

	if (is_text(id))
		put_string(b, column_string(id, row));
	else if (columns[id].kind != VALUE_NUMBER || column_number(id, row) >= 0)
		buf_add_str(b, column_text(id, row, number));
}

/* The column for the label of a sum: a text, so that columns of numbers stay numbers; else the event. */
static size_t
label_column(const struct query *q)
{
	for (size_t i = 0; i < q->key_count; i++)
		if (is_text((enum column_id)q->keys[i]) && q->keys[i] != KEY_EVENT)
			return i;
	return 0;
}

/*
 * When a report was made, unless the rows tell when their samples were taken: a name is one column.
 */
static bool
has_series(const struct query *q, const struct report_run *run)
{
	return run->is_series && !report_has_key(q, KEY_TIME);
}

static const char difference_fields[] = ",now,then,delta,low,high,q,significant";

static bool
compares(const struct query *q)
{
	return q->compare != COMPARE_NOTHING;
}

/* A number that is not known is an empty field. */
static void
put_percent(struct buf *b, double part)
{
	buf_add_char(b, ',');
	if (!isnan(part))
		buf_addf(b, "%.4f", part * 100);
}

static void
put_scaled(struct buf *b, double part, double scale)
{
	buf_add_char(b, ',');
	if (!isnan(part))
		buf_addf(b, "%.6g", part * scale);
}

/* In percent, of a counter in its own unit. */
static void
put_change(struct buf *b, const struct difference *d, bool is_counter)
{
	const struct share_change *c = &d->change;
	const double parts[] = { c->now, c->then, c->delta, c->low, c->high };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (is_counter)
			put_scaled(b, parts[i], d->scale);
		else
			put_percent(b, parts[i]);
	put_scaled(b, c->q, 1);
	buf_add_str(b, c->is_significant ? ",yes" : ",no");
}

/* A sum has none: empty fields. */
static void
put_difference(struct buf *b, const struct difference *d, bool is_counter)
{
	if (d == NULL)
		buf_add_str(b, ",,,,,,,");
	else
		put_change(b, d, is_counter);
}

static void
put_cell(struct buf *b, const struct query *q, const struct row *row, size_t i)
{
	bool is_sum = (row->flags & (ROW_REST | ROW_FILTERED)) != 0;
	bool is_label = is_sum && i == label_column(q);
	struct buf text = { 0 };

	if (is_label && q->keys[i] == KEY_EVENT) {
		buf_addf(&text, "%s of %s", row->symbol, row->event);
		put_string(b, buf_str(&text));
	} else if (is_label) {
		put_string(b, row->symbol);
	} else if (!is_sum || q->keys[i] == KEY_EVENT) {
		put_value(b, row, (enum column_id)q->keys[i]);
	}
	buf_release(&text);
}

static void
put_row(struct buf *b, const struct snapshot *s, const struct row *row,
	const struct report_run *run)
{
	const struct query *q = &s->query;
	bool is_sum = (row->flags & (ROW_REST | ROW_FILTERED)) != 0;

	if (has_series(q, run))
		buf_addf(b, "%.3f,", s->elapsed_s);
	if (run->has_events && !report_has_key(q, KEY_EVENT)) {
		put_string(b, row->event);
		buf_add_char(b, ',');
	}
	for (size_t i = 0; i < q->key_count; i++) {
		put_cell(b, q, row, i);
		buf_add_char(b, ',');
	}
	buf_add_u64(b, row->samples);
	buf_add_char(b, ',');
	buf_add_u64(b, row->period);
	buf_add_char(b, ',');
	if (!isnan(row->share))
		buf_add_fixed(b, row->share * 100);
	for (size_t i = 0; i < report_more(q); i++) {
		buf_add_char(b, ',');
		if (!is_sum)
			put_value(b, row, (enum column_id)view_defs[q->view].more[i]);
	}
	if (compares(q))
		put_difference(b, row->difference, false);
	buf_add_char(b, '\n');
}

static void
put_header(struct buf *b, const struct query *q, const struct report_run *run)
{
	if (has_series(q, run))
		buf_add_str(b, "time,");
	if (run->has_events && !report_has_key(q, KEY_EVENT))
		buf_add_str(b, "event,");
	for (size_t i = 0; i < q->key_count; i++)
		buf_addf(b, "%s,", key_name(q->keys[i]));
	buf_add_str(b, "samples,period,percent");
	for (size_t i = 0; i < report_more(q); i++)
		buf_addf(b, ",%s", columns[view_defs[q->view].more[i]].name);
	if (compares(q))
		buf_add_str(b, difference_fields);
	buf_add_char(b, '\n');
}

static void
put_counter(struct buf *b, const struct snapshot *s, const struct row *row,
	    const struct report_run *run)
{
	const struct counter_row *c = row->counter;

	if (run->is_series)
		buf_addf(b, "%.3f,", s->elapsed_s);
	put_number(b, row->pid);
	buf_add_char(b, ',');
	put_number(b, row->tid);
	buf_add_char(b, ',');
	put_string(b, row->comm);
	buf_add_char(b, ',');
	put_string(b, c->name);
	buf_addf(b, ",%s,", counter_unit_names[c->unit]);
	if (c->is_known && counter_is_ratio(c))
		buf_addf(b, "%.6g", c->ratio);
	else if (c->is_known)
		buf_addf(b, "%llu", (unsigned long long)c->total);
	buf_add_char(b, ',');
	if (c->is_rate_known)
		buf_addf(b, counter_is_ratio(c) ? "%.6g" : "%.3f", c->per_second);
	buf_add_char(b, ',');
	if (c->running >= 0)
		buf_addf(b, "%.4f", c->running * 100);
	buf_add_char(b, ',');
	put_string(b, c->note);
	if (compares(&s->query))
		put_difference(b, row->difference, true);
	buf_add_char(b, '\n');
}

/* What cannot be known is an empty field. */
static void
put_counters(struct buf *b, const struct snapshot *s, const struct report_run *run)
{
	if (run->is_first)
		buf_addf(b, "%spid,tid,comm,counter,unit,value,per_second,running_percent,note%s\n",
			 run->is_series ? "time," : "", compares(&s->query) ? difference_fields : "");
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].counter != NULL)
			put_counter(b, s, &s->rows[i], run);
}

/* Nanoseconds; of calls that were not timed empty fields. */
static void
put_call_times(struct buf *b, const struct call_row *c)
{
	const uint64_t times[] = { c->min_ns, c->p50_ns, c->p95_ns, c->p99_ns, c->max_ns };

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		buf_add_char(b, ',');
		if (c->is_timed)
			buf_addf(b, "%llu", (unsigned long long)times[i]);
	}
}

static void
put_calls(struct buf *b, const struct snapshot *s, const struct report_run *run)
{
	if (run->is_first)
		buf_addf(b, "%sfunction,calls,lost,min,p50,p95,p99,max,per_second,timed,state,note,pid,seconds\n",
			 run->is_series ? "time," : "");
	for (size_t i = 0; i < s->row_count; i++) {
		const struct call_row *c = s->rows[i].call;

		if (c == NULL)
			continue;
		if (run->is_series)
			buf_addf(b, "%.3f,", s->elapsed_s);
		put_string(b, c->function);
		buf_addf(b, ",%llu,%llu", (unsigned long long)c->calls, (unsigned long long)c->lost);
		put_call_times(b, c);
		buf_addf(b, ",%.3f,%llu,%s,", c->seconds > 0 ? (double)c->calls / c->seconds : 0,
			 (unsigned long long)c->timed, c->state);
		put_string(b, c->note);
		buf_add_char(b, ',');
		put_number(b, c->pid);
		buf_addf(b, ",%.3f\n", c->seconds);
	}
}

static void
put_node_sum(struct buf *b, const struct snapshot *s, const struct row *sum,
	    const struct report_run *run)
{
	if (run->is_series)
		buf_addf(b, "%.3f,", s->elapsed_s);
	if (run->has_events) {
		put_string(b, sum->event);
		buf_add_char(b, ',');
	}
	buf_addf(b, "0,,%s", sum->symbol);
	for (int i = 0; i < 2; i++)
		buf_addf(b, ",%" PRIu64 ",%" PRIu64, sum->samples, sum->period);
	put_percent(b, sum->share);
	if (compares(&s->query))
		put_difference(b, NULL, false);
	buf_add_char(b, '\n');
}

static void
put_nodes(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct buf *b = &out->buf;
	struct buf name = { 0 };

	if (run->is_first)
		buf_addf(b, "%s%sdepth,dso,symbol,self_samples,self_period,samples,period,percent%s\n",
			 run->is_series ? "time," : "", run->has_events ? "event," : "",
			 compares(&s->query) ? difference_fields : "");
	for (size_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];

		if (run->is_series)
			buf_addf(b, "%.3f,", s->elapsed_s);
		if (run->has_events) {
			put_string(b, s->events[n->event].name);
			buf_add_char(b, ',');
		}
		buf_addf(b, "%" PRIu32 ",", n->depth);
		put_string(b, n->dso);
		buf_add_char(b, ',');
		buf_reset(&name);
		buf_addf(&name, "%s%s", n->name, report_inlined_mark(n->is_inlined));
		put_string(b, buf_str(&name));
		buf_addf(b, ",%" PRIu64 ",%" PRIu64, n->self.samples, n->self.period);
		buf_addf(b, ",%" PRIu64 ",%" PRIu64 ",%.4f", n->total.samples, n->total.period,
			 report_node_percent(s, n, &n->total));
		if (compares(&s->query))
			put_difference(b, n->difference, false);
		buf_add_char(b, '\n');
		sink_flow(out);
	}
	buf_release(&name);
	for (size_t i = 0; i < s->named_count; i++)
		put_node_sum(b, s, &s->named[i], run);
	for (size_t i = 0; i < s->filtered_count; i++)
		put_node_sum(b, s, &s->filtered[i], run);
}

static void
put_instruction(struct buf *b, const struct snapshot *s, const struct code_row *row,
		const struct report_run *run)
{
	struct buf text = { 0 };

	if (run->is_series)
		buf_addf(b, "%.3f,", s->elapsed_s);
	if (run->has_events) {
		put_string(b, s->events[row->event].name);
		buf_add_char(b, ',');
	}
	if (!row->is_elsewhere)
		buf_addf(b, "0x%" PRIx64, row->addr);
	buf_add_char(b, ',');
	code_row_put_bytes(b, row);
	buf_add_char(b, ',');
	if (row->instruction != NULL)
		annotate_put_code(&text, row->instruction, row->member);
	put_string(b, row->is_elsewhere ? "[elsewhere]" : buf_str(&text));
	buf_add_char(b, ',');
	put_string(b, row->file);
	buf_add_char(b, ',');
	if (row->line != 0)
		buf_addf(b, "%u", row->line);
	buf_add_char(b, ',');
	buf_reset(&text);
	code_row_put_inline(&text, row);
	put_string(b, buf_str(&text));
	buf_addf(b, ",%" PRIu64 ",%" PRIu64 ",", row->cost.samples, row->cost.period);
	buf_add_fixed(b, row->percent);
	buf_add_char(b, '\n');
	buf_release(&text);
}

static void
put_code(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct code_rows rows;
	struct code_row row;

	if (run->is_first)
		buf_addf(&out->buf, "%s%saddress,bytes,text,file,line,inline,samples,period,percent\n",
			 run->is_series ? "time," : "", run->has_events ? "event," : "");
	code_rows_begin(&rows, s, run);
	while (code_rows_next(&rows, &row)) {
		put_instruction(&out->buf, s, &row, run);
		sink_flow(out);
	}
	code_rows_release(&rows);
}

void
csv_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	if (report_is_counters(&s->query)) {
		(s->query.view == VIEW_CALLS ? put_calls : put_counters)(&out->buf, s, run);
		return;
	}
	if (query_wants_code(&s->query)) {
		put_code(out, s, run);
		return;
	}
	if (query_wants_nodes(&s->query)) {
		put_nodes(out, s, run);
		return;
	}
	if (run->is_first)
		put_header(&out->buf, &s->query, run);
	for (size_t i = 0; i < s->row_count; i++) {
		put_row(&out->buf, s, &s->rows[i], run);
		sink_flow(out);
	}
	for (size_t i = 0; i < s->named_count; i++)
		put_row(&out->buf, s, &s->named[i], run);
	for (size_t i = 0; i < s->filtered_count; i++)
		put_row(&out->buf, s, &s->filtered[i], run);
}
