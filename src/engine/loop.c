/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/engine_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.h"

enum {
	SLACK_MS = 10,        /* records older than this are all in their rings */
	HURRY_DRAIN_MS = 5,   /* after the start, rings are emptied so often, */
	HURRY_PART = 4,       /* then after each such part of the time since, */
	NAMED_MS = 60,        /* by when the first functions should have names: */
	NAMED_PART = 2,       /* from then on there is less hurry, */
	SETTLING_MS = 2000,   /* and until names have settled, what is new is shown as it comes, */
	HURRY_STEP_MS = 50,   /* in steps that double */
	CUT_PART = 50,        /* of a window: by so little it may be longer or shorter, */
	CUT_LEAST_MS = 20,    /* but for this */
	TICK_AHEAD_MS = 30,   /* /proc is read so long before it is shown */
	TICK_BUDGET_US = 40,  /* a tick, beside the processes that were sampled */
	TICK_ALONE_BUDGET_US = 3000, /* where samples do not tell who is busy */
	TICK_FIRST_BUDGET_US = 5000,
	TICK_HOT_MAX = 256,   /* processes that every tick reads */
	SETTLE_MS = 1500,     /* a report waits so long for names, */
	INLINES_MS = 10000,   /* and for what is inlined, if that was asked for */
	GRACE_MS = 1000,      /* a dead task's late samples still find it */
	MAPS_PATIENCE_MS = 1000,
};

/* Processes that were sampled lately, and targets.  false: there are more than @pids holds. */
static bool
find_hot(const struct engine *e, int pids[TICK_HOT_MAX], size_t *count)
{
	const struct model *m = e->model;
	uint64_t recent_ns = clock_mono_ns() - MIN(2 * e->delay_ns, e->drained_to_ns);

	*count = 0;
	for (uint32_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (!t->is_used || t->process != i || t->died_ns != 0 || t->pid <= 0 ||
		    (t->seen_ns <= recent_ns && !t->is_target))
			continue;
		if (*count == TICK_HOT_MAX)
			return false;
		pids[(*count)++] = t->pid;
	}
	return true;
}

/* Else a process can be busy without one sample. */
static bool
samples_tell_who_is_busy(const struct engine *e)
{
	const struct event *spec = e->shown < e->event_count ? &e->events[e->shown].spec : NULL;

	if (session_scope(e->session) != SESSION_SYSTEM && e->config->uid_count == 0 &&
	    engine_has_targets(e))
		return true; /* no other is shown, and all of them are read */
	return spec != NULL && session_scope(e->session) == SESSION_SYSTEM &&
	       spec->unit != EVENT_COUNTS_THINGS && !spec->exclude_user && !spec->exclude_kernel;
}

/* Ticks must not miss the processes that are busy. */
static void
ask_tick(struct engine *e)
{
	int hot[TICK_HOT_MAX];
	size_t n;
	bool is_told = find_hot(e, hot, &n) && samples_tell_who_is_busy(e);
	unsigned budget_us = is_told ? TICK_BUDGET_US : TICK_ALONE_BUDGET_US;

	if (e->tick == NULL || !e->tick->complete)
		budget_us = TICK_FIRST_BUDGET_US;
	proc_reader_ask_tick(e->proc, hot, n,
			     e->query.process != 0 ? e->model->tasks[e->query.process].pid : 0,
			     budget_us);
}

/* Waits until names are there, or it takes too long.  Only reports do: the screen never waits. */
void
engine_settle(struct engine *e)
{
	uint64_t end = clock_mono_ns() + SETTLE_MS * NSEC_PER_MSEC;
	uint64_t now;

	if (e->locations.inlined.max > 0)
		end += INLINES_MS * NSEC_PER_MSEC;
	e->is_settling = true;
	engine_jit_hurry(e);
	while ((now = clock_mono_ns()) < end && !e->is_told_to_stop) {
		engine_drain(e, now - SLACK_MS * NSEC_PER_MSEC);
		engine_learn_answers(e);
		if (engine_is_settled(e) && !engine_ask_inlines(e, &e->query))
			break;
		engine_wait_message(e, 5);
	}
	e->is_settling = false;
}

