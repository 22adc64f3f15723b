/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of one program changes at the same time is told once: the program if all of it has changed,
 * else the function that has changed most; or its caller, if others that this one calls have changed
 * with it.
 */
#include "engine/viewer/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/viewer/change_caller.h"
#include "engine/viewer/change_rows.h"
#include "engine/viewer/unlike.h"
#include "profile/place/location.h"

#define NEARLY 0.8 /* of the largest change: that is about as large */

enum { TOGETHER_S = 15, LINE_S = 60 };

struct changes {
	uint32_t event;
	uint64_t until_ns;   /* the log was looked at up to there */
	uint64_t length_ns;  /* of the second that is being summed */
	double all, samples; /* in it */
	unsigned seconds;    /* looked at so far, */
	uint64_t began_ns[CUSUM_PAST]; /* when each of the last did, a ring */
	uint64_t second_ns;  /* when that which is being summed did */
	struct change_rows rows;
	struct unlike *unlike; /* NULL: no other host has sent anything */
	struct change list[CHANGES_MAX]; /* a ring */
	size_t told;
	size_t line;            /* which of those told changes_line() gives, from 1, 0: none, */
	uint64_t line_until_ns; /* and until when */
};

struct changes *
changes_new(void)
{
	struct changes *c = mem_calloc(1, sizeof(*c));

	c->event = UINT32_MAX;
	return c;
}

static void
release_change(struct change *change)
{
	free(change->event);
	free(change->host);
	free(change->comm);
	free(change->function);
	free(change->most);
	free(change->caller);
	free(change->instead);
	*change = (struct change){ 0 };
}

void
changes_free(struct changes *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < CHANGES_MAX; i++)
		release_change(&c->list[i]);
	change_rows_release(&c->rows);
	unlike_free(c->unlike);
	free(c);
}

const struct change *
changes_at(const struct changes *c, size_t n)
{
	if (n >= MIN(c->told, (size_t)CHANGES_MAX))
		return NULL;
	return &c->list[(c->told - 1 - n) % CHANGES_MAX];
}

static int
compare_times(const void *a, const void *b)
{
	const struct change *x = *(const struct change *const *)a, *y = *(const struct change *const *)b;

	return (x->at_ns < y->at_ns) - (x->at_ns > y->at_ns);
}

static int
compare_sizes(const void *a, const void *b)
{
	const struct change *x = *(const struct change *const *)a, *y = *(const struct change *const *)b;
	double p = fabs(x->points), q = fabs(y->points);

	return (p < q) - (p > q);
}

/* Least has what came or went: all others gave way to it, or took its place. */
static double
least_share(const struct change *change)
{
	return MIN(change->before, change->after);
}

/* Those that began together: the largest first, or what came or went if that is nearly as large. */
static void
sort_together(const struct change **list, size_t len)
{
	const struct change *first;
	size_t best = 0;

	qsort(list, len, sizeof(*list), compare_sizes);
	for (size_t i = 1; i < len && fabs(list[i]->points) >= NEARLY * fabs(list[0]->points); i++)
		if (least_share(list[i]) < least_share(list[best]))
			best = i;
	first = list[best];
	memmove(list + 1, list, best * sizeof(*list));
	list[0] = first;
}

size_t
changes_list(const struct changes *c, const struct change *list[CHANGES_MAX])
{
	size_t len = 0, from = 0;

	while (len < CHANGES_MAX && (list[len] = changes_at(c, len)) != NULL)
		len++;
	if (len > 0)
		qsort(list, len, sizeof(*list), compare_times);
	for (size_t to = 0; from < len; from = to) {
		while (to < len && list[from]->at_ns < list[to]->at_ns + TOGETHER_S * NSEC_PER_SEC)
			to++;
		sort_together(list + from, to - from);
	}
	return len;
}

const struct change *
changes_newest(const struct changes *c)
{
	return changes_by(c, UINT64_MAX);
}

const struct change *
changes_by(const struct changes *c, uint64_t ns)
{
	const struct change *list[CHANGES_MAX];
	const size_t len = changes_list(c, list);

	for (size_t i = 0; i < len; i++)
		if (list[i]->at_ns <= ns)
			return list[i];
	return NULL;
}

