/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a picture: the event, the window, what is missing, what ptop costs. */
#include "engine/viewer/viewer_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/count/feed.h"

#define CHANGE_SHOWN_S 60 /* of the past, before the window's end */
#define SURELY_BEFORE_NS (9 * NSEC_PER_SEC / 10) /* nearly a second: intervals are not all as long */
#define FORGOTTEN_LEAST 0.02 /* of a window: windows hold whole intervals */

/* Since the beginning; of what was before, 0. */
static double
since_begin_s(const struct viewer *v, uint64_t ns)
{
	return (double)(ns - MIN(ns, v->env->clock->begin_ns)) / 1e9;
}

/* Samples per second of the event, over its last second: intervals can be short. */
static double
recent_rate(const struct viewer *v, uint32_t event)
{
	const struct log_second s = log_last_second(&v->env->profile->log, event);

	/* Where nothing goes on, the last second is long ago. */
	return !v->env->measured->events[event].is_paused && s.ns > 0
	       ? (double)s.samples * 1e9 / (double)s.ns : 0;
}

/* The same; of an event that was chosen on a frozen screen nothing is of its moment. */
static double
shown_rate(const struct viewer *v, uint32_t event)
{
	if (!v->query.frozen)
		return recent_rate(v, event);
	return event < v->frozen.event_count ? v->frozen.rates[event] : 0;
}

/* How much of a recording counts, as far as it is read. */
static double
recorded_s(const struct stream_clock *c)
{
	uint64_t from_ns = MAX(c->begin_ns, c->from_ns), to_ns = stream_clock_now_ns(c);

	if (c->to_ns != 0)
		to_ns = MIN(to_ns, c->to_ns);
	return (double)(to_ns - MIN(to_ns, from_ns)) / 1e9;
}

double
head_window_s(const struct viewer *v, uint32_t event)
{
	const struct profile_event *pe = &v->env->profile->events[event];

	if (v->env->profile->window_ns != WINDOW_ALL)
		return (double)pe->win_ns / 1e9;
	/* Of a recording, in which it need not be from the start. */
	if (!v->env->policy->has_processes)
		return recorded_s(v->env->clock);
	return (double)pe->all_ns / 1e9;
}

/* How chains are taken, and why one may end too early. */
static const struct chain_way {
	uint64_t has; /* PERF_SAMPLE_*; 0: none of those above */
	const char *live, *recorded;
} chain_ways[] = {
	{ PERF_SAMPLE_STACK_USER, "unwinding ends here (!)", "unwinding ends here (!)" },
	{ PERF_SAMPLE_BRANCH_STACK, "the branch recorder is full (G)", "the branch recorder was full" },
	{ PERF_SAMPLE_CALLCHAIN, "no frame pointers here (G)", "no frame pointers here" },
	{ 0, "call chains are off (G)", "no call chains were recorded" },
};

static const struct chain_way *
chain_way(const struct engine_event *ev)
{
	const struct chain_way *way = chain_ways;

	while (way->has != 0 && !(ev->attr.sample_type & way->has))
		way++;
	return way;
}

bool
head_has_chains(const struct viewer *v, const struct engine_event *ev)
{
	return v->env->config->host_count > 0 || chain_way(ev)->has != 0;
}

/* Why the callers of a function may be unknown: how its chain was taken, and what reads further. */
static void
head_chains(const struct viewer *v, const struct engine_event *ev, struct snapshot_head *h)
{
	const struct chain_way *way = chain_way(ev);

	h->has_chains = head_has_chains(v, ev);
	h->chain_ends = v->env->config->host_count > 0 ? "hosts send the heaviest stacks alone"
			: v->env->policy->has_processes ? way->live : way->recorded;
}

