/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files in which much of the time was spent, and that give its functions no names. */
#include "engine/names/names_impl.h"

#include <stdlib.h>

#include "profile/place/location.h"

enum {
	TOLD_LEAST = 20, /* samples in such files, */
	TOLD_PART = 10,  /* and one in so many of all: they are told */
	TOLD_FILES = 3,  /* by name */
};

struct unnamed {
	uint64_t *of_dso; /* samples without a name in each, of those files alone */
	uint64_t sum, all;
};

static bool
gives_none(const struct names *nm, uint32_t dso)
{
	const struct dso_symbols *s = &nm->env->locations->symbols[dso];

	return s->state == SYMBOLS_FAILED && s->pages > 0 &&
	       dsos_get(&nm->env->model->dsos, dso)->kind == DSO_FILE;
}

static bool
is_any(const struct names *nm)
{
	for (uint32_t dso = DSO_ID_FIRST_FILE; dso < nm->env->locations->symbols_cap; dso++)
		if (gives_none(nm, dso))
			return true;
	return false;
}

static void
count(const struct names *nm, struct unnamed *u)
{
	const struct tables *t = &nm->env->profile->tables;
	const struct locations *l = nm->env->locations;

	for (uint32_t i = 1; i < t->cells[TABLE_HOT].len; i++) {
		const struct location *loc = &l->items[locations_resolve(l, t->hot[i].location)];
		uint64_t samples = t->cells[TABLE_HOT].items[i].all_samples;

		u->all += samples;
		if (loc->dso >= l->symbols_cap || !gives_none(nm, loc->dso) || location_is_named(loc))
			continue;
		u->of_dso[loc->dso] += samples;
		u->sum += samples;
	}
}

/* The heaviest of them, which it is not any more then; 0: there is none left. */
static uint32_t
take_heaviest(const struct names *nm, struct unnamed *u)
{
	uint32_t found = 0;

	for (uint32_t dso = DSO_ID_FIRST_FILE; dso < nm->env->locations->symbols_cap; dso++)
		if (u->of_dso[dso] > u->of_dso[found])
			found = dso;
	u->of_dso[found] = 0;
	return found;
}

/* "prog, libm.so and others"; which of them is the heaviest. */
static uint32_t
put_names(const struct names *nm, struct unnamed *u, struct buf *b)
{
	const struct model *m = nm->env->model;
	uint32_t first = take_heaviest(nm, u), dso = first;

	for (int i = 0; i < TOLD_FILES && dso != 0; i++, dso = take_heaviest(nm, u))
		buf_addf(b, "%s'%s'", i > 0 ? ", " : "", strs_get(&m->strs, dsos_get(&m->dsos, dso)->name));
	buf_add_str(b, dso != 0 ? " and others" : "");
	return first;
}

/* On a live screen rows and the view unnamed tell; a feed's rows do, each with its reason. */
static bool
is_wanted(const struct engine_env *env)
{
	return !env->policy->has_processes || !(env->config->is_watched || env->config->is_fed);
}

bool
unnamed_files_limit(const struct names *nm, struct arena *arena, struct snapshot_limit *limit)
{
	const struct strs *strs = &nm->env->model->strs;
	const struct dso_symbols *first;
	struct unnamed u = { 0 };
	struct buf files = { 0 };
	bool is_told;

	if (!is_wanted(nm->env) || !is_any(nm))
		return false;
	u.of_dso = mem_calloc(nm->env->locations->symbols_cap, sizeof(*u.of_dso));
	count(nm, &u);
	is_told = u.sum >= TOLD_LEAST && u.sum * TOLD_PART >= u.all;
	if (is_told) {
		first = &nm->env->locations->symbols[put_names(nm, &u, &files)];
		limit->text = arena_printf(arena, "functions of %s have no names (%.1f %% of samples): %s", buf_str(&files),
					   100.0 * (double)u.sum / (double)u.all, strs_get(strs, first->reason));
		limit->remedy = arena_strdup(arena, strs_get(strs, first->remedy));
	}
	buf_release(&files);
	free(u.of_dso);
	return is_told;
}
