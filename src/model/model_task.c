/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks from birth to the last sample: dead ones form a chain, oldest first, until model_sweep()
 * lets go of them.
 */
#include "model/model.h"
#include "model/model_impl.h"

#include <stdio.h>

static uint64_t
tid_hash(uint32_t host, int tid)
{
	return hash_mix((uint64_t)host << 32 | (uint32_t)tid, 0x7469);
}

uint32_t
task_find(const struct model *m, uint32_t host, int tid)
{
	uint64_t hash = tid_hash(host, tid);
	uint32_t id, pos;

	for (id = index_first(&m->by_tid, hash, &pos); id != 0;
	     id = index_next(&m->by_tid, hash, &pos))
		if (m->tasks[id].tid == tid && m->tasks[id].host == host)
			return id;
	return 0;
}

uint32_t
model_find_task(const struct model *m, int tid)
{
	return task_find(m, 0, tid);
}

void
model_prefetch(const struct model *m, int tid, unsigned step)
{
	uint64_t hash = tid_hash(0, tid);
	const struct task *t;
	uint32_t id, pos;

	if (step == MODEL_PREFETCH_STEPS - 1) {
		index_prefetch(&m->by_tid, hash);
		return;
	}
	/* Nearly always it is the first one with that tag: no need to look. */
	id = index_first(&m->by_tid, hash, &pos);
	if (id == 0)
		return;
	t = &m->tasks[id];
	if (step < 3)
		t = &m->tasks[t->process];
	if (step >= 2) {
		__builtin_prefetch(t);
		__builtin_prefetch(&t->died_ns);
	} else if (t->space != NULL) {
		__builtin_prefetch(step == 1 ? (const void *)t->space : t->space->maps);
	}
}

/* What perf shows for a task that no record named. */
uint32_t
task_number_name(struct model *m, uint32_t task)
{
	char name[16];

	return model_name(m, task, name,
			  (size_t)snprintf(name, sizeof(name), ":%d", m->tasks[task].tid));
}

uint32_t
task_new_on(struct model *m, uint32_t host, int pid, int tid)
{
	uint32_t id;

	m->changes++;
	if (m->free_task_len > 0) {
		id = m->free_tasks[--m->free_task_len];
	} else {
		vec_reserve(&m->tasks, &m->task_cap, m->task_len + 1, sizeof(*m->tasks));
		id = (uint32_t)m->task_len++;
	}
	m->tasks[id] = (struct task){ .pid = pid, .tid = tid, .process = id, .host = host,
				      .is_used = true, .is_indexed = true };
	if (host == 0)
		m->tasks[id].uid = UID_UNKNOWN;
	/* Those that stand for many get their names from them. */
	if (m->from_file && tid > TASK_ENDED_TID) {
		m->tasks[id].comm = task_number_name(m, id);
		m->tasks[id].is_nameless = true;
	}
	index_add(&m->by_tid, tid_hash(host, tid), id);
	m->task_count++;
	m->live_count++;
	return id;
}

uint32_t
task_new(struct model *m, int pid, int tid)
{
	return task_new_on(m, 0, pid, tid);
}

void
task_unindex(struct model *m, uint32_t id)
{
	struct task *t = &m->tasks[id];

	if (!t->is_indexed)
		return;
	index_remove(&m->by_tid, tid_hash(t->host, t->tid), id);
	t->is_indexed = false;
}

/* Nobody waits for the name of @id any more. */
static void
drop_namesakes(struct model *m, uint32_t id)
{
	for (size_t i = 1; m->namesakes > 0 && i < m->task_len; i++) {
		if (m->tasks[i].namesake == id) {
			m->tasks[i].namesake = 0;
			m->namesakes--;
		}
	}
}

/*
 * Gives back what a task that is over for good held; a process only after its last thread, since
 * a leader may exit first and its pid stays taken.  Its id stays as long as anything names it.
 */
static void
task_release(struct model *m, uint32_t id)
{
	struct task *t = &m->tasks[id];
	uint32_t process = t->process;

	if (!t->is_swept || t->unswept > 0)
		return;
	task_unindex(m, id);
	space_put(t->space);
	t->space = NULL;
	if (t->whos > 0 || t->members > 0)
		return;
	drop_namesakes(m, id);
	m->namesakes -= t->namesake != 0;
	*t = (struct task){ 0 };
	VEC_ADD(m->free_tasks, m->free_task_len, m->free_task_cap) = id;
	m->task_count--;
	if (process != id && --m->tasks[process].members == 0)
		task_release(m, process);
}

