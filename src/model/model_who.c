/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"
#include "model/model_impl.h"

#include <string.h>

static uint64_t
who_hash(uint32_t task, uint32_t comm, uint32_t cgroup)
{
	return hash_mix((uint64_t)cgroup << 32 | task, comm);
}

/*
 * The who named @comm in @cgroup of a task of @host that stands for many, which has one for each such
 * pair.
 */
static uint32_t
shared_who(struct model *m, uint32_t host, int tid, uint32_t comm, uint32_t cgroup)
{
	uint32_t task = task_find(m, host, tid);

	if (task == 0) {
		task = task_new_on(m, host, tid, tid);
		m->live_count--;
		m->tasks[task].died_ns = 1;
	}
	m->tasks[task].comm = comm;
	m->tasks[task].cgroup = cgroup;
	m->tasks[task].who = 0;
	return model_who(m, task);
}

/* What its samples are called will not change any more; later ones may have another name. */
static bool
is_named_for_good(const struct task *t)
{
	return t->comm != 0 && !t->is_nameless && t->tid >= 0;
}

/* 0: there is none. */
static uint32_t
find_who(const struct model *m, uint32_t task, uint32_t comm, uint32_t cgroup)
{
	uint64_t hash = who_hash(task, comm, cgroup);
	uint32_t pos, id = index_first(&m->who_index, hash, &pos);

	while (id != 0 && (m->whos[id].task != task || m->whos[id].comm != comm ||
			   m->whos[id].cgroup != cgroup))
		id = index_next(&m->who_index, hash, &pos);
	return id;
}

uint32_t
model_who(struct model *m, uint32_t task)
{
	uint32_t comm = m->tasks[task].comm, cgroup = m->tasks[task].cgroup, id;

	if (m->tasks[task].who != 0)
		return m->tasks[task].who;
	if (m->by_name && is_named_for_good(&m->tasks[task])) {
		id = shared_who(m, 0, TASK_NAMED_TID, comm, 0);
		return m->tasks[task].who = id;
	}
	id = find_who(m, task, comm, cgroup);
	if (id == 0) {
		if (m->free_who_len > 0) {
			id = m->free_whos[--m->free_who_len];
		} else {
			vec_reserve(&m->whos, &m->who_cap, m->who_len + 1, sizeof(*m->whos));
			id = (uint32_t)m->who_len++;
		}
		m->whos[id] = (struct who){ .task = task, .comm = comm, .cgroup = cgroup,
					     .is_used = true };
		index_add(&m->who_index, who_hash(task, comm, cgroup), id);
		m->tasks[task].whos++;
	}
	m->tasks[task].who = id;
	return id;
}

uint32_t
model_host_who(struct model *m, uint32_t task, uint32_t comm, uint32_t path)
{
	uint32_t cgroup = path != 0 ? cgroups_with_path(&m->cgroups, path) : 0;
	struct task *t = &m->tasks[task];

	m->changes++;
	if (t->comm != comm || t->cgroup != cgroup)
		t->who = 0;
	t->comm = comm;
	t->cgroup = cgroup;
	return model_who(m, task);
}

static uint64_t
hash_of(const struct who *w)
{
	return who_hash(w->task, w->comm, w->cgroup);
}

static void
who_unindex(struct model *m, uint32_t id)
{
	index_remove(&m->who_index, hash_of(&m->whos[id]), id);
}

static void
who_index(struct model *m, uint32_t id)
{
	index_add(&m->who_index, hash_of(&m->whos[id]), id);
}

void
task_set_first_name(struct model *m, uint32_t task, uint32_t str)
{
	struct task *t = &m->tasks[task];

	if (t->who != 0 && m->whos[t->who].comm == t->comm) {
		who_unindex(m, t->who);
		m->whos[t->who].comm = str;
		who_index(m, t->who);
	}
	t->comm = str;
	t->is_nameless = false;
}

/* It has another name by now; but samples before that were taken under its first one. */
static void
name_past(struct model *m, uint32_t task, uint32_t str)
{
	const uint32_t cgroups[] = { 0, m->tasks[task].cgroup };

	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		uint32_t id = find_who(m, task, 0, cgroups[i]);

		if (id == 0)
			continue;
		who_unindex(m, id);
		m->whos[id].comm = str;
		who_index(m, id);
	}
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

	m->changes++;
	if (!t->is_used || t->comm != 0)
		return;
	task_set_first_name(m, task, task_number_name(m, task));
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
	str = model_name(m, task, comm, strnlen(comm, 64));
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

/* Samples that came before the first group was known were in it, as far as the name is the same. */
static void
set_cgroup(struct model *m, uint32_t task, uint32_t cgroup)
{
	struct task *t = &m->tasks[task];
	uint32_t before = t->cgroup == 0 ? find_who(m, task, t->comm, 0) : 0;

	t->cgroup = cgroup;
	t->who = 0;
	m->changes++;
	if (before == 0 || find_who(m, task, t->comm, cgroup) != 0)
		return;
	who_unindex(m, before);
	m->whos[before].cgroup = cgroup;
	who_index(m, before);
}

void
model_set_cgroup(struct model *m, uint32_t task, uint64_t id)
{
	uint32_t cgroup = m->tasks[task].cgroup;

	if (id == 0 || m->by_name || cgroups_at(&m->cgroups, cgroup).id == id)
		return;
	if (cgroups_knows(&m->cgroups, id) || model_take_room(m, task, NAME_ROOM_SITE_BYTES))
		set_cgroup(m, task, cgroups_with_id(&m->cgroups, id));
	else if (cgroup != 0)
		set_cgroup(m, task, 0);
}

void
model_learn_cgroup(struct model *m, uint32_t task, const char *path)
{
	struct cgroup now = cgroups_at(&m->cgroups, m->tasks[task].cgroup);
	uint32_t str;

	if (!m->tasks[task].is_used || (now.id != 0 && now.path != 0))
		return;
	str = strs_find(&m->strs, path, strlen(path));
	if (str == 0 && !model_take_room(m, task, strlen(path) + 2 * NAME_ROOM_SITE_BYTES))
		return;
	str = strs_add_str(&m->strs, path);
	if (now.id != 0) /* of which nobody told */
		cgroups_learn(&m->cgroups, now.id, str);
	else if (str != 0 && now.path != str)
		set_cgroup(m, task, cgroups_with_path(&m->cgroups, str));
}

bool
model_wants_cgroup(struct model *m, uint32_t task)
{
	uint32_t own = m->tasks[task].cgroup;

	return cgroups_want(&m->cgroups, &m->strs,
			    own != 0 ? own : m->tasks[m->tasks[task].process].cgroup);
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
model_ended_who(struct model *m, uint32_t host, uint32_t comm, uint32_t cgroup)
{
	return shared_who(m, host, TASK_ENDED_TID, comm, cgroup);
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