static void
head_event(struct viewer *v, struct snapshot *s, uint64_t mono_ns)
{
	const uint32_t shown = v->env->measured->shown;
	const struct engine_event *ev = &v->env->measured->events[shown];
	const struct profile_event *pe = &v->env->profile->events[shown];
	struct snapshot_head *h = &s->head;
	uint64_t from_ns, to_ns;

	h->event = arena_strdup(&s->arena, measured_name(ev));
	if (ev->asked != NULL)
		h->event_asked = arena_strdup(&s->arena, ev->asked);
	if (event_takes_filter(&ev->spec))
		h->event_filter = arena_strdup(&s->arena, ev->spec.filter != NULL ? ev->spec.filter : "");
	head_chains(v, ev, h);
	h->is_freq = ev->is_freq;
	h->rate = measured_rate(ev);
	h->rate_asked = ev->is_freq ? MAX(ev->asked_hz, h->rate) : h->rate;
	h->switching = ev->opening;
	h->is_paused = ev->is_paused;
	h->switching_to = ev->opening ? h->event : "";
	h->window_have_s = head_window_s(v, shown);
	if (profile_stretch(v->env->profile, shown, &from_ns, &to_ns)) {
		h->have_from_s = since_begin_s(v, from_ns);
		h->have_to_s = since_begin_s(v, to_ns);
	}
	if (v->env->policy->has_processes &&
	    (ev->live == NULL || ev->is_paused || v->env->measured->stands_still) &&
	    pe->last_end_ns != 0)
		h->as_of_ns = clock_real_ns() -
			      (mono_ns - MIN(pe->last_end_ns, profile_shown_to_ns(v->env->profile)));
	h->samples_per_s = shown_rate(v, shown);
}

/* When the oldest interval that is kept began. */
static uint64_t
kept_ns(const struct viewer *v)
{
	enum log_tier tier;
	const struct interval *iv = log_oldest(&v->env->profile->log, &tier);

	return iv != NULL ? MAX(iv->start_ns, v->env->clock->begin_ns) : v->env->clock->begin_ns;
}

uint64_t
head_known_ns(const struct viewer *v)
{
	const struct engine_env *e = v->env;
	const uint32_t shown = e->measured->shown;

	return shown < e->profile->event_count ? MAX(kept_ns(v), e->profile->events[shown].zero_ns)
					       : kept_ns(v);
}

/* Of those that were lost, in the window. */
static uint64_t
window_lost(const struct viewer *v, uint64_t all, uint64_t now_ns)
{
	const struct query *q = &v->query;
	uint64_t from_ns = 0, to_ns = MIN(now_ns, profile_shown_to_ns(v->env->profile));

	if (!v->env->policy->has_processes || q->window_ns == WINDOW_ALL)
		return all;
	if (q->window_ns == WINDOW_SINCE_REPORT)
		return losses_between(v->env->losses, v->reported_ns, to_ns);
	if (to_ns > q->window_ns)
		from_ns = to_ns - q->window_ns;
	return losses_between(v->env->losses, from_ns, to_ns);
}

/* Samples and side-band. */
static uint64_t
all_lost(const struct viewer *v)
{
	return losses_all(v->env->losses, measured_lost_all(v->env->measured));
}

/* What is not noted as it comes is counted where it is. */
void
head_count_losses(const struct viewer *v, uint64_t losses[LOSS_KINDS])
{
	const struct losses *l = v->env->losses;
	const struct profile *p = v->env->profile;

	memcpy(losses, l->counts, LOSS_KINDS * sizeof(*losses));
	losses[LOSS_SAMPLES] = all_lost(v) - losses[LOSS_SIDEBAND];
	losses[LOSS_NOT_TARGETS] = v->env->feed->dropped;
	losses[LOSS_UNMAPPED] = v->env->feed->unmapped;
	losses[LOSS_DENIED] = v->env->feed->denied;
	losses[LOSS_STACKS] = p->folded_nodes;
	losses[LOSS_THREADS] = p->merged_threads;
	losses[LOSS_ADDRESSES] = p->folded_addresses;
	losses[LOSS_TASKS] = p->merged_tasks;
	losses[LOSS_NAMES] = p->merged_names;
	losses[LOSS_RARE] = p->folded_light;
	losses[LOSS_PAST] = p->dropped_intervals;
	losses[LOSS_SYMBOLS] = v->env->locations->images_given_back;
}

static void
fill_losses(const struct viewer *v, struct snapshot_head *h, uint64_t mono_ns)
{
	h->window_lost = window_lost(v, all_lost(v), mono_ns);
	if (v->query.frozen) {
		memcpy(h->losses, v->frozen.losses, sizeof(h->losses));
		h->throttled_ns = v->frozen.throttled_ns;
		return;
	}
	head_count_losses(v, h->losses);
	h->throttled_ns = v->env->losses->throttled_ns;
}

static void
fill_self(const struct viewer *v, struct snapshot_head *h)
{
	const bool frozen = v->query.frozen;

	h->self_cpu = frozen ? v->frozen.self_cpu : v->env->cost->cpu_percent;
	h->self_bytes = frozen ? v->frozen.self_bytes : v->env->cost->bytes;
}

/* When the event that is shown was begun anew, since the beginning: nothing older is shown. */
static double
zero_s(const struct viewer *v)
{
	const struct engine_env *e = v->env;

	if (e->measured->shown >= e->profile->event_count)
		return 0;
	return since_begin_s(v, e->profile->events[e->measured->shown].zero_ns);
}

