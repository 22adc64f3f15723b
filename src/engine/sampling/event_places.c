/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events with a place: before one is opened, its functions or its variable are looked for in the
 * files of the targets.  The way of a search: COMMAND is stopped at its exec if there is one, /proc
 * tells what the targets map, the symbol service looks into the files, the event is opened.
 */
#include "engine/place/place_search.h"
#include "engine/sampling/sampling_impl.h"
#include "event/site.h"

#include <stdlib.h>

struct place_finding {
	uint32_t event, id; /* id: of its questions */
	struct place_search *search;
	int *pids;
	size_t pid_count;
	size_t maps_wanted;
	bool waits_for_exec;
	uint32_t target;    /* the event is open: it is to be opened in these processes, which are of
			       that target, too; 0: it is not open yet */
	bool waits_for_open; /* with a target: it is about to be open */
};

static struct place_finding *
find_search(const struct sampling *sp, uint32_t id)
{
	for (size_t i = 0; i < sp->search_count; i++)
		if (sp->searches[i]->id == id)
			return sp->searches[i];
	return NULL;
}

static void
search_free(struct place_finding *s)
{
	place_search_free(s->search);
	free(s->pids);
	free(s);
}

static void
end_search(struct sampling *sp, struct place_finding *s)
{
	for (size_t i = 0; i < sp->search_count; i++) {
		if (sp->searches[i] != s)
			continue;
		sp->searches[i] = sp->searches[--sp->search_count];
		break;
	}
	search_free(s);
}

/* The event stays as it is for all others. */
static void
cannot_join(struct sampling *sp, const struct place_finding *s, const struct err *err)
{
	notes_keep(sp->notes, "not in process %d: %s%s%s", s->pids[0], err->text, *err->hint ? "; " : "",
		    err->hint);
}

/* Told as if it could not be opened, and later: who asked for it is not done with asking. */
static void
give_up(struct sampling *sp, struct place_finding *s, const struct err *err)
{
	struct session_opened_msg *m;

	if (s->target != 0) {
		cannot_join(sp, s, err);
		end_search(sp, s);
		return;
	}
	m = session_opened_msg_new(s->event);
	m->err = *err;
	queue_send(sp->answers, &m->msg);
	end_search(sp, s);
}

static void
add_pid(struct place_finding *s, int pid)
{
	for (size_t i = 0; i < s->pid_count; i++)
		if (s->pids[i] == pid)
			return;
	s->pids = mem_realloc(s->pids, s->pid_count + 1, sizeof(*s->pids));
	s->pids[s->pid_count++] = pid;
}

static int
find_processes(const struct sampling *sp, struct place_finding *s, struct err *err)
{
	const char *name = sp->measured->events[s->event].spec.name;
	const struct model *m = sp->model;

	for (size_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->is_target && t->died_ns == 0 && t->pid > 0)
			add_pid(s, t->pid);
		if (s->pid_count > PLACE_PROCESSES_MAX)
			return err_set(err, ERR_LIMIT, 0,
				       "event '%.100s' would be looked for in more than %d processes",
				       name, PLACE_PROCESSES_MAX);
	}
	return 0;
}

static void
open_found(struct sampling *sp, struct place_finding *s, const struct event *found)
{
	if (s->target != 0)
		session_add_sites(sp->session, sp->measured->events[s->event].live, found, s->target);
	else
		session_open(sp->session, s->event, found, 1);
	end_search(sp, s);
}

void
event_places_tried(struct sampling *sp, uint32_t search, const struct err *err)
{
	struct place_finding *s = find_search(sp, search);
	struct err none = { 0 };

	if (s == NULL)
		return;
	if (err != NULL)
		give_up(sp, s, err);
	else
		open_found(sp, s, place_search_result(s->search, &none));
}

/* Too many to be told apart: nobody, which means all. */
static void
list_targets(const struct sampling *sp, struct place_finding *s)
{
	struct err err = { 0 };

	if (s->pid_count == 0 && sp->measured->has_targets && find_processes(sp, s, &err) < 0)
		s->pid_count = 0;
}

