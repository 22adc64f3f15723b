/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that off-cpu/exact/ knows nothing of yet: it tells a wait from its begin, by a switch.  A
 * thread of a target has a who from its first sample on; how many there are /proc tells.
 */
#include "engine/viewer/viewer_impl.h"

#include "profile/count/profile.h"

static bool
traces_switches(const struct measured *m)
{
	for (uint32_t i = 0; i < m->event_count; i++)
		if (m->events[i].spec.looks == EVENT_LOOKS_EXACT &&
		    (m->events[i].live != NULL || m->stopped_ns != 0))
			return true;
	return false;
}

/* Threads of targets by /proc, those of processes. */
static unsigned
count_listed(const struct model *m, const struct proc_tick_msg *tick)
{
	unsigned count = 0;

	for (size_t i = 0; i < tick->process_count; i++) {
		uint32_t task = model_find_task(m, tick->processes[i].pid);

		if (task != 0 && task_is_process_target(&m->tasks[task]))
			count += (unsigned)tick->processes[i].threads;
	}
	return count;
}

const char *
unswitched_notice(const struct viewer *v, struct arena *arena)
{
	const struct model *m = v->env->model;
	unsigned all, seen = 0;

	if (v->tick == NULL || !v->env->measured->has_targets || !traces_switches(v->env->measured))
		return NULL;
	all = count_listed(m, v->tick);
	for (uint32_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (!t->is_used || t->died_ns != 0 || !model_is_target(m, t))
			continue;
		all += t->is_single;
		seen += t->who != 0;
	}
	if (all <= seen)
		return NULL;
	return arena_printf(arena, "%u thread%s not switched yet: off-cpu/exact/ does not know whether "
		"%s, off-cpu does", all - seen, all - seen == 1 ? " has" : "s have",
		all - seen == 1 ? "it waits" : "they wait");
}
