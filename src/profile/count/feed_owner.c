/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/feed_impl.h"

static struct crowd *
crowd_of(struct feed *f, uint32_t task, uint64_t time_ns)
{
	const struct task *t = model_task_at(f->model, task);
	const struct task *process = model_task_at(f->model, t->process);
	struct profile *p = f->profile;

	if (p->crowds.len == 0 || t->process == p->keep_process || t->is_target ||
	    process->is_target || process->born_ns == 0 ||
	    time_ns > process->born_ns + CROWD_YOUNG_MS * NSEC_PER_MSEC)
		return NULL;
	return crowds_find(&p->crowds, t->comm, t->cgroup);
}

struct owner
feed_owner(struct feed *f, uint32_t task, uint64_t time_ns)
{
	struct crowd *crowd = crowd_of(f, task, time_ns);
	struct task *process = model_task_at(f->model, model_task_at(f->model, task)->process);

	if (crowd == NULL)
		return (struct owner){ task, model_who(f->model, task), false };
	f->profile->merged_tasks += process->crowd_comm == 0;
	crowd->tasks += process->crowd_comm != crowd->comm;
	process->crowd_comm = crowd->comm;
	return (struct owner){ task, model_ended_who(f->model, 0, crowd->comm, crowd->cgroup), true };
}

void
feed_want_comm(struct feed *f, uint32_t task)
{
	struct task *t = model_task_at(f->model, task);

	if (t->comm != 0 || t->comm_asked)
		return;
	t->comm_asked = true;
	vec_reserve(&f->comms, &f->comm_cap, f->comm_len + 1, sizeof(*f->comms));
	f->comms[f->comm_len++] = (struct comm_ask){ task, t->pid, t->tid };
}