/* What a window lacks of the past is no time without samples. */
static const char *
forgotten_part(const struct viewer *v, struct snapshot *s)
{
	const struct snapshot_head *h = &s->head;
	double to_s = h->window_end_s > 0 ? h->window_end_s : h->span_s;
	double from_s = MAX(to_s - h->window_s, 0);
	struct buf b = { 0 };
	const char *text = NULL;

	if (h->window_end_s > 0 && to_s <= zero_s(v)) {
		moment_put(&b, &h->moments, h->moments.begin_ns + (uint64_t)(zero_s(v) * 1e9));
		text = arena_printf(&s->arena, "this window is forgotten: z began anew at %s", b.data);
		buf_release(&b);
		return text;
	}
	if (v->query.window_ns == WINDOW_ALL || v->query.window_ns == WINDOW_SINCE_REPORT ||
	    (v->query.end_ns == 0 && v->env->profile->dropped_intervals == 0))
		return NULL;
	moment_put(&b, &h->moments, h->moments.kept_ns);
	if (h->past_s - from_s >= MAX(h->window_s * FORGOTTEN_LEAST, 0.05))
		text = arena_printf(&s->arena, h->past_s >= to_s
						       ? "nothing of this window is kept: kept from %s on"
						       : "kept from %s on: what was before is not in this window",
				    b.data);
	else if (v->query.end_ns != 0 && h->have_to_s == 0)
		text = "this event was not sampled then: nothing is known of this window";
	buf_release(&b);
	return text;
}

static bool
is_live(const struct viewer *v)
{
	return v->env->policy->has_processes || v->env->config->host_count > 0;
}

/* At most one line a minute, and as long: page C has all of them. */
static const struct change *
change_now(struct viewer *v)
{
	return is_live(v) ? changes_line(v->changes, clock_mono_ns()) : changes_newest(v->changes);
}

/* Of the past the last until then. */
static const struct change *
change_by(const struct viewer *v, uint64_t end_ns)
{
	const struct change *change = changes_by(v->changes, end_ns);

	if (change != NULL && is_live(v) && end_ns - change->at_ns > CHANGE_SHOWN_S * NSEC_PER_SEC)
		return NULL;
	return change;
}

/*
 * It is told to begin with a second of the log, and may have begun in the one before.  Of the past, a
 * merged interval that has both is of neither.
 */
static uint64_t
surely_before_ns(const struct viewer *v, const struct change *change)
{
	const uint64_t ns = change->at_ns - MIN(change->at_ns, SURELY_BEFORE_NS);
	const struct interval *iv;
	struct log_walk walk;

	log_walk_begin(&walk, &v->env->profile->log, v->env->measured->shown, ns, change->at_ns);
	iv = log_walk_next(&walk);
	return iv != NULL ? MIN(iv->start_ns, ns) : ns;
}

/* NULL: nothing has changed. */
static void
put_change(const struct viewer *v, const struct change *change, uint64_t now_ns, struct buf *b)
{
	if (change == NULL)
		return;
	if (*change->host == '\0')
		buf_addf(b, "%.0f s ago: ",
			 MAX(since_begin_s(v, now_ns) - since_begin_s(v, change->at_ns), 0));
	changes_put(b, change, viewer_event_name(v));
	buf_add_str(b, " (C: what changed)");
}

void
head_freeze(struct viewer *v)
{
	const struct measured *m = v->env->measured;
	struct frozen_head *f = &v->frozen;

	buf_reset(&f->change);
	put_change(v, change_now(v), stream_clock_now_ns(v->env->clock), &f->change);
	f->event_count = m->event_count;
	f->rates = mem_realloc(f->rates, m->event_count + 1, sizeof(*f->rates));
	for (uint32_t i = 0; i < m->event_count; i++)
		f->rates[i] = recent_rate(v, i);
	f->self_cpu = v->env->cost->cpu_percent;
	f->self_bytes = v->env->cost->bytes;
	head_count_losses(v, f->losses);
	f->throttled_ns = v->env->losses->throttled_ns;
}

void
head_release(struct viewer *v)
{
	buf_release(&v->frozen.change);
	free(v->frozen.rates);
}

