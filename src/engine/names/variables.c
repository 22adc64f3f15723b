/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variables that threads wait for: each is looked for in the file whose code is mapped next below
 * it, as a file's data lie behind its code.  Where that file ends is known from the first answer on,
 * and what is beyond needs no question: most mutexes are on the heap.
 */
#include "engine/names/names_impl.h"

#include <inttypes.h>
#include <stdlib.h>

enum { ASKED_MAX = 4 }; /* questions on their way: each walks a table of symbols */

/* In questions, beside the variable's number: sampling asks, too. */
#define OF_VARIABLES (1u << 31)

/* Where a process has a file; end 0: it tells nothing. */
struct variable_file {
	uint32_t space, dso;
	uint64_t start, end;
};

static bool
has(const struct variable_file *file, uint64_t address)
{
	return address >= file->start && address < file->end;
}

static const struct variable_file *
find_file(const struct variable_names *v, uint32_t space, uint32_t dso)
{
	for (size_t i = v->file_len; i-- > 0;)
		if (v->files[i].space == space && v->files[i].dso == dso)
			return &v->files[i];
	return NULL;
}

/* The last map of a file that begins before it; NULL: there is none. */
static const struct map *
map_below(const struct model *m, const struct space *space, uint64_t address)
{
	const struct map *best = NULL;

	for (size_t i = 0; i < space->len && space->maps[i].start <= address; i++)
		if (dsos_get(&m->dsos, space->maps[i].dso)->kind == DSO_FILE)
			best = &space->maps[i];
	return best;
}

/* What brk(2) gives begins behind the program, which is mapped below all libraries. */
static void
learn_heap(struct names *nm, size_t i, const struct map *map)
{
	const struct variable *var = &nm->env->profile->variables.items[i];
	const struct space *space = model_space(nm->env->model, var->process);
	struct buf b = { 0 };

	if (space->maps[0].dso != map->dso)
		return;
	buf_addf(&b, "heap 0x%" PRIx64, var->address);
	variables_learn(&nm->env->profile->variables, i,
			strs_add(&nm->env->model->strs, b.data, b.len));
	buf_release(&b);
}

static void
ask(struct names *nm, size_t i, const struct map *map)
{
	const struct variable *var = &nm->env->profile->variables.items[i];
	const struct task *t = model_task_at(nm->env->model, var->process);
	struct symbol_places_ask a = { .offset = var->address, .data = true, .pgoff = map->pgoff };
	const struct image_ask file = { map->dso, t->died_ns == 0 ? t->pid : 0, map->start, map->end };

	if (files_ask(nm, &file, &a.file) != NULL)
		return;
	a.file.dso = OF_VARIABLES | (uint32_t)i;
	/* Also where no process lives: they tell where it was. */
	a.file.start = map->start;
	a.file.end = map->end;
	nm->variables.asked++;
	symbol_service_ask_places(nm->env->symbols, &a);
}

void
variables_step(struct names *nm)
{
	struct variables *v = &nm->env->profile->variables;

	for (; v->asked < v->len && nm->variables.asked < ASKED_MAX; v->asked++) {
		const struct variable *var = &v->items[v->asked];
		const struct space *space = model_space(nm->env->model, var->process);
		const struct map *map = map_below(nm->env->model, space, var->address);
		const struct variable_file *file;

		if (map == NULL)
			continue;
		file = find_file(&nm->variables, space->id, map->dso);
		if (file == NULL || has(file, var->address))
			ask(nm, v->asked, map);
		else if (file->end != 0)
			learn_heap(nm, v->asked, map);
	}
}

bool
variables_are_here(const struct names *nm)
{
	const struct variables *v = &nm->env->profile->variables;

	return nm->variables.asked == 0 && v->asked == v->len;
}

/* "g_cache_lock", "g_table+0x40" */
static void
learn_name(struct names *nm, size_t i, const struct symbol_places_msg *m)
{
	struct variables *v = &nm->env->profile->variables;
	uint64_t offset = v->items[i].address - m->bias - m->places[0].addr;
	struct buf b = { 0 };

	buf_add_str(&b, m->places[0].name);
	if (offset != 0)
		buf_addf(&b, "+0x%" PRIx64, offset);
	variables_learn(v, i, strs_add(&nm->env->model->strs, b.data, b.len));
	buf_release(&b);
}

/* Its process may have mapped other files since it was asked for. */
static void
learn_extent(struct names *nm, size_t i, const struct symbol_places_msg *m)
{
	const struct variable *var = &nm->env->profile->variables.items[i];
	const struct space *space = model_space(nm->env->model, var->process);
	const struct map *map = map_below(nm->env->model, space, var->address);
	struct variable_names *v = &nm->variables;
	struct variable_file file = { space->id, map != NULL ? map->dso : 0, m->start, m->end };

	if (map == NULL || (file.end != 0 && !has(&file, map->start)))
		return;
	if (find_file(v, space->id, map->dso) == NULL)
		VEC_ADD(v->files, v->file_len, v->file_cap) = file;
	if (file.end != 0 && !has(&file, var->address))
		learn_heap(nm, i, map);
}

enum part_reply
variables_on_places(void *names, struct msg *msg)
{
	const struct symbol_places_msg *m = (const struct symbol_places_msg *)msg;
	size_t i = m->dso & ~OF_VARIABLES;
	struct names *nm = names;

	if (!(m->dso & OF_VARIABLES))
		return PART_PASSES;
	nm->variables.asked--;
	if (m->count > 0)
		learn_name(nm, i, m);
	learn_extent(nm, i, m);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	return PART_DONE;
}

void
variables_free(struct names *nm)
{
	free(nm->variables.files);
}
