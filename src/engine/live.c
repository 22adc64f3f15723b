/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs here, as a source: rings are emptied, /proc is read, and all of it is shown, on time. */
#include "engine/rooms.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "view/moment.h"

enum {
	SLACK_MS = 10,        /* records older than this are all in their rings */
	PRESSED_SLACK_MS = 1, /* nearly all are; a ring that fills cannot wait for the others */
	PRESSED_PACE_MS = 2,  /* nor for long until the next drain */
	WOKEN_PACE_MS = 20,   /* after a drain no ring asks for another sooner, unless it fills */
	PACED_MS = 50,        /* at most so long a flood of an event is not seen */
	HURRY_DRAIN_MS = 5,   /* after the start, rings are emptied so often, */
	HURRY_PART = 4,       /* then after each such part of the time since, */
	NAMED_MS = 60,        /* by when the first functions should have names: */
	NAMED_PART = 2,       /* from then on there is less hurry, */
	SETTLING_MS = 2000,   /* and until names have settled, what is new is shown as it comes, */
	HURRY_STEP_MS = 50,   /* in steps that double */
	LATE_PART = 10,       /* a report that is longer by such a part of what was asked, */
	LATE_MS = 200,        /* and by that, says so */
	CUT_PART = 50,        /* of a window: by so little it may be longer or shorter, */
	CUT_LEAST_MS = 20,    /* but for this */
	TICK_AHEAD_MS = 30,   /* /proc is read so long before it is shown */
	TICK_BUDGET_US = 40,  /* a tick, beside the processes that were sampled */
	TICK_ALONE_BUDGET_US = 3000, /* where samples do not tell who is busy */
	TICK_FIRST_BUDGET_US = 5000,
	TICK_HOT_MAX = 256,   /* processes that every tick reads, */
	THRIFTY_HOT_MAX = 32, /* and where there is little time for it */
	THRIFTY_TICKS = 4,    /* then others are read in one of so many, */
	THRIFTY_TICK_MS = 4000, /* if they come so fast */
	GRACE_MS = 1000,      /* a dead task's late samples still find it */
	MAPS_PATIENCE_MS = 1000,
	PICTURE_PART = 2,     /* beside few looks a picture comes after such a part of their turn, */
	PICTURE_TIMES = 150,  /* and so many times its price, */
	PICTURE_MOST_MS = 4000, /* but then */
	LONG_TURN_MS = 2000,  /* where looks at all threads take so long there is no time for a tree of each */
	RECOUNT_PAUSE_MS = 10, /* between turns at what the flight recorder holds */
};

/* Whether what can wait is to wait. */
static bool
is_thrifty(const struct engine *e)
{
	return e->cost.is_thrifty || e->cost.turn_ns != 0;
}

/* Not where a tick was asked for, nor where users are sampled: ticks tell whose a process is. */
static bool
may_spare_ticks(const struct engine *e)
{
	return is_thrifty(e) && e->config->uid_count == 0 && e->ticked_ns != 0 &&
	       viewer_has_all_processes(e->viewer);
}

/* Whether this tick reads the hottest alone: what the last one told of others is to do for a while. */
static bool
are_others_spared(const struct engine *e, uint64_t now_ns)
{
	uint64_t enough_ns = MIN(THRIFTY_TICKS * e->agenda.delay_ns, THRIFTY_TICK_MS * NSEC_PER_MSEC);

	return may_spare_ticks(e) && now_ns - e->ticked_ns + e->agenda.delay_ns / 2 < enough_ns;
}

/* The time for processes that are not hot. */
static unsigned
others_budget_us(const struct engine *e, bool is_hot_known, uint64_t now_ns)
{
	if (!viewer_has_all_processes(e->viewer))
		return TICK_FIRST_BUDGET_US;
	if (are_others_spared(e, now_ns))
		return 0;
	return is_hot_known || e->cost.is_thrifty ? TICK_BUDGET_US : TICK_ALONE_BUDGET_US;
}

/* Ticks must not miss the processes that are busy. */
static void
ask_tick(struct engine *e, uint64_t now_ns)
{
	uint64_t recent_ns = clock_mono_ns() - MIN(2 * e->agenda.delay_ns, e->clock.counted_to_ns);
	int hot[TICK_HOT_MAX];
	size_t all = model_hottest(e->env.model, recent_ns, hot, TICK_HOT_MAX);
	size_t n = MIN(all, (size_t)TICK_HOT_MAX);
	bool is_known = all == n && sampling_tells_who_is_busy(e->sampling);
	unsigned budget_us = others_budget_us(e, is_known, now_ns);

	if (budget_us != 0)
		e->ticked_ns = now_ns;
	if (budget_us == 0 || (e->cost.is_thrifty && viewer_has_all_processes(e->viewer)))
		n = MIN(n, (size_t)THRIFTY_HOT_MAX);
	viewer_ask_tick(e->viewer, hot, n, budget_us);
}

