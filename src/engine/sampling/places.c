/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events with a place: before one is opened, its functions or its variable are looked for in the
 * files of the targets.  The way of a search: COMMAND is stopped at its exec if there is one, /proc
 * tells what the targets map, the symbol service looks into the files, the event is opened.
 */
#include "engine/engine_impl.h"
#include "engine/sampling/place_search.h"
#include "event/site.h"

#include <stdlib.h>

/* Questions for maps are told from those of tasks by this bit of the cookie. */
static const uint32_t OWN_COOKIE = 1u << 31;

struct engine_search {
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

static struct engine_search *
find_search(const struct engine *e, uint32_t id)
{
	for (size_t i = 0; i < e->search_count; i++)
		if (e->searches[i]->id == id)
			return e->searches[i];
	return NULL;
}

static void
search_free(struct engine_search *s)
{
	place_search_free(s->search);
	free(s->pids);
	free(s);
}

static void
end_search(struct engine *e, struct engine_search *s)
{
	for (size_t i = 0; i < e->search_count; i++) {
		if (e->searches[i] != s)
			continue;
		e->searches[i] = e->searches[--e->search_count];
		break;
	}
	search_free(s);
}

/* The event stays as it is for all others. */
static void
cannot_join(struct engine *e, const struct engine_search *s, const struct err *err)
{
	engine_note(e, "not in process %d: %s%s%s", s->pids[0], err->text, *err->hint ? "; " : "",
		    err->hint);
}

/* Told as if it could not be opened, and later: who asked for it is not done with asking. */
static void
give_up(struct engine *e, struct engine_search *s, const struct err *err)
{
	struct session_opened_msg *m;

	if (s->target != 0) {
		cannot_join(e, s, err);
		end_search(e, s);
		return;
	}
	m = mem_calloc(1, sizeof(*m));
	m->msg.type = SESSION_MSG_OPENED;
	m->token = s->event;
	m->err = *err;
	queue_send(e->in, &m->msg);
	end_search(e, s);
}

/* The next file, or what came of all. */
static void
go_on(struct engine *e, struct engine_search *s)
{
	struct symbol_places_ask ask;
	const struct event *found;
	struct err err = { 0 };

	if (place_search_next(s->search, &ask)) {
		ask.file.dso = s->id;
		symbol_service_ask_places(e->symbols, &ask);
		return;
	}
	found = place_search_result(s->search, &err);
	if (found == NULL) {
		give_up(e, s, &err);
		return;
	}
	if (s->target != 0)
		session_add_sites(e->session, e->events[s->event].live, found, s->target);
	else
		session_open(e->session, s->event, found, 1);
	end_search(e, s);
}

static void
add_pid(struct engine_search *s, int pid)
{
	for (size_t i = 0; i < s->pid_count; i++)
		if (s->pids[i] == pid)
			return;
	s->pids = mem_realloc(s->pids, s->pid_count + 1, sizeof(*s->pids));
	s->pids[s->pid_count++] = pid;
}

static int
find_processes(const struct engine *e, struct engine_search *s, struct err *err)
{
	const char *name = e->events[s->event].spec.name;
	const struct model *m = e->model;

	for (size_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->is_target && t->died_ns == 0 && t->pid > 0)
			add_pid(s, t->pid);
		if (s->pid_count > PLACE_PROCESSES_MAX)
			return err_set(err, ERR_LIMIT, 0,
				       "event '%.100s' would be looked for in more than %d processes",
				       name, PLACE_PROCESSES_MAX);
	}
	if (s->pid_count > 0)
		return 0;
	err_set(err, ERR_USAGE, 0, "event '%.100s' can be anywhere: there is no process to look into",
		name);
	if (e->events[s->event].spec.place == EVENT_PLACE_DATA)
		return err_hint(err, "name a process (-p) or a command: each has its own addresses");
	return err_hint(err, "name the file: uprobe:/path/to/file:%.80s, or a process (-p)",
			e->events[s->event].spec.symbol);
}

static void
ask_maps(struct engine *e, struct engine_search *s)
{
	s->maps_wanted = s->pid_count;
	for (size_t i = 0; i < s->pid_count; i++)
		proc_reader_ask_maps(e->proc, s->pids[i], OWN_COOKIE | s->id);
}

static void
begin(struct engine *e, struct engine_search *s)
{
	if (s->pid_count > 0)
		ask_maps(e, s);
	else
		go_on(e, s);
}

/* Probes are opened for all tasks, see live/spread.c. */
static void
expect_others(struct engine *e)
{
	const struct engine_config *c = e->config;

	if (c->pid_count + c->tid_count + c->uid_count > 0 || c->command != NULL)
		e->feed.targets_only = true;
}

