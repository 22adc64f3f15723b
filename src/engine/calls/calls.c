/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/calls/calls.h"

#include "base/buf.h"
#include "base/clock.h"
#include "engine/calls/call_find.h"
#include "engine/calls/calls_impl.h"
#include "live/session/refusal.h"
#include "live/session/session.h"
#include "profile/place/location.h"

#include <stdlib.h>
#include <unistd.h>

enum { ANSWER_S = 2 }; /* what follows later is no answer to the key */

static struct function *
find(struct calls *c, uint32_t id)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].id == id)
			return &c->items[i];
	return NULL;
}

static void
release_function(struct function *f)
{
	if (f->last != NULL)
		msg_free(&f->last->msg);
	event_release(&f->order.event);
	free(f->order.roots);
	free(f->name);
	free(f->event);
}

void
calls_end(struct calls *c, uint32_t id)
{
	struct function *f = find(c, id);

	if (f == NULL)
		return;
	call_counter_end(c->thread, id);
	notes_say(c->env->notes, "%s is not counted any more", f->name);
	release_function(f);
	*f = c->items[--c->count];
	agenda_want(c->env->agenda, AGENDA_ANSWER);
}

static void
send_order(struct calls *c, struct function *f)
{
	if (c->thread == NULL) {
		c->finder = (struct call_finder){ .find = call_find };
		c->thread = call_counter_new(NULL, c->env->events, &c->finder, c->env->answers);
	}
	f->waits = false;
	call_counter_begin(c->thread, &f->order);
}

/* @target: its number, 0: it is none of them. */
static void
add_root(const struct calls *c, struct call_order *o, uint32_t task, uint32_t target)
{
	const struct task *t = &c->env->model->tasks[task];

	o->roots = mem_realloc(o->roots, o->root_count + 1, sizeof(*o->roots));
	o->roots[o->root_count++] = (struct call_root){
		t->pid, !t->is_lone && !c->env->config->no_inherit, target };
}

/* Who is sampled; of a target that has ended, what it leaves.  -1: nobody any more. */
static int
add_targets(struct calls *c, struct call_order *o, struct err *err)
{
	const struct measured *m = c->env->measured;
	const struct model *model = c->env->model;

	for (size_t i = 0; i < m->target_count; i++) {
		const struct target *target = &m->targets[i];
		bool lives = model->tasks[target->task].died_ns == 0;

		if (lives)
			add_root(c, o, target->task, target->number);
		for (uint32_t id = 0; !lives && (id = model_next_of_target(model, target->number, id)) != 0;)
			add_root(c, o, id, target->number);
	}
	if (o->root_count == 0 && m->has_targets)
		return err_set(err, ERR_GONE, 0, "what was sampled has ended");
	return 0;
}

static void
tell_refusal(struct calls *c, const char *name, const struct err *err)
{
	struct arena arena = { 0 };

	if (c->env->counts_alone)
		agenda_end(c->env->agenda, err);
	else
		notes_refuse(c->env->notes, "cannot count %s: %s%s%s", name,
			     refusal_cause(&arena, err->text), *err->hint != '\0' ? "; " : "",
			     err->hint);
	arena_release(&arena);
}

/* No frame is set up yet where a function begins: along frame pointers its caller is missing. */
static char *
event_with_stacks(const char *event)
{
	bool is_user = strncmp(event, "uprobe:", strlen("uprobe:")) == 0;
	struct buf b = { 0 };

	buf_addf(&b, "%s%s", event, is_user ? "/call-graph=dwarf/" : "");
	return b.data;
}

