/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executable memory without a file: each process has its own. */
#include "model/model.h"

#include <string.h>

static uint32_t
code_of(struct model *m, uint32_t task)
{
	struct task *t = &m->tasks[m->tasks[task].process];

	if (t->code == 0 && model_take_room(m, task, NAME_ROOM_FILE_BYTES))
		t->code = dsos_code(&m->dsos, t->pid);
	return t->code != 0 ? t->code : DSO_ID_CROWDED;
}

void
model_map_dso(struct model *m, uint32_t task, struct map *map, const struct dso *named,
	      const char *path)
{
	map->dso = dsos_find_file(&m->dsos, path, named->maj, named->min, named->ino,
				  named->ino_generation);
	if (map->dso == 0)
		map->dso = model_take_room(m, task, strlen(path) + NAME_ROOM_FILE_BYTES)
				   ? dsos_file(&m->dsos, path, named->maj, named->min, named->ino,
					       named->ino_generation)
				   : DSO_ID_CROWDED;
	map->dso = dsos_at(map->dso, map->start);
	if (map->dso != DSO_ID_ANON)
		return;
	map->dso = code_of(m, task);
	/* Records and /proc differ in what they say of it. */
	map->pgoff = map->start;
}

uint32_t
model_space_owner(const struct model *m, const struct space *space, uint32_t task)
{
	uint32_t first = task;

	for (uint32_t i = 1; space->refs > 1 && i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->space == space && t->died_ns == 0 &&
		    (m->tasks[first].space != space || t->born_ns < m->tasks[first].born_ns))
			first = i;
	}
	return first;
}

static bool
space_has(const struct space *s, uint32_t dso)
{
	for (size_t i = 0; s->has_code && i < s->len; i++)
		if (s->maps[i].dso == dso)
			return true;
	return false;
}

bool
model_has_code(const struct model *m, uint32_t dso)
{
	for (size_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->space != NULL && (t->died_ns == 0 || t->living > 0) &&
		    space_has(t->space, dso))
			return true;
	}
	return false;
}

void
model_code_changed(struct model *m, uint32_t dso)
{
	m->changes++;
	for (size_t i = 1; i < m->task_len; i++) {
		const struct task *t = &m->tasks[i];

		if (t->is_used && t->space != NULL && space_has(t->space, dso))
			t->space->generation++;
	}
}