void
engine_settle_lines(struct engine *e)
{
	struct snapshot *s;

	if (!e->config->batch || !engine_shows_lines(e))
		return;
	s = engine_make_snapshot(e, &e->query, e->filter);
	engine_ask_lines(e, s);
	snapshot_put(s);
	if (e->asked_lines > 0)
		engine_settle(e);
}

void
engine_watch_task(struct engine *e, uint32_t task)
{
	for (size_t i = 0; i < e->watched_len; i++)
		if (e->watched[i] == task)
			return;
	if (e->model->tasks[task].died_ns != 0)
		return;
	vec_reserve(&e->watched, &e->watched_cap, e->watched_len + 1, sizeof(*e->watched));
	e->watched[e->watched_len++] = task;
}

/* Before the dead are swept: a watched task that ended is told once. */
static void
tell_ends(struct engine *e)
{
	for (size_t i = e->watched_len; i-- > 0;) {
		const struct task *t = &e->model->tasks[e->watched[i]];
		const char *comm = strs_get(&e->model->strs, t->comm);

		if (t->died_ns == 0)
			continue;
		engine_note(e, "%s %d %s has ended: its rows stay%s",
			    t->pid == t->tid ? "process" : "thread", t->tid, comm,
			    e->stands_still || e->query.window_ns == WINDOW_ALL ? "" :
			    " while the window holds its samples");
		e->watched[i] = e->watched[--e->watched_len];
	}
}

/*
 * On the screen the window waits when there is nothing left that could be sampled; a report is of
 * its own time.
 */
static void
end_interval(struct engine *e, uint64_t now_ns)
{
	e->stands_still = !e->config->batch && engine_targets_have_ended(e);
	if (e->stands_still)
		profile_stand_still(e->profile, now_ns);
	else
		profile_close_interval(e->profile, now_ns);
}

/* At least once a second: an interval ends, what is too much is folded, the dead are let go. */
static void
beat(struct engine *e, uint64_t now_ns)
{
	uint64_t grace_ns = GRACE_MS * NSEC_PER_MSEC;

	engine_expire_deferred(e, now_ns - DEFERRED_PATIENCE_NS);
	/* What is waited for after the end is no time of sampling. */
	end_interval(e, e->stopped_ns != 0 ? e->stopped_ns : clock_mono_ns());
	profile_fold(e->profile, now_ns);
	tell_ends(e);
	model_sweep(e->model, now_ns > grace_ns ? now_ns - grace_ns : 0);
	engine_jit_beat(e, now_ns);
	engine_fetch_beat(e);
	engine_rate_beat(e, now_ns);
	engine_forget_ids(e);
	engine_auto_beat(e, now_ns);
	feed_expire(&e->feed, now_ns - MAPS_PATIENCE_MS * NSEC_PER_MSEC);
	e->next_beat_ns = now_ns + MIN(e->delay_ns, NSEC_PER_SEC);
}

static bool
window_has_length(const struct engine *e)
{
	return e->query.window_ns != WINDOW_ALL && e->query.window_ns != WINDOW_SINCE_REPORT;
}

/*
 * A window ends with a refresh.  It begins where an interval does: with another refresh, or where
 * one is cut for it; when COMMAND will end, and with it the only report, nobody knows.  A window in
 * the past has the intervals that are there.
 */
void
engine_plan_cut(struct engine *e)
{
	uint64_t window_ns = e->query.window_ns, off_ns, least_ns = window_ns / CUT_PART;
	uint64_t now_ns = clock_mono_ns();

	e->next_cut_ns = UINT64_MAX;
	if (!window_has_length(e) || e->query.end_ns != 0)
		return;
	off_ns = window_ns % e->delay_ns;
	if (e->config->batch && e->config->command != NULL && e->config->iterations == 0)
		e->next_cut_ns = now_ns + MAX(least_ns, CUT_LEAST_MS * NSEC_PER_MSEC);
	else if (off_ns > least_ns && e->delay_ns - off_ns > least_ns &&
		 e->next_refresh_ns - off_ns > now_ns)
		e->next_cut_ns = e->next_refresh_ns - off_ns;
}

