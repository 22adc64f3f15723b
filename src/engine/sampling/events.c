/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events used so far, in the order of their first use.  The one shown is open; others are
 * open only if -e named them, or if they were chosen together with it.  All keep their counts, so
 * going back shows them at once.
 */
#include "engine/sampling/sampling_impl.h"

#include <stdlib.h>

#include "base/clock.h"
#include "event/pair.h"
#include "event/site.h"
#include "record/call_args.h"
#include "view/snapshot.h"

/* What is neither shown nor sampled beside it; what is opening closes when it has opened. */
static void
close_others(struct sampling *sp)
{
	const struct measured *m = sp->measured;

	for (uint32_t n = 0; n < m->event_count; n++)
		if (m->events[n].leader == n && !m->events[n].is_together &&
		    n != m->events[m->shown].leader)
			opening_close(sp, n);
}

static void
end_together(struct measured *m)
{
	for (uint32_t n = 0; n < m->event_count; n++)
		m->events[n].is_together = false;
}

static void
show_event(struct sampling *sp, uint32_t n)
{
	struct measured *m = sp->measured;
	const struct engine_event *leader = &m->events[m->events[n].leader];
	uint32_t before = m->shown;

	/* One that was not chosen with the others. */
	if (!leader->is_together)
		end_together(m);
	/* Put into another group, or taken out of one, it is opened anew. */
	if (n == before && (leader->live != NULL || leader->opening)) {
		close_others(sp);
		return;
	}
	m->shown = n;
	sp->shown_before = before;
	sp->rate.steps_due = 0; /* they were for the other one */
	opening_open(sp, n);
	close_others(sp);
	agenda_want(sp->agenda, AGENDA_HURRY);
	agenda_begin_anew(sp->agenda);
}

/* The screen still shows the process list; a report would be empty. */
static void
begin_without_events(struct sampling *sp)
{
	const char *why = session_notice(sp->session, 0);

	err_set(&sp->agenda->why, ERR_DENIED, 0, "%s", why != NULL ? why : "no event can be opened");
	err_hint(&sp->agenda->why, "%s", session_remedy(sp->session, 0));
	if (!sp->config->is_watched)
		agenda_end(sp->agenda, NULL);
	else if (sp->config->command != NULL)
		opening_start_command(sp);
}

/* All of -e are open to the end, and the first of them is shown. */
static void
open_given(struct sampling *sp)
{
	const struct event_list *l = &sp->candidates;
	struct err err = { 0 };

	for (size_t i = 0, len; i < l->len; i += len) {
		uint32_t n;

		len = event_group_len(&l->items[i], l->len - i);
		n = groups_add(sp, &l->items[i], len, &err);
		if (n == UINT32_MAX) {
			agenda_end(sp->agenda, &err);
			return;
		}
		for (uint32_t k = n; k != UINT32_MAX; k = measured_next_member(sp->measured, k))
			sp->measured->events[k].is_kept = true;
		if (sp->config->events_given)
			measured_ask(sp->measured, n, sp->config->events);
		opening_open(sp, n);
		if (i == 0)
			sp->measured->shown = n;
	}
}

void
sampling_open_first(struct sampling *sp)
{
	const struct event_list *l = &sp->candidates;

	if (session_scope(sp->session) == SESSION_NONE) {
		begin_without_events(sp);
	} else if (sp->config->events != NULL) {
		open_given(sp);
	} else {
		/* One event, whichever of the candidates opens: its number is known then. */
		sp->opens_first = true;
		session_open(sp->session, UINT32_MAX, l->items, l->len);
	}
}

/* The first of those that were chosen with @token, UINT32_MAX: none. */
static uint32_t
together_with(const struct measured *m, uint32_t token)
{
	for (uint32_t n = 0; n < m->event_count; n++)
		if (n != token && m->events[n].is_together)
			return n;
	return UINT32_MAX;
}

/*
 * To another of those that were chosen together, else to what was shown before, once: that may fail
 * as well.
 */
static void
go_back(struct sampling *sp, uint32_t token)
{
	const struct engine_event *shown = measured_shown(sp->measured);
	uint32_t other = together_with(sp->measured, token);

	if (token < sp->measured->event_count)
		sp->measured->events[token].is_together = false;
	if (shown == NULL || shown->leader != token)
		return;
	groups_end(sp, token);
	if (other != UINT32_MAX) {
		show_event(sp, other);
	} else if (sp->shown_before < sp->measured->event_count) {
		show_event(sp, sp->shown_before);
		sp->shown_before = UINT32_MAX;
	} else {
		sp->measured->shown = UINT32_MAX;
	}
}

