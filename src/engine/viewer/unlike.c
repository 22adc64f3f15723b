/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/unlike_impl.h"

#include <math.h>

enum {
	TRIES = 1024, /* so many looks are judged together: chance has as many tries in an hour */
	QUIET_S = 60, /* what was not so for so long is told again */
	BEFORE_LEAST = 24, /* seconds: fewer, with those that are looked at, tell how they vary, */
	FIRST = 20,        /* which takes so many */
	OVERLAP = 2,       /* seconds that two looks may share, */
	MISSED = 2,        /* and looks between them at which it was not so */
};

#define LEAST_POINTS 0.01 /* smaller differences are nobody's concern */

/* What it was @ago seconds before the newest. */
static double
past_at(const struct unlike *u, const struct unlike_past *p, unsigned ago)
{
	return p != NULL ? (double)p->of[(u->seconds - 1 - ago) % UNLIKE_PAST] : 0;
}

/* Whether it has sent enough to be looked at. */
static bool
tells(const struct unlike_host *h, size_t k)
{
	return h->is_there.sums[k] >= SHARE_LEAST_UNITS;
}

static double
share_on(const struct unlike *u, uint32_t host, const struct unlike_function *f, size_t k)
{
	const struct unlike_past *p = unlike_past_of(u, host, f);

	return p != NULL ? p->sums[k] / u->hosts[host].all.sums[k] : 0;
}

/* NULL: it was not seen lately. */
static struct unlike_seen *
find_seen(struct unlike *u, const struct unlike_key *key, size_t k)
{
	for (size_t i = 0; i < u->seen_len; i++)
		if (u->seen[i].look == k && unlike_is_key(&u->seen[i].key, key))
			return &u->seen[i];
	return NULL;
}

/* How many seconds what is looked at may have begun ago. */
static unsigned
begun_ago(struct unlike *u, size_t k, uint32_t host, const struct unlike_function *f)
{
	const struct unlike_seen *s = find_seen(u, &(struct unlike_key){ host, f->dso, f->name }, k);

	return unlike_looks[k].seconds + (s != NULL ? u->seconds - s->since : 0);
}

/* Seconds in which there was nothing tell nothing of how they vary. */
static void
add_second(struct share_moments *m, double of, double all)
{
	if (all > 0)
		share_add(m, MIN(MAX(of, 0), all), all);
}

/*
 * The host's function beside that of all others.  How much seconds vary is told by those before it was
 * so: what is new would seem to be chance.
 */
static void
compare(struct unlike *u, size_t k, uint32_t host, const struct unlike_function *f,
	struct share_change *change)
{
	const struct unlike_host *h = &u->hosts[host];
	const struct unlike_past *own = unlike_past_of(u, host, f);
	const unsigned have = MIN((unsigned)UNLIKE_PAST, u->seconds);
	const unsigned now = MIN(unlike_looks[k].seconds, have), begun = begun_ago(u, k, host, f);
	const double of = own != NULL ? own->sums[k] : 0, all = h->all.sums[k];
	struct share_sums here = { .unit_s = now, .spread_unit_s = 1 }, others = here;

	here.samples = h->samples.sums[k];
	others.samples = u->samples.sums[k] - here.samples;
	share_add(&here.window, of, all);
	share_add(&others.window, MAX(f->past.sums[k] - of, 0), u->all.sums[k] - all);
	for (unsigned ago = have; ago-- > (have >= begun + BEFORE_LEAST ? begun : 0);) {
		double of_s = past_at(u, own, ago), all_s = past_at(u, &h->all, ago);

		add_second(&here.spread, of_s, all_s);
		add_second(&others.spread, past_at(u, &f->past, ago) - of_s,
			   past_at(u, &u->all, ago) - all_s);
	}
	share_compare(change, &here, &others);
}

/* Whether a host without a cell of it may have much of it: there was no room. */
static bool
is_crowded(const struct unlike *u, const struct unlike_function *f, size_t k)
{
	return f->crowded != 0 && u->seconds - f->crowded < unlike_looks[k].seconds;
}

