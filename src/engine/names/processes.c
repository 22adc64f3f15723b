/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reading of /proc tells of tasks that records did not: owners, names, ends; what it may not. */
#include "engine/names/names_impl.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/own_file.h"

static void
learn(struct names *nm, const struct proc_info *p)
{
	/* Whether a task is a target must be known before its first sample. */
	uint32_t id = nm->env->feed->targets_only ? model_task(nm->env->model, p->pid, p->tid)
					     : model_find_task(nm->env->model, p->tid);

	if (id == 0)
		return;
	model_learn_owner(nm->env->model, id, p->uid, p->owner_ns);
	model_learn_comm(nm->env->model, id, p->comm);
	if (*p->cgroup != '\0')
		model_learn_cgroup(nm->env->model, id, p->cgroup);
}

/*
 * Processes that were found in /proc, not born in records, may end without a record as well: where
 * the side-band does not cover them.  One that is not listed any more is over; the list may have been
 * under way for seconds when it was seen.
 */
static void
end_unlisted(struct names *nm, const struct proc_tick_msg *m)
{
	uint64_t now = clock_mono_ns();

	for (uint32_t i = 1; i < nm->env->model->task_len; i++) {
		const struct task *t = model_task_at(nm->env->model, i);

		if (!t->is_used || t->pid <= 0 || t->pid != t->tid ||
		    (t->born_ns != 0 && !t->was_detached) || t->died_ns != 0 ||
		    t->seen_ns >= m->complete_ns)
			continue;
		if (proc_info_find(m->processes, m->process_count, t->pid) == NULL)
			model_end_task(nm->env->model, i, now);
	}
}

enum part_reply
processes_learn(void *names, struct msg *msg)
{
	const struct proc_tick_msg *m = (const struct proc_tick_msg *)msg;

	for (size_t i = 0; i < m->process_count; i++)
		learn(names, &m->processes[i]);
	for (size_t i = 0; i < m->thread_count; i++)
		learn(names, &m->threads[i]);
	end_unlisted(names, m);
	return PART_PASSES;
}

/* Maps of those that start later come in records.  Root that may not read them is one of a container. */
bool
processes_limit(const struct names *nm, struct arena *arena, struct snapshot_limit *limit)
{
	static const char remedy[] =
		"run as root, or: sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog,cap_dac_read_search+ep "
		OWN_FILE_WORD;
	struct buf b = { 0 };

	if (nm->env->feed->denied == 0)
		return false;
	if (geteuid() == 0)
		buf_add_str(&b, "start the container with --cap-add SYS_PTRACE");
	else
		own_file_put(&b, remedy, OWN_FILE_LINK);
	limit->text = "no right to maps of others' older processes: no names";
	limit->remedy = arena_strdup(arena, buf_str(&b));
	buf_release(&b);
	return true;
}
