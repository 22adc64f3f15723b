/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is sampled of all that runs: targets that were named at the start, and those that come and
 * go while sampling goes on.  The session opens and closes for them, the model knows whose samples
 * are wanted.
 */
#include "engine/engine_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "live/sys/targets.h"

static void
add_target(struct engine *e, uint32_t task, uint32_t number, bool lone)
{
	model_set_target(e->model, task, number, lone);
	model_hold_task(e->model, task);
	vec_reserve(&e->targets, &e->target_cap, e->target_len + 1, sizeof(*e->targets));
	e->targets[e->target_len++] = (struct engine_target){ .number = number, .task = task };
}

static void
remove_target(struct engine *e, size_t i)
{
	model_release_task(e->model, e->targets[i].task);
	memmove(&e->targets[i], &e->targets[i + 1],
		(e->target_len - i - 1) * sizeof(*e->targets));
	e->target_len--;
}

/* The place of @number among the targets, target_len if it is none. */
static size_t
find_target(const struct engine *e, uint32_t number)
{
	size_t i;

	for (i = 0; i < e->target_len && e->targets[i].number != number; i++)
		;
	return i;
}

void
engine_mark_targets(struct engine *e)
{
	const struct engine_config *c = e->config;
	bool any = c->pid_count + c->tid_count + c->uid_count > 0;
	uint32_t number = 0;

	e->feed.targets_only = any && session_scope(e->session) == SESSION_SYSTEM;
	for (size_t i = 0; i < c->pid_count; i++) {
		uint32_t task = model_task(e->model, c->pids[i], c->pids[i]);

		add_target(e, task, ++number, c->no_inherit);
		engine_watch_task(e, task);
	}
	for (size_t i = 0; i < c->tid_count; i++) {
		int pid = targets_process_of(c->tids[i]), tid = c->tids[i];
		uint32_t task = model_task(e->model, pid != 0 ? pid : tid, tid);

		add_target(e, task, ++number, true);
		engine_watch_task(e, task);
	}
	if (c->command != NULL) {
		int pid = session_command_pid(e->session);

		add_target(e, model_task(e->model, pid, pid), ++number, c->no_inherit);
	}
	e->last_given_target = number;
}

bool
engine_has_targets(const struct engine *e)
{
	const struct engine_config *c = e->config;

	return e->last_given_target > 0 || c->uid_count > 0 || e->target_len > 0;
}

static bool
is_users(const struct engine_config *c, uint32_t uid)
{
	for (size_t i = 0; i < c->uid_count; i++)
		if (c->uids[i] == uid)
			return true;
	return false;
}

/* Users' processes, and those whose parents are targets: children that were there before ptop. */
void
engine_judge_target(struct engine *e, uint32_t id, const struct proc_info *p)
{
	struct task *t = &e->model->tasks[id];
	uint32_t parent_id = model_find_task(e->model, p->ppid);
	const struct task *parent = &e->model->tasks[parent_id];

	if (t->target == 0)
		t->is_target = is_users(e->config, p->uid);
	if (!t->is_target && !t->was_detached && parent_id != 0 && parent->is_target &&
	    !parent->is_lone && parent->target != 0)
		model_set_target(e->model, id, parent->target, false);
}

/* "123 nginx", as far as the name is known. */
static const char *
name_of(const struct engine *e, uint32_t task, char text[TARGET_NAME_MAX])
{
	const struct task *t = &e->model->tasks[task];

	snprintf(text, TARGET_NAME_MAX, "%d %s", t->tid, strs_get(&e->model->strs, t->comm));
	if (t->comm == 0)
		text[strlen(text) - 1] = '\0';
	return text;
}

/* Why @pid cannot be added or taken out at all here; false: it can. */
static bool
is_fixed(struct engine *e)
{
	if (e->file != NULL)
		engine_send_status(e, true, "a recording has the processes that were recorded");
	else if (session_scope(e->session) == SESSION_NONE)
		engine_send_status(e, true, "nothing can be sampled here: ! shows why");
	return e->file != NULL || session_scope(e->session) == SESSION_NONE;
}

