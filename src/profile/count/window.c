/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window that ends now is kept incrementally: the newest interval is added, the one that falls out
 * subtracted.  In the newest tier it holds all of its event from win_first on; merged ones are flagged.
 */
#include "profile/count/window.h"

static bool
has_length(const struct profile *p)
{
	return p->window_ns != WINDOW_ALL && p->window_ns != WINDOW_SINCE_REPORT;
}

static uint64_t
length_ns(const struct interval *iv)
{
	return iv->end_ns - iv->start_ns;
}

/* Adds (+1) or subtracts (-1) an interval to the window counts of its entries. */
static void
apply(struct profile *p, const struct interval *iv, int sign)
{
	struct profile_event *ev = &p->events[iv->event];
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next(&p->log, iv, &pos, &d)) {
		struct cell *c = &p->tables.cells[d.table].items[d.id];

		if (sign > 0) {
			c->win_samples += d.samples;
			c->win_period += d.period;
		} else {
			c->win_samples -= d.samples;
			c->win_period -= d.period;
		}
	}
	ev->win_ns = sign > 0 ? ev->win_ns + length_ns(iv) : ev->win_ns - length_ns(iv);
}

bool
profile_window_has(const struct profile *p, const struct interval *iv)
{
	const struct interval_list *newest = &p->log.tiers[LOG_NEWEST];

	if (!has_length(p))
		return true;
	if (iv->seconds > 0)
		return iv->in_window;
	return newest->first + (uint64_t)(iv - &newest->items[newest->gone]) >=
	       p->events[iv->event].win_first;
}

bool
profile_window_has_time(const struct profile *p, uint32_t event, uint64_t time_ns)
{
	const struct profile_event *ev = &p->events[event];
	const struct interval *first;

	if (time_ns < ev->zero_ns)
		return false;
	if (!has_length(p))
		return time_ns < profile_shown_to_ns(p);
	if (profile_stands_still(p))
		return time_ns >= ev->win_from_ns && time_ns < ev->win_end_ns;
	if (ev->win_merged > 0)
		return time_ns + ev->win_ns >= ev->last_end_ns;
	first = log_at(&p->log, ev->win_first);
	return first != NULL && time_ns >= first->start_ns;
}

/* The next interval of @event from @serial on, before @end; the end if there is none. */
static uint64_t
next_of(const struct profile *p, uint32_t event, uint64_t serial, uint64_t end)
{
	serial = MAX(serial, log_first(&p->log));
	while (serial < end && log_at(&p->log, serial)->event != event)
		serial++;
	return serial;
}

/* Of merged ones in @event's window the oldest, NULL if there is none. */
static struct interval *
oldest_merged(const struct profile *p, uint32_t event)
{
	for (int t = LOG_TIERS - 1; p->events[event].win_merged > 0 && t > LOG_NEWEST; t--) {
		for (size_t i = 0; i < p->log.tiers[t].len; i++) {
			struct interval *iv = log_tier_at(&p->log, (enum log_tier)t, i);

			if (iv->in_window && iv->event == event)
				return iv;
		}
	}
	return NULL;
}

static void
take_out_merged(struct profile *p, struct interval *iv)
{
	apply(p, iv, -1);
	iv->in_window = false;
	p->events[iv->event].win_merged--;
}

/* Takes out of the window what is older than its length. */
static void
slide(struct profile *p, uint32_t event)
{
	struct profile_event *ev = &p->events[event];
	uint64_t end = log_end(&p->log);

	for (;;) {
		struct interval *merged = oldest_merged(p, event);
		const struct interval *iv = merged;

		if (iv == NULL) {
			ev->win_first = next_of(p, event, ev->win_first, end);
			if (ev->win_first >= end)
				return;
			iv = log_at(&p->log, ev->win_first);
		}
		/* The newest stays; half an interval more or less is as near as whole ones come. */
		if ((merged == NULL && ev->win_first + 1 == end) ||
		    ev->win_ns - length_ns(iv) + length_ns(iv) / 2 < p->window_ns)
			return;
		if (merged != NULL) {
			take_out_merged(p, merged);
		} else {
			apply(p, iv, -1);
			ev->win_first++;
		}
	}
}

void
window_take(struct profile *p, const struct interval *iv)
{
	if (profile_stands_still(p))
		return;
	apply(p, iv, +1);
	if (has_length(p))
		slide(p, iv->event);
}

