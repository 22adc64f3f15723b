/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much the shares of rows vary: what each group has in each unit of time, of the window and, where
 * that is short, of the past before its end.  Units can be thousands, and most groups have nothing in most
 * of them: those are passed over.  What a group without anything shares with all is made good later.
 */
#include "profile/report/report_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a hot entry, once it was met. */
enum { NOT_MET, IN_BASE = 1 << 0, MET = 1 << 1 };

/* Groups that have something in the unit that is being summed, and those that had in the one before. */
struct active {
	uint32_t *now, *before;
	size_t now_len, before_len;
	size_t gaining; /* of @now, the first: those behind them have nothing any more */
	uint32_t *turns; /* by group: the last turn that it was among @now, plus one */
	uint32_t turn;
};

struct summing {
	struct report *r;
	struct active units, parts; /* of @gains; of @seconds */
	uint32_t event;
	bool is_merged;       /* the units of the stretch are: @parts tell its seconds */
	double unit_s, spread_unit_s; /* how long units of the window are, and of more time */
	uint8_t *marks;       /* by hot entry */
	uint32_t *groups;     /* by hot entry: its group plus one */
	double *gains;        /* by group: in the unit that is being summed */
	double all;           /* of all, in it */
	uint64_t length_ns;   /* of it */
	struct report_second *seconds; /* by group: in the interval, or second, that is being summed */
	double second_all;
	uint64_t second_ns;
	struct share_sums *sums; /* by group; the last is of all */
};

/* An entry without samples in the window belongs to a row that has some, if to any. */
static void
meet(struct summing *s, uint32_t id)
{
	struct report *r = s->r;
	const struct hot_key *hot = &r->src->profile->tables.hot[id];
	uint32_t group = r->entry_group[id];
	bool is_work = report_is_work(r, hot->who, hot->location);
	bool is_rest = report_is_rest(r, hot->location), is_shown = group != 0;
	const struct group *g;

	s->marks[id] = MET;
	if (r->query->shares != SHARES_OF_SHOWN && report_is_of_all(r, hot->who))
		s->marks[id] |= IN_BASE;
	if (!is_work)
		return;
	if (group == 0 && r->src->filter == NULL && report_in_scope(r, id) &&
	    !report_hides(r, hot->who, hot->location)) {
		g = group_lookup(&r->groups, id);
		group = g != NULL ? (uint32_t)(g - r->groups.items) + 1 : 0;
		is_shown = true;
	}
	s->groups[id] = group;
	if (is_shown || (is_rest && report_in_scope(r, id)))
		s->marks[id] |= IN_BASE;
}

static void
active_init(struct active *a, size_t groups)
{
	*a = (struct active){
		.now = mem_calloc(groups, sizeof(*a->now)), .before = mem_calloc(groups, sizeof(*a->before)),
		.turns = mem_calloc(groups, sizeof(*a->turns)),
	};
}

static void
active_release(struct active *a)
{
	free(a->now);
	free(a->before);
	free(a->turns);
}

static void
active_add(struct active *a, uint32_t group)
{
	if (a->turns[group] == a->turn + 1)
		return;
	a->turns[group] = a->turn + 1;
	a->now[a->now_len++] = group;
}

/* Those that had something in the unit before have nothing in this one, but that is one as well. */
static void
active_add_before(struct active *a)
{
	a->gaining = a->now_len;
	for (size_t i = 0; i < a->before_len; i++)
		active_add(a, a->before[i]);
}

static void
active_next(struct active *a)
{
	uint32_t *now = a->now;

	a->now = a->before;
	a->before = now;
	a->before_len = a->gaining;
	a->now_len = 0;
	a->turn++;
}

/* Which of a group's moments. */
enum moments_kind { MOMENTS_WINDOW, MOMENTS_SPREAD, MOMENTS_MERGED };

static struct share_moments *
moments_of(struct share_sums *s, enum moments_kind which)
{
	return which == MOMENTS_WINDOW ? &s->window : which == MOMENTS_SPREAD ? &s->spread : &s->merged;
}

/* What moments have of all, whosever they are. */
static void
copy_all(struct share_moments *to, const struct share_moments *from)
{
	to->units = from->units;
	to->all = from->all;
	to->all_all = from->all_all;
	to->all_all_next = from->all_all_next;
	to->last_all = from->last_all;
}