static void
note_failure(struct sampling *sp, struct session_opened_msg *m)
{
	struct err *err = &m->err;

	if (m->token != UINT32_MAX) {
		for (uint32_t n = m->token; n != UINT32_MAX; n = measured_next_member(sp->measured, n))
			sp->measured->events[n].opening = false;
		event_places_end_joining(sp, m->token);
		probe_guard_end(sp, m->token);
	}
	/* What was asked for at the start cannot be had: there is no point in going on. */
	if (m->token == UINT32_MAX ? !sp->config->is_watched
				   : sp->measured->events[m->token].is_kept)
		agenda_end(sp->agenda, err);
	go_back(sp, m->token);
	/* Last, since the way back may say that it looks for a place. */
	notes_fail(sp->notes, err);
}

/* A probe that is open for CPUs though only some processes are wanted. */
static void
tell_who_pays(const struct sampling *sp, struct engine_event *ev,
	      const struct session_opened_msg *m)
{
	bool is_for_cpus = m->id_count > 0 && m->tids[0] == 0;
	const char *why = "there are too many threads for probes of their own: name fewer (-t)";

	if (!event_is_probe(&ev->spec) || !is_for_cpus || !sp->measured->has_targets)
		return;
	if (ev->spec.place == EVENT_PLACE_KPROBE || ev->spec.place == EVENT_PLACE_KRETPROBE)
		why = "they all run the same kernel";
	else if (sp->config->command != NULL)
		why = "what a command starts cannot inherit a probe; ptop -p PID sets it there alone";
	else if (sp->config->uid_count > 0)
		why = "a user's processes come and go; ptop -p PID sets it there alone";
	measured_add_notice(ev, "%s is probed in all processes: their calls take longer, and fill "
			    "ptop's rings, too (%s)", ev->spec.name, why);
}

/* From now on its samples are told apart by what they carry, where that is shown. */
static void
take_formats(struct sampling *sp, struct session_opened_msg *m, uint32_t n)
{
	struct profile *p = sp->profile;
	const char *name = m->spec.name;

	if (m->formats == NULL)
		return;
	if (event_has_arguments(&m->spec))
		name = CALL_ARGS_EVENT;
	else if (sp->measured->events[n].spec.tracepoint != NULL)
		name = sp->measured->events[n].spec.tracepoint;
	else if (m->spec.pair != NULL)
		name = m->spec.pair->begin;
	split_adopt(&p->split, n, name, m->formats);
	m->formats = NULL;
	split_asks(&p->split, n, p->events[n].name);
	if (sp->config->is_watched)
		p->labels.want |= KEY_BIT(KEY_FIELD);
}

static void
take_one(struct sampling *sp, struct session_opened_msg *m, uint32_t n)
{
	struct engine_event *ev = &sp->measured->events[n];

	ev->opening = false;
	ev->live = m->event;
	ev->is_freq = m->is_freq;
	ev->is_paced = m->is_paced;
	ev->rate = m->rate;
	ev->hit_ns = m->hit_ns;
	ev->attr = m->attr;
	free(ev->opened);
	ev->opened = mem_strdup(m->spec.name);
	ev->spec.arguments = m->spec.arguments;
	free(ev->spec.tracepoint);
	free(ev->spec.format);
	ev->spec.tracepoint = m->spec.tracepoint;
	ev->spec.format = m->spec.format;
	m->spec.tracepoint = m->spec.format = NULL;
	ev->layout = sample_ids_layout(sp->ids, &m->attr);
	for (size_t i = 0; i < ev->notice_count; i++)
		free(ev->notices[i]);
	for (size_t i = 0; i < m->notice_count; i++) {
		ev->notices[i] = m->notices[i];
		m->notices[i] = NULL;
	}
	ev->notice_count = m->notice_count;
	tell_who_pays(sp, ev, m);
	take_formats(sp, m, n);
	sp->profile->events[n].open_since_ns = clock_mono_ns();
	rate_opened(sp, ev);
	pace_opened(ev);
}

static void
forget_chosen(struct sampling *sp)
{
	free(sp->chosen_spec);
	sp->chosen_spec = NULL;
}

/* The leaders of all events and groups of the list.  How many, 0: see @err. */
static size_t
add_groups(struct sampling *sp, const struct event_list *l, uint32_t leaders[1 + BESIDE_MAX],
	   struct err *err)
{
	size_t count = 0;