bool
window_leave(struct profile *p, enum log_tier tier, uint64_t serial, const struct interval *iv)
{
	if (!has_length(p) || profile_stands_still(p))
		return false;
	if (tier != LOG_NEWEST && !iv->in_window)
		return false;
	if (tier == LOG_NEWEST && serial < p->events[iv->event].win_first)
		return false;
	apply(p, iv, -1);
	p->events[iv->event].win_merged -= tier != LOG_NEWEST;
	return true;
}

void
window_enter(struct profile *p, struct interval *iv)
{
	apply(p, iv, +1);
	iv->in_window = true;
	p->events[iv->event].win_merged++;
}

void
profile_forget_interval(struct profile *p)
{
	enum log_tier tier;
	const struct interval *iv = log_oldest(&p->log, &tier);

	if (iv == NULL)
		return;
	window_leave(p, tier, p->log.tiers[tier].first, iv);
	log_drop_first(&p->log, tier);
}

static void
clear(struct profile *p)
{
	for (int t = 0; t < TABLE_COUNT; t++) {
		for (size_t i = 1; i < p->tables.cells[t].len; i++) {
			p->tables.cells[t].items[i].win_samples = 0;
			p->tables.cells[t].items[i].win_period = 0;
		}
	}
	for (size_t i = 0; i < p->event_count; i++) {
		p->events[i].win_ns = 0;
		p->events[i].win_from_ns = p->events[i].win_end_ns = 0;
		p->events[i].win_merged = 0;
		p->events[i].win_first = log_end(&p->log);
	}
	for (int t = LOG_NEWEST + 1; t < LOG_TIERS; t++)
		for (size_t i = 0; i < p->log.tiers[t].len; i++)
			log_tier_at(&p->log, (enum log_tier)t, i)->in_window = false;
}

static uint64_t
middle_ns(const struct interval *iv)
{
	return iv->start_ns + length_ns(iv) / 2;
}

/*
 * Whether most of it is after the end.  What was as it was counted when the screen was frozen ended by
 * then; it may be merged with what came later.
 */
static bool
is_after_end(const struct profile *p, const struct interval *iv)
{
	if (p->end_ns == 0 && iv->seconds == 0)
		return iv->end_ns > profile_shown_to_ns(p);
	return middle_ns(iv) >= profile_shown_to_ns(p);
}

/* Whether most of it is before the stretch that ends there. */
static bool
is_before_begin(const struct profile *p, const struct interval *iv)
{
	return p->end_ns != 0 && middle_ns(iv) < p->end_ns - MIN(p->end_ns, p->window_ns);
}

/*
 * Whether it is as near to the window's length without that interval, which is before it.  Where a stretch
 * begins tells which intervals it has most of: one that goes beyond its end takes nothing from its begin.
 */
static bool
is_long_enough(const struct profile *p, const struct profile_event *ev, const struct interval *iv)
{
	if (p->window_ns == WINDOW_ALL || p->end_ns != 0)
		return false;
	/* A window that ends now has the newest at least. */
	if (ev->win_ns == 0 && p->window_ns != WINDOW_SINCE_REPORT)
		return false;
	return ev->win_ns + length_ns(iv) / 2 >= p->window_ns;
}

/* From an event's newest interval that begins before @before_ns back to its oldest. */
struct backward {
	uint32_t event;
	uint64_t before_ns;
	int tier;
	size_t left; /* of the tier, before the last that was given */
};

static struct interval *
back(const struct profile *p, struct backward *b)
{
	struct interval *iv;

	do {
		while (b->left == 0) {
			if (++b->tier >= LOG_TIERS)
				return NULL;
			b->left = log_count_before(&p->log, (enum log_tier)b->tier, b->event, b->before_ns);
		}
		iv = log_tier_at(&p->log, (enum log_tier)b->tier, --b->left);
	} while (iv->event != b->event);
	return iv;
}

/* Adds the interval that is before those that the window has. */
static void
extend(struct profile *p, const struct backward *at, struct interval *iv)
{
	struct profile_event *ev = &p->events[iv->event];

	if (ev->win_ns == 0)
		ev->win_end_ns = iv->end_ns;
	ev->win_from_ns = iv->start_ns;
	if (at->tier == LOG_NEWEST) {
		apply(p, iv, +1);
		ev->win_first = log_first(&p->log) + at->left;
	} else {
		window_enter(p, iv);
	}
}

