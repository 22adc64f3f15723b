/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is sampled of all that runs: targets that were named at the start, and those that come and
 * go while sampling goes on.  The session opens and closes for them, the model knows whose samples
 * are wanted.
 */
#include "engine/sampling/sampling_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/leaf/users.h"
#include "live/sys/targets.h"

enum { TARGET_NAME_MAX = 32, TARGETS_SHOWN = 2 };

static bool
has_targets(const struct sampling *sp)
{
	return sp->last_given_target > 0 || sp->config->uid_count > 0 || sp->target_len > 0;
}

static void
tell_targets(struct sampling *sp)
{
	struct measured *m = sp->measured;

	m->has_targets = has_targets(sp);
	m->targets = sp->targets;
	m->target_count = sp->target_len;
}

static void
add_target(struct sampling *sp, uint32_t task, uint32_t number)
{
	model_hold_task(sp->model, task);
	VEC_ADD(sp->targets, sp->target_len, sp->target_cap) =
		(struct target){ .number = number, .task = task };
	sp->measured->target_changes++;
	tell_targets(sp);
}

static void
remove_target(struct sampling *sp, size_t i)
{
	model_release_task(sp->model, sp->targets[i].task);
	memmove(&sp->targets[i], &sp->targets[i + 1],
		(sp->target_len - i - 1) * sizeof(*sp->targets));
	sp->target_len--;
	tell_targets(sp);
}

/* The place of @number among the targets, target_len if it is none. */
static size_t
find_target(const struct sampling *sp, uint32_t number)
{
	size_t i;

	for (i = 0; i < sp->target_len && sp->targets[i].number != number; i++)
		;
	return i;
}

void
target_list_begin(struct sampling *sp)
{
	const struct engine_config *c = sp->config;
	bool any = c->pid_count + c->tid_count + c->uid_count > 0;
	uint32_t number = 0;

	sp->feed->targets_only = any && session_scope(sp->session) == SESSION_SYSTEM;
	for (size_t i = 0; i < c->pid_count; i++) {
		uint32_t task = model_task(sp->model, c->pids[i], c->pids[i]);

		model_set_target(sp->model, task, ++number, c->no_inherit);
		add_target(sp, task, number);
		ends_watch(sp->ends, sp->model, task);
	}
	for (size_t i = 0; i < c->tid_count; i++) {
		int pid = targets_process_of(c->tids[i]), tid = c->tids[i];
		uint32_t task = model_task(sp->model, pid != 0 ? pid : tid, tid);

		model_set_thread_target(sp->model, task, ++number);
		add_target(sp, task, number);
		ends_watch(sp->ends, sp->model, task);
	}
	if (c->command != NULL) {
		int pid = session_command_pid(sp->session);
		uint32_t task = model_task(sp->model, pid, pid);

		model_set_target(sp->model, task, ++number, c->no_inherit);
		add_target(sp, task, number);
	}
	sp->last_given_target = number;
	tell_targets(sp);
}

static bool
is_users(const struct engine_config *c, uint32_t uid)
{
	for (size_t i = 0; i < c->uid_count; i++)
		if (c->uids[i] == uid)
			return true;
	return false;
}

/* Threads that wait are looked at: they need not have had a sample for that. */
static bool
has_looks(const struct sampling *sp)
{
	const struct measured *m = sp->measured;

	for (uint32_t n = 0; n < m->event_count; n++)
		if (m->events[n].spec.looks != EVENT_LOOKS_NONE &&
		    (m->events[n].live != NULL || m->events[n].opening))
			return true;
	return false;
}

/* Whether samples of a process that has no number are wanted is up to who it belongs to. */
void
target_list_judge_owner(struct sampling *sp, uint32_t process)
{
	struct task *t = model_task_at(sp->model, process);
	bool is_target = is_users(sp->config, t->uid);

	if (t->target != 0 || t->is_target == is_target)
		return;
	t->is_target = is_target;
	sp->model->changes++;
}

/* What was read meanwhile is newer than @p. */
static uint32_t
owner_of(const struct sampling *sp, uint32_t task, const struct proc_info *p)
{
	const struct task *t = model_task_at(sp->model, task);

	return task != 0 ? model_task_at(sp->model, t->process)->uid : p->uid;
}