/* @of: what the host has of the function. */
static void
look_at(struct unlike *u, size_t k, uint32_t host, uint32_t function, double of)
{
	const struct unlike_function *f = &u->functions[function];
	const double all = u->hosts[host].all.sums[k], others = u->all.sums[k] - all;
	struct unlike_candidate *c;

	if (all <= 0 || others <= 0 || fabs(of / all - (f->past.sums[k] - of) / others) < LEAST_POINTS)
		return;
	vec_reserve(&u->candidates, &u->candidate_cap, u->candidate_len + 1, sizeof(*u->candidates));
	c = &u->candidates[u->candidate_len++];
	*c = (struct unlike_candidate){ .host = host, .function = function };
	compare(u, k, host, f, &c->change);
}

/* What hosts lack that all together have. */
static void
look_at_lacking(struct unlike *u, size_t k)
{
	for (uint32_t n = 0; n < u->function_len; n++) {
		const struct unlike_function *f = &u->functions[n];

		if (f->past.sums[k] < LEAST_POINTS / 2 * u->all.sums[k] || is_crowded(u, f, k))
			continue;
		for (uint32_t host = 0; host < u->host_len; host++)
			if (tells(&u->hosts[host], k) && unlike_past_of(u, host, f) == NULL)
				look_at(u, k, host, n, 0);
	}
}

static void
judge(struct unlike *u, size_t telling)
{
	vec_reserve(&u->changes, &u->change_cap, u->candidate_len + 1, sizeof(*u->changes));
	for (size_t i = 0; i < u->candidate_len; i++)
		u->changes[i] = &u->candidates[i].change;
	share_judge_among(u->changes, u->candidate_len, telling * u->function_len * TRIES);
}

/* Whether it has been so for half of the time: what comes and goes is nobody's concern. */
static bool
has_stayed(const struct unlike *u, size_t k, const struct unlike_candidate *c)
{
	const struct unlike_host *h = &u->hosts[c->host];
	const struct unlike_past *own = unlike_past_of(u, c->host, &u->functions[c->function]);
	const double middle = (c->change.now + c->change.then) / 2;
	const unsigned seconds = MIN(unlike_looks[k].seconds, u->seconds);
	unsigned there = 0, beyond = 0;

	for (unsigned ago = 0; ago < seconds; ago++) {
		double all = past_at(u, &h->all, ago), of = past_at(u, own, ago);

		there += all > 0;
		beyond += all > 0 && (of > middle * all) == (c->change.delta > 0);
	}
	return 2 * beyond >= there;
}

/* The most that one of the hosts may have for whose cells there was no room: all that these have. */
static double
unknown_share(const struct unlike *u, size_t k, const struct unlike_function *f)
{
	double rest = f->past.sums[k], least = INFINITY;

	if (!is_crowded(u, f, k))
		return 0;
	for (uint32_t host = 0; host < u->host_len; host++) {
		const struct unlike_past *p = unlike_past_of(u, host, f);

		if (p != NULL)
			rest -= p->sums[k];
		else if (tells(&u->hosts[host], k))
			least = MIN(least, u->hosts[host].all.sums[k]);
	}
	return MAX(rest, 0) / least;
}

/* Whether the others are nearer to each other than to it. */
static bool
is_alone(const struct unlike *u, size_t k, const struct unlike_candidate *c)
{
	const struct unlike_function *f = &u->functions[c->function];
	double low = INFINITY, high = unknown_share(u, k, f);
	size_t others = 0;

	for (uint32_t host = 0; host < u->host_len; host++) {
		double share;

		if (host == c->host || !tells(&u->hosts[host], k))
			continue;
		share = share_on(u, host, f, k);
		low = MIN(low, share);
		high = MAX(high, share);
		others++;
	}
	/* Of two each is not like the other: the one that has more is told. */
	if (others < 2)
		return others == 1 && c->change.now > high;
	return MAX(c->change.now - high, low - c->change.now) > high - low;
}

/*
 * Whether it was told, and has been so since then; or something of the host was told just now, or still
 * is so, and is more: where a host does more of one thing, it does less of all others.  What could not be
 * remembered is not told: it would be again and again.
 */
static bool
is_told(struct unlike *u, const struct unlike_key *key, double delta)
{
	bool is = u->told_len == UNLIKE_TOLD_MAX;

	for (size_t i = 0; i < u->told_len; i++) {
		struct unlike_told *t = &u->told[i];

		if (t->key.host != key->host)
			continue;
		if (unlike_is_key(&t->key, key))
			t->last = u->seconds;
		is |= unlike_is_key(&t->key, key) || u->seconds - t->since < QUIET_S || delta <= t->delta;
	}
	return is;
}

static void
forget_told(struct unlike *u)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->told_len; i++)
		if (u->seconds - u->told[i].last <= QUIET_S)
			u->told[kept++] = u->told[i];
	u->told_len = kept;
}