static bool
are_together(const struct change *a, const struct change *b)
{
	return MAX(a->at_ns, b->at_ns) < MIN(a->at_ns, b->at_ns) + TOGETHER_S * NSEC_PER_SEC &&
	       strcmp(a->host, b->host) == 0;
}

/* The first of those that began together with one. */
static const struct change *
first_of(const struct changes *c, const struct change *one)
{
	const struct change *list[CHANGES_MAX], *change;
	size_t len = 0;

	for (size_t n = 0; (change = changes_at(c, n)) != NULL; n++)
		if (are_together(one, change))
			list[len++] = change;
	sort_together(list, len);
	return list[0];
}

/* A line does so to what is larger, and when it may hold no more: the same has changed again. */
static bool
gives_way(const struct change *line, const struct change *to)
{
	return fabs(to->points) > fabs(line->points) ||
	       (strcmp(line->comm, to->comm) == 0 && strcmp(line->function, to->function) == 0 &&
		strcmp(line->host, to->host) == 0);
}

const struct change *
changes_line(struct changes *c, uint64_t now_ns)
{
	const bool is_over = now_ns >= c->line_until_ns;
	const struct change *line = c->line > 0 ? changes_at(c, c->told - c->line) : NULL, *change;

	if (line != NULL)
		line = first_of(c, line);
	for (size_t n = 0; n < c->told - c->line && (change = changes_at(c, n)) != NULL; n++) {
		if (line != NULL && (are_together(line, change) || !(is_over || gives_way(line, change))))
			continue;
		c->line = c->told - n;
		c->line_until_ns = now_ns + LINE_S * NSEC_PER_SEC;
		line = first_of(c, change);
		break;
	}
	return now_ns < c->line_until_ns ? line : NULL;
}

size_t
changes_bytes(const struct changes *c)
{
	return sizeof(*c) + change_rows_bytes(&c->rows) + unlike_bytes(c->unlike);
}

void
changes_put(struct buf *b, const struct change *change, const char *shown)
{
	if (*change->host != '\0')
		buf_addf(b, "%s is not like the others: ", change->host);
	buf_addf(b, "%+.1f points ", change->points);
	if (*change->function != '\0')
		buf_addf(b, "%s%s%s (%s)", change->function, *change->caller != '\0' ? " < " : "",
			 change->caller, change->comm);
	else
		buf_add_str(b, change->comm);
	if (*change->most != '\0')
		buf_addf(b, ", most of it %s", change->most);
	if (*change->instead != '\0' && change->points > 0)
		buf_addf(b, ", in place of %s", change->instead);
	else if (*change->instead != '\0')
		buf_addf(b, ", %s in its place", change->instead);
	if (strcmp(change->event, shown) != 0)
		buf_addf(b, ", event %s", change->event);
}

/* The program's change that was told of about the same time; NULL: there is none. */
static struct change *
find_told(struct changes *c, const char *event, const char *comm, uint64_t at_ns)
{
	for (size_t n = 0; n < MIN(c->told, (size_t)CHANGES_MAX); n++) {
		struct change *old = &c->list[(c->told - 1 - n) % CHANGES_MAX];

		if (*old->host == '\0' && strcmp(old->comm, comm) == 0 && strcmp(old->event, event) == 0 &&
		    at_ns < old->at_ns + TOGETHER_S * NSEC_PER_SEC)
			return old;
	}
	return NULL;
}

/* What is known later does so if it is to be told first; of a program only what has changed more. */
static bool
takes_its_place(const struct cusum_change *change, uint64_t at_ns, const struct change *told)
{
	const struct change later = {
		.at_ns = at_ns, .before = change->before, .after = change->after,
		.points = (change->after - change->before) * 100, .host = told->host,
	};
	const struct change *list[] = { told, &later };

	if (!are_together(told, &later))
		return false;
	if (*told->function == '\0')
		return fabs(told->points) < NEARLY * fabs(later.points);
	sort_together(list, ARRAY_SIZE(list));
	return list[0] == &later;
}

static char *
copy_name(const struct strs *strs, uint32_t name)
{
	return mem_strdup(name != 0 ? strs_get(strs, name) : "");
}

/* When the second so long ago began. */
static uint64_t
ago_ns(const struct changes *c, unsigned seconds)
{
	unsigned ago = MIN(seconds, MIN(c->seconds + 1, (unsigned)CUSUM_PAST)) - 1;

	return c->began_ns[(c->seconds - ago) % CUSUM_PAST];
}