/* Users' processes, and those whose parents are targets: children that were there before ptop. */
static void
judge(struct sampling *sp, const struct proc_info *p, bool knows_all)
{
	const struct task *parent = model_task_at(sp->model, model_find_task(sp->model, p->ppid));
	uint32_t id = model_find_task(sp->model, p->tid);
	uint32_t target = parent->is_target && !parent->is_lone ? parent->target : 0;
	bool is_of_user = is_users(sp->config, owner_of(sp, id, p));
	struct task *t;

	if (id == 0 && knows_all && (target != 0 || is_of_user))
		id = model_task(sp->model, p->pid, p->tid);
	if (id == 0)
		return;
	t = model_task_at(sp->model, id);
	/* Its first thread was named; by its parent or user the others are meant, too. */
	if (t->is_single && t->process == id && (target != 0 || is_of_user))
		model_set_target(sp->model, id, target != 0 ? target : t->target, false);
	if (t->target == 0)
		t->is_target = is_of_user;
	if (!t->is_target && !t->was_detached && target != 0)
		model_set_target(sp->model, id, target, false);
}

/* "123 nginx", as far as the name is known. */
static const char *
name_of(const struct sampling *sp, uint32_t task, char text[TARGET_NAME_MAX])
{
	const struct task *t = &sp->model->tasks[task];

	snprintf(text, TARGET_NAME_MAX, "%d %s", t->tid, strs_get(&sp->model->strs, t->comm));
	if (t->comm == 0)
		text[strlen(text) - 1] = '\0';
	return text;
}

/* Why @pid cannot be added or taken out at all here; false: it can. */
static bool
is_fixed(struct sampling *sp)
{
	const char *why = sp->policy->no_targets;

	if (why == NULL && session_scope(sp->session) == SESSION_NONE)
		why = "nothing can be sampled here: ! shows why";
	if (why != NULL)
		notes_refuse(sp->notes, "%s", why);
	return why != NULL;
}

/* Tells why a task that is a target already is one. */
static void
refuse_again(struct sampling *sp, uint32_t task)
{
	size_t i = find_target(sp, sp->model->tasks[task].target);
	char name[TARGET_NAME_MAX], of[TARGET_NAME_MAX];

	name_of(sp, task, name);
	if (i == sp->target_len)
		notes_refuse(sp->notes, "%s is sampled already, with all processes of its user", name);
	else if (sp->targets[i].task == task)
		notes_refuse(sp->notes, "%s is attached already", name);
	else
		notes_refuse(sp->notes, "%s is attached already, as a descendant of %s", name,
				   name_of(sp, sp->targets[i].task, of));
}

void
sampling_attach(struct sampling *sp, int pid, bool descendants)
{
	uint32_t task = model_find_task(sp->model, pid);

	if (is_fixed(sp))
		return;
	if (session_scope(sp->session) == SESSION_SYSTEM && !sp->feed->targets_only)
		notes_refuse(sp->notes, "%d is sampled already, since every process is: a filter "
				   "shows it alone, ptop -p %d samples it alone", pid, pid);
	else if (task != 0 && task_is_process_target(&sp->model->tasks[task]) &&
		 sp->model->tasks[task].died_ns == 0)
		refuse_again(sp, task);
	else
		session_attach(sp->session, pid, descendants);
}

/* Tells why a task that is sampled, or not, is no target of its own. */
static void
refuse_detach(struct sampling *sp, int pid)
{
	uint32_t task = model_find_task(sp->model, pid);
	size_t i = find_target(sp, task != 0 ? sp->model->tasks[task].target : 0);
	char name[TARGET_NAME_MAX], of[TARGET_NAME_MAX];

	if (!has_targets(sp))
		notes_refuse(sp->notes, "%d is not attached: every process is sampled; the "
				   "filter pid!=%d hides it", pid, pid);
	else if (task != 0 && i < sp->target_len)
		notes_refuse(sp->notes, "%s is not attached itself: it is a descendant of %s, "
				   "which is", name_of(sp, task, name),
				   name_of(sp, sp->targets[i].task, of));
	else if (task != 0 && sp->model->tasks[task].is_target)
		notes_refuse(sp->notes, "%s is not attached itself: all processes of its user are sampled",
				   name_of(sp, task, name));
	else
		notes_refuse(sp->notes, "%d is not attached", pid);
}

