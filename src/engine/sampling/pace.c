/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that the kernel counts itself, page faults and switches, come in bursts.  Its frequencies
 * take the pace of a burst for that of what follows, which then has no samples, and those of the
 * burst weigh too much.  So each of their times is a sample while that is no more than the frequency
 * would be, on the busiest CPU and in the mean of a second; else the period is raised, in steps of
 * STEP, and later lowered again.  Whatever it is, each sample stands for exactly so many: sums stay
 * right.
 */
#include "engine/sampling/sampling_impl.h"

enum {
	STEP = SESSION_PERIOD_STEP,
	FLOOD_STEP = STEP * STEP, /* where as much as twice that is too little */
	PERIOD_MOST = 1 << 20,
	LOOK_EACH_MS = 5,
	BURST_MS = 1000,  /* so much of what is allowed may come at once, */
	FLOOD_MS = 100,   /* but less while a flood goes on */
	QUIET_S = 3,      /* so long it has to be slower, until the period is lowered */
	LOSS_S = 60,      /* so long it stays, if bursts have overflowed the rings */
	SETTLING_S = 2,   /* so long after a change losses from before it are told */
	PATIENCE_S = 1,   /* then what was not opened anew is asked for once more */
};

/* Of what is allowed: so much may come by a lower period. */
static const double EASY = 0.8;

/* How often it has come since the last time on the CPU where it came most. */
static double
came(const struct sampling *sp, uint32_t event)
{
	const struct cells *cells = &sp->profile->tables.cells[TABLE_CPU];
	struct event_pace *p = &sp->measured->events[event].pace;
	uint64_t beside = sp->profile->events[event].dropped + feed_waiting(sp->feed, event), most = 0;
	double n = ((double)beside - (double)p->beside) *
		   (double)session_rate(sp->measured->events[event].live);

	p->beside = beside;
	vec_reserve_zeroed(&p->by_cpu, &p->cpu_cap, cells->len, sizeof(*p->by_cpu));
	for (size_t id = 1; id < cells->len; id++) {
		uint64_t now = cells->items[id].all_period;

		if (sp->profile->tables.cpus[id].event == event && now > p->by_cpu[id])
			most = MAX(most, now - p->by_cpu[id]);
		p->by_cpu[id] = now; /* less, if all begins anew from zero */
	}
	return MAX(n + (double)most, 0);
}

static void
begin(struct engine_event *ev, uint64_t now_ns)
{
	uint64_t before = ev->rate, room_ms = BURST_MS;
	struct event_pace *p = &ev->pace;

	ev->rate = p->period = session_rate(ev->live);
	if (p->seen_ns != 0 && ev->rate > before)
		room_ms = FLOOD_MS;
	p->room = (double)(p->hz * room_ms) / 1000;
	p->seen_ns = now_ns;
	p->full = p->easy = (struct pace_mark){ p->count, now_ns };
	p->lost = ev->lost_now;
}

static void
ask(struct sampling *sp, struct engine_event *ev, uint64_t period, uint64_t now_ns)
{
	struct event_pace *p = &ev->pace;

	p->period = MIN(MAX(period, 1), (uint64_t)PERIOD_MOST);
	p->asked_ns = now_ns;
	p->is_raised |= p->period > 1;
	session_set_period(sp->session, ev->live, p->period);
}

/* How many a second. */
static double
since(const struct pace_mark *m, double count, uint64_t now_ns)
{
	return (count - m->count) * 1e9 / (double)MAX(now_ns - m->ns, 1);
}

/* What may come at once gets less by what came, and more by time. */
static void
fill(struct event_pace *p, double samples, uint64_t now_ns)
{
	const double most = (double)(p->hz * BURST_MS) / 1000;

	p->room += (double)p->hz * (double)(now_ns - p->seen_ns) / 1e9;
	if (p->room >= most) {
		p->room = most;
		p->full = (struct pace_mark){ p->count, p->seen_ns };
	}
	p->room -= samples;
}

static bool
raise_period(struct sampling *sp, struct engine_event *ev, uint64_t now_ns)
{
	struct event_pace *p = &ev->pace;
	double much = since(&p->full, p->count, now_ns) / (double)ev->rate;
	bool has_lost = ev->lost_now > p->lost;

	p->lost = ev->lost_now;
	if (p->room < 0) {
		ask(sp, ev, ev->rate * (much > (double)p->hz * STEP * 2 ? FLOOD_STEP : STEP), now_ns);
		return true;
	}
	if (!has_lost || now_ns - p->asked_ns < SETTLING_S * NSEC_PER_SEC)
		return false;
	p->held_ns = now_ns + LOSS_S * NSEC_PER_SEC;
	ask(sp, ev, ev->rate * STEP, now_ns);
	return true;
}

static void
lower_period(struct sampling *sp, struct engine_event *ev, uint64_t now_ns)
{
	struct event_pace *p = &ev->pace;
	double much;

	if (now_ns - p->easy.ns < QUIET_S * NSEC_PER_SEC)
		return;
	much = since(&p->easy, p->count, now_ns);
	p->easy = (struct pace_mark){ p->count, now_ns };
	if (ev->rate > 1 && now_ns >= p->held_ns &&
	    much * STEP / (double)ev->rate < (double)p->hz * EASY)
		ask(sp, ev, ev->rate / STEP, now_ns);
}

static void
look(struct sampling *sp, uint32_t event, uint64_t now_ns)
{
	struct engine_event *ev = &sp->measured->events[event];
	struct event_pace *p = &ev->pace;
	double count;

	if (now_ns - p->seen_ns < LOOK_EACH_MS * NSEC_PER_MSEC)
		return;
	count = came(sp, event);
	if (p->seen_ns == 0 || ev->rate != session_rate(ev->live)) {
		begin(ev, now_ns);
		return;
	}
	p->count += count;
	if (p->period == ev->rate || now_ns - p->asked_ns >= PATIENCE_S * NSEC_PER_SEC) {
		fill(p, count / (double)ev->rate, now_ns);
		if (!raise_period(sp, ev, now_ns))
			lower_period(sp, ev, now_ns);
	}
	p->seen_ns = now_ns;
}

void
pace_opened(struct engine_event *ev)
{
	ev->pace.is_raised |= ev->is_paced && ev->rate > 1;
	ev->pace.seen_ns = 0;
}

/* Sums are too low then: each short process leaves the rest of a period uncounted. */
const char *
pace_notice(const struct sampling *sp, struct arena *arena)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	if (ev == NULL || !ev->is_paced || ev->live == NULL || session_rate(ev->live) == 1 ||
	    !session_inherits(ev->live))
		return NULL;
	return arena_printf(arena, "%s: one in %llu is sampled; children and threads that begin with fewer "
			    "are missing (-c 1 has all)", ev->spec.name,
			    (unsigned long long)session_rate(ev->live));
}

bool
sampling_is_paced(const struct sampling *sp)
{
	for (uint32_t n = 0; n < sp->measured->event_count; n++)
		if (sp->measured->events[n].is_paced && sp->measured->events[n].live != NULL)
			return true;
	return false;
}

void
sampling_pace(struct sampling *sp, uint64_t now_ns)
{
	for (uint32_t n = 0; n < sp->measured->event_count; n++) {
		struct engine_event *ev = &sp->measured->events[n];

		if (!ev->is_paced || ev->live == NULL || ev->opening ||
		    sp->measured->stopped_ns != 0)
			continue;
		if (ev->is_paused)
			pace_opened(ev);
		else
			look(sp, n, now_ns);
	}
}