/* @process 0: all targets. */
static struct function *
add(struct calls *c, const char *name, const char *event, uint32_t process, struct err *err)
{
	struct event_list list = { 0 };
	struct function *f = &c->items[c->count];

	if (c->count == CALLS_MAX) {
		err_set(err, ERR_LIMIT, 0, "%d functions are counted already", CALLS_MAX);
		return NULL;
	}
	if (event_parse(c->env->events, event, &list, err) < 0)
		return NULL;
	*f = (struct function){ .id = ++c->last_id, .pid = calls_pid_of(c, process),
				.name = mem_strdup(name), .event = event_with_stacks(event),
				.is_of_targets = process == 0 && c->env->measured->has_targets };
	f->order = (struct call_order){ .id = f->id, .is_forced = c->env->config->force_probe };
	event_copy(&f->order.event, &list.items[0]);
	event_list_release(&list);
	if (process != 0) {
		add_root(c, &f->order, process, 0);
	} else if (add_targets(c, &f->order, err) < 0) {
		release_function(f);
		return NULL;
	}
	c->count++;
	return f;
}

/* Its program is known only where it stands at its exec. */
static bool
waits_for_command(const struct calls *c)
{
	return c->env->counts_alone && c->env->config->command != NULL;
}

static void
add_named(struct calls *c, const char *name)
{
	struct err err = { 0 };
	struct buf text = { 0 };
	bool is_event = strncmp(name, "uprobe:", 7) == 0 || strncmp(name, "kprobe:", 7) == 0;
	struct function *f;

	buf_addf(&text, "%s%s", is_event ? "" : "uprobe:", name);
	f = add(c, name, text.data, 0, &err);
	buf_release(&text);
	if (f == NULL) {
		tell_refusal(c, name, &err);
		return;
	}
	f->waits = waits_for_command(c);
	f->order.at_exec = f->waits;
	if (!f->waits)
		send_order(c, f);
}

void
calls_begin(struct calls *c)
{
	const struct engine_config *config = c->env->config;

	if (config->functions == NULL || c->env->session == NULL)
		return;
	c->holds_reports = c->env->counts_alone;
	if (c->holds_reports)
		c->env->agenda->next_refresh_ns = UINT64_MAX;
	for (char **name = config->functions; *name != NULL; name++)
		add_named(c, *name);
	if (waits_for_command(c))
		session_stop_at_exec(c->env->session);
}

static enum part_reply
on_stopped(void *calls, struct msg *msg)
{
	const struct session_stopped_msg *m = (const struct session_stopped_msg *)msg;
	struct calls *c = calls;

	if (!waits_for_command(c) || c->count == 0)
		return PART_PASSES;
	if (m->err.code != ERR_NONE) {
		agenda_end(c->env->agenda, &m->err);
		return PART_DONE;
	}
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].waits)
			send_order(c, &c->items[i]);
	return PART_DONE;
}

/* All of a report that has no samples is open.  Where one is refused there is none: COMMAND never runs. */
static void
let_go(struct calls *c)
{
	const struct engine_config *config = c->env->config;
	struct agenda *a = c->env->agenda;

	if (a->is_over)
		return;
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].last == NULL ||
		    c->items[i].last->reading.phase < CALL_TIMING)
			return;
	c->holds_reports = false;
	session_start_command(c->env->session);
	if (!engine_config_is_whole_life(config))
		a->next_refresh_ns = clock_mono_ns() + a->delay_ns;
}

/* A new phase is said once.  Soon after the key it replaces "counting...", which is not true any more. */
static void
tell_phase(struct calls *c, const struct function *f, const struct call_reading *r)
{
	bool is_cut = r->phase == CALL_COUNTING || r->phase == CALL_CLOSED;

	void (*tell)(struct notes *n, const char *fmt, ...) =
		r->for_ns < ANSWER_S * NSEC_PER_SEC ? notes_keep : notes_news;

	if (is_cut && *r->note != '\0')
		tell(c->env->notes, "%s: %s: %s", f->name, calls_state(r->phase), r->note);
}