/* The descendants of one that has ended can be detached by any of them. */
static bool
is_of_ended(const struct sampling *sp, const struct target *target, int pid)
{
	uint32_t task = model_find_task(sp->model, pid);

	return task != 0 && sp->model->tasks[task].target == target->number &&
	       sp->model->tasks[target->task].died_ns != 0;
}

void
sampling_detach(struct sampling *sp, int pid)
{
	bool found = false;

	if (is_fixed(sp))
		return;
	/* The process itself, or all threads of it that were named. */
	for (size_t i = 0; i < sp->target_len; i++) {
		struct target *target = &sp->targets[i];

		if (sp->model->tasks[target->task].pid != pid && !is_of_ended(sp, target, pid))
			continue;
		found = true;
		if (!target->is_leaving)
			session_detach(sp->session, target->number);
		target->is_leaving = true;
	}
	if (!found)
		refuse_detach(sp, pid);
}

static void
note_attached(struct sampling *sp, const struct session_attached_msg *m, uint32_t task)
{
	char name[TARGET_NAME_MAX];

	name_of(sp, task, name);
	marks_add(sp->marks, MARK_TARGET, clock_mono_ns(), "%s is attached", name);
	if (!m->descendants)
		notes_keep(sp->notes, "%s is attached, without descendants", name);
	else if (m->pid_count > 1)
		notes_keep(sp->notes, "%s is attached, with %zu descendants", name, m->pid_count - 1);
	else
		notes_keep(sp->notes, "%s is attached, with the descendants that it will have", name);
}

/* Keeps the message until all that was written so far has been counted. */
static enum part_reply
postpone(struct sampling *sp, struct msg *msg)
{
	sp->change = msg;
	agenda_want(sp->agenda, AGENDA_CATCH_UP);
	return PART_KEEPS;
}

/* The record of a birth that is still in a ring would make another task of it. */
enum part_reply
target_list_on_attached(void *sampling, struct msg *msg)
{
	const struct session_attached_msg *m = (const struct session_attached_msg *)msg;
	struct sampling *sp = sampling;

	if (m->err.code == ERR_NONE)
		return postpone(sp, msg);
	notes_refuse(sp->notes, "cannot attach: %s%s%s", m->err.text, *m->err.hint ? "; " : "",
		     m->err.hint);
	return PART_DONE;
}

static void
attach(struct sampling *sp, const struct session_attached_msg *m)
{
	uint32_t root = 0;

	for (size_t i = 0; i < m->pid_count; i++) {
		uint32_t task = model_task(sp->model, m->pids[i], m->pids[i]);

		/* Where each has its own side-band, nothing was told of it so far. */
		if (session_scope(sp->session) == SESSION_TASKS)
			model_doubt_task(sp->model, task);
		model_set_target(sp->model, task, m->target, !m->descendants);
		/* A list of processes that is under way may be older than it. */
		model_task_at(sp->model, task)->seen_ns = clock_mono_ns();
		if (i == 0)
			root = task;
	}
	model_learn_comm(sp->model, root, m->comm);
	add_target(sp, root, m->target);
	ends_watch(sp->ends, sp->model, root);
	note_attached(sp, m, root);
	event_places_join(sp, m);
	agenda_want(sp->agenda, AGENDA_TICK | AGENDA_ANSWER); /* its facts are not read yet */
}

/* What was sampled up to here counts. */
enum part_reply
target_list_on_detached(void *sampling, struct msg *msg)
{
	const struct session_detached_msg *m = (const struct session_detached_msg *)msg;
	struct sampling *sp = sampling;
	size_t i = find_target(sp, m->target);

	if (i == sp->target_len)
		return PART_DONE;
	if (m->err.code == ERR_NONE)
		stack_choice_end_target(sp, m->target);
	/* Of one that has ended there may be nothing open any more. */
	if (m->err.code == ERR_NONE || sp->model->tasks[sp->targets[i].task].died_ns != 0)
		return postpone(sp, msg);
	notes_refuse(sp->notes, "cannot detach: %s", m->err.text);
	return PART_DONE;
}

