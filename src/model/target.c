/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose samples are wanted. */
#include "model/model.h"

void
model_set_target(struct model *m, uint32_t task, uint32_t target, bool lone)
{
	bool is_process = m->tasks[task].process == task;

	m->changes++;
	for (size_t i = 1; i < m->task_len; i++) {
		struct task *t = &m->tasks[i];

		if (!t->is_used || (i != task && !(is_process && t->process == task)))
			continue;
		t->is_target = true;
		t->is_lone = lone;
		t->is_single = false;
		t->was_detached = false;
		t->target = target;
	}
}

void
model_set_thread_target(struct model *m, uint32_t task, uint32_t target)
{
	struct task *t = &m->tasks[task];

	/* With its process it is one already. */
	if (task_is_process_target(model_task_at(m, t->process)))
		return;
	m->changes++;
	t->is_target = t->is_lone = t->is_single = true;
	t->was_detached = false;
	t->target = target;
}

void
model_clear_target(struct model *m, uint32_t target)
{
	m->changes++;
	for (size_t i = 1; i < m->task_len; i++) {
		struct task *t = &m->tasks[i];

		if (!t->is_used || t->target != target)
			continue;
		t->is_target = t->is_lone = t->is_single = false;
		t->was_detached = true;
		t->target = 0;
	}
}

bool
model_has_target(const struct model *m, uint32_t target)
{
	for (size_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->target == target && t->died_ns == 0)
			return true;
	}
	return false;
}

uint32_t
model_next_of_target(const struct model *m, uint32_t target, uint32_t task)
{
	for (uint32_t i = task + 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->target == target && t->process == i && t->died_ns == 0)
			return i;
	}
	return 0;
}