static enum part_reply
on_reading(void *calls, struct msg *msg)
{
	struct call_reading_msg *m = (struct call_reading_msg *)msg;
	struct calls *c = calls;
	struct function *f = find(c, m->id);
	bool is_new;

	if (f == NULL)
		return PART_DONE;
	is_new = f->last == NULL || f->last->reading.phase != m->reading.phase;
	if (f->last != NULL)
		msg_free(&f->last->msg);
	f->last = m;
	c->asked -= c->asked > 0 && m->is_asked;
	if (is_new && m->reading.phase == CALL_REFUSED)
		tell_refusal(c, f->name, &m->err);
	else if (is_new)
		tell_phase(c, f, &m->reading);
	if (c->holds_reports)
		let_go(c);
	else if (!c->env->counts_alone)
		agenda_want(c->env->agenda, is_new ? AGENDA_ANSWER : AGENDA_SHOW);
	return PART_KEEPS;
}

void
calls_ask(struct calls *c)
{
	c->asked = 0;
	for (size_t i = 0; i < c->count; i++)
		c->asked += c->items[i].last != NULL &&
			    c->items[i].last->reading.phase != CALL_REFUSED;
	if (c->asked > 0)
		call_counter_ask(c->thread);
}

bool
calls_await(const struct calls *c)
{
	return c->asked > 0;
}

/* Where the function begins, as its probe is asked for. */
static uint64_t
begin_of(const struct calls *c, const struct location *loc)
{
	const struct dso_symbols *symbols = locations_symbols(c->env->locations, loc->dso);

	if (loc->kind == LOCATION_FUNCTION && symbols->image != NULL && loc->fn != IMAGE_NONE &&
	    loc->fn < image_count(symbols->image))
		return image_address(symbols->image, loc->fn);
	return loc->offset;
}

static bool
is_of_file(const struct calls *c, const struct location *loc)
{
	enum dso_kind kind = dsos_get(&c->env->model->dsos, loc->dso)->kind;

	return kind == DSO_FILE || kind == DSO_KERNEL || kind == DSO_MODULE;
}

/* Without a name, as code that was made at run time can be, that of where it is. */
static uint32_t
name_of(const struct calls *c, const struct location *loc)
{
	return loc->kind == LOCATION_FUNCTION ? loc->name : dsos_get(&c->env->model->dsos, loc->dso)->name;
}

/* Of the kernel its name, of a file its place: names can be ambiguous, and demangled. */
static const char *
event_text(const struct calls *c, const struct location *loc, struct buf *b)
{
	if (dsos_get(&c->env->model->dsos, loc->dso)->kind == DSO_FILE)
		return "uprobe:/file:0x0";
	buf_addf(b, "kprobe:%s", strs_get(&c->env->model->strs, loc->name));
	return buf_str(b);
}

/* In the process's own maps, wherever it has its root; of the machine as ptop sees it. */
static void
set_place(const struct calls *c, const struct location *loc, struct function *f)
{
	bool in_process = f->order.root_count > 0;
	struct event *ev = &f->order.event;
	struct buf text = { 0 };
	const struct dso *dso = dsos_get(&c->env->model->dsos, loc->dso);
	const char *path = strs_get(&c->env->model->strs, dso->path);
	const char *base = strrchr(path, '/');

	free(ev->name);
	ev->name = mem_strdup(f->name);
	free(ev->path);
	ev->path = mem_strdup(in_process && base != NULL ? base + 1 : path);
	ev->symbol_offset = begin_of(c, loc);
	buf_addf(&text, "uprobe:%s:0x%llx", path, (unsigned long long)ev->symbol_offset);
	free(f->event);
	f->event = event_with_stacks(text.data);
	buf_release(&text);
}

/* What counts there, @pid 0: in all.  What counts in all counts in each. */
static struct function *
find_location(struct calls *c, uint32_t location, int pid)
{
	for (size_t i = 0; i < c->count; i++) {
		struct function *f = &c->items[i];

		if (f->location == location && (f->pid == 0 || f->pid == pid))
			return f;
	}
	return NULL;
}

