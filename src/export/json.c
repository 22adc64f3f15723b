/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/formats.h"

#ifdef HAVE_JANSSON

#include "base/text.h"
#include "export/code_rows.h"
#include "export/json_schema.h"
#include "view/column.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	JSON_VERSION = 1, /* changes if a member goes or gets another meaning, not for new ones */
	REAL_DIGITS = 15, /* so many are exact in a double: 0.1 stays 0.1 */
};

static json_t *
json_text(const char *s)
{
	struct buf safe = { 0 };
	json_t *value;

	text_add_safe(&safe, s != NULL ? s : "", s != NULL ? strlen(s) : 0);
	value = json_stringn(buf_str(&safe), safe.len);
	buf_release(&safe);
	return value;
}

static json_t *
json_count(uint64_t n)
{
	return json_integer((json_int_t)MIN(n, (uint64_t)INT64_MAX));
}

static json_t *
json_number(int n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

/* Rounded to @places after the point. */
static json_t *
json_rounded(double value, int places)
{
	double scale = pow(10, places);

	return json_real(isfinite(value) ? round(value * scale) / scale : 0);
}

/* The same, null if it is not known. */
static json_t *
json_if_known(double value, int places)
{
	return isnan(value) ? json_null() : json_rounded(value, places);
}

/* The value of the row's column, null where it is not known. */
static json_t *
json_value(enum column_id id, const struct row *row)
{
	char number[COLUMN_TEXT_MAX];
	uint64_t n = 0;

	switch (columns[id].kind) {
	case VALUE_TEXT:
	case VALUE_FUNCTION:
	case VALUE_ADDRESS: /* no number: many readers take 53 bits at most */
		return json_text(column_text(id, row, number));
	case VALUE_NUMBER:
		return json_number(column_number(id, row));
	case VALUE_COUNT:
		return json_count(column_u64(id, row));
	case VALUE_TIME:
		n = column_u64(id, row);
		return n > 0 ? json_rounded((double)(n - 1) / 1e9, 3) : json_null();
	case VALUE_OPTIONAL:
		n = column_u64(id, row);
		return n > 0 ? json_count(n - 1) : json_null();
	case VALUE_PART:
		return json_if_known(column_part(id, row), 6);
	case VALUE_OWN:
		break;
	}
	return json_null();
}

/* Adds the text of @value, which it takes. */
static void
put_value(struct buf *b, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER |
				       JSON_REAL_PRECISION(REAL_DIGITS));

	/* All of it is valid UTF-8 and finite: only memory can be short. */
	if (text == NULL)
		die("out of memory");
	buf_add_str(b, text);
	free(text);
	json_decref(value);
}

/* @scale: what a share of 1 is.  What is not known is null. */
static void
set_change(json_t *object, const struct share_change *c, double scale, int places)
{
	json_object_set_new(object, "now", json_if_known(c->now * scale, places));
	json_object_set_new(object, "then", json_if_known(c->then * scale, places));
	json_object_set_new(object, "delta", json_if_known(c->delta * scale, places));
	json_object_set_new(object, "low", json_if_known(c->low * scale, places));
	json_object_set_new(object, "high", json_if_known(c->high * scale, places));
	json_object_set_new(object, "q", json_if_known(c->q, 12));
	json_object_set_new(object, "significant", json_boolean(c->is_significant));
}

/* Percentages, as "percent" is one. */
static void
set_difference(json_t *object, const struct difference *d)
{
	if (d == NULL)
		return;
	set_change(object, &d->change, 100, 4);
	json_object_set_new(object, "then_samples", json_count(d->then_samples));
	json_object_set_new(object, "then_period", json_count(d->then_period));
	if (d->is_new || d->is_gone)
		json_object_set_new(object, "only_in", json_string(d->is_new ? "now" : "then"));
	if (d->change.needs_s > 0)
		json_object_set_new(object, "needs_seconds", json_rounded(d->change.needs_s, 1));
}

static void
set_counts(json_t *object, const struct row *row)
{
	json_object_set_new(object, "samples", json_count(row->samples));
	json_object_set_new(object, "period", json_count(row->period));
	json_object_set_new(object, "percent", json_if_known(row->share * 100, 4));
}

static void
put_row(struct buf *b, const struct query *q, const struct row *row, const struct report_run *run)
{
	json_t *object = json_object();

	if (run->has_events && !report_has_key(q, KEY_EVENT))
		json_object_set_new(object, "event", json_text(row->event));
	for (size_t i = 0; i < q->key_count; i++)
		json_object_set_new(object, key_name(q->keys[i]),
				    json_value((enum column_id)q->keys[i], row));
	set_counts(object, row);
	for (size_t i = 0; i < report_more(q); i++) {
		enum column_id id = (enum column_id)view_defs[q->view].more[i];

		json_object_set_new(object, columns[id].name, json_value(id, row));
	}
	if (row->flags & ROW_DEADLOCK)
		json_object_set_new(object, "deadlock", json_true());
	if (row->flags & ROW_IRQ_ON)
		json_object_set_new(object, "timer_artefact", json_true());
	set_difference(object, row->difference);
	put_value(b, object);
}