/* All groups have seen all units. */
static void
make_good(struct summing *s, enum moments_kind which)
{
	size_t count = s->r->groups.len;

	for (size_t g = 0; g < count; g++)
		copy_all(moments_of(&s->sums[g], which), moments_of(&s->sums[count], which));
}

static void
end_unit(struct summing *s, enum moments_kind which)
{
	struct share_moments *all = moments_of(&s->sums[s->r->groups.len], which);
	const double last_all = all->last_all;
	struct active *a = &s->units;

	/* In a tree a row has what those below it have. */
	report_add_up(s->r, s->gains, 1);
	for (uint32_t g = 0; s->r->tree != NULL && g < s->r->groups.len; g++)
		active_add(a, g);
	active_add_before(a);
	for (size_t i = 0; i < a->now_len; i++) {
		share_add_of(moments_of(&s->sums[a->now[i]], which), s->gains[a->now[i]], s->all, last_all);
		s->gains[a->now[i]] = 0;
	}
	share_add(all, s->all, s->all);
	active_next(a);
	s->all = 0;
	s->length_ns = 0;
}

void
report_second_add(struct report_second *to, const struct interval *iv, const struct delta *d)
{
	double squares, lagged;

	to->gain += (double)d->period;
	if (iv->seconds == 0)
		return;
	log_moments(iv, d, &squares, &lagged);
	to->deviation += sqrt(squares);
	to->squares += squares;
	to->lagged += lagged;
}

void
report_second_end(const struct report_second *sec, struct share_moments *m, unsigned seconds,
		  double all)
{
	double squares = sec->deviation * sec->deviation;
	double together = sec->squares > 0 ? sec->lagged / sec->squares : 0;

	share_add_merged(m, seconds, sec->gain, all, squares, squares * together);
}

static void
add_interval(struct summing *s, const struct interval *iv)
{
	const struct interval_log *log = &s->r->src->profile->log;
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next_hot(log, iv, &pos, &d)) {
		if (s->marks[d.id] == NOT_MET)
			meet(s, d.id);
		if (s->groups[d.id] != 0) {
			active_add(&s->units, s->groups[d.id] - 1);
			s->gains[s->groups[d.id] - 1] += (double)d.period;
		}
		if (s->groups[d.id] != 0 && s->is_merged) {
			active_add(&s->parts, s->groups[d.id] - 1);
			report_second_add(&s->seconds[s->groups[d.id] - 1], iv, &d);
		}
		if (s->marks[d.id] & IN_BASE) {
			s->all += (double)d.period;
			s->second_all += (double)d.period;
		}
	}
	s->length_ns += iv->end_ns - iv->start_ns;
	s->second_ns += iv->end_ns - iv->start_ns;
}

/* An interval that was merged, or what makes up a second, is over. */
static void
end_seconds(struct summing *s, const struct interval *iv)
{
	struct share_moments *all = &s->sums[s->r->groups.len].merged, before = *all;
	unsigned seconds = MAX(iv->seconds, 1);
	struct active *a = &s->parts;

	if (s->second_ns < REPORT_UNIT_NS)
		return;
	active_add_before(a);
	for (size_t i = 0; i < a->now_len; i++) {
		struct report_second *sec = &s->seconds[a->now[i]];
		struct share_moments *m = &s->sums[a->now[i]].merged;

		copy_all(m, &before);
		report_second_end(sec, m, seconds, s->second_all);
		*sec = (struct report_second){ 0 };
	}
	share_add_merged(all, seconds, s->second_all, s->second_all, 0, 0);
	active_next(a);
	s->second_all = 0;
	s->second_ns = 0;
}

/*
 * What is older is merged: units are as long as the longest of the stretch, so that all are alike.
 * Their sums are exact.
 */
static uint64_t
unit_ns(const struct summing *s, uint64_t from_ns, uint64_t to_ns)
{
	const struct interval *iv;
	struct log_walk w;
	uint64_t seconds = 1;

	log_walk_begin(&w, &s->r->src->profile->log, s->event, from_ns, to_ns);
	while ((iv = report_next_whole(&w)) != NULL)
		seconds = MAX(seconds, iv->seconds);
	return seconds * REPORT_UNIT_NS;
}

