/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/rooms.h"

enum {
	SETTLE_MS = 1500,   /* a report waits so long for names, */
	ASKED_MS = 300,     /* one of many that are asked for less: most names are there by then, */
	INLINES_MS = 10000, /* and for what is inlined, if that was asked for */
	CODE_MS = 20000,    /* and for a function's code, its lines and their text */
	SLACK_MS = 10,      /* records older than this are all in their rings */
};

void
reports_show(struct engine *e)
{
	const struct query *q = viewer_shows(e->viewer);
	uint64_t cpu_ns = clock_thread_cpu_ns();
	struct snapshot *s = viewer_make(e->viewer);

	e->shown_ns = clock_mono_ns();
	e->cost.picture_ns = clock_thread_cpu_ns() - cpu_ns;
	if (e->config->is_watched) {
		if (viewer_shows_lines(q, e->config->format))
			names_ask_lines(e->names, s);
		names_ask_inlines(e->names, q);
		names_ask_instructions(e->names);
		code_ask(e->code, s);
		recount_ask(e, s);
	}
	viewer_send(e->viewer, s);
}

void
reports_end(struct engine *e)
{
	struct engine_ended_msg *m;
	int status;

	if (e->is_end_sent)
		return;
	e->is_end_sent = true;
	m = mem_calloc(1, sizeof(*m));
	m->msg.type = ENGINE_MSG_ENDED;
	m->command_ended = sampling_command_ended(e->sampling, &status);
	m->command_status = status;
	m->err = e->agenda.why;
	queue_send(e->out, &m->msg);
}

/* Threads that wait tell so now and then: up to here all of it is to count. */
static void
begin_looks(struct engine *e)
{
	waits_ask_all(e->waits);
}

static bool
has_looks(struct engine *e)
{
	return waits_have_all(e->waits) && intake_tell_waits(e->intake, e->report.began_ns);
}

/* Whatever is asked for is asked for at once, and has so long; once when it is to end. */
static void
begin_waiting(struct engine *e)
{
	uint64_t ms = e->config->is_asked ? ASKED_MS : SETTLE_MS;

	ms += e->locations.inlined.max > 0 ? INLINES_MS : 0;
	if (!e->is_finishing || e->report.until_ns == 0)
		e->report.until_ns = clock_mono_ns() + ms * NSEC_PER_MSEC;
	names_set_hurried(e->names, true);
}

/*
 * What is inlined is known only when the trees are.  Of a recording that is read all is waited for:
 * whoever is asked gives up what does not answer.
 */
static bool
has_names(struct engine *e)
{
	const struct query *q = viewer_shows(e->viewer);

	if (names_are_settled(e->names) && !names_ask_inlines(e->names, q))
		return true;
	if (e->env.policy->is_complete && !e->is_finishing)
		return false;
	return clock_mono_ns() >= e->report.until_ns;
}

/* What waited for names until now counts without them. */
static void
begin_files(struct engine *e)
{
	names_set_hurried(e->names, false);
	viewer_learn_owners(e->viewer);
	/* A sample that was being written when its event was stopped is there by now. */
	if (e->measured.stopped_ns != 0)
		intake_run(e->intake, UINT64_MAX);
	if (!e->env.policy->has_processes)
		feed_end_waiting(&e->feed);
}

static bool
has_files(struct engine *e)
{
	return !e->report.is_last || e->is_finishing || !names_download_next(e->names);
}

static void
begin_new_names(struct engine *e)
{
	if (!e->report.is_last)
		return;
	names_end_downloads(e->names);
	begin_waiting(e);
}

/* A report has all that was sampled before it. */
static void
begin_lines(struct engine *e)
{
	const struct query *q = viewer_shows(e->viewer);
	struct snapshot *s;

	names_set_hurried(e->names, false);
	intake_expire(e->intake, UINT64_MAX);
	feed_end_waiting(&e->feed);
	e->source->end_interval(e, e->report.began_ns);
	if (!viewer_shows_lines(q, e->config->format))
		return;
	s = viewer_make(e->viewer);
	names_ask_lines(e->names, s);
	snapshot_put(s);
	begin_waiting(e);
}

static bool
has_lines(struct engine *e)
{
	return !names_await_lines(e->names) || has_names(e);
}

