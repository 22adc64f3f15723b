/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/json_rows.h"

#ifdef HAVE_JANSSON

#include "base/text.h"
#include "view/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_DIGITS = 15 }; /* so many are exact in a double: 0.1 stays 0.1 */

json_t *
json_text(const char *s)
{
	struct buf safe = { 0 };
	json_t *value;

	text_add_safe(&safe, s != NULL ? s : "", s != NULL ? strlen(s) : 0);
	value = json_stringn(buf_str(&safe), safe.len);
	buf_release(&safe);
	return value;
}

json_t *
json_count(uint64_t n)
{
	return json_integer((json_int_t)MIN(n, (uint64_t)INT64_MAX));
}

static json_t *
json_number(int n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

json_t *
json_rounded(double value, int places)
{
	double scale = pow(10, places);

	return json_real(isfinite(value) ? round(value * scale) / scale : 0);
}

json_t *
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

void
json_put(struct buf *b, json_t *value)
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

void
json_set_counts(json_t *object, const struct row *row)
{
	json_object_set_new(object, "samples", json_count(row->samples));
	json_object_set_new(object, "period", json_count(row->period));
	json_object_set_new(object, "percent", json_if_known(row->share * 100, 4));
}

void
json_set_row(json_t *object, const struct query *q, const struct row *row)
{
	for (size_t i = 0; i < q->key_count; i++)
		json_object_set_new(object, key_name(q->keys[i]),
				    json_value((enum column_id)q->keys[i], row));
	json_set_counts(object, row);
	for (size_t i = 0; i < report_more(q); i++) {
		enum column_id id = (enum column_id)view_defs[q->view].more[i];

		json_object_set_new(object, columns[id].name, json_value(id, row));
	}
	if (row->flags & ROW_DEADLOCK)
		json_object_set_new(object, "deadlock", json_true());
	if (row->flags & ROW_IRQ_ON)
		json_object_set_new(object, "timer_artefact", json_true());
	set_difference(object, row->difference);
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
set_counter(json_t *object, const struct row *row)
{
	const struct counter_row *c = row->counter;

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
set_call(json_t *object, const struct call_row *c)
{
	const struct {
		const char *name;
		uint64_t ns;
	} times[] = {
		{ "min", c->min_ns }, { "p50", c->p50_ns }, { "p95", c->p95_ns },
		{ "p99", c->p99_ns }, { "max", c->max_ns },
	};

	json_object_set_new(object, "function", json_text(c->function));
	json_object_set_new(object, "pid", json_number(c->pid));
	json_object_set_new(object, "calls", json_count(c->calls));
	json_object_set_new(object, "lost", json_count(c->lost));
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		json_object_set_new(object, times[i].name,
				    c->is_timed ? json_count(times[i].ns) : json_null());
	json_object_set_new(object, "per_second",
			    json_rounded(c->seconds > 0 ? (double)c->calls / c->seconds : 0, 3));
	json_object_set_new(object, "seconds", json_rounded(c->seconds, 3));
	json_object_set_new(object, "timed", json_count(c->timed));
	json_object_set_new(object, "running", json_count(c->running));
	json_object_set_new(object, "recursive", json_count(c->recursive));
	json_object_set_new(object, "times", call_times(c));
	json_object_set_new(object, "cost_percent", c->cost_percent < 0 ? json_null()
					: json_rounded(c->cost_percent, 3));
	json_object_set_new(object, "state", json_text(c->state));
	json_object_set_new(object, "note", json_text(c->note));
}

/* A node of a view of stacks. */
static void
set_node(json_t *object, const struct snapshot *s, const struct snapshot_node *n)
{
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
}

static json_t *
safe_text(const struct buf *b)
{
	return json_text(buf_str(b));
}

static void
set_instruction(json_t *object, const struct code_row *row)
{
	struct buf text = { 0 };

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
	buf_release(&text);
}

void
json_rows_begin(struct json_rows *r, const struct snapshot *s, const struct report_run *run)
{
	*r = (struct json_rows){ .s = s, .has_code = query_wants_code(&s->query) };
	if (r->has_code)
		code_rows_begin(&r->code, s, run);
}

bool
json_rows_next(struct json_rows *r)
{
	const struct snapshot *s = r->s;

	r->node = NULL;
	r->row = NULL;
	if (query_wants_nodes(&s->query) && r->next_node < s->node_count) {
		r->node = &s->nodes[r->next_node++];
		r->event = s->events[r->node->event].name;
		return true;
	}
	if (r->has_code && code_rows_next(&r->code, &r->instruction)) {
		r->event = s->events[r->instruction.event].name;
		return true;
	}
	while (r->next_row < s->row_count) {
		r->row = &s->rows[r->next_row++];
		r->event = r->row->counter == NULL && r->row->call == NULL ? r->row->event : NULL;
		if ((r->row->flags & ROW_REST) == 0)
			return true;
		r->rest = r->row;
	}
	r->row = NULL;
	return false;
}

void
json_rows_set(const struct json_rows *r, json_t *object)
{
	if (r->node != NULL)
		set_node(object, r->s, r->node);
	else if (r->row == NULL)
		set_instruction(object, &r->instruction);
	else if (r->row->counter != NULL)
		set_counter(object, r->row);
	else if (r->row->call != NULL)
		set_call(object, r->row->call);
	else
		json_set_row(object, &r->s->query, r->row);
}

void
json_rows_release(struct json_rows *r)
{
	if (r->has_code)
		code_rows_release(&r->code);
}

#endif