static void
fill_change(struct viewer *v, struct snapshot *s)
{
	const struct profile *p = v->env->profile;
	const struct change *newest;
	struct buf b = { 0 };

	if (!v->env->config->is_watched)
		return;
	changes_update(v->changes, p, v->env->measured->shown);
	newest = changes_newest(v->changes);
	if (newest == NULL)
		return;
	s->head.before_change_s = since_begin_s(v, surely_before_ns(v, newest));
	if (p->end_ns != 0)
		put_change(v, change_by(v, p->end_ns), MIN(p->end_ns, stream_clock_now_ns(v->env->clock)), &b);
	else if (p->frozen)
		buf_add_str(&b, buf_str(&v->frozen.change));
	else
		put_change(v, change_now(v), stream_clock_now_ns(v->env->clock), &b);
	if (b.len > 0)
		s->head.change = arena_strdup(&s->arena, buf_str(&b));
	buf_release(&b);
}

/* Its sums are of all that time: a rate by what was asked for would be wrong. */
static void
put_late(const struct viewer *v, struct part_notices *n)
{
	const struct measured *m = v->env->measured;

	if (m->late_ns > 0)
		part_notice(n, arena_printf(n->arena, "this report is of %.1f s, %.1f s more than asked "
					    "for: ptop was held up", (double)m->report_ns / 1e9,
					    (double)m->late_ns / 1e9));
}

/*
 * What is left out, one line each.  Few lines are shown: what has just broken stands first, then what all
 * of the screen is about.
 */
static void
fill_notices(struct viewer *v, struct snapshot *s)
{
	struct part_notices n = { .arena = &s->arena };
	const char **list, *nameless = nameless_notice_text(&v->nameless);

	for (size_t i = 0; i < v->parts->count; i++)
		if (v->parts->items[i].ops->put_broken != NULL)
			v->parts->items[i].ops->put_broken(v->parts->items[i].self, &n);
	put_late(v, &n);
	part_notice(&n, s->head.change);
	part_notice(&n, s->head.forgotten);
	counter_view_put_limits(v, &n);
	for (size_t i = 0; i < v->parts->count; i++)
		if (v->parts->items[i].ops->put_limits != NULL)
			v->parts->items[i].ops->put_limits(v->parts->items[i].self, &n);
	part_notice(&n, nameless != NULL ? arena_strdup(&s->arena, nameless) : NULL);
	for (size_t i = 0; i < v->parts->count; i++)
		if (v->parts->items[i].ops->put_notices != NULL)
			v->parts->items[i].ops->put_notices(v->parts->items[i].self, &n);
	part_notice(&n, unswitched_notice(v, &s->arena));
	list = arena_alloc(&s->arena, (n.len + 1) * sizeof(*list));
	if (n.len > 0)
		memcpy(list, n.items, n.len * sizeof(*list));
	free(n.items);
	s->head.notices = list;
	s->head.notice_count = n.len;
}

/* When the screen was frozen, 0: it is not.  While a recording is read its times are no times of day. */
static uint64_t
frozen_live_ns(const struct viewer *v)
{
	if (!v->query.frozen || v->env->clock->is_recorded)
		return 0;
	return MAX(v->env->profile->frozen_ns, v->env->clock->begin_ns);
}

void
head_fill(struct viewer *v, struct snapshot *s, uint64_t mono_ns)
{
	const uint64_t frozen_ns = frozen_live_ns(v);
	struct snapshot_head *h = &s->head;

	processes_fill_head(v, s);
	h->now_ns = clock_real_ns() - (frozen_ns != 0 ? clock_mono_ns() - frozen_ns : 0);
	h->event = h->switching_to = "";
	h->window_s = v->query.window_ns == WINDOW_ALL ? -1 : (double)v->query.window_ns / 1e9;
	h->window_end_s = (double)v->query.end_ns / 1e9;
	h->span_s = (double)(stream_clock_now_ns(v->env->clock) - v->env->clock->begin_ns) / 1e9;
	h->moments = (struct moments){ v->env->clock->wall, v->env->clock->begin_ns,
				       stream_clock_now_ns(v->env->clock), kept_ns(v) };
	h->past_s = (double)(h->moments.kept_ns - h->moments.begin_ns) / 1e9;
	h->frozen_s = since_begin_s(v, frozen_ns);
	if (v->env->measured->shown < v->env->measured->event_count)
		head_event(v, s, mono_ns);
	fill_losses(v, h, mono_ns);
	h->forgotten = forgotten_part(v, s);
	fill_self(v, h);
	for (size_t i = 0; i < v->parts->count; i++)
		if (v->parts->items[i].ops->put_head != NULL)
			v->parts->items[i].ops->put_head(v->parts->items[i].self, s);
	fill_change(v, s);
	fill_notices(v, s);
}
