/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/difference.h"

#include "base/index.h"
#include "view/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum no_event {
	NOT_NOW = -1,      /* NOW has none like it */
	NOT_COMPARED = -2, /* NOW has, but one of the two lacks what is compared */
};

struct joining {
	struct snapshot *now;
	const struct snapshot *then;
	bool same_profile;
	int *events;         /* by event of THEN: that of NOW, below 0: none, enum no_event */
	const char **lacks;  /* by event of NOW: why it is not compared; NULL: it is */
	struct index index;  /* of rows of THEN, counted from 1 */
	bool *is_met;        /* by row of THEN */
	struct row *rows;
	size_t len, cap;
	struct share_change **changes;
	size_t change_len, change_cap;
	double nodes_need_s; /* INFINITY: there are none */
};

/* Keys that are numbers of one machine's one boot. */
static bool
is_of_machine(enum key key)
{
	return key == KEY_PID || key == KEY_TID || key == KEY_ID || key == KEY_STREAM_ID;
}

static bool
is_sum(const struct row *row)
{
	return (row->flags & (ROW_REST | ROW_FILTERED)) != 0;
}

static int
event_of(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (strcmp(s->events[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool
measure_alike(const struct snapshot_event *a, const struct snapshot_event *b)
{
	return a->measures != NULL && b->measures != NULL && strcmp(a->measures, b->measures) == 0;
}

/* Events of NOW that have their like by now; each has one. */
static bool
is_taken(const struct joining *j, size_t event)
{
	for (size_t i = 0; i < j->then->event_count; i++)
		if (j->events[i] == (int)event)
			return true;
	return false;
}

/* The event of NOW that measures the same, whatever it is called. */
static int
event_alike(const struct joining *j, const struct snapshot_event *then)
{
	for (size_t i = 0; i < j->now->event_count; i++)
		if (measure_alike(&j->now->events[i], then) && !is_taken(j, i))
			return (int)i;
	return NOT_NOW;
}

static bool
is_of_stacks(const struct snapshot *s)
{
	return s->nodes != NULL || s->frames != NULL || s->stacks != NULL;
}

static const char not_measured[] = "this event was not measured THEN";

static bool
is_measured(const struct snapshot_event *event)
{
	return event->samples > 0 || event->window_s > 0;
}

/*
 * Why the two are not compared; NULL: they are.  All is new to an event that was measured and
 * counted nothing, not to one that was not measured, and of the latter nothing is gone.
 */
static const char *
find_lack(const struct joining *j, const struct snapshot_event *now, const struct snapshot_event *then)
{
	if (!is_measured(now))
		return "nothing is known NOW";
	if (!is_measured(then))
		return not_measured;
	if (!is_of_stacks(j->now))
		return NULL;
	if (then->lacks_chains)
		return "THEN has no call chains (record with -g)";
	return now->lacks_chains ? "NOW has no call chains (-g takes them)" : NULL;
}

/* Where both have one event they are compared, whatever they measure. */
static void
match_events(struct joining *j)
{
	const struct snapshot *now = j->now, *then = j->then;
	bool is_any = false;

	j->events = mem_calloc(then->event_count + 1, sizeof(*j->events));
	j->lacks = mem_calloc(now->event_count + 1, sizeof(*j->lacks));
	for (size_t i = 0; i < then->event_count; i++)
		j->events[i] = event_of(now, then->events[i].name);
	for (size_t i = 0; i < then->event_count; i++) {
		if (j->events[i] < 0)
			j->events[i] = event_alike(j, &then->events[i]);
		is_any |= j->events[i] >= 0;
	}
	if (!is_any && now->event_count == 1 && then->event_count == 1)
		j->events[0] = 0;
	for (size_t i = 0; i < now->event_count; i++)
		j->lacks[i] = not_measured;
	for (size_t i = 0; i < then->event_count; i++) {
		int event = j->events[i];

		if (event < 0)
			continue;
		j->lacks[event] = find_lack(j, &now->events[event], &then->events[i]);
		if (j->lacks[event] != NULL)
			j->events[i] = NOT_COMPARED;
	}
}

/* The event of NOW of a row of THEN; below 0: there is none. */
static int
event_of_then(const struct joining *j, const struct row *row)
{
	int event = event_of(j->then, row->event);

	return event >= 0 ? j->events[event] : NOT_NOW;
}

static uint64_t
row_hash(const struct joining *j, const struct row *row, int event)
{
	const struct query *q = &j->now->query;
	uint64_t hash = (uint64_t)(event + 1);

	if (j->same_profile)
		return hash_mix(hash, row->id);
	for (size_t i = 0; i < q->key_count; i++) {
		char number[COLUMN_TEXT_MAX];
		const char *text;

		if (is_of_machine(q->keys[i]) || q->keys[i] == KEY_EVENT)
			continue;
		text = column_text((enum column_id)q->keys[i], row, number);
		hash = hash_mix(hash, hash_bytes(text, strlen(text)));
	}
	return hash;
}

static bool
is_same_row(const struct joining *j, const struct row *a, const struct row *b)
{
	const struct query *q = &j->now->query;

	if (j->same_profile)
		return a->id == b->id;
	for (size_t i = 0; i < q->key_count; i++) {
		char x[COLUMN_TEXT_MAX], y[COLUMN_TEXT_MAX];
		enum column_id id = (enum column_id)q->keys[i];

		if (!is_of_machine(q->keys[i]) && q->keys[i] != KEY_EVENT &&
		    strcmp(column_text(id, a, x), column_text(id, b, y)) != 0)
			return false;
	}
	return true;
}

static void
index_then(struct joining *j)
{
	j->is_met = mem_calloc(j->then->row_count + 1, sizeof(*j->is_met));
	for (size_t i = 0; i < j->then->row_count; i++) {
		const struct row *row = &j->then->rows[i];
		int event = event_of_then(j, row);

		if (!is_sum(row) && event >= 0)
			index_add(&j->index, row_hash(j, row, event), (uint32_t)i + 1);
	}
}

/* The row of THEN that is like @row and was not met yet; NULL: there is none. */
static const struct row *
find_then(struct joining *j, const struct row *row, int event)
{
	uint64_t hash = row_hash(j, row, event);
	uint32_t n, pos;

	for (n = index_first(&j->index, hash, &pos); n != 0; n = index_next(&j->index, hash, &pos)) {
		const struct row *then = &j->then->rows[n - 1];

		if (j->is_met[n - 1] || event_of_then(j, then) != event || !is_same_row(j, row, then))
			continue;
		j->is_met[n - 1] = true;
		return then;
	}
	return NULL;
}

/* The sums of a side's row, of nothing if it has none; false: nothing is known. */
static bool
sums_of(const struct row *row, const struct snapshot_event *event, struct share_sums *sums)
{
	if (row != NULL && row->sums != NULL)
		*sums = *row->sums;
	else if (event != NULL && event->sums != NULL)
		*sums = share_of_nothing(event->sums);
	else
		return false;
	return true;
}

static double
share_in(const struct snapshot_event *event, uint64_t period)
{
	return event != NULL && event->base > 0 ? (double)period / (double)event->base : 0;
}

static const struct snapshot_event *
then_event(const struct joining *j, int event)
{
	for (size_t i = 0; i < j->then->event_count; i++)
		if (j->events[i] == event)
			return &j->then->events[i];
	return NULL;
}

/* Shares are those that are shown; how sure they are, the sums tell. */
static struct difference *
compare_rows(struct joining *j, const struct row *now, const struct row *then, int event)
{
	const struct snapshot_event *e = event >= 0 ? &j->now->events[event] : NULL;
	const struct snapshot_event *f = then_event(j, event);
	struct difference *d = arena_alloc(&j->now->arena, sizeof(*d));
	struct share_change *c = &d->change;
	struct share_sums a, b;

	*d = (struct difference){ .is_new = then == NULL, .is_gone = now == NULL };
	if (then != NULL) {
		d->then_samples = then->samples;
		d->then_period = then->period;
	}
	d->now_per_s = snapshot_period_per_second(e, now != NULL ? now->period : 0);
	d->then_per_s = snapshot_period_per_second(f, d->then_period) / MAX(j->then->hosts, 1u);
	if (sums_of(now, e, &a) && sums_of(then, f, &b))
		share_compare(c, &a, &b);
	else
		*c = (struct share_change){ .low = NAN, .high = NAN, .p = NAN, .q = NAN };
	c->now = share_in(e, now != NULL ? now->period : 0);
	c->then = share_in(f, d->then_period);
	c->delta = c->now - c->then;
	VEC_ADD(j->changes, j->change_len, j->change_cap) = c;
	return d;
}

/* A row of THEN alone, as it would be NOW: without samples, and without what only THEN knows. */
static struct row
gone_row(const struct joining *j, const struct row *then)
{
	struct row row = *then;

	row.samples = row.period = row.counted = 0;
	row.share = 0;
	row.cpu = NAN;
	row.sums = NULL;
	memset(row.trend, 0, sizeof(row.trend));
	if (j->same_profile)
		return row;
	row.process = row.thread = row.name = row.dso_id = row.location = row.lock_id = 0;
	row.id = hash_mix(row.id, 1);
	return row;
}

static void
join_rows(struct joining *j)
{
	struct snapshot *s = j->now;

	for (size_t i = 0; i < s->row_count; i++) {
		struct row row = s->rows[i];
		int event = event_of(s, row.event);
		const struct row *then;

		if (is_sum(&row) || event < 0 || j->lacks[event] != NULL) {
			VEC_ADD(j->rows, j->len, j->cap) = row;
			continue;
		}
		then = find_then(j, &row, event);
		row.difference = compare_rows(j, &row, then, event);
		VEC_ADD(j->rows, j->len, j->cap) = row;
	}
	for (size_t i = 0; i < j->then->row_count; i++) {
		const struct row *then = &j->then->rows[i];
		int event = event_of_then(j, then);
		struct row row;

		if (is_sum(then) || event < 0 || j->is_met[i] || then->samples == 0)
			continue;
		row = gone_row(j, then);
		row.event = s->events[event].name;
		row.difference = compare_rows(j, NULL, then, event);
		VEC_ADD(j->rows, j->len, j->cap) = row;
	}
	share_judge(j->changes, j->change_len);
}

static void
sort_rows(struct joining *j)
{
	struct snapshot *s = j->now;

	rows_sort(j->rows, j->len, &s->query);
	free(s->own_rows);
	s->rows = s->own_rows = j->rows;
	s->row_count = j->len;
}

/* Rows and nodes that have enough do not help those that have not. */
static double
least_need(const struct joining *j)
{
	double least = j->nodes_need_s;

	for (size_t i = 0; i < j->change_len; i++)
		least = MIN(least, j->changes[i]->needs_s);
	return isinf(least) ? 0 : least;
}

/* Why nothing of the event shown is compared; NULL: it is, or none is shown. */
static const char *
lack_of_shown(const struct joining *j)
{
	return snapshot_shown(j->now) != NULL ? j->lacks[snapshot_shown_id(j->now)] : NULL;
}

struct notes {
	struct snapshot *s;
	const char **items;
	size_t len, cap;
};

static void
note_events(const struct joining *j, struct notes *n)
{
	for (size_t i = 0; i < j->then->event_count; i++) {
		const struct snapshot_event *then = &j->then->events[i];
		const int event = j->events[i];

		if (event == NOT_NOW)
			VEC_ADD(n->items, n->len, n->cap) = arena_printf(&n->s->arena,
				"event %s is only in what is compared with: it is left out", then->name);
		else if (event >= 0 && strcmp(then->name, n->s->events[event].name) != 0 &&
			 !measure_alike(then, &n->s->events[event]))
			VEC_ADD(n->items, n->len, n->cap) = arena_printf(&n->s->arena,
				"event %s is compared with event %s: shares tell more than counts",
				n->s->events[event].name, then->name);
	}
	for (size_t i = 0; i < n->s->event_count; i++)
		if (j->lacks[i] != NULL && n->s->events[i].samples > 0)
			VEC_ADD(n->items, n->len, n->cap) = arena_printf(&n->s->arena,
				"event %s is not compared: %s", n->s->events[i].name, j->lacks[i]);
}

/* "at 999 Hz", "each 1000". */
static const char *
rate_text(struct arena *a, const struct snapshot_head *h)
{
	return arena_printf(a, h->is_freq ? "at %llu Hz" : "each %llu", (unsigned long long)h->rate);
}

/* What makes counts differ though nothing has changed. */
static void
note_machines(const struct joining *j, struct notes *n)
{
	const struct snapshot_head *a = &n->s->head, *b = &j->then->head;

	if (a->host != NULL && b->host != NULL && *a->host != '\0' && *b->host != '\0' &&
	    strcmp(a->host, b->host) != 0)
		VEC_ADD(n->items, n->len, n->cap) = arena_printf(&n->s->arena,
			"machine %s is compared with %s: shares tell more than counts", a->host, b->host);
	if (a->rate > 0 && b->rate > 0 && (a->is_freq != b->is_freq || a->rate != b->rate))
		VEC_ADD(n->items, n->len, n->cap) = arena_printf(&n->s->arena,
			"samples were taken %s, then %s: shares are compared, not samples",
			rate_text(&n->s->arena, a), rate_text(&n->s->arena, b));
}

static void
describe(struct joining *j, const char *label)
{
	struct snapshot *s = j->now;
	struct notes n = { .s = s };
	const char **list;

	note_events(j, &n);
	if (!j->same_profile)
		note_machines(j, &n);
	list = arena_alloc(&s->arena, (n.len + 1) * sizeof(*list));
	if (n.len > 0)
		memcpy(list, n.items, n.len * sizeof(*list));
	free(n.items);
	s->then = (struct snapshot_then){
		.label = arena_strdup(&s->arena, label), .window_s = j->then->head.window_have_s,
		.lacks = lack_of_shown(j), .needs_s = least_need(j),
		.notes = list, .note_count = n.len,
	};
}

static bool
is_any_compared(const struct joining *j)
{
	for (size_t i = 0; i < j->now->event_count; i++)
		if (j->lacks[i] == NULL)
			return true;
	return false;
}

/* What is written of stacks has no place for what is not known of THEN: it is as if none was asked for. */
static void
join_stacks(struct joining *j)
{
	struct snapshot *now = j->now;

	if (!is_any_compared(j)) {
		now->query.compare = COMPARE_NOTHING;
		return;
	}
	if (now->frames != NULL)
		difference_of_frames(now, j->then);
	if (now->stacks != NULL)
		difference_of_stacks(now, j->then, j->events);
}

void
difference_make(struct snapshot *now, struct snapshot *then, const char *label, bool same_profile)
{
	struct joining j = { .now = now, .then = then, .same_profile = same_profile,
			     .nodes_need_s = INFINITY };

	now->then_owner = then;
	match_events(&j);
	if (now->nodes != NULL)
		j.nodes_need_s = difference_of_nodes(now, then, j.events);
	if (now->frames != NULL || now->stacks != NULL)
		join_stacks(&j);
	index_then(&j);
	join_rows(&j);
	sort_rows(&j);
	describe(&j, label);
	index_release(&j.index);
	free(j.events);
	free(j.lacks);
	free(j.is_met);
	free(j.changes);
}
