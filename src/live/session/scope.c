/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/scope.h"

#include "live/sys/limits.h"
#include "live/open/open_lack.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	/* More (thread, CPU) pairs than this cost more than sampling all and dropping the rest. */
	PAIRS_MAX = 64,
	/* Per pair: the side-band, an event, and the next event while it is switched to. */
	DESCRIPTORS_PER_PAIR = 3,
	ALL_TASKS = -1,
	OWN_TASK = 0,
};

static char *
text_of(struct buf *b)
{
	char *text = mem_strdup(buf_str(b));

	buf_release(b);
	return text;
}

void
scope_note_add(struct scope_notes *notes, char *text, const char *remedy)
{
	struct scope_note note = { .text = text };
	struct buf b = { 0 };

	if (remedy != NULL) {
		own_file_put(&b, remedy, OWN_FILE_LINK);
		note.remedy = text_of(&b);
	}
	VEC_ADD(notes->items, notes->len, notes->cap) = note;
}

void
scope_notes_release(struct scope_notes *notes)
{
	for (size_t i = 0; i < notes->len; i++) {
		free(notes->items[i].text);
		free(notes->items[i].remedy);
	}
	free(notes->items);
	*notes = (struct scope_notes){ 0 };
}

static int
add_targets(struct event_opener *o, struct err *err)
{
	const struct session_config *c = o->config;
	enum follow follow = c->inherit ? FOLLOW_CHILDREN : FOLLOW_THREADS;

	for (size_t i = 0; i < c->pid_count; i++) {
		if (targets_add_process(&o->targets, c->pids[i], follow, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < c->tid_count; i++) {
		if (targets_add_thread(&o->targets, c->tids[i], err) < 0)
			return -1;
	}
	if (o->command != NULL)
		return targets_add_process(&o->targets, command_pid(o->command), follow, err);
	return 0;
}

static bool
has_targets(const struct event_opener *o)
{
	return o->targets.process_count > 0 || o->targets.thread_count > 0;
}

static size_t
count_tasks(struct event_opener *o)
{
	struct tasks tasks = { 0 };
	size_t n;

	targets_refresh(&o->targets);
	targets_list(&o->targets, 0, &tasks);
	n = tasks.len;
	tasks_release(&tasks);
	return n;
}

/* Opens the side-band once and closes it: a right, or the reason why not. */
static bool
may_open(struct event_opener *o, int pid, unsigned cpu, struct err *err)
{
	int fd = open_event(o->everywhere.sys, &o->sideband_plan, pid, (int)cpu, err);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void
set_system(struct event_opener *o)
{
	o->everywhere.scope = SESSION_SYSTEM;
	o->sideband_plan.attr.inherit = o->sideband_plan.attr.inherit_thread = 0;
	o->options.inherit = o->options.inherit_thread = false;
}

static void
set_none(struct event_opener *o, struct scope_notes *notes, const struct err *why)
{
	struct buf b = { 0 };

	o->everywhere.scope = SESSION_NONE;
	o->why_none = *why;
	buf_addf(&b, "nothing can be sampled: %s", why->text);
	scope_note_add(notes, text_of(&b), why->hint[0] != '\0' ? o->why_none.hint : NULL);
}

static void
note_own_processes(const struct event_opener *o, struct scope_notes *notes)
{
	struct rights rights;
	struct buf b = { 0 };

	rights_read(&rights, o->env);
	buf_addf(&b, "only your own processes%s: ", rights.in_user_ns ? " in this user namespace" : "");
	open_lack_put(&rights, &b);
	scope_note_add(notes, text_of(&b), open_remedy(&rights));
}

/* What other users run comes and goes: only who samples whole CPUs has it. */
static int
check_users(struct event_opener *o, unsigned cpu, struct err *err)
{
	const struct session_config *c = o->config;

	for (size_t i = 0; i < c->uid_count; i++) {
		if (c->uids[i] != geteuid() && !may_open(o, ALL_TASKS, cpu, err))
			return err_wrap(err, "cannot sample processes of another user (uid %u)",
					c->uids[i]);
	}
	return 0;
}

/* Among all of a user's tasks one that may not be sampled is passed over: not one that was named. */
static int
check_named(struct event_opener *o, unsigned cpu, struct err *err)
{
	const struct session_config *c = o->config;

	for (size_t i = 0; i < c->pid_count; i++)
		if (!may_open(o, c->pids[i], cpu, err))
			return -1;
	for (size_t i = 0; i < c->tid_count; i++)
		if (!may_open(o, c->tids[i], cpu, err))
			return -1;
	return 0;
}

static void
limit_tasks(struct event_opener *o, size_t tasks, size_t cpus, struct scope_notes *notes)
{
	struct buf b = { 0 };

	limits_raise_descriptors();
	o->everywhere.tasks_max = MAX(limits_free_descriptors() / (cpus * DESCRIPTORS_PER_PAIR), 1);
	if (tasks <= o->everywhere.tasks_max)
		return;
	buf_addf(&b, "samples only %zu of your %zu threads: too few file descriptors", o->everywhere.tasks_max,
		 tasks);
	scope_note_add(notes, text_of(&b), "raise the limit: ulimit -Hn");
}

static int
set_tasks(struct event_opener *o, size_t tasks, const struct cpus *cpus, struct scope_notes *notes,
	  struct err *err)
{
	struct err why = { 0 };

	o->everywhere.scope = SESSION_TASKS;
	/* What COMMAND starts is to be probed from its first instruction. */
	o->everywhere.probes_by_task = o->command == NULL && !o->targets.all_of_user;
	if (!may_open(o, OWN_TASK, cpus->items[0], &why)) {
		set_none(o, notes, &why);
		return 0;
	}
	if (check_users(o, cpus->items[0], err) < 0)
		return -1;
	if (o->targets.all_of_user) {
		if (check_named(o, cpus->items[0], err) < 0)
			return -1;
		note_own_processes(o, notes);
		limit_tasks(o, tasks, cpus->len, notes);
		return 0;
	}
	if (limits_need_descriptors(tasks * cpus->len * DESCRIPTORS_PER_PAIR, err) < 0)
		return err_wrap(err, "cannot sample %zu threads on %zu CPUs", tasks, cpus->len);
	return 0;
}

int
scope_choose(struct event_opener *o, const struct cpus *cpus, struct scope_notes *notes,
	     struct err *err)
{
	struct err why = { 0 };
	bool may_system;
	size_t tasks;

	if (o->config->without_events) {
		o->everywhere.scope = SESSION_NONE;
		return 0;
	}
	if (add_targets(o, err) < 0)
		return -1;
	o->options.inherit = o->config->inherit;
	o->options.inherit_thread = !o->config->inherit;
	open_plan_sideband(&o->sideband_plan, o->env, &o->options);
	may_system = may_open(o, ALL_TASKS, cpus->items[0], &why);
	if (!has_targets(o) || (o->config->uid_count > 0 && !may_system)) {
		if (may_system) {
			set_system(o);
			return 0;
		}
		if (why.code != ERR_DENIED) {
			set_none(o, notes, &why);
			return 0;
		}
		o->targets.all_of_user = true;
		o->targets.uid = geteuid();
	}
	tasks = count_tasks(o);
	/* An event of a task costs it a third of what its switches take; a user's tasks come and go. */
	if (may_system && o->command == NULL &&
	    (tasks * cpus->len > PAIRS_MAX || o->config->only_looks || o->config->uid_count > 0)) {
		set_system(o);
		return 0;
	}
	return set_tasks(o, tasks, cpus, notes, err);
}
