/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes become a user's while they run: a login, su and cron are root's until they give that up.
 * Where every CPU is sampled, two things tell that a process may have: an exec, and a sample of one
 * that is no target.  Its owner is asked for then, of one that goes on running once a second.
 */
#include "engine/sampling/sampling_impl.h"

#include "base/clock.h"

#include <linux/perf_event.h>

static bool
looks_for_owners(const struct sampling *sp)
{
	return sp->config->uid_count > 0 && sp->feed->targets_only;
}

void
owners_exec(struct sampling *sp, const struct record *rec)
{
	if (looks_for_owners(sp) && rec->type == PERF_RECORD_COMM && rec->comm.is_exec &&
	    (int)rec->comm.pid > 0)
		proc_reader_ask_owner(sp->proc, (int)rec->comm.pid);
}

void
owners_sample(void *sampling, const struct record *rec)
{
	struct sampling *sp = sampling;
	struct task *t, *process;

	if (!looks_for_owners(sp) || (int)rec->id.tid <= 0)
		return;
	t = model_task_at(sp->model, model_find_task(sp->model, (int)rec->id.tid));
	process = model_task_at(sp->model, t->process);
	if (process->pid <= 0 || model_is_target(sp->model, t) ||
	    rec->id.time_ns < MAX(process->owner_ns, process->owner_asked_ns) + NSEC_PER_SEC)
		return;
	process->owner_asked_ns = clock_mono_ns();
	proc_reader_ask_owner(sp->proc, process->pid);
}

enum part_reply
owners_on_owner(void *sampling, struct msg *msg)
{
	const struct proc_owner_msg *m = (const struct proc_owner_msg *)msg;
	struct sampling *sp = sampling;
	uint32_t id = model_find_task(sp->model, m->pid);

	if (m->error != 0 || id == 0)
		return PART_DONE;
	model_learn_owner(sp->model, id, m->uid, m->clock_ns);
	target_list_judge_owner(sp, id);
	return PART_DONE;
}