/*
 * On the screen the window waits when there is nothing left that could be sampled; a report is of
 * its own time.
 */
static void
close_interval(struct engine *e, uint64_t now_ns)
{
	struct profile *p = e->env.profile;

	e->measured.stands_still =
		e->config->is_watched && sampling_targets_have_ended(e->sampling);
	if (e->measured.stands_still)
		profile_stand_still(p, now_ns);
	else
		profile_close_interval(p, now_ns);
}

/* The time of day may be set, and the machine may sleep, which CLOCK_MONOTONIC does not count. */
static void
note_time_of_day(struct engine *e)
{
	int64_t set_by_ns, asleep_ns = clock_asleep_ns(), slept_ns = asleep_ns - e->asleep_ns;
	struct buf b = { 0 };

	e->asleep_ns = asleep_ns;
	if (!wall_note(&e->clock.wall, clock_mono_ns(), clock_real_ns(), &set_by_ns))
		return;
	buf_add_str(&b, llabs(set_by_ns - slept_ns) < (int64_t)NSEC_PER_SEC
				? "the machine was suspended for "
			: set_by_ns < 0 ? "the clock was set back by "
					: "the clock was set forward by ");
	moment_put_length(&b, (uint64_t)llabs(set_by_ns));
	notes_news(e->env.notes, "%s: what was before keeps its times", b.data);
	marks_add(&e->marks, MARK_CLOCK, clock_mono_ns(), "%s", b.data);
	buf_release(&b);
}

/* At least once a second: what is too much is folded, the dead are let go. */
static void
beat(struct engine *e, uint64_t now_ns)
{
	const uint64_t grace_ns = GRACE_MS * NSEC_PER_MSEC;
	struct profile *p = e->env.profile;

	parts_beat(e, now_ns);
	note_time_of_day(e);
	/* What is waited for after the end is no time of sampling. */
	close_interval(e, e->measured.stopped_ns != 0 ? e->measured.stopped_ns : clock_mono_ns());
	p->is_thrifty = e->cost.turn_ns > LONG_TURN_MS * NSEC_PER_MSEC;
	profile_fold(p, now_ns);
	ends_tell(&e->ends, e->env.model, e->env.notes,
		  e->measured.stands_still || p->window_ns == WINDOW_ALL);
	model_sweep(e->env.model, now_ns > grace_ns ? now_ns - grace_ns : 0);
	feed_expire(&e->feed, now_ns - MAPS_PATIENCE_MS * NSEC_PER_MSEC);
	e->agenda.next_beat_ns = now_ns + MIN(e->agenda.delay_ns, NSEC_PER_SEC);
}

static bool
window_has_length(const struct engine *e)
{
	uint64_t window_ns = viewer_shows(e->viewer)->window_ns;

	return window_ns != WINDOW_ALL && window_ns != WINDOW_SINCE_REPORT;
}

/*
 * A window ends with a refresh.  It begins where an interval does: with another refresh, or where
 * one is cut for it; when COMMAND will end, and with it the only report, nobody knows.  A window in
 * the past has the intervals that are there.
 */
static void
plan_cut(struct engine *e)
{
	const struct query *q = viewer_shows(e->viewer);
	struct agenda *a = &e->agenda;
	uint64_t window_ns = q->window_ns, off_ns, least_ns = window_ns / CUT_PART;
	uint64_t now_ns = clock_mono_ns();

	a->next_cut_ns = UINT64_MAX;
	if (!window_has_length(e) || q->end_ns != 0)
		return;
	off_ns = window_ns % a->delay_ns;
	if (!e->config->is_watched && engine_config_is_whole_life(e->config))
		a->next_cut_ns = now_ns + MAX(least_ns, CUT_LEAST_MS * NSEC_PER_MSEC);
	else if (off_ns > least_ns && a->delay_ns - off_ns > least_ns &&
		 a->next_refresh_ns - off_ns > now_ns)
		a->next_cut_ns = a->next_refresh_ns - off_ns;
}

/* All that was sampled before it is in the interval that ends. */
static void
cut(struct engine *e, uint64_t now_ns)
{
	intake_run(e->intake, now_ns - SLACK_MS * NSEC_PER_MSEC);
	names_step(e->names);
	close_interval(e, now_ns);
	plan_cut(e);
}