/* What is left at the end is too short to be a unit, unless it is all there is. */
static void
add_stretch(struct summing *s, uint64_t from_ns, uint64_t to_ns, bool is_spread)
{
	const uint64_t length_ns = unit_ns(s, from_ns, to_ns);
	const bool is_merged = !is_spread && length_ns > REPORT_UNIT_NS;
	const enum moments_kind which = is_spread ? MOMENTS_SPREAD : MOMENTS_WINDOW;
	const struct interval *iv;
	struct log_walk w;
	unsigned units = 0;

	s->is_merged = is_merged;
	log_walk_begin(&w, &s->r->src->profile->log, s->event, from_ns, to_ns);
	while ((iv = report_next_whole(&w)) != NULL) {
		add_interval(s, iv);
		if (is_merged)
			end_seconds(s, iv);
		if (!report_ends_unit(s->r->src, iv, s->length_ns, length_ns))
			continue;
		end_unit(s, which);
		units++;
	}
	if (s->length_ns > 0 && (units == 0 || s->length_ns >= length_ns / 2))
		end_unit(s, which);
	make_good(s, which);
	if (is_merged)
		make_good(s, MOMENTS_MERGED);
	s->units.now_len = s->units.before_len = s->parts.now_len = s->parts.before_len = 0;
	s->units.turn++;
	s->parts.turn++;
	memset(s->gains, 0, (s->r->groups.len + 1) * sizeof(*s->gains));
	memset(s->seconds, 0, (s->r->groups.len + 1) * sizeof(*s->seconds));
	s->all = s->second_all = 0;
	s->length_ns = s->second_ns = 0;
	*(is_spread ? &s->spread_unit_s : &s->unit_s) = (double)length_ns / (double)REPORT_UNIT_NS;
}

static void
sum_event(struct summing *s, uint32_t event)
{
	const struct profile *p = s->r->src->profile;
	uint64_t from_ns, to_ns, past_ns;

	s->event = event;
	if (!report_has_event(s->r, event))
		return;
	report_window_of(p, event, &from_ns, &to_ns);
	add_stretch(s, from_ns, to_ns, false);
	past_ns = MAX((uint64_t)(s->unit_s * SHARE_MANY_UNITS), SHARE_SPREAD_S) * NSEC_PER_SEC;
	if (s->sums[s->r->groups.len].window.units < SHARE_MANY_UNITS)
		add_stretch(s, to_ns - MIN(to_ns, past_ns), to_ns, true);
}

/* The sums of an event's groups, and of all of it. */
static void
keep(struct summing *s, const struct share_sums *sums)
{
	struct report *r = s->r;
	struct share_sums *all = arena_alloc(&r->out->arena, sizeof(*all));

	*all = sums[r->groups.len];
	r->event_sums[s->event] = all;
	for (size_t g = 0; g < r->groups.len; g++) {
		struct share_sums *own;

		if (r->src->profile->tables.hot[r->groups.items[g].first].event != s->event)
			continue;
		own = arena_alloc(&r->out->arena, sizeof(*own));
		*own = sums[g];
		own->samples = all->samples;
		own->unit_s = all->unit_s;
		own->spread_unit_s = all->spread_unit_s;
		r->rows[g].sums = own;
	}
}

void
report_find_sums(struct report *r)
{
	const struct profile *p = r->src->profile;
	size_t count = r->groups.len + 1, entries = p->tables.cells[TABLE_HOT].len;
	struct summing s;

	if (r->src->shown_event < p->event_count && report_wants_sums(r, r->src->shown_event) &&
	    report_find_kept_sums(r))
		return;
	s = (struct summing){
		.r = r, .marks = mem_calloc(entries, sizeof(*s.marks)),
		.groups = mem_calloc(entries, sizeof(*s.groups)),
		.gains = mem_calloc(count, sizeof(*s.gains)),
		.sums = mem_calloc(count, sizeof(*s.sums)),
		.seconds = mem_calloc(count, sizeof(*s.seconds)),
	};

	active_init(&s.units, count);
	active_init(&s.parts, count);
	for (uint32_t event = 0; event < p->event_count; event++) {
		if (!report_wants_sums(r, event))
			continue;
		memset(s.sums, 0, count * sizeof(*s.sums));
		sum_event(&s, event);
		s.sums[count - 1].samples = (double)r->total_samples[event];
		s.sums[count - 1].unit_s = s.unit_s;
		s.sums[count - 1].spread_unit_s = s.spread_unit_s;
		keep(&s, s.sums);
	}
	free(s.marks);
	free(s.groups);
	free(s.gains);
	free(s.sums);
	free(s.seconds);
	active_release(&s.units);
	active_release(&s.parts);
}
