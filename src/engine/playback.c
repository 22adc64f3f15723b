/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording as the loop's source: it is read as fast as names come, and shown meanwhile. */
#include "engine/rooms.h"

enum {
	NAMES_MS = 50, /* a file waits for names: without, each of its places is kept apart */
	SHOW_MS = 200, /* between pictures while it loads, and while names settle */
};

static void
begin(struct engine *e)
{
	viewer_query(e->viewer, &e->first);
	e->agenda.wants &= ~(unsigned)AGENDA_ANSWER;
	reports_show(e);
}

static int
wait_ms(struct engine *e)
{
	if (replay_is_done(e->replay))
		return SHOW_MS;
	return replay_awaits_names(e->replay) ? NAMES_MS : 0;
}

/* The screen shows what there is so far. */
static void
show(struct engine *e)
{
	struct agenda *a = &e->agenda;
	uint64_t now = clock_mono_ns();

	if (now < e->next_show_ns ||
	    !((a->wants & AGENDA_SHOW) || !replay_is_done(e->replay) || now >= a->next_refresh_ns))
		return;
	own_cost_measure(&e->cost);
	viewer_count_refresh(e->viewer);
	reports_show(e);
	a->wants &= ~(unsigned)AGENDA_SHOW;
	a->next_refresh_ns = now + a->delay_ns; /* for ptop's own cost alone */
	e->next_show_ns = now + SHOW_MS * NSEC_PER_MSEC;
}

static void
step(struct engine *e, bool is_woken)
{
	(void)is_woken;
	if (reports_are_waiting(e)) {
		if (reports_step(e))
			agenda_end(&e->agenda, NULL);
		return;
	}
	/* What is to end waits for names with its report, and not twice. */
	if (!replay_is_done(e->replay) &&
	    (e->is_finishing || !replay_awaits_names(e->replay)))
		replay_step(e->replay);
	names_step(e->names);
	if (replay_is_done(e->replay))
		names_beat_downloads(e->names);
	if (e->config->is_watched)
		show(e);
	else if (replay_is_done(e->replay))
		reports_begin(e, true, clock_mono_ns());
}

/* What has waited is in an interval, too. */
static void
end_interval(struct engine *e, uint64_t now_ns)
{
	(void)now_ns;
	replay_end_interval(e->replay);
}

/* Intervals lie on a grid from the file's begin. */
static void
plan(struct engine *e)
{
	(void)e;
}

const struct engine_source playback_source = { begin, wait_ms, step, end_interval, plan };