/* All that was sampled before it is in the interval that ends. */
static void
cut(struct engine *e, uint64_t now_ns)
{
	engine_drain(e, now_ns - SLACK_MS * NSEC_PER_MSEC);
	engine_learn_answers(e);
	end_interval(e, now_ns);
	engine_plan_cut(e);
}

/* After the last report nothing is sampled: what it says is all that there was, to the one. */
static void
end_sampling(struct engine *e, uint64_t now_ns)
{
	if (e->is_ending || e->command_ended || e->seq + 1 == e->config->iterations)
		engine_stop_events(e);
	else if (window_has_length(e))
		profile_close_interval(e->profile, now_ns); /* it waits for no names */
}

static void
refresh(struct engine *e, uint64_t now_ns)
{
	if (e->config->batch) {
		end_sampling(e, now_ns);
		engine_settle(e);
		engine_learn_owners(e);
		/* A sample that was being written when its event was stopped is there by now. */
		if (e->stopped_ns != 0)
			engine_drain(e, UINT64_MAX);
		if (e->command_ended || e->seq + 1 == e->config->iterations)
			engine_fetch_all(e);
		/* A report has all that was sampled before it. */
		engine_expire_deferred(e, UINT64_MAX);
		feed_end_waiting(&e->feed);
	}
	beat(e, now_ns);
	engine_settle_lines(e);
	engine_measure_self(e, now_ns);
	engine_count_lost(e, now_ns);
	e->seq++;
	if (!e->query.frozen) {
		engine_counters_ask(e);
		engine_send_snapshot(e);
	}
	/* A recording has what the reports have. */
	if (e->config->batch && e->seq == e->config->iterations)
		engine_record_end(e);
	profile_next_report(e->profile);
	e->reported_ns = clock_mono_ns();
	e->changed = false;
}

/* Soon after the start, or after a switch, what is new is shown without waiting for the delay. */
static void
hurry(struct engine *e, uint64_t now_ns, uint64_t age_ns)
{
	if (e->config->batch || !e->changed || now_ns < e->next_hurry_ns)
		return;
	e->next_hurry_ns = now_ns + MAX(HURRY_STEP_MS * NSEC_PER_MSEC, age_ns);
	end_interval(e, now_ns);
	engine_send_snapshot(e);
	e->changed = false;
}

/* So that its answer is new when the refresh shows it. */
static uint64_t
tick_before(const struct engine *e, uint64_t refresh_ns)
{
	return refresh_ns - MIN(TICK_AHEAD_MS * NSEC_PER_MSEC, e->delay_ns / 2);
}

/*
 * The drain after this one.  One falls on each refresh, which so shows all that there is, and none
 * comes just before that: each waking costs more than what it does.
 */
static uint64_t
next_drain(const struct engine *e, uint64_t now_ns, uint64_t age_ns)
{
	uint64_t part = age_ns < NAMED_MS * NSEC_PER_MSEC ? HURRY_PART : NAMED_PART;
	uint64_t pace_ns = MAX(HURRY_DRAIN_MS * NSEC_PER_MSEC, age_ns / part);

	pace_ns = MIN(pace_ns, e->drain_ns);
	if (now_ns + pace_ns + pace_ns / 2 >= e->next_refresh_ns)
		return MAX(e->next_refresh_ns, now_ns + pace_ns / 2);
	return now_ns + pace_ns;
}

static void
on_time(struct engine *e)
{
	uint64_t now = clock_mono_ns();
	uint64_t age_ns = now - e->fresh_since_ns;

	if (now >= e->next_drain_ns) {
		uint64_t before = e->profile->tables.cells[TABLE_HOT].len;

		engine_drain(e, now - SLACK_MS * NSEC_PER_MSEC);
		engine_learn_answers(e);
		e->next_drain_ns = next_drain(e, now, age_ns);
		e->changed |= e->profile->tables.cells[TABLE_HOT].len != before;
		/* If the next drain is too late to ask for a tick, this one does. */
		if (e->next_tick_ns < e->next_drain_ns)
			e->next_tick_ns = now;
	}
	if (now >= e->next_tick_ns) {
		ask_tick(e);
		e->next_tick_ns = tick_before(e, e->next_refresh_ns);
		/* This one is near enough to the refresh, which will set the next. */
		if (e->next_tick_ns <= now + 2 * e->drain_ns)
			e->next_tick_ns = UINT64_MAX;
	}
	if (now >= e->next_refresh_ns) {
		refresh(e, now);
		/* Kept on the beat, unless the machine was too busy or asleep. */
		e->next_refresh_ns += e->delay_ns;
		if (e->next_refresh_ns <= now)
			e->next_refresh_ns = now + e->delay_ns;
		e->next_tick_ns = tick_before(e, e->next_refresh_ns);
		engine_plan_cut(e);
	} else if (now >= e->next_cut_ns) {
		cut(e, now);
	} else if (now >= e->next_beat_ns) {
		beat(e, now);
	} else if (age_ns < SETTLING_MS * NSEC_PER_MSEC) {
		hurry(e, now, age_ns);
	}
}

