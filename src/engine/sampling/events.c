/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events used so far, in the order of their first use.  The one shown is open; others are
 * open only if -e named them.  All keep their counts, so going back shows them at once.
 */
#include "engine/engine_impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"

enum {
	LOST_EACH_S = 30,
	LATE_MS = 2000, /* so long after its descriptor was closed nothing comes with an id */
};

static const struct engine_id *
find_id(const struct engine *e, uint64_t id)
{
	size_t low = 0, high = e->id_len;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (e->ids[mid].id == id)
			return &e->ids[mid];
		if (e->ids[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

uint32_t
engine_event_of(const struct engine *e, uint64_t id)
{
	const struct engine_id *found = find_id(e, id);

	return found != NULL ? found->event : UINT32_MAX;
}

static uint64_t
own_hash(uint32_t event, int tid)
{
	return hash_mix(event, (uint64_t)(unsigned)tid);
}

/*
 * A thread that started while the list of threads was read is counted twice: by the event that it
 * inherited and by one of its own.  The inherited one's samples are left out.
 */
bool
engine_is_twice(const struct engine *e, uint64_t id, int tid)
{
	const struct engine_id *found;
	uint32_t own, pos;
	uint64_t hash;

	if (e->own_tasks.used == 0)
		return false;
	found = find_id(e, id);
	if (found == NULL || found->stacks != 0 || found->tid == 0 || found->tid == tid)
		return false;
	hash = own_hash(found->event, tid);
	for (own = index_first(&e->own_tasks, hash, &pos); own != 0;
	     own = index_next(&e->own_tasks, hash, &pos))
		if ((int)own == tid)
			return true;
	return false;
}

static void
insert_id(struct engine *e, struct engine_id new)
{
	size_t at = e->id_len;

	vec_reserve(&e->ids, &e->id_cap, e->id_len + 1, sizeof(*e->ids));
	/* The kernel counts ids up: this is nearly always the end. */
	for (; at > 0 && e->ids[at - 1].id > new.id; at--)
		e->ids[at] = e->ids[at - 1];
	e->ids[at] = new;
	e->id_len++;
}

/* @tid: the task that the id's descriptor was opened for, 0: all of a CPU. */
static void
add_id(struct engine *e, uint64_t id, uint32_t event, int tid)
{
	insert_id(e, (struct engine_id){ .id = id, .event = event, .tid = tid });
	if (tid > 0)
		index_add(&e->own_tasks, own_hash(event, tid), (uint32_t)tid);
	if (event != UINT32_MAX && e->events[event].layout != 0)
		record_layouts_add_id(&e->layouts, e->events[event].layout, id);
}

void
engine_add_stacks_id(struct engine *e, const struct engine_id *id, uint32_t layout)
{
	insert_id(e, *id);
	record_layouts_add_id(&e->layouts, layout, id->id);
}

const struct engine_id *
engine_find_stacks_id(const struct engine *e, uint64_t id)
{
	const struct engine_id *found = find_id(e, id);

	return found != NULL && found->stacks != 0 ? found : NULL;
}

/* It has no descriptor any more; what is on its way with it is still of its event. */
static void
end_id(struct engine *e, struct engine_id *id, uint64_t now_ns)
{
	if (id->ended_ns != 0)
		return;
	id->ended_ns = now_ns;
	if (id->tid > 0 && id->stacks == 0)
		index_remove(&e->own_tasks, own_hash(id->event, id->tid), (uint32_t)id->tid);
}

void
engine_end_id(struct engine *e, uint64_t id)
{
	const struct engine_id *found = find_id(e, id);

	if (found != NULL)
		end_id(e, &e->ids[found - e->ids], clock_mono_ns());
}

static void
end_ids_of(struct engine *e, uint32_t event)
{
	uint64_t now = clock_mono_ns();

	for (size_t i = 0; i < e->id_len; i++)
		if (e->ids[i].event == event && e->ids[i].stacks == 0)
			end_id(e, &e->ids[i], now);
}

void
engine_forget_ids(struct engine *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->id_len; i++) {
		const struct engine_id *id = &e->ids[i];

		if (id->ended_ns != 0 && id->ended_ns + LATE_MS * NSEC_PER_MSEC < e->drained_to_ns)
			record_layouts_forget_id(&e->layouts, id->id);
		else
			e->ids[kept++] = *id;
	}
	e->id_len = kept;
}

/* The event of that name, made if it was not used before; UINT32_MAX if there are too many. */
uint32_t
engine_add_event(struct engine *e, const struct event *spec)
{
	uint32_t n = profile_event(e->profile, spec->name);

	if (n == UINT32_MAX || n < e->event_count)
		return n;
	e->event_count = n + 1;
	e->events[n] = (struct engine_event){ .leader = n };
	event_copy(&e->events[n].spec, spec);
	return n;
}

static void
open_group(struct engine *e, uint32_t leader)
{
	uint32_t tokens[EVENTS_MAX];
	/* What they own is borrowed. */
	struct event *specs = mem_calloc(e->event_count, sizeof(*specs));
	size_t count = 0;

	for (uint32_t n = leader; n != UINT32_MAX; n = engine_next_member(e, n)) {
		e->events[n].opening = true;
		tokens[count] = n;
		specs[count++] = e->events[n].spec;
	}
	if (count > 1)
		session_open_group(e->session, tokens, specs, count);
	else
		session_open(e->session, leader, specs, 1);
	free(specs);
}

/* With all of its group. */
static void
open_event(struct engine *e, uint32_t n)
{
	uint32_t leader = e->events[n].leader;
	struct engine_event *ev = &e->events[leader];

	if (e->file != NULL || ev->live != NULL || ev->opening)
		return;
	if (ev->spec.place == EVENT_PLACE_NONE) {
		open_group(e, leader);
		return;
	}
	ev->opening = true;
	engine_find_place(e, leader);
}

static void
close_one(struct engine *e, uint32_t n)
{
	struct engine_event *ev = &e->events[n];

	if (ev->live == NULL)
		return;
	engine_auto_end_event(e, n);
	session_tally(e->session, ev->live, &ev->closed);
	ev->lost_now = 0;
	session_close(e->session, ev->live);
	end_ids_of(e, n);
	ev->live = NULL;
	ev->closed_ns = clock_mono_ns();
}

/* With all of its group, whose leader is the last: without it the others would go on. */
void
engine_close_event(struct engine *e, uint32_t n)
{
	uint32_t leader = e->events[n].leader;

	if (e->events[leader].live == NULL || e->events[leader].is_kept)
		return;
	engine_end_joining(e, leader);
	/* What they have sampled so far belongs to the interval that ends here. */
	engine_drain(e, clock_mono_ns());
	for (uint32_t i = engine_next_member(e, leader); i != UINT32_MAX; i = engine_next_member(e, i))
		close_one(e, i);
	close_one(e, leader);
	/* The window waits for them. */
	profile_close_interval(e->profile, clock_mono_ns());
	for (uint32_t i = leader; i != UINT32_MAX; i = engine_next_member(e, i))
		e->profile->events[i].open_since_ns = 0;
}

uint64_t
engine_event_lost(const struct engine *e, uint32_t n)
{
	return tallies_lost(&e->events[n].closed) + e->events[n].lost_now + engine_auto_lost(e, n);
}

uint64_t
engine_lost(const struct engine *e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < e->event_count; i++)
		sum += engine_event_lost(e, i);
	return MAX(sum, e->lost_hint) + e->lost_sideband;
}

uint64_t
engine_window_lost(const struct engine *e, uint64_t now_ns)
{
	const uint64_t begin_ns = engine_begin_ns(e);
	uint64_t from_ns = 0, to_ns = now_ns;

	if (e->file != NULL || e->query.window_ns == WINDOW_ALL)
		return engine_lost(e);
	if (e->query.window_ns == WINDOW_SINCE_REPORT)
		return losses_between(&e->losses, e->reported_ns, to_ns);
	if (e->query.end_ns != 0)
		to_ns = begin_ns + e->query.end_ns;
	if (to_ns > e->query.window_ns)
		from_ns = to_ns - e->query.window_ns;
	return losses_between(&e->losses, from_ns, to_ns);
}

/*
 * Reading the count interrupts the CPU that it is of and waits for it, which can take a millisecond
 * on a virtual one: so when a record told of a loss, for a report, and now and then, since losses
 * at the end are told by no record.
 */
void
engine_count_lost(struct engine *e, uint64_t now_ns)
{
	if (!e->config->batch && e->lost_hint == e->lost_hint_counted &&
	    now_ns - e->lost_counted_ns < LOST_EACH_S * NSEC_PER_SEC)
		return;
	e->lost_hint_counted = e->lost_hint;
	e->lost_counted_ns = now_ns;
	for (uint32_t n = 0; n < e->event_count; n++)
		if (e->events[n].live != NULL)
			e->events[n].lost_now = session_lost(e->session, e->events[n].live);
	engine_auto_count_lost(e);
	losses_mark(&e->losses, now_ns, engine_lost(e));
}

static void
show_event(struct engine *e, uint32_t n)
{
	const struct engine_event *leader = &e->events[e->events[n].leader];
	uint32_t before = e->shown;

	/* Put into another group, or taken out of one, it is opened anew. */
	if (n == before && (leader->live != NULL || leader->opening))
		return;
	e->shown = n;
	e->shown_before = before;
	open_event(e, n);
	if (before != UINT32_MAX && e->events[before].leader != e->events[n].leader)
		engine_close_event(e, before);
	e->changed = true;
	e->next_hurry_ns = 0;
	e->fresh_since_ns = clock_mono_ns();
}

static void
start_command(struct engine *e)
{
	e->command_started = true;
	session_start_command(e->session);
}

void
engine_open_first(struct engine *e)
{
	const struct engine_config *c = e->config;

	if (session_scope(e->session) == SESSION_NONE) {
		const char *why = session_notice(e->session, 0);

		/* The screen still shows the process list; a report would be empty. */
		e->stopping = c->batch;
		err_set(&e->end_err, ERR_DENIED, 0, "%s", why != NULL ? why : "no event can be opened");
		err_hint(&e->end_err, "%s", session_remedy(e->session, 0));
		if (c->command != NULL && !c->batch)
			start_command(e);
		return;
	}
	if (c->events == NULL) {
		/* One event, whichever of the candidates opens: its number is known then. */
		session_open(e->session, UINT32_MAX, e->candidates, e->candidate_count);
		return;
	}
	for (size_t i = 0, len; i < e->candidate_count && !e->stopping; i += len) {
		uint32_t n;

		len = event_group_len(&e->candidates[i], e->candidate_count - i);
		n = engine_add_group(e, &e->candidates[i], len, &e->end_err);
		if (n == UINT32_MAX) {
			e->stopping = true;
			return;
		}
		for (uint32_t k = n; k != UINT32_MAX; k = engine_next_member(e, k))
			e->events[k].is_kept = true;
		open_event(e, n);
		if (i == 0)
			e->shown = n;
	}
}

/* To what was shown before, once: that may fail as well. */
static void
go_back(struct engine *e, uint32_t token)
{
	if (e->shown >= e->event_count || e->events[e->shown].leader != token)
		return;
	engine_end_group(e, token);
	if (e->shown_before < e->event_count) {
		show_event(e, e->shown_before);
		e->shown_before = UINT32_MAX;
	} else {
		e->shown = UINT32_MAX;
	}
}

static void
note_failure(struct engine *e, struct session_opened_msg *m)
{
	struct err *err = &m->err;

	if (m->token != UINT32_MAX) {
		for (uint32_t n = m->token; n != UINT32_MAX; n = engine_next_member(e, n))
			e->events[n].opening = false;
		engine_end_joining(e, m->token);
	}
	/* What was asked for at the start cannot be had: there is no point in going on. */
	if (m->token == UINT32_MAX ? e->config->batch : e->events[m->token].is_kept) {
		e->end_err = *err;
		e->stopping = true;
	}
	go_back(e, m->token);
	/* Last, since the way back may say that it looks for a place. */
	engine_send_status(e, true, "%s%s%s", err->text, *err->hint ? "; " : "", err->hint);
}

uint32_t
engine_layout_of(struct engine *e, const struct event_attr *attr)
{
	struct record_layout l = record_layout_of(attr, false);

	if (!(l.sample_type & PERF_SAMPLE_READ))
		l.read_format = 0; /* of no sample */
	for (uint32_t i = 0; i < e->layouts.len; i++) {
		const struct record_layout *have = &e->layouts.items[i];

		if (have->sample_type == l.sample_type &&
		    ((l.sample_type & PERF_SAMPLE_PERIOD) ||
		     have->sample_period == l.sample_period) &&
		    have->read_format == l.read_format &&
		    have->has_values_by_task == l.has_values_by_task &&
		    have->branch_sample_type == l.branch_sample_type &&
		    have->sample_regs_user == l.sample_regs_user &&
		    have->sample_regs_intr == l.sample_regs_intr)
			return i;
	}
	return record_layouts_add(&e->layouts, &l);
}

static void
take_one(struct engine *e, struct session_opened_msg *m, uint32_t n)
{
	struct engine_event *ev = &e->events[n];

	ev->opening = false;
	ev->live = m->event;
	ev->is_freq = m->is_freq;
	ev->rate = m->rate;
	ev->attr = m->attr;
	ev->layout = engine_layout_of(e, &m->attr);
	for (size_t i = 0; i < ev->notice_count; i++)
		free(ev->notices[i]);
	for (size_t i = 0; i < m->notice_count; i++) {
		ev->notices[i] = m->notices[i];
		m->notices[i] = NULL;
	}
	ev->notice_count = m->notice_count;
	e->profile->events[n].open_since_ns = clock_mono_ns();
	engine_rate_opened(e, ev);
}

static void
take_ids(struct engine *e, const struct session_opened_msg *m, uint32_t n)
{
	for (size_t i = 0; i < m->id_count; i++)
		add_id(e, m->ids[i], n, m->tids[i]);
}

static void
forget_chosen(struct engine *e)
{
	free(e->chosen_spec);
	e->chosen_spec = NULL;
}

/* What the text begins with: an event or a group. */
static void
show_group(struct engine *e, const struct event_list *list, const char *spec)
{
	size_t len = event_group_len(list->items, list->len);
	struct err err = { 0 };
	uint32_t n = engine_add_group(e, list->items, len, &err);

	if (n == UINT32_MAX && err.code == ERR_BUSY)
		e->chosen_spec = mem_strdup(spec);
	else if (n == UINT32_MAX)
		engine_send_status(e, true, "%s%s%s", err.text, *err.hint ? "; " : "", err.hint);
	else
		show_event(e, n);
}

void
engine_show_spec(struct engine *e, const char *spec)
{
	struct event_list list = { 0 };
	struct err err = { 0 };

	forget_chosen(e);
	if (e->file != NULL) {
		engine_send_status(e, true, "a recording has the events that were recorded: "
				   "[ and ] step through them");
	} else if (session_scope(e->session) == SESSION_NONE) {
		engine_send_status(e, true, "no event can be opened here: ! shows why");
	} else if (event_parse(&e->env, spec, &list, &err) < 0) {
		engine_send_status(e, true, "%s%s%s", err.text, *err.hint ? "; " : "", err.hint);
	} else {
		show_group(e, &list, spec);
	}
	event_list_release(&list);
}

/* What it waited for may have opened, or never will. */
static void
show_chosen(struct engine *e)
{
	char *spec = e->chosen_spec;

	if (spec == NULL)
		return;
	e->chosen_spec = NULL;
	engine_show_spec(e, spec);
	free(spec);
}

void
engine_take_opened(struct engine *e, struct session_opened_msg *m)
{
	uint32_t n = m->token;

	if (m->event == NULL) {
		note_failure(e, m);
		show_chosen(e);
		return;
	}
	if (n == UINT32_MAX) {
		n = e->first = engine_add_event(e, &m->spec);
		if (e->shown == UINT32_MAX)
			e->shown = n;
	}
	take_one(e, m, n);
	for (struct session_opened_msg *o = m->next; o != NULL; o = o->next)
		take_one(e, o, o->token);
	engine_record_opened(e, n);
	for (const struct session_opened_msg *o = m; o != NULL; o = o->next)
		take_ids(e, o, o == m ? n : o->token);
	session_begin(e->session, m);
	e->changed = true;
	e->next_drain_ns = 0;
	e->fresh_since_ns = clock_mono_ns();
	if (e->config->command != NULL && !e->command_ended && !engine_is_finding(e))
		start_command(e);
	engine_begin_joining(e, n);
	/* Another one was chosen while this was opening. */
	if (e->shown >= e->event_count || e->events[e->shown].leader != n)
		engine_close_event(e, n);
	show_chosen(e);
}

void
engine_take_rings(struct engine *e, struct session_rings_msg *m)
{
	for (size_t i = 0; i < m->id_count; i++)
		add_id(e, m->ids[i], m->tokens[i] == UINT32_MAX ? e->first : m->tokens[i], m->tids[i]);
	engine_tell_cpus(e, m);
	/* On a CPU that came, a process's own would be missing. */
	if (m->added_count + m->gone_count > 0)
		engine_auto_end_all(e);
	session_adopt_rings(e->session, m);
	/* What is in the rings of a target that has just gone still counts. */
	if (m->closed_count > 0)
		engine_drain(e, clock_mono_ns());
	for (size_t i = 0; i < m->closed_count; i++)
		engine_end_id(e, m->closed[i]);
	engine_watch_rings(e);
}

/* A ring that is half full ends the wait for the next drain. */
void
engine_watch_rings(struct engine *e)
{
	size_t count;
	struct session_ring *rings = session_rings(e->session, &count);

	for (size_t i = 0; i < count; i++) {
		/* Edges only: a finished task's event would be ready for ever. */
		struct epoll_event ev = { .events = EPOLLIN | EPOLLET, .data.u32 = 1 };

		if (rings[i].poll_fd >= 0)
			epoll_ctl(e->epoll_fd, EPOLL_CTL_ADD, rings[i].poll_fd, &ev);
	}
}

void
engine_show_step(struct engine *e, int direction)
{
	uint32_t n = e->event_count, from = e->shown < n ? e->shown : 0;

	if (n < 2) {
		engine_send_status(e, false, "no other event was used so far: e chooses one");
		return;
	}
	forget_chosen(e);
	show_event(e, direction > 0 ? (from + 1) % n : (from + n - 1) % n);
}

void
engine_change_filter(struct engine *e, const char *filter)
{
	const struct engine_event *ev = e->shown < e->event_count ? &e->events[e->shown] : NULL;

	if (ev == NULL || ev->live == NULL)
		engine_send_status(e, true, "no event is open here that could have a filter");
	else if (!event_takes_filter(&ev->spec))
		engine_send_status(e, true, "a filter is for tracepoints and probes: '%s' has no "
				   "fields", ev->spec.name);
	else
		session_set_filter(e->session, ev->live, *filter != '\0' ? filter : NULL);
}

void
engine_take_filtered(struct engine *e, struct session_filtered_msg *m)
{
	struct event *spec;

	if (m->err.code != ERR_NONE) {
		engine_send_status(e, true, "%s%s%s", m->err.text, *m->err.hint ? "; " : "",
				   m->err.hint);
		return;
	}
	spec = &e->events[m->token].spec;
	free(spec->filter);
	spec->filter = m->filter;
	m->filter = NULL;
	if (spec->filter != NULL)
		engine_note(e, "of %s the kernel keeps what fits %s", spec->name, spec->filter);
	else
		engine_note(e, "%s has no filter any more", spec->name);
	engine_send_snapshot(e);
}
