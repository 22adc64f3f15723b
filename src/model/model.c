/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"
#include "model/model_impl.h"

#include <stdlib.h>

enum {
	MAPS_MAX = 1 << 21,       /* of 32 bytes, of large spaces: 64 MiB */
	MOVED_A_SECOND = 1 << 20, /* some hundredths of a CPU's time */
};

struct model *
model_new(void)
{
	struct model *m = mem_calloc(1, sizeof(*m));

	dsos_init(&m->dsos, &m->strs);
	m->task_len = m->who_len = 1;
	vec_reserve(&m->tasks, &m->task_cap, 64, sizeof(*m->tasks));
	m->tasks[0] = (struct task){ 0 };
	vec_reserve(&m->whos, &m->who_cap, 64, sizeof(*m->whos));
	model_learn_comm(m, model_task(m, 0, 0), "swapper");
	return m;
}

void
model_set_from_file(struct model *m)
{
	m->from_file = true;
}

void
model_set_by_name(struct model *m)
{
	m->by_name = true;
}

void
model_kernel_changed(struct model *m)
{
	m->kernel_generation++;
	m->changes++;
}

void
model_set_kernel_is_here(struct model *m)
{
	space_put(m->kernel);
	m->kernel = NULL;
	m->kernel_is_mapped = false;
	m->kernel_is_here = true;
	m->kernel_generation++;
}

void
model_free(struct model *m)
{
	if (m == NULL)
		return;
	for (size_t i = 1; i < m->task_len; i++)
		space_put(m->tasks[i].space);
	space_put(m->kernel);
	free(m->tasks);
	free(m->free_tasks);
	free(m->whos);
	free(m->free_whos);
	free(m->last_exit);
	index_release(&m->by_tid);
	index_release(&m->who_index);
	dsos_release(&m->dsos);
	cgroups_release(&m->cgroups);
	ksymbols_release(&m->ksymbols);
	strs_release(&m->strs);
	free(m);
}

uint32_t
model_outside_task(struct model *m)
{
	uint32_t id = model_find_task(m, TASK_OUTSIDE_TID);

	if (id == 0) {
		id = task_new(m, TASK_OUTSIDE_TID, TASK_OUTSIDE_TID);
		model_learn_comm(m, id, "[other namespace]");
		model_space(m, id)->state = SPACE_LOST;
	}
	return id;
}

uint32_t
model_sample_task(struct model *m, int pid, int tid, uint32_t cpu)
{
	struct last_exit last = { 0 };
	const struct task *t;

	if (tid >= 0)
		return model_task(m, pid, tid);
	if (cpu < m->last_exit_cap)
		last = m->last_exit[cpu];
	if (last.tid == TASK_OUTSIDE_TID && !m->from_file)
		return model_outside_task(m);
	t = &m->tasks[last.task];
	if (last.task != 0 && t->is_used && t->tid == last.tid && t->died_ns == last.died_ns)
		return last.task;
	return model_task(m, -1, -1);
}

struct space *
space_make(struct model *m, enum space_state state)
{
	return space_new(++m->next_space_id, state, &m->maps);
}

struct space *
model_space(struct model *m, uint32_t task)
{
	struct task *t = &m->tasks[m->tasks[task].process];

	if (t->space == NULL)
		t->space = space_make(m, m->from_file ? SPACE_KNOWN : SPACE_UNREAD);
	return t->space;
}

/*
 * Any program can have a space of tens of thousands of maps, share it with thousands of children, and
 * change it without end.  What large ones cost together has a bound; from there on they are told by
 * what is read of them now and then.  A recording's can not be read again.
 */
bool
space_may_cost(const struct model *m, const struct space *s, size_t more)
{
	return m->from_file || s->len < SPACE_LARGE ||
	       (m->maps.held + more <= MAPS_MAX && m->maps.moved < MOVED_A_SECOND);
}

struct space *
space_own(struct model *m, uint32_t task)
{
	struct space *s = model_space(m, task);
	struct task *t = &m->tasks[m->tasks[task].process];

	if (space_is_shared(s) && space_may_cost(m, s, s->len)) {
		t->space = space_copy(s, ++m->next_space_id);
		/* The answer under way is for the space as it was; this one asks for itself. */
		if (s->state == SPACE_ASKED)
			t->space->state = SPACE_UNREAD;
		space_put(s);
	}
	return t->space;
}

void
model_learn_maps(struct model *m, struct space *s, const struct map *maps, size_t len)
{
	m->changes++;
	if (maps == NULL || (len >= SPACE_LARGE && !m->from_file && m->maps.held + len > MAPS_MAX)) {
		s->state = SPACE_LOST;
		return;
	}
	space_clear(s);
	s->has_code = s->is_denied = false;
	for (size_t i = 0; i < len; i++) {
		space_add(s, &maps[i]);
		s->has_code |= dsos_get(&m->dsos, maps[i].dso)->kind == DSO_ANON;
	}
	s->state = SPACE_KNOWN;
	s->is_unrecorded = m->has_unrecorded = true;
}

static void
doubt(struct space *s)
{
	if (s != NULL && (s->state == SPACE_KNOWN || s->state == SPACE_LOST))
		s->state = SPACE_DOUBTFUL;
}

void
model_doubt_all(struct model *m)
{
	m->ended_count = 0; /* another may have the number by now */
	m->changes++;
	m->ksymbols.are_missed = true;
	for (size_t i = 1; i < m->task_len; i++)
		if (m->tasks[i].is_used && m->tasks[i].died_ns == 0)
			doubt(m->tasks[i].space);
}

void
model_doubt_maps(struct model *m, struct space *s)
{
	m->changes += s->state != SPACE_DOUBTFUL;
	doubt(s);
}

void
model_doubt_task(struct model *m, uint32_t task)
{
	m->changes++;
	m->tasks[task].is_comm_doubtful = true;
	doubt(m->tasks[task].space);
}