/* After the last report nothing is sampled: what it says is all that there was, to the one. */
static void
stop_sampling(struct engine *e)
{
	sampling_stop(e->sampling);
	intake_run(e->intake, UINT64_MAX);
	e->clock.counted_to_ns = MAX(e->clock.counted_to_ns, e->measured.stopped_ns);
	names_step(e->names);
}

static void
begin_report(struct engine *e, uint64_t now_ns)
{
	bool is_last = e->is_finishing || e->is_command_over ||
		       viewer_refreshes(e->viewer) + 1 == e->config->iterations;

	if (is_last)
		stop_sampling(e);
	else if (window_has_length(e))
		profile_close_interval(e->env.profile, now_ns); /* it waits for no names */
	reports_begin(e, is_last, now_ns);
}

/* On a busy machine, or if ptop was stopped meanwhile, it has more than was asked for. */
static void
note_length(struct engine *e, uint64_t now_ns)
{
	const uint64_t delay_ns = e->agenda.delay_ns, report_ns = now_ns - e->reported_ns;
	const uint64_t late_ns = report_ns - MIN(delay_ns, report_ns);

	e->measured.report_ns = report_ns;
	e->measured.late_ns = late_ns > delay_ns / LATE_PART + LATE_MS * NSEC_PER_MSEC ? late_ns : 0;
	e->reported_ns = now_ns;
}

/* Soon after the start, or after a switch, what is new is shown without waiting for the delay. */
static void
hurry(struct engine *e, uint64_t now_ns, uint64_t age_ns)
{
	struct agenda *a = &e->agenda;

	if (!e->config->is_watched || !(a->wants & (AGENDA_SHOW | AGENDA_HURRY)) ||
	    now_ns < a->next_hurry_ns)
		return;
	a->next_hurry_ns = now_ns + MAX(HURRY_STEP_MS * NSEC_PER_MSEC, age_ns);
	close_interval(e, now_ns);
	reports_show(e);
	a->wants &= ~(unsigned)AGENDA_SHOW;
}

/* So that its answer is new when the refresh shows it. */
static uint64_t
tick_before(const struct engine *e, uint64_t refresh_ns)
{
	if (e->env.counts_alone)
		return UINT64_MAX;
	return refresh_ns - MIN(TICK_AHEAD_MS * NSEC_PER_MSEC, e->agenda.delay_ns / 2);
}

/*
 * The drain after this one.  One falls on each refresh, which so shows all that there is, and none
 * comes just before that: each waking costs more than what it does.
 */
static uint64_t
next_drain(const struct engine *e, uint64_t now_ns, uint64_t age_ns)
{
	const uint64_t refresh_ns = e->agenda.next_refresh_ns;
	uint64_t part = age_ns < NAMED_MS * NSEC_PER_MSEC ? HURRY_PART : NAMED_PART;
	uint64_t pace_ns = MAX(HURRY_DRAIN_MS * NSEC_PER_MSEC, age_ns / part);

	pace_ns = MIN(pace_ns, intake_pace_ns(e->intake));
	if (sampling_is_paced(e->sampling))
		pace_ns = MIN(pace_ns, PACED_MS * NSEC_PER_MSEC);
	if (now_ns + pace_ns + pace_ns / 2 >= refresh_ns)
		return MAX(refresh_ns, now_ns + pace_ns / 2);
	return now_ns + pace_ns;
}

/* Large records fill a ring by a good part between drains: as long as these come in time, it is no flood. */
static bool
is_flooded(const struct engine *e)
{
	return e->is_flooded ? intake_is_pressed(e->intake) : intake_is_full(e->intake);
}

static void
drain(struct engine *e, uint64_t now_ns, uint64_t age_ns)
{
	struct agenda *a = &e->agenda;
	const struct cells *hot = &e->env.profile->tables.cells[TABLE_HOT];
	uint64_t before = hot->len;

	e->drained_ns = now_ns;
	e->is_flooded = is_flooded(e);
	intake_run(e->intake, now_ns - (e->is_flooded ? PRESSED_SLACK_MS : SLACK_MS) * NSEC_PER_MSEC);
	sampling_pace(e->sampling, now_ns);
	names_step(e->names);
	a->next_drain_ns = e->is_flooded ? now_ns + PRESSED_PACE_MS * NSEC_PER_MSEC
				      : next_drain(e, now_ns, age_ns);
	if (hot->len != before)
		agenda_want(a, AGENDA_SHOW);
	/* If the next drain is too late to ask for a tick, this one does. */
	if (a->next_tick_ns < a->next_drain_ns)
		a->next_tick_ns = now_ns;
}