static void
detach(struct sampling *sp, const struct session_detached_msg *m)
{
	size_t i = find_target(sp, m->target);
	char name[TARGET_NAME_MAX];
	bool had_descendants, has_ended;

	name_of(sp, sp->targets[i].task, name);
	has_ended = sp->model->tasks[sp->targets[i].task].died_ns != 0;
	had_descendants = model_has_target(sp->model, m->target);
	model_clear_target(sp->model, m->target);
	if (!has_ended)
		notes_keep(sp->notes, "%s is detached: its rows stay", name);
	else if (had_descendants)
		notes_keep(sp->notes, "the descendants of %s are detached: their rows stay", name);
	remove_target(sp, i);
	sp->measured->target_changes += !has_ended || had_descendants;
	agenda_want(sp->agenda, AGENDA_ANSWER);
}

void
target_list_caught_up(struct sampling *sp)
{
	struct msg *change = sp->change;

	if (change == NULL)
		return;
	sp->change = NULL;
	if (change->type == SESSION_MSG_ATTACHED)
		attach(sp, (const struct session_attached_msg *)change);
	else
		detach(sp, (const struct session_detached_msg *)change);
	msg_free(change);
}

bool
sampling_targets_have_ended(const struct sampling *sp)
{
	/* A user or cgroup may always begin something new. */
	if (!has_targets(sp) || sp->config->uid_count > 0)
		return false;
	for (uint32_t i = 1; i < sp->model->task_len; i++) {
		const struct task *t = &sp->model->tasks[i];

		if (t->is_used && t->is_target && t->died_ns == 0)
			return false;
	}
	return true;
}

static void
forget_ended(struct sampling *sp)
{
	for (size_t i = 0; i < sp->target_len; i++) {
		struct target *target = &sp->targets[i];

		if (target->is_leaving || target->number <= sp->last_given_target ||
		    sp->model->tasks[target->task].died_ns == 0 ||
		    model_has_target(sp->model, target->number))
			continue;
		session_detach(sp->session, target->number);
		target->is_leaving = true;
	}
}

enum part_reply
target_list_on_tick(void *sampling, struct msg *msg)
{
	const struct proc_tick_msg *m = (const struct proc_tick_msg *)msg;
	struct sampling *sp = sampling;
	bool knows_all = has_looks(sp);

	for (size_t i = 0; i < m->process_count; i++)
		judge(sp, &m->processes[i], knows_all);
	for (size_t i = 0; i < m->thread_count; i++)
		judge(sp, &m->threads[i], false);
	/* Who waits is missing until then, and the next tick may be far. */
	if (knows_all && m->complete_ns == 0 && sp->measured->has_targets)
		agenda_want(sp->agenda, AGENDA_TICK);
	forget_ended(sp);
	return PART_PASSES;
}

void
target_list_put(const struct sampling *sp, struct buf *b)
{
	const struct engine_config *c = sp->config;
	const char *gap = " of ";

	buf_add_str(b, "All");
	for (size_t i = 0; i < c->uid_count; i++, gap = ", ") {
		const char *user = users_name(sp->users, c->uids[i]);

		if (user != NULL)
			buf_addf(b, "%s%s", gap, user);
		else
			buf_addf(b, "%suid %u", gap, c->uids[i]);
	}
	for (size_t i = 0; i < c->cgroup_count; i++, gap = ", ")
		buf_addf(b, "%s%s", gap, c->cgroups[i]);
	for (size_t i = 0; i < sp->target_len && i < TARGETS_SHOWN; i++, gap = ", ") {
		char name[TARGET_NAME_MAX];

		buf_addf(b, "%s%s", gap, name_of(sp, sp->targets[i].task, name));
	}
	if (sp->target_len > TARGETS_SHOWN)
		buf_addf(b, " +%zu", sp->target_len - TARGETS_SHOWN);
	if (has_targets(sp) && c->uid_count + sp->target_len == 0)
		buf_add_str(b, " of nothing: p adds a process");
}

void
target_list_release(struct sampling *sp)
{
	msg_free(sp->change);
	free(sp->targets);
}
