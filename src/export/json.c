/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/formats.h"

#ifdef HAVE_JANSSON

#include "export/json_rows.h"
#include "export/json_schema.h"

#include <math.h>

enum { JSON_VERSION = 1 }; /* changes if a member goes or gets another meaning, not for new ones */

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
	json_put(b, object);
}

static json_t *
sum_object(const struct row *row)
{
	json_t *object = json_object();

	json_set_counts(object, row);
	return object;
}

static void
put_sum(struct buf *b, const char *name, json_t *sum)
{
	buf_addf(b, ",\"%s\":", name);
	json_put(b, sum);
}

/* Of several events a list: what they count cannot be added. */
static void
put_sums(struct buf *b, const char *name, const struct row *rows, size_t count,
	 const struct report_run *run)
{
	json_t *list;

	if (count == 0)
		return;
	if (!run->has_events) {
		put_sum(b, name, sum_object(rows));
		return;
	}
	list = json_array();
	for (size_t i = 0; i < count; i++) {
		json_t *object = sum_object(&rows[i]);

		json_object_set_new(object, "event", json_text(rows[i].event));
		json_array_append_new(list, object);
	}
	put_sum(b, name, list);
}

/* Row by row: one jansson tree of all rows would be many times as large as the text. */
static void
put_rows(struct sink *out, struct json_rows *rows, const struct report_run *run)
{
	const bool has_events = run->has_events && !report_has_key(&rows->s->query, KEY_EVENT);
	const char *between = "";

	while (json_rows_next(rows)) {
		json_t *object = json_object();

		if (has_events && rows->event != NULL)
			json_object_set_new(object, "event", json_text(rows->event));
		json_rows_set(rows, object);
		buf_add_str(&out->buf, between);
		between = ",";
		json_put(&out->buf, object);
		sink_flow(out);
	}
}

void
json_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct buf *b = &out->buf;
	struct json_rows rows;

	put_head(b, s);
	b->len--; /* the brace that closes: there is more to come */
	buf_add_str(b, ",\"rows\":[");
	json_rows_begin(&rows, s, run);
	put_rows(out, &rows, run);
	json_rows_release(&rows);
	buf_add_char(b, ']');
	if (rows.rest != NULL)
		put_sum(b, "rest", sum_object(rows.rest));
	put_sums(b, s->query.locks ? "other" : "named", s->named, s->named_count, run);
	put_sums(b, "filtered", s->filtered, s->filtered_count, run);
	buf_add_str(b, "}\n");
}

#endif
