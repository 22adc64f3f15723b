/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other hosts as the loop's source: what they send is counted as it comes, and shown on time. */
#include "engine/rooms.h"

enum {
	PACE_MS = 100,        /* between looks at what has come; a host sends each second */
	GRACE_MS = 1000,      /* a task that has ended is still looked at */
	FIRST_MS = 5000,      /* a report does not wait longer for hosts that say nothing */
};

/* The beat ends one where nothing else has for so long: a refresh's second is not cut in two. */
static void
end_interval(struct engine *e, uint64_t now_ns)
{
	profile_close_interval(e->env.profile, now_ns);
	e->agenda.next_beat_ns = now_ns + MIN(e->agenda.delay_ns, NSEC_PER_SEC);
}

/* A window begins where an interval does: as near as refreshes come. */
static void
plan(struct engine *e)
{
	(void)e;
}

static void
cut(struct engine *e, uint64_t now_ns)
{
	hosts_step(e->hosts, now_ns);
	end_interval(e, now_ns);
}

static void
begin(struct engine *e)
{
	e->agenda.next_refresh_ns = e->agenda.fresh_since_ns + e->agenda.delay_ns;
	hosts_begin(e->hosts, &e->env);
	viewer_query(e->viewer, &e->first);
	e->agenda.wants &= ~(unsigned)AGENDA_ANSWER;
	reports_show(e);
}

/* What is too much is folded, the dead are let go. */
static void
tidy(struct engine *e, uint64_t now_ns)
{
	int64_t set_by_ns;

	parts_beat(e, now_ns);
	wall_note(&e->clock.wall, now_ns, clock_real_ns(), &set_by_ns);
	profile_fold(e->env.profile, now_ns);
	model_sweep(e->env.model, now_ns - MIN(now_ns, GRACE_MS * NSEC_PER_MSEC));
}

/* Nothing is refreshed so soon. */
static void
beat(struct engine *e, uint64_t now_ns)
{
	end_interval(e, now_ns);
	tidy(e, now_ns);
}

static void
plan_refresh(struct engine *e, uint64_t now_ns)
{
	struct agenda *a = &e->agenda;

	agenda_plan_refresh(a, now_ns);
	if (e->report.is_last)
		a->next_refresh_ns = UINT64_MAX;
	else if (e->is_finishing)
		a->next_refresh_ns = 0;
}

static void
end_refresh(struct engine *e, uint64_t now_ns)
{
	tidy(e, now_ns);
	plan_refresh(e, now_ns);
}

/* The first report of a batch has a second of each host, unless one says nothing for too long. */
static bool
is_too_early(const struct engine *e, uint64_t now_ns)
{
	return !e->is_finishing && viewer_refreshes(e->viewer) == 0 && !hosts_have_begun(e->hosts) &&
	       now_ns < e->agenda.fresh_since_ns + FIRST_MS * NSEC_PER_MSEC;
}

static void
refresh(struct engine *e, uint64_t now_ns)
{
	if (e->config->is_watched) {
		reports_refresh(e, now_ns);
		end_refresh(e, now_ns);
	} else if (is_too_early(e, now_ns)) {
		e->agenda.next_refresh_ns = now_ns + e->agenda.delay_ns;
	} else {
		reports_begin(e, e->is_finishing ||
				 viewer_refreshes(e->viewer) + 1 == e->config->iterations, now_ns);
	}
}

static void
step(struct engine *e, bool is_woken)
{
	struct agenda *a = &e->agenda;
	uint64_t now_ns = clock_mono_ns();

	(void)is_woken;
	if (reports_are_waiting(e)) {
		if (reports_step(e))
			end_refresh(e, now_ns);
		return;
	}
	if (now_ns >= a->next_drain_ns) {
		hosts_step(e->hosts, now_ns);
		e->clock.counted_to_ns = now_ns;
		a->next_drain_ns = now_ns + PACE_MS * NSEC_PER_MSEC;
	}
	names_step(e->names);
	if (now_ns >= a->next_refresh_ns)
		refresh(e, now_ns);
	else if (now_ns >= a->next_beat_ns)
		beat(e, now_ns);
}

static int
wait_ms(struct engine *e)
{
	const struct agenda *a = &e->agenda;
	uint64_t now_ns = clock_mono_ns();
	uint64_t next_ns = MIN(a->next_drain_ns, MIN(a->next_refresh_ns, a->next_beat_ns));

	return next_ns <= now_ns ? 0 : (int)((next_ns - now_ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

const struct engine_source fleet_source = { begin, wait_ms, step, end_interval, plan, cut };