/* A stretch shorter than its intervals is in one of them, if the event was sampled then. */
static void
choose_middle(struct profile *p, uint32_t event)
{
	uint64_t ns = p->end_ns - MIN(p->end_ns, p->window_ns / 2);
	struct backward b = { event, ns + 1, -1, 0 };
	struct interval *iv = back(p, &b);

	if (iv != NULL && ns < iv->end_ns && iv->end_ns > p->events[event].zero_ns)
		extend(p, &b, iv);
}

static void
sum_anew(struct profile *p, uint32_t event)
{
	struct profile_event *ev = &p->events[event];
	struct backward b = { event, profile_shown_to_ns(p), -1, 0 };
	struct interval *iv;

	while ((iv = back(p, &b)) != NULL) {
		if (is_after_end(p, iv))
			continue;
		if (iv->end_ns <= ev->zero_ns || is_long_enough(p, ev, iv) || is_before_begin(p, iv))
			break;
		extend(p, &b, iv);
	}
	if (ev->win_ns == 0 && p->end_ns != 0)
		choose_middle(p, event);
}

/* Sums each event's window anew from the log. */
static void
rebuild(struct profile *p)
{
	clear(p);
	for (uint32_t e = 0; e < p->event_count; e++)
		sum_anew(p, e);
}

bool
profile_stretch(const struct profile *p, uint32_t event, uint64_t *from_ns, uint64_t *to_ns)
{
	const struct profile_event *ev = &p->events[event];

	if (!profile_stands_still(p) || ev->win_ns == 0)
		return false;
	*from_ns = ev->win_from_ns;
	*to_ns = ev->win_end_ns;
	return true;
}

/* When the newest interval of all ended. */
static uint64_t
last_end_ns(const struct profile *p)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < p->event_count; i++)
		ns = MAX(ns, p->events[i].last_end_ns);
	return ns;
}

/* Where windows that end now begin and end: they freeze, and their intervals will be merged. */
static void
note_stretches(struct profile *p)
{
	for (uint32_t e = 0; e < p->event_count; e++) {
		struct profile_event *ev = &p->events[e];
		const struct interval *first = oldest_merged(p, e);

		if (first == NULL)
			first = log_at(&p->log, next_of(p, e, ev->win_first, log_end(&p->log)));
		ev->win_end_ns = ev->last_end_ns;
		ev->win_from_ns = first != NULL ? first->start_ns : ev->win_end_ns;
	}
}

void
profile_show(struct profile *p, uint64_t window_ns, bool frozen, uint64_t end_ns)
{
	bool is_other = p->window_ns != window_ns || p->end_ns != end_ns || (p->frozen && !frozen);
	bool freezes = frozen && !p->frozen && end_ns == 0;

	if (p->frozen != frozen)
		p->frozen_ns = last_end_ns(p);
	p->frozen = frozen;
	p->window_ns = window_ns;
	p->end_ns = end_ns;
	if (is_other)
		rebuild(p);
	else if (freezes)
		note_stretches(p);
}

void
profile_set_window(struct profile *p, uint64_t window_ns)
{
	profile_show(p, window_ns, p->frozen, p->end_ns);
}

void
profile_set_frozen(struct profile *p, bool frozen)
{
	profile_show(p, p->window_ns, frozen, p->end_ns);
}

void
profile_set_end(struct profile *p, uint64_t end_ns)
{
	profile_show(p, p->window_ns, p->frozen, end_ns);
}

const struct interval *
profile_next_since_report(const struct profile *p, uint64_t *at)
{
	for (*at = MAX(*at, log_first(&p->log)); *at < log_end(&p->log); (*at)++) {
		const struct interval *iv = log_at(&p->log, *at);

		if (*at < p->events[iv->event].win_first)
			continue;
		(*at)++;
		return iv;
	}
	return NULL;
}

/* Whether the log still has all that came into windows since the last report. */
static bool
has_all_since_report(const struct profile *p)
{
	for (size_t i = 0; i < p->event_count; i++)
		if (p->events[i].win_first < log_first(&p->log) || p->events[i].win_merged > 0)
			return false;
	return !profile_stands_still(p);
}

/* What came in is taken out again: that is no more work than it was, where tables may be of days. */
void
profile_next_report(struct profile *p)
{
	const struct interval *iv;
	uint64_t at = 0;

	if (p->window_ns != WINDOW_SINCE_REPORT)
		return;
	if (!has_all_since_report(p)) {
		clear(p);
		return;
	}
	while ((iv = profile_next_since_report(p, &at)) != NULL)
		apply(p, iv, -1);
	for (size_t i = 0; i < p->event_count; i++)
		p->events[i].win_first = log_end(&p->log);
}
