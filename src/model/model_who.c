/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"
#include "model/model_impl.h"

#include <string.h>

static uint64_t
who_hash(uint32_t task, uint32_t comm)
{
	return hash_mix(task, comm);
}

/* The who named @comm of a task that stands for many, which has one for each name. */
static uint32_t
shared_who(struct model *m, int tid, uint32_t comm)
{
	uint32_t task = model_find_task(m, tid);

	if (task == 0) {
		task = task_new(m, tid, tid);
		m->live_count--;
		m->tasks[task].died_ns = 1;
	}
	m->tasks[task].comm = comm;
	m->tasks[task].who = 0;
	return model_who(m, task);
}

/* What its samples are called will not change any more; later ones may have another name. */
static bool
is_named_for_good(const struct task *t)
{
	return t->comm != 0 && !t->is_nameless && t->tid >= 0;
}

uint32_t
model_who(struct model *m, uint32_t task)
{
	uint32_t comm = m->tasks[task].comm, id, pos;
	uint64_t hash = who_hash(task, comm);

	if (m->tasks[task].who != 0)
		return m->tasks[task].who;
	if (m->by_name && is_named_for_good(&m->tasks[task])) {
		id = shared_who(m, TASK_NAMED_TID, comm);
		return m->tasks[task].who = id;
	}
	for (id = index_first(&m->who_index, hash, &pos); id != 0;
	     id = index_next(&m->who_index, hash, &pos))
		if (m->whos[id].task == task && m->whos[id].comm == comm)
			break;
	if (id == 0) {
		if (m->free_who_len > 0) {
			id = m->free_whos[--m->free_who_len];
		} else {
			vec_reserve(&m->whos, &m->who_cap, m->who_len + 1, sizeof(*m->whos));
			id = (uint32_t)m->who_len++;
		}
		m->whos[id] = (struct who){ .task = task, .comm = comm, .is_used = true };
		index_add(&m->who_index, hash, id);
		m->tasks[task].whos++;
	}
	m->tasks[task].who = id;
	return id;
}

static void
who_unindex(struct model *m, uint32_t id)
{
	index_remove(&m->who_index, who_hash(m->whos[id].task, m->whos[id].comm), id);
}

void
task_set_first_name(struct model *m, uint32_t task, uint32_t str)
{
	struct task *t = &m->tasks[task];

	if (t->who != 0 && m->whos[t->who].comm == t->comm) {
		who_unindex(m, t->who);
		m->whos[t->who].comm = str;
		index_add(&m->who_index, who_hash(task, str), t->who);
	}
	t->comm = str;
	t->is_nameless = false;
}

/* It has another name by now; but samples before that were taken under its first one. */
static void
name_past(struct model *m, uint32_t task, uint32_t str)
{
	uint32_t pos, id = index_first(&m->who_index, who_hash(task, 0), &pos);

	while (id != 0 && (m->whos[id].task != task || m->whos[id].comm != 0))
		id = index_next(&m->who_index, who_hash(task, 0), &pos);
	if (id == 0)
		return;
	who_unindex(m, id);
	m->whos[id].comm = str;
	index_add(&m->who_index, who_hash(task, str), id);
}

/* Those that were forked from @task before its name was known were called the same. */
static void
name_namesakes(struct model *m, uint32_t task, uint32_t str)
{
	for (uint32_t id = 1; m->namesakes > 0 && id < m->task_len; id++) {
		if (m->tasks[id].namesake != task)
			continue;
		m->tasks[id].namesake = 0;
		m->namesakes--;
		if (m->tasks[id].comm == 0) {
			task_set_first_name(m, id, str);
			name_namesakes(m, id, str);
		} else {
			name_past(m, id, str);
		}
	}
}

void
model_cannot_name(struct model *m, uint32_t task)
{
	struct task *t = &m->tasks[task];
	struct task called = *t;

	m->changes++;
	if (!t->is_used || t->comm != 0)
		return;
	task_call_by_number(m, &called);
	task_set_first_name(m, task, called.comm);
	t->is_nameless = true;
	for (uint32_t id = 1; m->namesakes > 0 && id < m->task_len; id++) {
		if (m->tasks[id].namesake != task)
			continue;
		m->tasks[id].namesake = 0;
		m->namesakes--;
		if (m->tasks[id].comm != 0)
			name_past(m, id, m->tasks[id].comm);
		else
			model_cannot_name(m, id);
	}
}

/* It had another name before: past samples keep that. */
static void
rename_task(struct model *m, uint32_t task, uint32_t str)
{
	struct task *t = &m->tasks[task];

	t->is_comm_doubtful = false;
	if (t->comm == str)
		return;
	t->comm = str;
	t->who = 0;
	t->is_unrecorded = m->has_unrecorded = true;
}

void
model_learn_comm(struct model *m, uint32_t task, const char *comm)
{
	struct task *t = &m->tasks[task];
	uint32_t str;

	m->changes++;
	if (!t->is_used || (t->comm != 0 && !t->is_nameless && !t->is_comm_doubtful))
		return;
	str = strs_add(&m->strs, comm, strnlen(comm, 64));
	if (str == 0)
		return;
	if (t->is_comm_doubtful && t->comm != 0 && !t->is_nameless) {
		rename_task(m, task, str);
		return;
	}
	task_set_first_name(m, task, str);
	name_namesakes(m, task, str);
	t->is_unrecorded = m->has_unrecorded = true;
}

void
model_forget_who(struct model *m, uint32_t who)
{
	uint32_t task = m->whos[who].task;
	struct task *t = &m->tasks[task];

	m->changes++;
	who_unindex(m, who);
	m->whos[who] = (struct who){ 0 };
	VEC_ADD(m->free_whos, m->free_who_len, m->free_who_cap) = who;
	if (t->who == who)
		t->who = 0;
	model_release_task(m, task);
}

uint32_t
model_ended_who(struct model *m, uint32_t comm)
{
	return shared_who(m, TASK_ENDED_TID, comm);
}

bool
model_is_who(const struct model *m, uint32_t who, uint32_t task)
{
	const struct who *w = &m->whos[who];

	return w->is_used && (w->task == task || m->tasks[w->task].tid == TASK_NAMED_TID);
}

bool
model_who_is_dead(const struct model *m, uint32_t who)
{
	const struct task *t = &m->tasks[m->whos[who].task];

	return t->is_swept && t->living == 0;
}