static void
try_found(struct sampling *sp, struct place_finding *s, const struct event *found)
{
	list_targets(sp, s);
	if (!probe_guard_begin(sp, &(struct probe_trial){ s->event, s->id, found, s->pids,
							  s->pid_count }))
		open_found(sp, s, found);
}

/* The next file, or what came of all. */
static void
go_on(struct sampling *sp, struct place_finding *s)
{
	struct symbol_places_ask ask;
	const struct event *found;
	struct err err = { 0 };

	if (place_search_next(s->search, &ask)) {
		ask.file.dso = s->id;
		symbol_service_ask_places(sp->symbols, &ask);
		return;
	}
	found = place_search_result(s->search, &err);
	if (found == NULL) {
		give_up(sp, s, &err);
		return;
	}
	try_found(sp, s, found);
}

static void
ask_maps(struct sampling *sp, struct place_finding *s)
{
	s->maps_wanted = s->pid_count;
	for (size_t i = 0; i < s->pid_count; i++)
		proc_reader_ask_maps(sp->proc, s->pids[i], COOKIE_OF_PLACES | s->id);
}

static void
begin(struct sampling *sp, struct place_finding *s)
{
	if (s->pid_count > 0)
		ask_maps(sp, s);
	else
		go_on(sp, s);
}

/* Probes may be opened for all tasks, see live/session/open_everywhere.c. */
static void
drop_others(struct sampling *sp)
{
	const struct engine_config *c = sp->config;

	if (c->pid_count + c->tid_count + c->uid_count > 0 || c->command != NULL)
		sp->feed->targets_only = true;
}

static struct place_finding *
add_search(struct sampling *sp, uint32_t n)
{
	struct place_finding *s = mem_calloc(1, sizeof(*s));

	s->event = n;
	s->id = ++sp->search_id & ~COOKIE_OF_PLACES;
	s->search = place_search_new(&sp->measured->events[n].spec);
	if (sp->config->wants_fields || sp->config->is_watched)
		place_search_ask_arguments(s->search);
	VEC_ADD(sp->searches, sp->search_count, sp->search_cap) = s;
	return s;
}

void
event_places_find(struct sampling *sp, uint32_t n)
{
	struct place_finding *s = add_search(sp, n);
	struct err err = { 0 };

	notes_say(sp->notes, "looking for %s", sp->measured->events[n].spec.name);
	if (event_is_probe(&sp->measured->events[n].spec))
		drop_others(sp);
	if (place_search_wants_maps(s->search) && find_processes(sp, s, &err) < 0) {
		give_up(sp, s, &err);
	} else if (sp->config->command != NULL && !sp->command_started) {
		/* Also where no maps are wanted: what ptop's child does before is not COMMAND's. */
		s->waits_for_exec = true;
		session_stop_at_exec(sp->session);
	} else {
		begin(sp, s);
	}
}

bool
event_places_are_sought(const struct sampling *sp)
{
	for (size_t i = 0; i < sp->search_count; i++)
		if (sp->searches[i]->target == 0)
			return true;
	return false;
}

bool
sampling_opens_places(const struct sampling *sp)
{
	for (uint32_t n = 0; n < sp->measured->event_count; n++)
		if (sp->measured->events[n].opening &&
		    sp->measured->events[n].spec.place != EVENT_PLACE_NONE)
			return true;
	return false;
}

static void
join(struct sampling *sp, uint32_t n, const struct session_attached_msg *m)
{
	const struct engine_event *ev = &sp->measured->events[n];
	struct place_finding *s = add_search(sp, n);

	s->target = m->target;
	s->waits_for_open = ev->live == NULL;
	for (size_t i = 0; i < m->pid_count && i < PLACE_PROCESSES_MAX; i++)
		add_pid(s, m->pids[i]);
	if (m->pid_count > PLACE_PROCESSES_MAX)
		notes_keep(sp->notes, "event '%.100s' is looked for in the first %d of these processes",
			    ev->spec.name, PLACE_PROCESSES_MAX);
	/* Named by its file, or in the kernel: it is probed whoever runs there. */
	if (!place_search_wants_maps(s->search) || s->pid_count == 0)
		end_search(sp, s);
	else if (!s->waits_for_open)
		begin(sp, s);
}