static json_t *
counter_number(const struct counter_row *c, bool is_known, double value)
{
	if (!is_known)
		return json_null();
	return json_rounded(value, counter_is_ratio(c) ? 6 : 3);
}

static json_t *
counter_total(const struct counter_row *c)
{
	if (counter_is_ratio(c))
		return counter_number(c, c->is_known, c->ratio);
	return c->is_known ? json_count(c->total) : json_null();
}

static void
put_counter(struct buf *b, const struct row *row)
{
	const struct counter_row *c = row->counter;
	json_t *object = json_object();

	json_object_set_new(object, "pid", json_number(row->pid));
	json_object_set_new(object, "tid", json_number(row->tid));
	json_object_set_new(object, "comm", json_text(row->comm));
	json_object_set_new(object, "counter", json_text(c->name));
	json_object_set_new(object, "unit", json_text(counter_unit_names[c->unit]));
	json_object_set_new(object, "value", counter_total(c));
	json_object_set_new(object, "per_second",
			    counter_number(c, c->is_rate_known, c->per_second));
	json_object_set_new(object, "running_percent", c->running < 0 ? json_null()
					: json_rounded(c->running * 100, 4));
	json_object_set_new(object, "scaled", json_boolean(c->is_scaled));
	json_object_set_new(object, "note", json_text(c->note));
	if (row->difference != NULL) /* in the counter's own unit */
		set_change(object, &row->difference->change, row->difference->scale, 6);
	put_value(b, object);
}

/* The powers of two of nanoseconds between which calls took: from, and how many. */
static json_t *
call_times(const struct call_row *c)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < CALL_ROW_OCTAVES && c->octaves != NULL; i++) {
		json_t *pair;

		if (c->octaves[i] == 0)
			continue;
		pair = json_array();
		json_array_append_new(pair, json_count(i == 0 ? 0 : UINT64_C(1) << i));
		json_array_append_new(pair, json_count(c->octaves[i]));
		json_array_append_new(list, pair);
	}
	return list;
}

static void
put_call(struct buf *b, const struct call_row *c)
{
	const struct {
		const char *name;
		uint64_t ns;
	} times[] = {
		{ "min", c->min_ns }, { "p50", c->p50_ns }, { "p95", c->p95_ns },
		{ "p99", c->p99_ns }, { "max", c->max_ns },
	};
	json_t *object = json_object();

	json_object_set_new(object, "function", json_text(c->function));
	json_object_set_new(object, "calls", json_count(c->calls));
	json_object_set_new(object, "lost", json_count(c->lost));
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		json_object_set_new(object, times[i].name,
				    c->is_timed ? json_count(times[i].ns) : json_null());
	json_object_set_new(object, "per_second",
			    json_rounded(c->seconds > 0 ? (double)c->calls / c->seconds : 0, 3));
	json_object_set_new(object, "timed", json_count(c->timed));
	json_object_set_new(object, "running", json_count(c->running));
	json_object_set_new(object, "recursive", json_count(c->recursive));
	json_object_set_new(object, "times", call_times(c));
	json_object_set_new(object, "cost_percent", c->cost_percent < 0 ? json_null()
					: json_rounded(c->cost_percent, 3));
	json_object_set_new(object, "state", json_text(c->state));
	json_object_set_new(object, "note", json_text(c->note));
	put_value(b, object);
}

/* With a period of 1 the sum of samples, left_out and lost is exactly what was counted. */
static void
set_tallies(json_t *object, const struct snapshot_event *e)
{
	json_t *cpus = json_array();

	for (size_t i = 0; i < e->tally_count; i++) {
		const struct snapshot_tally *t = &e->tallies[i];
		json_t *cpu = json_object();

		json_object_set_new(cpu, "cpu", json_count(t->cpu));
		json_object_set_new(cpu, "counted", json_count(t->counted));
		json_object_set_new(cpu, "samples", json_count(t->samples));
		json_object_set_new(cpu, "lost", json_count(t->lost));
		json_array_append_new(cpus, cpu);
	}
	json_object_set_new(object, "left_out", json_count(e->left_out));
	json_object_set_new(object, "cpus", cpus);
}