/*
 * Whether this picture can be left out: of thousands of threads, which are looked at each some
 * seconds, one takes as much of the budget as hundreds of looks.
 */
static bool
is_picture_spared(const struct engine *e, uint64_t now_ns)
{
	uint64_t enough_ns = MAX(e->cost.turn_ns / PICTURE_PART, PICTURE_TIMES * e->cost.picture_ns);

	return e->config->is_watched && e->cost.turn_ns != 0 && !e->is_finishing &&
	       now_ns - e->shown_ns + e->agenda.delay_ns / 2 <
		       MIN(enough_ns, PICTURE_MOST_MS * NSEC_PER_MSEC);
}

/* What no picture will show is not read. */
static void
tick(struct engine *e, uint64_t now_ns)
{
	struct agenda *a = &e->agenda;

	if (!may_spare_ticks(e) || !is_picture_spared(e, now_ns))
		ask_tick(e, now_ns);
	a->next_tick_ns = tick_before(e, a->next_refresh_ns);
	/* This one is near enough to the refresh, which will set the next. */
	if (a->next_tick_ns <= now_ns + 2 * intake_pace_ns(e->intake))
		a->next_tick_ns = UINT64_MAX;
}

static void
plan_refresh(struct engine *e, uint64_t now_ns)
{
	struct agenda *a = &e->agenda;

	agenda_plan_refresh(a, now_ns);
	if (e->measured.stopped_ns != 0)
		a->next_refresh_ns = UINT64_MAX; /* that was the last report */
	else if (e->is_finishing)
		a->next_refresh_ns = 0;
	a->next_tick_ns = tick_before(e, a->next_refresh_ns);
	plan_cut(e);
}

/* What a refresh does where reports are asked for. */
static void
pass_refresh(struct engine *e, uint64_t now_ns)
{
	close_interval(e, now_ns);
	own_cost_measure(&e->cost);
	sampling_count_lost(e->sampling, now_ns, false);
	plan_refresh(e, now_ns);
}

static void
refresh(struct engine *e, uint64_t now_ns)
{
	if (e->config->is_asked) {
		pass_refresh(e, now_ns);
		return;
	}
	if (!e->config->is_watched) {
		note_length(e, now_ns);
		begin_report(e, now_ns);
		return;
	}
	if (is_picture_spared(e, now_ns)) {
		pass_refresh(e, now_ns);
		return;
	}
	reports_refresh(e, now_ns);
	plan_refresh(e, now_ns);
}

static void
do_what_is_due(struct engine *e)
{
	struct agenda *a = &e->agenda;
	uint64_t now = clock_mono_ns();
	uint64_t age_ns = now - a->fresh_since_ns;

	if (now >= a->next_drain_ns)
		drain(e, now, age_ns);
	if (now >= a->next_tick_ns)
		tick(e, now);
	if (now >= a->next_refresh_ns)
		refresh(e, now);
	else if (now >= a->next_cut_ns)
		cut(e, now);
	else if (now >= a->next_beat_ns)
		beat(e, now);
	else if (age_ns < SETTLING_MS * NSEC_PER_MSEC)
		hurry(e, now, age_ns);
}

/* What the window has of the command that has ended. */
static void
put_rest(const struct engine *e, struct buf *b)
{
	const struct profile_event *ev = e->measured.shown < e->measured.event_count
						 ? &e->env.profile->events[e->measured.shown]
						 : NULL;

	if (!e->measured.stands_still && e->config->is_watched)
		buf_add_str(b, "what it has started goes on");
	else if (ev == NULL || !window_has_length(e) || ev->win_ns >= ev->all_ns)
		buf_add_str(b, "this is its whole life");
	else
		buf_addf(b, "this is its last %.3g s", (double)ev->win_ns / 1e9);
}

static void
tell_command_end(struct engine *e, int status)
{
	struct buf rest = { 0 };

	put_rest(e, &rest);
	if (WIFEXITED(status))
		notes_news(e->env.notes, "the command has ended with status %d: %s",
			   WEXITSTATUS(status), buf_str(&rest));
	else
		notes_news(e->env.notes, "the command was ended by signal %d: %s",
			   WTERMSIG(status), buf_str(&rest));
	buf_release(&rest);
	reports_end(e);
}

/* COMMAND is over: all that its rings still hold counts. */
static void
finish_command(struct engine *e, int status)
{
	uint64_t now;

	e->is_command_over = true;
	intake_run(e->intake, UINT64_MAX);
	now = e->clock.counted_to_ns = clock_mono_ns();
	names_step(e->names);
	if (e->config->is_watched) {
		reports_refresh(e, now);
		tell_command_end(e, status);
	} else if (e->agenda.why.code != ERR_NONE) {
		agenda_end(&e->agenda, NULL); /* it was none: there is nothing to report */
	} else {
		begin_report(e, now);
	}
}

