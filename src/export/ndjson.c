/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row a line, each of which says when and where: what tables of databases are filled with. */
#include <config.h>

#include "export/formats.h"

#ifdef HAVE_JANSSON

#include "export/json_rows.h"
#include "view/column.h"

#include <math.h>
#include <string.h>

struct lines {
	struct sink *out;
	const struct snapshot *s;
	const struct report_run *run;
	json_t *head; /* what all rows of the report begin with */
	bool keeps_host; /* rows are told apart by a host that none has: all are of this one */
};

/* Seconds since the epoch, null: not known. */
static json_t *
json_moment(uint64_t real_ns)
{
	return real_ns > 0 ? json_rounded((double)real_ns / 1e9, 3) : json_null();
}

/* When what the rows are of has ended; 0: a recording does not tell. */
static uint64_t
end_real_ns(const struct snapshot_head *h)
{
	const struct moments *m = &h->moments;
	uint64_t end_ns = m->now_ns, real_ns;

	if (h->window_end_s > 0)
		end_ns = m->begin_ns + (uint64_t)(h->window_end_s * 1e9);
	else if (h->as_of_ns != 0)
		return h->as_of_ns;
	real_ns = wall_real_ns(&m->wall, end_ns);
	return real_ns != 0 || h->recording != NULL ? real_ns : h->now_ns;
}

/* Which event, and what its period counts. */
static void
set_event(json_t *object, const struct snapshot *s, const char *event)
{
	const char *unit = "count";

	for (size_t i = 0; i < s->event_count; i++)
		if (strcmp(s->events[i].name, event) == 0 && s->events[i].counts_time)
			unit = "nanoseconds";
	json_object_set_new(object, "event", json_text(event));
	json_object_set_new(object, "period_unit", json_string(unit));
}

static json_t *
head_of(const struct snapshot *s)
{
	const struct snapshot_head *h = &s->head;
	json_t *head = json_object();

	json_object_set_new(head, "time", json_moment(end_real_ns(h)));
	json_object_set_new(head, "seconds", json_if_known(h->window_have_s, 3));
	json_object_set_new(head, "host", json_text(h->host));
	json_object_set_new(head, "lost_samples", json_count(h->window_lost));
	if (report_is_counters(&s->query))
		return head;
	set_event(head, s, s->event_count > 0 ? s->events[report_main_event(s)].name : h->event);
	json_object_set_new(head, "sum_of", json_string(""));
	return head;
}

/* Of samples that are told apart by time; 0: not known. */
static uint64_t
row_real_ns(const struct snapshot_head *h, const struct row *row)
{
	const uint64_t ns = row->time - 1;

	if (row->time == 0 || column_time_is_real(ns))
		return row->time == 0 ? 0 : ns;
	return wall_real_ns(&h->moments.wall, h->moments.begin_ns + ns);
}

static bool
keeps_host(const struct snapshot *s)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i].is_of_hosts)
			return false;
	return report_has_key(&s->query, KEY_HOST);
}

static void
put_line(const struct lines *l, json_t *object)
{
	if (l->keeps_host)
		json_object_set(object, "host", json_object_get(l->head, "host"));
	json_put(&l->out->buf, object);
	buf_add_char(&l->out->buf, '\n');
	sink_flow(l->out);
}

static void
put_sum(const struct lines *l, const char *of, const struct row *row)
{
	json_t *object;

	if (row == NULL)
		return;
	object = json_copy(l->head);
	if (l->run->has_events)
		set_event(object, l->s, row->event);
	json_object_set_new(object, "sum_of", json_string(of));
	if (query_wants_nodes(&l->s->query))
		json_set_counts(object, row);
	else
		json_set_row(object, &l->s->query, row);
	put_line(l, object);
}

void
ndjson_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	const struct lines l = { out, s, run, head_of(s), keeps_host(s) };
	struct json_rows rows;

	json_rows_begin(&rows, s, run);
	while (json_rows_next(&rows)) {
		json_t *object = json_copy(l.head);

		if (run->has_events && rows.event != NULL)
			set_event(object, s, rows.event);
		json_rows_set(&rows, object);
		if (rows.row != NULL && report_has_key(&s->query, KEY_TIME))
			json_object_set_new(object, "time", json_moment(row_real_ns(&s->head, rows.row)));
		put_line(&l, object);
	}
	json_rows_release(&rows);
	put_sum(&l, "rest", rows.rest);
	for (size_t i = 0; i < s->named_count; i++)
		put_sum(&l, s->query.locks ? "other" : "named", &s->named[i]);
	for (size_t i = 0; i < s->filtered_count; i++)
		put_sum(&l, "filtered", &s->filtered[i]);
	json_decref(l.head);
}

#endif