static void
find_most_of_hosts(struct unlike *u)
{
	for (size_t i = 0; i < u->host_len; i++)
		u->hosts[i].most = 0;
	for (size_t i = 0; i < u->candidate_len; i++) {
		const struct unlike_candidate *c = &u->candidates[i];
		struct unlike_host *h = &u->hosts[c->host];

		if (c->change.is_significant)
			h->most = MAX(h->most, fabs(c->change.delta));
	}
}

/* Of what differs on a host all else may follow from what differs most. */
static bool
is_most_of_host(const struct unlike *u, const struct unlike_candidate *c)
{
	return fabs(c->change.delta) >= u->hosts[c->host].most;
}

/*
 * Whether it was seen before, in other seconds than those that are looked at now: what wanders slowly
 * is far from the others for as long as one look, not for two.
 */
static bool
is_seen_again(struct unlike *u, const struct unlike_key *key, size_t k)
{
	struct unlike_seen *s = find_seen(u, key, k);

	if (s == NULL && u->seen_len == UNLIKE_TOLD_MAX)
		return false;
	if (s == NULL) {
		s = &u->seen[u->seen_len++];
		*s = (struct unlike_seen){ .key = *key, .look = k, .since = u->seconds };
	}
	s->last = u->seconds;
	return u->seconds - s->since + OVERLAP >= unlike_looks[k].seconds;
}

static void
forget_seen(struct unlike *u)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->seen_len; i++)
		if (u->seconds - u->seen[i].last <= MISSED * unlike_looks[u->seen[i].look].each)
			u->seen[kept++] = u->seen[i];
	u->seen_len = kept;
}

/* The one that differs most of those that are to be told; NULL: there is none. */
static const struct unlike_candidate *
choose(struct unlike *u, size_t k)
{
	const struct unlike_candidate *best = NULL;

	find_most_of_hosts(u);
	for (size_t i = 0; i < u->candidate_len; i++) {
		const struct unlike_candidate *c = &u->candidates[i];
		const struct unlike_function *f = &u->functions[c->function];
		const struct unlike_key key = { c->host, f->dso, f->name };

		if (!c->change.is_significant || is_told(u, &key, fabs(c->change.delta)))
			continue;
		if (!is_most_of_host(u, c) || !has_stayed(u, k, c) || !is_alone(u, k, c) ||
		    !is_seen_again(u, &key, k))
			continue;
		if (best == NULL || fabs(c->change.delta) > fabs(best->change.delta))
			best = c;
	}
	return best;
}

static const struct unlike_candidate *
look(struct unlike *u, size_t k)
{
	size_t telling = 0;

	for (size_t i = 0; i < u->host_len; i++)
		telling += tells(&u->hosts[i], k);
	u->candidate_len = 0;
	if (telling < 2)
		return NULL;
	for (size_t i = 0; i < u->cell_len; i++)
		if (tells(&u->hosts[u->cells[i].key.host], k))
			look_at(u, k, u->cells[i].key.host, u->cells[i].function, u->cells[i].past.sums[k]);
	look_at_lacking(u, k);
	if (u->candidate_len == 0)
		return NULL;
	judge(u, telling);
	return choose(u, k);
}

static void
tell(struct unlike *u, const struct unlike_candidate *c, size_t k, struct unlike_row *row)
{
	const struct unlike_function *f = &u->functions[c->function];

	u->told[u->told_len++] = (struct unlike_told){
		.key = { c->host, f->dso, f->name }, .delta = fabs(c->change.delta),
		.since = u->seconds, .last = u->seconds };
	*row = (struct unlike_row){
		.key = { u->hosts[c->host].host, f->dso, f->name },
		.share = c->change.now, .others = c->change.then,
		.seconds = MIN(unlike_looks[k].seconds, u->seconds) };
}

bool
unlike_end_second(struct unlike *u, struct unlike_row *row)
{
	const struct unlike_candidate *c = NULL;

	if (u == NULL)
		return false;
	unlike_turn(u);
	forget_told(u);
	forget_seen(u);
	for (size_t k = 0; k < UNLIKE_LOOKS && u->seconds >= FIRST; k++) {
		if (u->seconds % unlike_looks[k].each != 0 || (c = look(u, k)) == NULL)
			continue;
		tell(u, c, k, row);
		return true;
	}
	return false;
}