	for (size_t i = 0, len; i < l->len; i += len) {
		if (count == 1 + BESIDE_MAX) {
			err_set(err, ERR_LIMIT, 0, "at most %d events are sampled together",
				1 + BESIDE_MAX);
			return 0;
		}
		len = event_group_len(&l->items[i], l->len - i);
		leaders[count] = groups_add(sp, &l->items[i], len, err);
		if (leaders[count++] == UINT32_MAX)
			return 0;
	}
	return count;
}

/* The first of the list is shown; the others are sampled beside it. */
static void
show_list(struct sampling *sp, const struct event_list *list, const char *spec, bool is_asked)
{
	struct measured *m = sp->measured;
	uint32_t leaders[1 + BESIDE_MAX];
	struct err err = { 0 };
	size_t count = add_groups(sp, list, leaders, &err);

	if (count == 0 && err.code == ERR_BUSY)
		sp->chosen_spec = mem_strdup(spec);
	else if (count == 0)
		notes_fail(sp->notes, &err);
	if (count == 0)
		return;
	end_together(m);
	for (size_t i = 0; i < count; i++) {
		m->events[leaders[i]].is_together = count > 1;
		if (is_asked)
			measured_ask(m, leaders[i], spec);
	}
	show_event(sp, leaders[0]);
	for (size_t i = 1; i < count; i++)
		opening_open(sp, leaders[i]);
}

void
sampling_show(struct sampling *sp, const char *spec, bool is_asked)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	forget_chosen(sp);
	if (sp->policy->no_events != NULL) {
		notes_refuse(sp->notes, "%s", sp->policy->no_events);
	} else if (session_scope(sp->session) == SESSION_NONE) {
		notes_refuse(sp->notes, "no event can be opened here: ! shows why");
	} else if (event_parse(sp->event_env, spec, &list, &err) < 0) {
		notes_fail(sp->notes, &err);
	} else {
		show_list(sp, &list, spec, is_asked);
	}
	event_list_release(&list);
}

/* What it waited for may have opened, or never will. */
static void
show_chosen(struct sampling *sp)
{
	char *spec = sp->chosen_spec;

	if (spec == NULL)
		return;
	sp->chosen_spec = NULL;
	sampling_show(sp, spec, true);
	free(spec);
}

/* What was asked for is open: from its ids on all of it is told, then it begins. */
static void
begin_opened(struct sampling *sp, struct session_opened_msg *m, uint32_t n)
{
	const struct engine_event *shown;

	take_one(sp, m, n);
	for (struct session_opened_msg *o = m->next; o != NULL; o = o->next)
		take_one(sp, o, o->token);
	opening_tell(sp, n);
	for (const struct session_opened_msg *o = m; o != NULL; o = o->next)
		opening_add_ids(sp, o == m ? n : o->token, o->ids, o->tids, o->id_count);
	session_begin(sp->session, m);
	agenda_want(sp->agenda, AGENDA_SHOW | AGENDA_DRAIN);
	agenda_begin_anew(sp->agenda);
	if (sp->config->command != NULL && !sp->command_ended && !event_places_are_sought(sp))
		opening_start_command(sp);
	event_places_begin_joining(sp, n);
	/* The line that says that it is looked for is true no more. */
	if (probe_guard_is_over(sp, n))
		opening_end(sp, n);
	else if (sp->measured->events[n].spec.place != EVENT_PLACE_NONE)
		notes_say(sp->notes, "%s is sampled", sp->measured->events[n].spec.name);
	shown = measured_shown(sp->measured);
	/* Another one was chosen while this was opening. */
	if ((shown == NULL || shown->leader != n) && !sp->measured->events[n].is_together)
		opening_close(sp, n);
	chains_opened(sp, n);
	rate_step_due(sp);
}

enum part_reply
events_on_opened(void *sampling, struct msg *msg)
{
	struct session_opened_msg *m = (struct session_opened_msg *)msg;
	struct sampling *sp = sampling;
	uint32_t n = m->token;

	if (n == UINT32_MAX)
		sp->opens_first = false;
	if (m->event == NULL) {
		note_failure(sp, m);
		show_chosen(sp);
		return PART_DONE;
	}
	if (n == UINT32_MAX) {
		n = sp->first = measured_add(sp->measured, sp->profile, &m->spec);
		sp->measured->events[n].chains = sp->config->call_graph;
		if (sp->measured->shown == UINT32_MAX)
			sp->measured->shown = n;
	}
	begin_opened(sp, m, n);
	show_chosen(sp);
	return PART_DONE;
}