static struct engine_search *
add_search(struct engine *e, uint32_t n)
{
	struct engine_search *s = mem_calloc(1, sizeof(*s));

	s->event = n;
	s->id = ++e->search_id & ~OWN_COOKIE;
	s->search = place_search_new(&e->events[n].spec);
	vec_reserve(&e->searches, &e->search_cap, e->search_count + 1, sizeof(*e->searches));
	e->searches[e->search_count++] = s;
	return s;
}

void
engine_find_place(struct engine *e, uint32_t n)
{
	struct engine_search *s = add_search(e, n);
	struct err err = { 0 };

	engine_send_status(e, false, "looking for %s", e->events[n].spec.name);
	if (event_is_probe(&e->events[n].spec))
		expect_others(e);
	if (place_search_wants_maps(s->search) && find_processes(e, s, &err) < 0) {
		give_up(e, s, &err);
	} else if (e->config->command != NULL && !e->command_started) {
		/* Also where no maps are wanted: what ptop's child does before is not COMMAND's. */
		s->waits_for_exec = true;
		session_stop_at_exec(e->session);
	} else {
		begin(e, s);
	}
}

bool
engine_is_finding(const struct engine *e)
{
	for (size_t i = 0; i < e->search_count; i++)
		if (e->searches[i]->target == 0)
			return true;
	return false;
}

static void
join(struct engine *e, uint32_t n, const struct session_attached_msg *m)
{
	const struct engine_event *ev = &e->events[n];
	struct engine_search *s = add_search(e, n);

	s->target = m->target;
	s->waits_for_open = ev->live == NULL;
	for (size_t i = 0; i < m->pid_count && i < PLACE_PROCESSES_MAX; i++)
		add_pid(s, m->pids[i]);
	if (m->pid_count > PLACE_PROCESSES_MAX)
		engine_note(e, "event '%.100s' is looked for in the first %d of these processes",
			    ev->spec.name, PLACE_PROCESSES_MAX);
	/* Named by its file, or in the kernel: it is probed whoever runs there. */
	if (!place_search_wants_maps(s->search) || s->pid_count == 0)
		end_search(e, s);
	else if (!s->waits_for_open)
		begin(e, s);
}

void
engine_join_places(struct engine *e, const struct session_attached_msg *m)
{
	for (uint32_t n = 0; n < e->event_count; n++) {
		const struct engine_event *ev = &e->events[n];

		if (ev->spec.place != EVENT_PLACE_NONE && (ev->live != NULL || ev->opening))
			join(e, n, m);
	}
}

void
engine_begin_joining(struct engine *e, uint32_t n)
{
	for (size_t i = e->search_count; i-- > 0;) {
		struct engine_search *s = e->searches[i];

		if (s->event != n || !s->waits_for_open)
			continue;
		s->waits_for_open = false;
		begin(e, s);
	}
}

void
engine_end_joining(struct engine *e, uint32_t n)
{
	for (size_t i = e->search_count; i-- > 0;)
		if (e->searches[i]->event == n && e->searches[i]->target != 0)
			end_search(e, e->searches[i]);
}

void
engine_take_joined(struct engine *e, const struct session_joined_msg *m)
{
	if (m->err.code != ERR_NONE)
		engine_note(e, "not in the process attached: %s%s%s", m->err.text,
			    *m->err.hint ? "; " : "", m->err.hint);
}

void
engine_take_stopped(struct engine *e, const struct session_stopped_msg *m)
{
	for (size_t i = e->search_count; i-- > 0;) {
		struct engine_search *s = e->searches[i];

		if (!s->waits_for_exec)
			continue;
		s->waits_for_exec = false;
		if (m->err.code != ERR_NONE)
			give_up(e, s, &m->err);
		else
			begin(e, s);
	}
}

bool
engine_take_place_maps(struct engine *e, const struct proc_maps_msg *m)
{
	struct engine_search *s;

	if (!(m->cookie & OWN_COOKIE))
		return false;
	s = find_search(e, m->cookie & ~OWN_COOKIE);
	if (s == NULL)
		return true;
	place_search_add_maps(s->search, m);
	if (--s->maps_wanted == 0)
		go_on(e, s);
	return true;
}

void
engine_take_places(struct engine *e, const struct symbol_places_msg *m)
{
	struct engine_search *s = find_search(e, m->dso);

	if (s == NULL)
		return;
	place_search_take(s->search, m);
	go_on(e, s);
}

void
engine_places_release(struct engine *e)
{
	while (e->search_count > 0)
		search_free(e->searches[--e->search_count]);
	free(e->searches);
}