static int
wait_ms(const struct engine *e)
{
	uint64_t now = clock_mono_ns(), next = MIN(e->next_drain_ns, e->next_refresh_ns);

	next = MIN(next, MIN(e->next_tick_ns, MIN(e->next_beat_ns, e->next_cut_ns)));
	next = MIN(next, engine_jit_due_ns(e));
	return next <= now ? 0 : (int)((next - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static void
wait_and_take(struct engine *e)
{
	struct epoll_event events[16];
	int n = epoll_wait(e->epoll_fd, events, ARRAY_SIZE(events), wait_ms(e));
	bool woken = false;

	/* The kernel wakes after each half ring that it writes, also where this was emptied between. */
	for (int i = 0; i < n; i++)
		woken |= events[i].data.u32 == 1;
	if (woken && engine_is_pressed(e))
		e->next_drain_ns = 0;
	engine_take_messages(e);
	engine_learn_answers(e);
}

void
engine_send_ended(struct engine *e)
{
	struct engine_ended_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = ENGINE_MSG_ENDED;
	m->command_ended = e->command_ended;
	m->command_status = e->command_status;
	m->err = e->end_err;
	queue_send(e->out, &m->msg);
}

/* What the window has of the command that has ended. */
static void
put_rest(const struct engine *e, struct buf *b)
{
	const struct profile_event *ev =
		e->shown < e->event_count ? &e->profile->events[e->shown] : NULL;

	if (!e->stands_still && !e->config->batch)
		buf_add_str(b, "what it has started goes on");
	else if (ev == NULL || !window_has_length(e) || ev->win_ns >= ev->all_ns)
		buf_add_str(b, "this is its whole life");
	else
		buf_addf(b, "this is its last %.3g s", (double)ev->win_ns / 1e9);
}

/* COMMAND is over: all that its rings still hold counts. */
static void
finish_command(struct engine *e)
{
	struct buf rest = { 0 };

	engine_drain(e, UINT64_MAX);
	e->drained_to_ns = clock_mono_ns();
	engine_learn_answers(e);
	refresh(e, clock_mono_ns());
	put_rest(e, &rest);
	if (WIFEXITED(e->command_status))
		engine_note(e, "the command has ended with status %d: %s",
			    WEXITSTATUS(e->command_status), buf_str(&rest));
	else
		engine_note(e, "the command was ended by signal %d: %s",
			    WTERMSIG(e->command_status), buf_str(&rest));
	buf_release(&rest);
	engine_send_ended(e);
}

void *
engine_main(void *arg)
{
	struct engine *e = arg;
	struct epoll_event in = { .events = EPOLLIN, .data.u32 = 0 };
	struct query first = e->query;
	bool command_told = false;

	/* Where it may: a ring that is emptied late loses samples. */
	setpriority(PRIO_PROCESS, 0, -5);
	epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, queue_fd(e->in), &in);
	engine_watch_rings(e);
	e->drain_ns = 50 * NSEC_PER_MSEC;
	e->fresh_since_ns = e->cpu_since_ns = clock_mono_ns();
	e->next_refresh_ns = e->fresh_since_ns + e->delay_ns;
	engine_measure_memory(e);
	engine_set_query(e, &first);
	engine_open_first(e);
	while (!e->stopping) {
		wait_and_take(e);
		on_time(e);
		if (e->command_ended && !command_told) {
			finish_command(e);
			command_told = true;
		}
	}
	if (!command_told)
		engine_send_ended(e);
	return NULL;
}