static void
step_report(struct engine *e)
{
	int status;

	if (!reports_step(e))
		return;
	if (e->config->is_asked) {
		reports_ask_next(e);
		return;
	}
	plan_refresh(e, e->report.began_ns);
	if (sampling_command_ended(e->sampling, &status) && e->is_command_over)
		tell_command_end(e, status);
}

/*
 * A ring wakes after so much was written, whatever was read meanwhile: this is the next drain.  But
 * each of many CPUs may have one, or each of many tasks that end, which wakes, too.
 */
static void
hear_ring(struct engine *e)
{
	bool is_pressed = intake_is_pressed(e->intake);

	e->is_flooded |= is_pressed;
	if (is_pressed || clock_mono_ns() - e->drained_ns >= WOKEN_PACE_MS * NSEC_PER_MSEC)
		e->agenda.next_drain_ns = 0;
}

/*
 * What has a place is looked for before it is open, which takes as long as it takes: the first report
 * has its time all the same.  What cannot be opened ends it.
 */
static void
hold_reports(struct engine *e)
{
	e->holds_reports = !e->config->is_watched && !e->config->is_asked &&
			   sampling_opens_places(e->sampling);
	if (!e->holds_reports)
		return;
	e->agenda.next_refresh_ns = UINT64_MAX;
	plan_cut(e);
}

static void
let_reports_go(struct engine *e)
{
	struct agenda *a = &e->agenda;

	if (!e->holds_reports || sampling_opens_places(e->sampling))
		return;
	e->holds_reports = false;
	if (e->is_finishing)
		return;
	e->reported_ns = clock_mono_ns();
	a->next_refresh_ns = e->reported_ns + a->delay_ns;
	a->next_tick_ns = tick_before(e, a->next_refresh_ns);
	plan_cut(e);
}

static void
step(struct engine *e, bool is_woken)
{
	int status;

	if (is_woken)
		hear_ring(e);
	if (reports_are_waiting(e)) {
		step_report(e);
		return;
	}
	names_step(e->names);
	let_reports_go(e);
	do_what_is_due(e);
	recount_step(e);
	if (sampling_command_ended(e->sampling, &status) && !e->is_command_over &&
	    !reports_are_waiting(e))
		finish_command(e, status);
}

static int
wait_ms(struct engine *e)
{
	const struct agenda *a = &e->agenda;
	uint64_t now = clock_mono_ns(), next = MIN(a->next_drain_ns, a->next_refresh_ns);

	next = MIN(next, MIN(a->next_tick_ns, MIN(a->next_beat_ns, a->next_cut_ns)));
	next = MIN(next, names_due_ns(e->names));
	if (recount_goes_on(e))
		next = MIN(next, now + RECOUNT_PAUSE_MS * NSEC_PER_MSEC);
	return next <= now ? 0 : (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

/* A ring that is half full ends the wait for the next drain. */
static void
watch_rings(void *engine)
{
	struct engine *e = engine;
	size_t count;
	const struct session_ring *rings = session_rings(e->env.session, &count);

	for (size_t i = 0; i < count; i++) {
		/* Edges only: a finished task's event would be ready for ever. */
		struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u32 = WOKEN_BY_RING };

		if (rings[i].poll_fd >= 0)
			epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, rings[i].poll_fd, &ev);
	}
}

static void
begin(struct engine *e)
{
	/* Where it may: a ring that is emptied late loses samples. */
	setpriority(PRIO_PROCESS, 0, -5);
	sampling_set_watch(e->sampling, watch_rings, e);
	watch_rings(e);
	e->reported_ns = e->agenda.fresh_since_ns;
	e->agenda.next_refresh_ns = e->reported_ns + e->agenda.delay_ns;
	e->asleep_ns = clock_asleep_ns();
	viewer_query(e->viewer, &e->first);
	e->agenda.wants &= ~(unsigned)AGENDA_ANSWER;
	plan_cut(e);
	calls_begin(e->calls);
	if (e->env.counts_alone) {
		/* There are no rings, and processes are not shown. */
		e->agenda.next_drain_ns = e->agenda.next_tick_ns = UINT64_MAX;
		return;
	}
	reports_show(e);
	sampling_open_first(e->sampling);
	hold_reports(e);
}

const struct engine_source live_source = { begin, wait_ms, step, beat, plan_cut, cut };