/* Tells why a task that is a target already is one. */
static void
refuse_again(struct engine *e, uint32_t task)
{
	size_t i = find_target(e, e->model->tasks[task].target);
	char name[TARGET_NAME_MAX], of[TARGET_NAME_MAX];

	name_of(e, task, name);
	if (i == e->target_len)
		engine_send_status(e, true, "%s is sampled already: it is one of the user's", name);
	else if (e->targets[i].task == task)
		engine_send_status(e, true, "%s is attached already", name);
	else
		engine_send_status(e, true, "%s is attached already, as a descendant of %s", name,
				   name_of(e, e->targets[i].task, of));
}

void
engine_attach_target(struct engine *e, int pid, bool descendants)
{
	uint32_t task = model_find_task(e->model, pid);

	if (is_fixed(e))
		return;
	if (session_scope(e->session) == SESSION_SYSTEM && !e->feed.targets_only)
		engine_send_status(e, true, "%d is sampled already, since every process is: a filter "
				   "shows it alone, ptop -p %d samples it alone", pid, pid);
	else if (task != 0 && e->model->tasks[task].is_target && e->model->tasks[task].died_ns == 0)
		refuse_again(e, task);
	else
		session_attach(e->session, pid, descendants);
}

/* Tells why a task that is sampled, or not, is no target of its own. */
static void
refuse_detach(struct engine *e, int pid)
{
	uint32_t task = model_find_task(e->model, pid);
	size_t i = find_target(e, task != 0 ? e->model->tasks[task].target : 0);
	char name[TARGET_NAME_MAX], of[TARGET_NAME_MAX];

	if (!engine_has_targets(e))
		engine_send_status(e, true, "%d is not attached: every process is sampled; the "
				   "filter pid!=%d hides it", pid, pid);
	else if (task != 0 && i < e->target_len)
		engine_send_status(e, true, "%s is not attached itself: it is a descendant of %s, "
				   "which is", name_of(e, task, name),
				   name_of(e, e->targets[i].task, of));
	else if (task != 0 && e->model->tasks[task].is_target)
		engine_send_status(e, true, "%s is not attached itself: all of its user's are sampled",
				   name_of(e, task, name));
	else
		engine_send_status(e, true, "%d is not attached", pid);
}

/* The descendants of one that has ended can be detached by any of them. */
static bool
is_of_ended(const struct engine *e, const struct engine_target *target, int pid)
{
	uint32_t task = model_find_task(e->model, pid);

	return task != 0 && e->model->tasks[task].target == target->number &&
	       e->model->tasks[target->task].died_ns != 0;
}

void
engine_detach_target(struct engine *e, int pid)
{
	bool found = false;

	if (is_fixed(e))
		return;
	/* The process itself, or all threads of it that were named. */
	for (size_t i = 0; i < e->target_len; i++) {
		struct engine_target *target = &e->targets[i];

		if (e->model->tasks[target->task].pid != pid && !is_of_ended(e, target, pid))
			continue;
		found = true;
		if (!target->is_leaving)
			session_detach(e->session, target->number);
		target->is_leaving = true;
	}
	if (!found)
		refuse_detach(e, pid);
}

static void
note_attached(struct engine *e, const struct session_attached_msg *m, uint32_t task)
{
	char name[TARGET_NAME_MAX];

	name_of(e, task, name);
	if (!m->descendants)
		engine_note(e, "%s is attached, without descendants", name);
	else if (m->pid_count > 1)
		engine_note(e, "%s is attached, with %zu descendants", name, m->pid_count - 1);
	else
		engine_note(e, "%s is attached, with the descendants that it will have", name);
}