static json_t *
event_list(const struct snapshot *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->event_count; i++) {
		const struct snapshot_event *e = &s->events[i];
		json_t *object = json_object();

		json_object_set_new(object, "name", json_text(e->name));
		json_object_set_new(object, "samples", json_count(e->samples));
		json_object_set_new(object, "period", json_count(e->period));
		json_object_set_new(object, "lost", json_count(e->lost));
		json_object_set_new(object, "throttled", json_count(e->throttled));
		json_object_set_new(object, "unit",
				    json_string(e->counts_time ? "nanoseconds" : "count"));
		if (e->tallies != NULL)
			set_tallies(object, e);
		json_array_append_new(list, object);
	}
	return list;
}

/* What ptop costs, and how often the event of the head is sampled for that. */
static void
put_own_cost(json_t *object, const struct snapshot_head *h)
{
	json_object_set_new(object, "self_cpu", json_if_known(h->self_cpu, 3));
	json_object_set_new(object, "self_memory",
			    isnan(h->self_cpu) ? json_null() : json_count(h->self_bytes));
	if (h->chains != NULL)
		json_object_set_new(object, "call_chains", json_string(h->chains));
	if (!h->is_freq)
		return;
	json_object_set_new(object, "frequency", json_count(h->rate));
	json_object_set_new(object, "frequency_asked", json_count(h->rate_asked));
}

static json_t *
loss_list(const struct snapshot_head *h)
{
	json_t *object = json_object();

	json_object_set_new(object, "window_lost", json_count(h->window_lost));
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++)
		if (json_has_loss(k))
			json_object_set_new(object, loss_defs[k].name,
					    json_count(loss_sum(h->losses, k)));
	json_object_set_new(object, "throttled_seconds",
			    json_rounded((double)h->throttled_ns / 1e9, 6));
	return object;
}

/* Times are seconds since the epoch, and since the beginning. */
static json_t *
mark_list(const struct snapshot *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->mark_count; i++) {
		const struct snapshot_mark *m = &s->marks[i];
		json_t *object = json_object();

		json_object_set_new(object, "at", json_rounded(m->at_s, 3));
		if (m->real_ns != 0)
			json_object_set_new(object, "time", json_rounded((double)m->real_ns / 1e9, 3));
		json_object_set_new(object, "kind", json_string(mark_names[m->kind]));
		json_object_set_new(object, "name", json_text(m->text));
		json_array_append_new(list, object);
	}
	return list;
}

/* What the window is compared with, and what makes the two less alike than they seem. */
static json_t *
then_object(const struct snapshot *s)
{
	json_t *object = json_object(), *notes = json_array();

	for (size_t i = 0; i < s->then.note_count; i++)
		json_array_append_new(notes, json_text(s->then.notes[i]));
	json_object_set_new(object, "label", json_text(s->then.label));
	json_object_set_new(object, "window", json_if_known(s->then.window_s, 3));
	json_object_set_new(object, "notes", notes);
	return object;
}

static void
put_head(struct buf *b, const struct snapshot *s)
{
	const uint64_t *losses = s->head.losses;
	json_t *object = json_object();

	json_object_set_new(object, "version", json_integer(JSON_VERSION));
	json_object_set_new(object, "time", json_rounded(s->elapsed_s, 3));
	json_object_set_new(object, "host", json_text(s->head.host));
	json_object_set_new(object, "events", event_list(s));
	json_object_set_new(object, "lost", json_count(loss_sum(losses, LOSS_SAMPLES)));
	json_object_set_new(object, "throttled", json_count(loss_sum(losses, LOSS_THROTTLED)));
	json_object_set_new(object, "event", json_text(s->head.event));
	if (s->head.recording == NULL)
		put_own_cost(object, &s->head);
	json_object_set_new(object, "window", json_if_known(s->head.window_have_s, 3));
	if (s->head.forgotten != NULL)
		json_object_set_new(object, "forgotten", json_text(s->head.forgotten));
	json_object_set_new(object, "losses", loss_list(&s->head));
	json_object_set_new(object, "percent_of",
			    json_string(s->query.shares == SHARES_OF_SHOWN ? "shown" : "all"));
	if (s->mark_count > 0)
		json_object_set_new(object, "marks", mark_list(s));
	if (s->code != NULL && s->code->location != 0) {
		json_object_set_new(object, "symbol", json_text(s->code->symbol));
		json_object_set_new(object, "dso", json_text(s->code->dso));
	}
	if (s->head.recording != NULL)
		json_object_set_new(object, "recording", json_text(s->head.recording));
	if (s->then.label != NULL)
		json_object_set_new(object, "then", then_object(s));
	put_value(b, object);
}

static void
put_sum(struct buf *b, const char *name, const struct row *row)
{
	json_t *object = json_object();

	set_counts(object, row);
	buf_addf(b, ",\"%s\":", name);
	put_value(b, object);
}