enum part_reply
events_on_guarded(void *sampling, struct msg *msg)
{
	struct sampling *sp = sampling;
	struct probe_verdict v;

	if (!probe_guard_take(sp, msg, &v))
		return PART_PASSES;
	if (v.what == PROBE_MAY_OPEN || v.what == PROBE_IS_REFUSED)
		event_places_tried(sp, v.search, v.what == PROBE_IS_REFUSED ? &v.why : NULL);
	/* What is still being opened is closed when that is done. */
	else if (v.what == PROBE_IS_CLOSED && sp->measured->events[v.event].live != NULL)
		opening_end(sp, v.event);
	return PART_DONE;
}

/* Samples of the ids that come with it carry something else. */
static void
take_attr(struct sampling *sp, const struct session_renewed *r)
{
	uint32_t n = r->token == UINT32_MAX ? sp->first : r->token;
	struct engine_event *ev = &sp->measured->events[n];
	uint32_t layout = sample_ids_layout(sp->ids, &r->attr);
	bool is_other = layout != ev->layout;

	ev->attr = r->attr;
	ev->layout = layout;
	if (is_other)
		opening_tell(sp, ev->leader);
}

enum part_reply
events_on_rings(void *sampling, struct msg *msg)
{
	struct session_rings_msg *m = (struct session_rings_msg *)msg;
	struct sampling *sp = sampling;

	if (m->err.code != ERR_NONE)
		notes_fail(sp->notes, &m->err);
	for (size_t i = 0; i < m->renewed_count; i++)
		take_attr(sp, &m->renewed[i]);
	for (size_t i = 0; i < m->id_count; i++)
		opening_add_ids(sp, m->tokens[i] == UINT32_MAX ? sp->first : m->tokens[i],
				&m->ids[i], &m->tids[i], 1);
	cpu_changes_tell(sp, m);
	/* On a CPU that came, a process's own would be missing. */
	if (m->tells_cpus && m->added_count + m->gone_count > 0)
		stack_choice_end_all(sp);
	session_adopt_rings(sp->session, m);
	opening_retire(sp, m->closed, m->closed_count);
	sp->watch(sp->watch_self);
	return PART_DONE;
}

void
sampling_show_next(struct sampling *sp, int direction)
{
	const struct measured *m = sp->measured;
	uint32_t n = m->event_count, from = m->shown < n ? m->shown : 0;

	if (n < 2) {
		notes_say(sp->notes, "no other event was used so far: e chooses one");
		return;
	}
	forget_chosen(sp);
	show_event(sp, direction > 0 ? (from + 1) % n : (from + n - 1) % n);
}

void
sampling_toggle_pause(struct sampling *sp)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	if (ev == NULL || ev->live == NULL) {
		notes_refuse(sp->notes, "no event is open here that could be paused");
		return;
	}
	opening_pause(sp, ev->leader, !ev->is_paused);
	notes_say(sp->notes, ev->is_paused ? "%s is paused: P goes on with it"
					   : "%s is sampled again", ev->spec.name);
}

void
sampling_set_filter(struct sampling *sp, const char *filter)
{
	const struct engine_event *ev = measured_shown(sp->measured);

	if (ev == NULL || ev->live == NULL)
		notes_refuse(sp->notes, "no event is open here that could have a filter");
	else if (!event_takes_filter(&ev->spec))
		notes_refuse(sp->notes, "a filter is for tracepoints and probes: '%s' has no "
				   "fields", ev->spec.name);
	else
		session_set_filter(sp->session, ev->live, *filter != '\0' ? filter : NULL);
}

enum part_reply
events_on_filtered(void *sampling, struct msg *msg)
{
	struct session_filtered_msg *m = (struct session_filtered_msg *)msg;
	struct sampling *sp = sampling;
	struct event *spec;

	if (m->err.code != ERR_NONE) {
		notes_fail(sp->notes, &m->err);
		return PART_DONE;
	}
	spec = &sp->measured->events[m->token].spec;
	free(spec->filter);
	spec->filter = m->filter;
	m->filter = NULL;
	if (spec->filter != NULL)
		notes_keep(sp->notes, "%s: the kernel keeps only what fits %s", spec->name, spec->filter);
	else
		notes_keep(sp->notes, "%s has no filter any more", spec->name);
	agenda_want(sp->agenda, AGENDA_ANSWER);
	return PART_DONE;
}