void
engine_take_attached(struct engine *e, const struct session_attached_msg *m)
{
	uint32_t root = 0;

	if (m->err.code != ERR_NONE) {
		engine_send_status(e, true, "cannot attach: %s%s%s", m->err.text,
				   *m->err.hint ? "; " : "", m->err.hint);
		return;
	}
	/* The record of a birth that is still in a ring would make another task of it. */
	engine_drain(e, clock_mono_ns());
	for (size_t i = 0; i < m->pid_count; i++) {
		uint32_t task = model_task(e->model, m->pids[i], m->pids[i]);

		/* Where each has its own side-band, nothing was told of it so far. */
		if (session_scope(e->session) == SESSION_TASKS)
			model_doubt_task(e->model, task);
		model_set_target(e->model, task, m->target, !m->descendants);
		if (i == 0)
			root = task;
	}
	model_learn_comm(e->model, root, m->comm);
	add_target(e, root, m->target, !m->descendants);
	engine_watch_task(e, root);
	note_attached(e, m, root);
	engine_join_places(e, m);
	e->next_tick_ns = 0; /* its facts are not read yet */
	engine_send_snapshot(e);
}

void
engine_take_detached(struct engine *e, const struct session_detached_msg *m)
{
	size_t i = find_target(e, m->target);
	char name[TARGET_NAME_MAX];
	bool had_descendants, has_ended;

	if (i == e->target_len)
		return;
	if (m->err.code != ERR_NONE) {
		engine_send_status(e, true, "cannot detach: %s", m->err.text);
		return;
	}
	/* What was sampled up to here counts. */
	engine_drain(e, clock_mono_ns());
	name_of(e, e->targets[i].task, name);
	has_ended = e->model->tasks[e->targets[i].task].died_ns != 0;
	had_descendants = model_has_target(e->model, m->target);
	model_clear_target(e->model, m->target);
	if (!has_ended)
		engine_note(e, "%s is detached: its rows stay", name);
	else if (had_descendants)
		engine_note(e, "the descendants of %s are detached: their rows stay", name);
	remove_target(e, i);
	engine_send_snapshot(e);
}

bool
engine_targets_have_ended(const struct engine *e)
{
	/* A user or cgroup may always begin something new. */
	if (!engine_has_targets(e) || e->config->uid_count > 0)
		return false;
	for (uint32_t i = 1; i < e->model->task_len; i++) {
		const struct task *t = &e->model->tasks[i];

		if (t->is_used && t->is_target && t->died_ns == 0)
			return false;
	}
	return true;
}

void
engine_forget_ended_targets(struct engine *e)
{
	for (size_t i = 0; i < e->target_len; i++) {
		struct engine_target *target = &e->targets[i];

		if (target->is_leaving || target->number <= e->last_given_target ||
		    e->model->tasks[target->task].died_ns == 0 ||
		    model_has_target(e->model, target->number))
			continue;
		session_detach(e->session, target->number);
		target->is_leaving = true;
	}
}

void
engine_put_targets(const struct engine *e, struct buf *b)
{
	const struct engine_config *c = e->config;
	const char *gap = " of ";

	buf_add_str(b, "All");
	for (size_t i = 0; i < c->uid_count; i++, gap = ", ") {
		const char *user = users_name(e->users, c->uids[i]);

		if (user != NULL)
			buf_addf(b, "%s%s", gap, user);
		else
			buf_addf(b, "%suid %u", gap, c->uids[i]);
	}
	for (size_t i = 0; i < e->target_len && i < TARGETS_SHOWN; i++, gap = ", ") {
		char name[TARGET_NAME_MAX];

		buf_addf(b, "%s%s", gap, name_of(e, e->targets[i].task, name));
	}
	if (e->target_len > TARGETS_SHOWN)
		buf_addf(b, " +%zu", e->target_len - TARGETS_SHOWN);
	if (engine_has_targets(e) && c->uid_count + e->target_len == 0)
		buf_add_str(b, " of nothing: p adds a process");
}