static void
tell_unlike(struct changes *c, const struct profile *p, const struct unlike_row *row)
{
	const struct strs *strs = &p->model->strs;
	struct change *to = &c->list[c->told++ % CHANGES_MAX];

	release_change(to);
	*to = (struct change){
		.event = mem_strdup(p->events[c->event].name),
		.at_ns = ago_ns(c, row->seconds), .before = row->others, .after = row->share,
		.points = (row->share - row->others) * 100,
		.host = copy_name(strs, row->key.host), .function = copy_name(strs, row->key.name),
		.comm = copy_name(strs, dsos_get(&p->model->dsos, row->key.dso)->name),
		.most = mem_strdup(""), .caller = mem_strdup(""), .instead = mem_strdup(""),
	};
}

/* What has most of what is told @to: of a program, or of a caller the function that changed. */
static char *
copy_most(const struct profile *p, const struct change_of *what, const struct cusum_change *change,
	  const struct change *to)
{
	double all = to->after - to->before;
	struct buf b = { 0 };
	char *most;

	if (*to->function == '\0')
		change_caller_put_most(p, what, all, &b);
	else if ((change->after - change->before) / all >= CHANGE_MOST_PART)
		buf_add_str(&b, strs_get(&p->model->strs, what->function));
	most = mem_strdup(buf_str(&b));
	buf_release(&b);
	return most;
}

static void
tell(struct changes *c, const struct profile *p, const struct changing *row,
     const struct cusum_change *change)
{
	const struct strs *strs = &p->model->strs;
	uint64_t at_ns = ago_ns(c, change->seconds);
	struct change *to = find_told(c, p->events[c->event].name, strs_get(strs, row->comm), at_ns);
	const struct change_of what = { c->event, row->comm, row->name, at_ns, c->until_ns };
	struct change_caller caller = { 0 };
	bool is_whole;

	if (to != NULL && !takes_its_place(change, at_ns, to))
		return;
	if (to == NULL)
		to = &c->list[c->told++ % CHANGES_MAX];
	if (row->name != 0)
		change_caller_find(p, &what, &caller);
	release_change(to);
	*to = (struct change){
		.event = mem_strdup(p->events[c->event].name),
		.at_ns = at_ns, .before = change->before, .after = change->after,
		.host = mem_strdup(""),
		.comm = mem_strdup(strs_get(strs, row->comm)),
	};
	if (caller.is_together) {
		to->before = caller.before;
		to->after = caller.after;
		to->function = copy_name(strs, caller.is_program ? 0 : caller.name);
	} else {
		to->function = copy_name(strs, row->name);
	}
	is_whole = row->name == 0 || caller.is_together;
	to->most = is_whole ? copy_most(p, &what, change, to) : mem_strdup("");
	to->caller = copy_name(strs, caller.is_together ? 0 : caller.name);
	to->instead = copy_name(strs, caller.instead);
	to->points = (to->after - to->before) * 100;
}

struct alarm {
	const struct changing *row;
	struct cusum_change change;
};

static int
compare_alarms(const void *a, const void *b)
{
	const struct alarm *x = a, *y = b;
	double p = fabs(x->change.after - x->change.before);
	double q = fabs(y->change.after - y->change.before);

	return (p > q) - (p < q);
}

/* Of each program the largest; the largest of all comes last, as the newest. */
static void
tell_alarms(struct changes *c, const struct profile *p, struct alarm *alarms, size_t count)
{
	if (count > 0)
		qsort(alarms, count, sizeof(*alarms), compare_alarms);
	for (size_t i = 0; i < count; i++) {
		bool is_largest = true;

		for (size_t k = i + 1; k < count; k++)
			is_largest &= alarms[k].row->comm != alarms[i].row->comm;
		if (is_largest)
			tell(c, p, alarms[i].row, &alarms[i].change);
	}
}

/* A debug file has come: what has no samples any more has them by its name. */
static bool
is_named_by_now(const struct profile *p, const struct changing *row)
{
	const struct locations *l = p->locations;

	return row->name != 0 && l->items[locations_resolve(l, row->location)].name != row->name;
}