/* A node of a view of stacks. */
static void
put_node(struct buf *b, const struct snapshot *s, const struct snapshot_node *n,
	 const struct report_run *run)
{
	json_t *object = json_object();

	if (run->has_events)
		json_object_set_new(object, "event", json_text(s->events[n->event].name));
	json_object_set_new(object, "depth", json_integer(n->depth));
	json_object_set_new(object, "dso", json_text(n->dso));
	json_object_set_new(object, "symbol", json_text(n->name));
	json_object_set_new(object, "kind", json_string(node_kind_names[n->kind]));
	if (n->is_inlined)
		json_object_set_new(object, "inlined", json_true());
	if (n->is_irq_on)
		json_object_set_new(object, "timer_artefact", json_true());
	json_object_set_new(object, "self_samples", json_count(n->self.samples));
	json_object_set_new(object, "self_period", json_count(n->self.period));
	json_object_set_new(object, "samples", json_count(n->total.samples));
	json_object_set_new(object, "period", json_count(n->total.period));
	json_object_set_new(object, "percent",
			    json_rounded(report_node_percent(s, n, &n->total), 4));
	set_difference(object, n->difference);
	put_value(b, object);
}

static void
put_nodes(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	for (size_t i = 0; i < s->node_count; i++) {
		if (i > 0)
			buf_add_char(&out->buf, ',');
		put_node(&out->buf, s, &s->nodes[i], run);
		sink_flow(out);
	}
}

static json_t *
safe_text(const struct buf *b)
{
	return json_text(buf_str(b));
}

static void
put_instruction(struct buf *b, const struct snapshot *s, const struct code_row *row,
		const struct report_run *run)
{
	json_t *object = json_object();
	struct buf text = { 0 };

	if (run->has_events)
		json_object_set_new(object, "event", json_text(s->events[row->event].name));
	buf_addf(&text, "0x%llx", (unsigned long long)row->addr);
	json_object_set_new(object, "address", row->is_elsewhere ? json_null() : safe_text(&text));
	buf_reset(&text);
	code_row_put_bytes(&text, row);
	json_object_set_new(object, "bytes", safe_text(&text));
	buf_reset(&text);
	if (row->instruction != NULL)
		annotate_put_code(&text, row->instruction, row->member);
	else if (row->is_elsewhere)
		buf_add_str(&text, "[elsewhere]");
	json_object_set_new(object, "text", safe_text(&text));
	json_object_set_new(object, "file", json_text(row->file));
	json_object_set_new(object, "line", row->line != 0 ? json_integer(row->line) : json_null());
	buf_reset(&text);
	code_row_put_inline(&text, row);
	json_object_set_new(object, "inline", safe_text(&text));
	json_object_set_new(object, "samples", json_count(row->cost.samples));
	json_object_set_new(object, "period", json_count(row->cost.period));
	json_object_set_new(object, "percent", json_rounded(row->percent, 4));
	put_value(b, object);
	buf_release(&text);
}

static void
put_code(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct code_rows rows;
	struct code_row row;
	bool is_first = true;

	code_rows_begin(&rows, s, run);
	while (code_rows_next(&rows, &row)) {
		if (!is_first)
			buf_add_char(&out->buf, ',');
		is_first = false;
		put_instruction(&out->buf, s, &row, run);
		sink_flow(out);
	}
	code_rows_release(&rows);
}

/* Row by row: one jansson tree of all rows would be many times as large as the text. */
void
json_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	const struct row *rest = NULL;
	struct buf *b = &out->buf;

	put_head(b, s);
	b->len--; /* the brace that closes: there is more to come */
	buf_add_str(b, ",\"rows\":[");
	if (query_wants_nodes(&s->query))
		put_nodes(out, s, run);
	if (query_wants_code(&s->query))
		put_code(out, s, run);
	for (size_t i = 0; i < s->row_count; i++) {
		if (s->rows[i].flags & ROW_REST) {
			rest = &s->rows[i];
			continue;
		}
		if (i > 0)
			buf_add_char(b, ',');
		if (s->rows[i].counter != NULL)
			put_counter(b, &s->rows[i]);
		else if (s->rows[i].call != NULL)
			put_call(b, s->rows[i].call);
		else
			put_row(b, &s->query, &s->rows[i], run);
		sink_flow(out);
	}
	buf_add_char(b, ']');
	if (rest != NULL)
		put_sum(b, "rest", rest);
	if (s->named != NULL)
		put_sum(b, s->query.locks ? "other" : "named", s->named);
	if (s->filtered != NULL)
		put_sum(b, "filtered", s->filtered);
	buf_add_str(b, "}\n");
}

#endif