void
event_places_join(struct sampling *sp, const struct session_attached_msg *m)
{
	for (uint32_t n = 0; n < sp->measured->event_count; n++) {
		const struct engine_event *ev = &sp->measured->events[n];

		/* A variable of the kernel is found. */
		if (ev->spec.place == EVENT_PLACE_DATA && ev->live != NULL &&
		    ev->attr.config1 >> 63)
			continue;
		if (ev->spec.place != EVENT_PLACE_NONE && (ev->live != NULL || ev->opening))
			join(sp, n, m);
	}
}

void
event_places_begin_joining(struct sampling *sp, uint32_t n)
{
	for (size_t i = sp->search_count; i-- > 0;) {
		struct place_finding *s = sp->searches[i];

		if (s->event != n || !s->waits_for_open)
			continue;
		s->waits_for_open = false;
		begin(sp, s);
	}
}

void
event_places_end_joining(struct sampling *sp, uint32_t n)
{
	for (size_t i = sp->search_count; i-- > 0;)
		if (sp->searches[i]->event == n && sp->searches[i]->target != 0)
			end_search(sp, sp->searches[i]);
}

enum part_reply
event_places_on_joined(void *sampling, struct msg *msg)
{
	const struct session_joined_msg *m = (const struct session_joined_msg *)msg;
	struct sampling *sp = sampling;
	struct engine_event *ev = &sp->measured->events[m->token];

	if (m->is_late)
		measured_add_notice(ev, "%s: what began later was probed up to 0.1 s after its begin, "
				    "since probes cannot be inherited", ev->spec.name);
	if (m->err.code != ERR_NONE)
		notes_keep(sp->notes, "not in the process attached: %s%s%s", m->err.text,
			    *m->err.hint ? "; " : "", m->err.hint);
	return PART_DONE;
}

enum part_reply
event_places_on_stopped(void *sampling, struct msg *msg)
{
	const struct session_stopped_msg *m = (const struct session_stopped_msg *)msg;
	struct sampling *sp = sampling;
	enum part_reply reply = PART_PASSES;

	for (size_t i = sp->search_count; i-- > 0;) {
		struct place_finding *s = sp->searches[i];

		if (!s->waits_for_exec)
			continue;
		s->waits_for_exec = false;
		reply = PART_DONE;
		for (size_t j = 0; j < m->file_count; j++)
			place_search_add_file(s->search, session_command_pid(sp->session),
					      m->files[j]);
		if (m->err.code != ERR_NONE)
			give_up(sp, s, &m->err);
		else
			begin(sp, s);
	}
	return reply;
}

enum part_reply
event_places_on_maps(void *sampling, struct msg *msg)
{
	const struct proc_maps_msg *m = (const struct proc_maps_msg *)msg;
	struct sampling *sp = sampling;
	struct place_finding *s;

	if (!(m->cookie & COOKIE_OF_PLACES))
		return PART_PASSES;
	s = find_search(sp, m->cookie & ~COOKIE_OF_PLACES);
	if (s == NULL)
		return PART_DONE;
	place_search_add_maps(s->search, m);
	if (--s->maps_wanted == 0)
		go_on(sp, s);
	return PART_DONE;
}

enum part_reply
event_places_on_places(void *sampling, struct msg *msg)
{
	const struct symbol_places_msg *m = (const struct symbol_places_msg *)msg;
	struct sampling *sp = sampling;
	struct place_finding *s = find_search(sp, m->dso);

	if (s == NULL)
		return PART_DONE;
	place_search_answer(s->search, m);
	go_on(sp, s);
	return PART_DONE;
}

void
event_places_release(struct sampling *sp)
{
	while (sp->search_count > 0)
		search_free(sp->searches[--sp->search_count]);
	free(sp->searches);
}