/* Programs first: functions of one that was told are not told again. */
static void
find_alarms(struct changes *c, const struct profile *p)
{
	struct alarm alarms[CHANGE_ROWS_MAX];

	for (int is_function = 0; is_function < 2; is_function++) {
		size_t count = 0;

		for (size_t i = 0; i < c->rows.len; i++) {
			struct changing *row = &c->rows.items[i];

			if (row->cusum == NULL || (row->name != 0) != is_function)
				continue;
			alarms[count].row = row;
			if (cusum_add(row->cusum, row->gain / c->all, c->samples, &alarms[count].change))
				count += !is_named_by_now(p, row);
		}
		tell_alarms(c, p, alarms, count);
	}
}

static void
end_second(struct changes *c, const struct profile *p)
{
	struct unlike_row unlike;

	c->began_ns[c->seconds % CUSUM_PAST] = c->second_ns;
	if (c->all > 0) {
		change_rows_settle(&c->rows, c->all);
		find_alarms(c, p);
	}
	if (unlike_end_second(c->unlike, &unlike))
		tell_unlike(c, p, &unlike);
	c->seconds += c->all > 0;
	change_rows_begin_second(&c->rows);
	c->all = c->samples = 0;
	c->length_ns = 0;
}

static void
add_to_host(struct changes *c, const struct profile *p, const struct delta *d, const struct location *loc)
{
	const struct who *who = &p->model->whos[p->tables.hot[d->id].who];
	const struct unlike_key key = {
		.host = p->model->tasks[who->task].host, .dso = loc->dso,
		.name = location_is_named(loc) && !loc->is_rest ? loc->name : 0,
	};

	if (key.host == 0)
		return;
	if (c->unlike == NULL)
		c->unlike = unlike_new();
	unlike_add(c->unlike, &key, (double)d->period, d->samples);
}

static void
add_delta(struct changes *c, const struct profile *p, const struct delta *d)
{
	const struct hot_key *hot = &p->tables.hot[d->id];
	const uint32_t place = locations_resolve(p->locations, hot->location);
	const struct location *loc = &p->locations->items[place];
	uint32_t comm = p->model->whos[hot->who].comm;
	struct changing *row = change_rows_find(&c->rows, comm, 0);

	c->all += (double)d->period;
	c->samples += d->samples;
	if (row != NULL)
		row->gain += (double)d->period;
	add_to_host(c, p, d, loc);
	row = location_is_function(loc) ? change_rows_find(&c->rows, comm, loc->name) : NULL;
	if (row == NULL)
		return;
	row->gain += (double)d->period;
	row->location = place;
}

static void
begin_anew(struct changes *c, const struct profile *p, uint32_t event)
{
	c->event = event;
	c->until_ns = p->events[event].last_end_ns;
	c->seconds = 0;
	c->all = c->samples = 0;
	c->length_ns = 0;
	change_rows_release(&c->rows);
	unlike_free(c->unlike);
	c->unlike = NULL;
	/* A recording is there at once: all of it is looked at. */
	if (!p->keeps_past || log_oldest(&p->log, &(enum log_tier){ LOG_NEWEST }) == NULL)
		return;
	c->until_ns = log_oldest(&p->log, &(enum log_tier){ LOG_NEWEST })->start_ns;
}

void
changes_update(struct changes *c, const struct profile *p, uint32_t event)
{
	const struct interval *iv;
	struct log_walk w;

	if (event >= p->event_count)
		return;
	if (c->event != event)
		begin_anew(c, p, event);
	log_walk_begin(&w, &p->log, event, c->until_ns, UINT64_MAX);
	while ((iv = log_walk_next(&w)) != NULL) {
		struct log_pos pos = { 0 };
		struct delta d;

		/* What was merged has no seconds any more. */
		if (iv->start_ns < c->until_ns || iv->seconds > 1)
			continue;
		if (c->length_ns == 0)
			c->second_ns = iv->start_ns;
		while (log_next_hot(&p->log, iv, &pos, &d))
			add_delta(c, p, &d);
		c->length_ns += iv->end_ns - iv->start_ns;
		c->until_ns = iv->end_ns;
		/* As near to a second as whole intervals come. */
		if (c->length_ns + (iv->end_ns - iv->start_ns) / 2 >= NSEC_PER_SEC)
			end_second(c, p);
	}
}