/* Why there is no probe for the code; NULL: there can be one. */
static const char *
why_no_probe(const struct calls *c, const struct location *loc)
{
	if (c->env->session == NULL)
		return "a recording cannot be probed";
	if (!is_of_file(c, loc))
		return "its code is in no file; c shows who calls it";
	return loc->kind != LOCATION_FUNCTION ? "nothing says where it begins" : NULL;
}

void
calls_toggle(struct calls *c, uint32_t location, uint32_t process)
{
	struct locations *l = c->env->locations;
	uint32_t id = locations_resolve(l, location);
	const struct location *loc = &l->items[id];
	const char *name = strs_get(&c->env->model->strs, name_of(c, loc));
	const char *why = why_no_probe(c, loc);
	int pid = calls_pid_of(c, process);
	struct function *f = find_location(c, id, pid);
	struct buf text = { 0 };
	struct err err = { 0 };

	if (f != NULL) {
		calls_end(c, f->id);
		return;
	}
	if (why != NULL)
		err_set(&err, ERR_UNSUPPORTED, 0, "%s", why);
	else if (pid == getpid())
		err_set(&err, ERR_USAGE, 0, "ptop does not probe itself");
	else
		f = add(c, name, event_text(c, loc, &text), process, &err);
	if (f == NULL) {
		notes_refuse(c->env->notes, "cannot count %s: %s", name, err.text);
	} else {
		f->location = id;
		if (f->order.event.place == EVENT_PLACE_UPROBE)
			set_place(c, loc, f);
		notes_say(c->env->notes, "counting %s...", name);
		send_order(c, f);
	}
	buf_release(&text);
}

static bool
has_target(const struct call_order *o, uint32_t number)
{
	for (size_t i = 0; i < o->root_count; i++)
		if (o->roots[i].target == number)
			return true;
	return false;
}

/* One that was detached, or ended and left its number to another one. */
static void
drop_root(struct call_order *o, int pid)
{
	for (size_t i = o->root_count; i-- > 0;)
		if (o->roots[i].pid == pid)
			o->roots[i] = o->roots[--o->root_count];
}

/* Targets that were added since it began. */
static void
join(struct calls *c, struct function *f)
{
	const struct measured *m = c->env->measured;

	for (size_t i = 0; i < m->target_count; i++) {
		const struct target *target = &m->targets[i];
		const struct task *t = &c->env->model->tasks[target->task];

		if (t->died_ns != 0 || has_target(&f->order, target->number))
			continue;
		drop_root(&f->order, t->pid);
		add_root(c, &f->order, target->task, target->number);
		call_counter_join(c->thread, f->id, &f->order.roots[f->order.root_count - 1]);
	}
}

static void
beat(void *calls, uint64_t now_ns)
{
	struct calls *c = calls;
	bool has_changed = c->target_changes != c->env->measured->target_changes;

	(void)now_ns;
	c->target_changes = c->env->measured->target_changes;
	for (size_t i = 0; has_changed && i < c->count; i++)
		if (c->items[i].is_of_targets && !c->items[i].waits)
			join(c, &c->items[i]);
}

static size_t
held(const void *calls)
{
	return sizeof(struct calls) +
	       ((const struct calls *)calls)->count * sizeof(struct call_reading_msg);
}

static void *
make(const struct engine_env *env)
{
	struct calls *c = mem_calloc(1, sizeof(*c));

	c->env = env;
	return c;
}

static void
release(void *calls)
{
	struct calls *c = calls;

	call_counter_free(c->thread);
	for (size_t i = 0; i < c->count; i++)
		release_function(&c->items[i]);
	free(c);
}

static const struct part_message messages[] = {
	{ CALL_MSG_READING, on_reading },
	{ SESSION_MSG_STOPPED, on_stopped },
};

static const struct part_memory memory[] = {
	{ "calls of functions", held, NULL, "a few functions at a time" },
};

const struct engine_part calls_part = {
	.name = "calls",
	.make = make,
	.release = release,
	.beat = beat,
	.messages = messages,
	.message_count = ARRAY_SIZE(messages),
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
	.put_head = calls_put_rows,
};