/* Of the function that is shown by instruction, or of those whose instructions are keys. */
static void
begin_code(struct engine *e)
{
	struct snapshot *s;

	e->report.until_ns = clock_mono_ns() + CODE_MS * NSEC_PER_MSEC;
	names_ask_instructions(e->names);
	if (!query_wants_code(viewer_shows(e->viewer)))
		return;
	s = viewer_make(e->viewer);
	code_ask(e->code, s);
	snapshot_put(s);
}

static bool
has_code(struct engine *e)
{
	return (!code_awaits(e->code) && !names_await_instructions(e->names)) ||
	       clock_mono_ns() >= e->report.until_ns;
}

/* They are as of now. */
static void
begin_counters(struct engine *e)
{
	viewer_ask_counters(e->viewer);
	calls_ask(e->calls);
}

static bool
has_counters(struct engine *e)
{
	/* Of a probe that is closed early the notice comes with the report, which has less than all. */
	return !viewer_awaits_counters(e->viewer) && !calls_await(e->calls) &&
	       !sampling_closes_probes(e->sampling);
}

/* A recording that is compared with is read to its end. */
static void
begin_then(struct engine *e)
{
	(void)e;
}

static bool
has_then(struct engine *e)
{
	return e->then == NULL || viewer_has_then(e->viewer);
}

static void
send_report(struct engine *e)
{
	const uint64_t now_ns = e->report.began_ns;

	names_set_hurried(e->names, false);
	own_cost_measure(&e->cost);
	sampling_count_lost(e->sampling, now_ns, true);
	viewer_count_refresh(e->viewer);
	reports_show(e);
	viewer_end_refresh(e->viewer);
	/* A recording has what the reports have. */
	if (viewer_refreshes(e->viewer) == e->config->iterations)
		recording_end(e->recording);
	profile_next_report(e->env.profile);
	e->agenda.wants &= ~(unsigned)AGENDA_SHOW;
}

/* What a report waits for, one after the other. */
static const struct {
	void (*begin)(struct engine *e);
	bool (*is_over)(struct engine *e);
} steps[] = {
	{ begin_looks, has_looks },
	{ begin_waiting, has_names },
	{ begin_files, has_files },
	{ begin_new_names, has_names },
	{ begin_lines, has_lines },
	{ begin_code, has_code },
	{ begin_counters, has_counters },
	{ begin_then, has_then },
};

void
reports_begin(struct engine *e, bool is_last, uint64_t now_ns)
{
	e->report = (struct report_state){ .step = 1, .is_last = is_last, .began_ns = now_ns };
	steps[0].begin(e);
}

/* What comes while it waits for names is not in it. */
static void
begin_asked(struct engine *e, const struct query *q)
{
	uint64_t now_ns = clock_mono_ns();

	viewer_query(e->viewer, q);
	e->source->cut(e, now_ns);
	e->agenda.wants &= ~(unsigned)AGENDA_ANSWER;
	reports_begin(e, false, now_ns);
}

void
reports_ask(struct engine *e, const struct query *q)
{
	if (!reports_are_waiting(e)) {
		begin_asked(e, q);
		return;
	}
	e->next_report.is_wanted = true;
	e->next_report.query = *q;
}

void
reports_ask_next(struct engine *e)
{
	if (!e->next_report.is_wanted)
		return;
	e->next_report.is_wanted = false;
	begin_asked(e, &e->next_report.query);
}

bool
reports_step(struct engine *e)
{
	struct report_state *r = &e->report;

	intake_run(e->intake, clock_mono_ns() - SLACK_MS * NSEC_PER_MSEC);
	names_step(e->names);
	while (e->is_stopping || steps[r->step - 1].is_over(e)) {
		if (r->step == ARRAY_SIZE(steps)) {
			r->step = 0;
			send_report(e);
			return true;
		}
		steps[r->step++].begin(e);
	}
	return false;
}

void
reports_refresh(struct engine *e, uint64_t now_ns)
{
	intake_tell_waits(e->intake, 0);
	e->source->end_interval(e, now_ns);
	own_cost_measure(&e->cost);
	sampling_count_lost(e->sampling, now_ns, false);
	viewer_count_refresh(e->viewer);
	if (!viewer_shows(e->viewer)->frozen) {
		viewer_ask_counters(e->viewer);
		reports_show(e);
	}
	viewer_end_refresh(e->viewer);
	profile_next_report(e->env.profile);
	e->agenda.wants &= ~(unsigned)AGENDA_SHOW;
}
