/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/forest.h"

#include <string.h>

uint32_t
forest_fn(struct forest *f, struct tree_fn fn)
{
	uint64_t hash = tree_fn_hash(&fn);
	uint32_t id, pos;

	for (id = index_first(&f->index, hash, &pos); id != 0;
	     id = index_next(&f->index, hash, &pos))
		if (f->fns[id - 1].dso == fn.dso && f->fns[id - 1].what == fn.what)
			return id - 1;
	VEC_ADD(f->fns, f->fn_len, f->fn_cap) = fn;
	index_add(&f->index, hash, (uint32_t)f->fn_len);
	return (uint32_t)f->fn_len - 1;
}

/* Libraries are told by their names: programs have no ".so" in theirs. */
enum node_kind
report_place_kind(const struct report *r, const struct location *loc)
{
	static const unsigned char kinds[] = {
		[DSO_UNKNOWN] = NODE_UNKNOWN,      [DSO_KERNEL] = NODE_KERNEL,
		[DSO_MODULE] = NODE_KERNEL,        [DSO_FILE] = NODE_OWN,
		[DSO_VDSO] = NODE_LIBRARY,         [DSO_VDSO32] = NODE_LIBRARY,
		[DSO_VSYSCALL] = NODE_LIBRARY,     [DSO_UPROBES] = NODE_LIBRARY,
		[DSO_ANON] = NODE_JIT,             [DSO_JITDUMP] = NODE_JIT,
		[DSO_GUEST_KERNEL] = NODE_KERNEL,  [DSO_GUEST_USER] = NODE_OWN,
		[DSO_HYPERVISOR] = NODE_KERNEL,    [DSO_WAITING] = NODE_WAITS,
		[DSO_CROWDED] = NODE_UNKNOWN,
	};
	const struct dso *dso = dsos_get(&r->src->profile->model->dsos, loc->dso);

	if (loc == &r->src->profile->locations->items[LOCATION_CUT])
		return NODE_CUT;
	if (dso->kind == DSO_FILE && strstr(report_str(r, dso->name), ".so") != NULL)
		return NODE_LIBRARY;
	return (enum node_kind)kinds[dso->kind];
}

uint32_t
forest_place(struct forest *f, uint32_t location)
{
	const struct profile *p = f->r->src->profile;
	uint32_t id = locations_resolve(p->locations, location);
	const struct location *loc = &p->locations->items[id];
	uint64_t what = loc->kind == LOCATION_FUNCTION ? loc->name : UINT64_C(1) << 32 | id;

	/* Inlined code is another function than the one that is called. */
	if (loc->is_inlined)
		what |= UINT64_C(2) << 32;
	if (f->by_location[id] == 0)
		f->by_location[id] = 1 + forest_fn(f, (struct tree_fn){
			.dso = dsos_get(&p->model->dsos, loc->dso)->name, .what = what,
			.location = id, .place = p->locations->items[id].serial,
			.kind = report_place_kind(f->r, loc) });
	return f->by_location[id] - 1;
}

const char *
forest_name(struct forest *f, uint32_t fn)
{
	const struct tree_fn *t = &f->fns[fn];

	vec_reserve_zeroed(&f->names, &f->name_cap, f->fn_len, sizeof(*f->names));
	if (f->names[fn] == NULL)
		f->names[fn] = t->kind == NODE_COMM ? report_str(f->r, (uint32_t)t->what)
						    : report_place_name(f->r, t->location);
	return f->names[fn];
}

const char *
forest_dso(const struct forest *f, const struct tree_fn *fn)
{
	const struct profile *p = f->r->src->profile;

	if (fn->location == 0)
		return "";
	return report_str(f->r, dsos_get(&p->model->dsos,
					 p->locations->items[fn->location].dso)->name);
}
