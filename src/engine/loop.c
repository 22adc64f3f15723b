/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/rooms.h"

#include <sys/epoll.h>

#include "base/pages.h"

enum { REPORT_STEP_MS = 5 }; /* how often is looked whether a report has what it waits for */

/* Changes that must not overtake records: those are counted first. */
static void
catch_up(struct engine *e)
{
	if (!(e->agenda.wants & AGENDA_CATCH_UP))
		return;
	e->agenda.wants &= ~(unsigned)AGENDA_CATCH_UP;
	intake_run(e->intake, clock_mono_ns());
	sampling_caught_up(e->sampling);
}

static void
take_messages(struct engine *e)
{
	struct msg *m;

	while ((m = queue_take(e->in)) != NULL) {
		if (!commands_take(e, m))
			parts_take(e, m);
		catch_up(e);
	}
}

/* Whether a ring has woken the loop. */
static bool
wait_for_news(struct engine *e)
{
	struct epoll_event events[16];
	int ms = reports_are_waiting(e) ? REPORT_STEP_MS : e->source->wait_ms(e);
	int n = epoll_wait(e->epoll_fd, events, ARRAY_SIZE(events), ms);
	bool is_woken = false;

	/* The kernel wakes after each half ring that it writes, also where this was emptied between. */
	for (int i = 0; i < n; i++)
		is_woken |= events[i].data.u32 == WOKEN_BY_RING;
	return is_woken;
}

/* What rooms want done now. */
static void
follow_wants(struct engine *e)
{
	struct agenda *a = &e->agenda;

	if (a->wants & AGENDA_DRAIN)
		a->next_drain_ns = 0;
	if (a->wants & AGENDA_TICK)
		a->next_tick_ns = e->ticked_ns = 0;
	if (a->wants & AGENDA_HURRY) {
		a->next_hurry_ns = 0;
		a->wants |= AGENDA_SHOW;
	}
	if (a->wants & AGENDA_ANSWER)
		reports_show(e);
	a->wants &= AGENDA_SHOW | AGENDA_CATCH_UP;
}

static void
tell_lines(struct notes *notes, const char *told)
{
	for (const char *at = told != NULL ? told : ""; *at != '\0'; at += strcspn(at, "\n") + 1)
		notes_news(notes, "%.*s", (int)strcspn(at, "\n"), at);
}

void *
loop_main(void *engine)
{
	struct engine *e = engine;
	struct epoll_event in = { .events = EPOLLIN, .data.u32 = WOKEN_BY_MESSAGE };

	epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, queue_fd(e->in), &in);
	agenda_begin_anew(&e->agenda);
	own_cost_begin(&e->cost);
	tell_lines(e->env.notes, e->config->told);
	e->source->begin(e);
	while (!e->agenda.is_over) {
		bool is_woken = wait_for_news(e);

		take_messages(e);
		if (viewer_export_waits(e->viewer) && !names_await_lines(e->names))
			viewer_export_go(e->viewer);
		follow_wants(e);
		e->source->step(e, is_woken);
		heap_populate();
	}
	reports_end(e);
	return NULL;
}
