/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said where there is no room for names of code that is made at run time. */
#include "engine/names/names_impl.h"

/* Of the first process of which that is so also by a batch. */
static const struct full {
	const char *reason; /* of its code without a name, which may have one */
	const char *who, *does; /* around the process that it is about */
} fulls[] = {
	[JIT_PROCESS_IS_FULL] = {
		"JIT: not among the names that were kept: its process has too many",
		"process ", " makes too much code at run time" },
	[JIT_USER_IS_FULL] = {
		"JIT: not among the names that were kept: its user's processes have too many",
		"processes of the user of ", " make too much code at run time" },
	[JIT_ALL_IS_FULL] = {
		"JIT: not among the names that were kept: processes have too many",
		"processes, most of all ", ", make too much code at run time" },
};

/* The code with most of the room. */
static uint32_t
largest(const struct locations *l)
{
	uint32_t most = 0;

	for (uint32_t dso = 0; dso < l->symbols_cap; dso++)
		if (jit_bytes(l, dso) > jit_bytes(l, most))
			most = dso;
	return most;
}

void
jit_tell_full(struct names *nm, uint32_t dso, enum jit_learned whose)
{
	struct dso_symbols *s = locations_symbols(nm->env->locations, dso);
	const uint32_t about = whose == JIT_ALL_IS_FULL ? largest(nm->env->locations) : dso;
	struct model *m = nm->env->model;
	struct buf b = { 0 };

	s->reason = strs_add_str(&m->strs, fulls[whose].reason);
	s->remedy = 0;
	buf_addf(&b, "%s%d%s: names of the rest of process %d are not kept", fulls[whose].who,
		 dsos_get(&m->dsos, about)->pid, fulls[whose].does, dsos_get(&m->dsos, dso)->pid);
	if (nm->jits.full == 0)
		nm->jits.full = strs_add_str(&m->strs, buf_str(&b));
	notes_news(nm->env->notes, "%s", buf_str(&b));
	buf_release(&b);
}

const char *
jit_notice(const struct names *nm)
{
	return nm->jits.full != 0 && !nm->env->config->is_watched
		       ? strs_get(&nm->env->model->strs, nm->jits.full) : NULL;
}