void
task_die(struct model *m, uint32_t id, uint64_t time_ns)
{
	struct task *t = &m->tasks[id];

	if (t->died_ns != 0)
		return;
	t->died_ns = time_ns != 0 ? time_ns : 1;
	t->next_dead = 0;
	if (m->dead_last != 0)
		m->tasks[m->dead_last].next_dead = id;
	else
		m->dead_first = id;
	m->dead_last = id;
	m->live_count--;
	if (t->process != id)
		m->tasks[t->process].living--;
}

/* Takes back a death: a thread that was not the leader has exec'd, and is the process from now. */
void
task_revive(struct model *m, uint32_t id)
{
	uint32_t before = 0, at = m->dead_first;

	for (; at != 0 && at != id; at = m->tasks[at].next_dead)
		before = at;
	if (at == id) {
		uint32_t after = m->tasks[id].next_dead;

		if (before != 0)
			m->tasks[before].next_dead = after;
		else
			m->dead_first = after;
		if (after == 0)
			m->dead_last = before;
	}
	m->tasks[id].next_dead = 0;
	m->tasks[id].died_ns = 0;
	m->tasks[id].is_swept = false;
	m->live_count++;
}

/* A new thread of @process. */
void
task_join(struct model *m, uint32_t id, uint32_t process)
{
	m->tasks[id].process = process;
	m->tasks[process].living++;
	m->tasks[process].unswept++;
	m->tasks[process].members++;
}

void
model_learn_owner(struct model *m, uint32_t task, uint32_t uid, uint64_t clock_ns)
{
	struct task *t = &m->tasks[task];

	if (clock_ns < t->owner_ns)
		return;
	t->uid = uid;
	t->owner_ns = clock_ns;
}

void
task_inherit_target(struct model *m, uint32_t id, uint32_t from)
{
	if (m->tasks[from].is_single)
		return;
	m->tasks[id].is_target = m->tasks[from].is_target;
	m->tasks[id].is_lone = m->tasks[from].is_lone;
	m->tasks[id].target = m->tasks[from].target;
}

uint32_t
model_task(struct model *m, int pid, int tid)
{
	const struct task *last = &m->tasks[m->found_task];
	uint32_t id, leader;

	if (last->is_indexed && last->tid == tid && last->pid == pid)
		return m->found_task;
	id = m->found_task = model_find_task(m, tid);
	if (id != 0) {
		/*
		 * The pid of a dead task's late samples may be gone (-1): they are still its own.
		 * The idle loop's can still be that of the process just left.
		 */
		if (m->tasks[id].pid == pid || pid < 0 || tid == 0)
			return id;
		/* The same tid in another process: its birth was not seen. */
		task_die(m, id, 0);
		task_unindex(m, id);
	}
	if (pid == tid || pid < 0)
		return task_new(m, tid, tid);
	leader = model_task(m, pid, pid);
	id = task_new(m, pid, tid);
	task_join(m, id, leader);
	task_inherit_target(m, id, leader);
	return id;
}

uint32_t
model_host_task(struct model *m, uint32_t host, int pid, int tid)
{
	uint32_t id = task_find(m, host, tid), leader;

	if (id != 0 && m->tasks[id].pid == pid && m->tasks[id].died_ns == 0)
		return id;
	if (id != 0) {
		task_die(m, id, 0);
		task_unindex(m, id);
	}
	if (pid == tid)
		return task_new_on(m, host, pid, tid);
	leader = model_host_task(m, host, pid, pid);
	id = task_new_on(m, host, pid, tid);
	task_join(m, id, leader);
	return id;
}

void
model_end_task(struct model *m, uint32_t task, uint64_t time_ns)
{
	m->changes++;
	task_die(m, task, time_ns);
}

void
model_sweep(struct model *m, uint64_t before_ns)
{
	m->changes++;
	while (m->dead_first != 0 && m->tasks[m->dead_first].died_ns < before_ns) {
		uint32_t id = m->dead_first;
		struct task *t = &m->tasks[id];

		uint32_t process = t->process;

		m->dead_first = t->next_dead;
		if (m->dead_first == 0)
			m->dead_last = 0;
		t->next_dead = 0;
		t->is_swept = true;
		if (process != id)
			m->tasks[process].unswept--;
		task_release(m, id);
		task_release(m, process);
	}
}

void
model_hold_task(struct model *m, uint32_t task)
{
	m->tasks[task].whos++;
}

void
model_release_task(struct model *m, uint32_t task)
{
	if (--m->tasks[task].whos == 0)
		task_release(m, task);
}
