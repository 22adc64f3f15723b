/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks for exports (snapshot.stacks): nodes, and each dso and place once. */
#include "profile/report/stack_walk.h"

#include "profile/place/location.h"
#include "view/export_stacks.h"

#include <stdlib.h>
#include <string.h>

struct filler {
	struct report *r;
	struct stacks *out;
	uint32_t *places; /* by location: index in out->places plus one */
	uint32_t *dsos;   /* by dso: index in out->dsos plus one */
	uint32_t *tops;   /* by who: its newest top, a node; 0: none */
	size_t place_cap, dso_cap, top_cap, node_cap; /* of the items, copied to out at the end */
	struct stack_dso *dso_items;
	struct stack_place *place_items;
	struct stack_top *top_items;
	struct stack_node *node_items;
	uint32_t cut;     /* the dso of LOCATION_CUT, index plus one */
	struct buf scratch;
};

static enum stack_kind
kind_of(const struct dso *dso, const char *name)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_MODULE:
	case DSO_GUEST_KERNEL:
	case DSO_HYPERVISOR:
		return STACK_KERNEL;
	case DSO_FILE:
		return strstr(name, ".so") != NULL ? STACK_LIBRARY : STACK_PROGRAM;
	case DSO_ANON:
	case DSO_JITDUMP:
		return STACK_JIT;
	case DSO_VDSO:
	case DSO_VDSO32:
	case DSO_VSYSCALL:
	case DSO_UPROBES:
		return STACK_LIBRARY;
	case DSO_WAITING:
		return STACK_WAITS;
	case DSO_UNKNOWN:
	case DSO_CROWDED:
	case DSO_GUEST_USER:
		break;
	}
	return STACK_UNKNOWN;
}

/* Notes where the task maps dsos of which no address is known yet. */
static void
learn_maps(struct filler *f, const struct task *t)
{
	for (size_t i = 0; t->space != NULL && i < t->space->len; i++) {
		const struct map *map = &t->space->maps[i];
		struct stack_dso *d = f->dsos[map->dso] != 0 ?
			&f->dso_items[f->dsos[map->dso] - 1] : NULL;

		if (d == NULL || d->end != 0 || d->kind == STACK_JIT)
			continue;
		d->start = f->r->query->hide_addresses ? map->pgoff : map->start;
		d->end = d->start + (map->end - map->start);
		d->pgoff = map->pgoff;
	}
}

static void
find_maps(struct filler *f)
{
	const struct model *m = f->r->src->profile->model;

	for (uint32_t id = 1; id < m->task_len; id++)
		if (m->tasks[id].is_used)
			learn_maps(f, &m->tasks[id]);
}

static uint32_t
dso_number(struct filler *f, uint32_t id)
{
	const struct profile *p = f->r->src->profile;
	const struct dso *dso = dsos_get(&p->model->dsos, id);
	bool is_file = dso->kind == DSO_FILE || dso->kind == DSO_JITDUMP;
	struct stack_dso *d;

	if (f->dsos[id] != 0)
		return f->dsos[id] - 1;
	d = &VEC_ADD(f->dso_items, f->out->dso_count, f->dso_cap);
	*d = (struct stack_dso){
		.name = report_str(f->r, dso->name),
		.path = is_file ? report_str(f->r, dso->path) : "",
		.build_id = report_str(f->r, dso_source_build_id(p->locations, id)),
	};
	d->kind = kind_of(dso, d->name);
	f->dsos[id] = (uint32_t)f->out->dso_count;
	return f->dsos[id] - 1;
}

/* Callers that are missing are in no file: their dso has no name. */
static uint32_t
cut_number(struct filler *f)
{
	if (f->cut == 0) {
		vec_reserve(&f->dso_items, &f->dso_cap, f->out->dso_count + 1,
			    sizeof(*f->dso_items));
		f->dso_items[f->out->dso_count] = (struct stack_dso){
			.name = "", .path = "", .build_id = "", .kind = STACK_CUT };
		f->cut = (uint32_t)++f->out->dso_count;
	}
	return f->cut - 1;
}

/* A copy, and only if the image is still that of the function: the kernel's images are replaced. */
static const char *
raw_name(struct filler *f, const struct location *loc, const char *shown)
{
	const struct image *img = locations_symbols(f->r->src->profile->locations, loc->dso)->image;

	if (!location_is_named(loc) || img == NULL || loc->fn >= image_count(img) ||
	    image_address(img, loc->fn) != loc->offset)
		return shown;
	buf_reset(&f->scratch);
	image_copy_name(img, loc->fn, &f->scratch);
	if (strcmp(buf_str(&f->scratch), shown) == 0)
		return shown;
	return arena_strdup(&f->r->out->arena, buf_str(&f->scratch));
}

static bool
hides_address(const struct filler *f, const struct location *loc)
{
	const struct dsos *dsos = &f->r->src->profile->model->dsos;

	return f->r->query->hide_addresses && dsos_get(dsos, loc->dso)->kind != DSO_FILE;
}

static uint32_t
place_number(struct filler *f, uint32_t location)
{
	const struct locations *l = f->r->src->profile->locations;
	uint32_t id = locations_resolve(l, location);
	const struct location *loc = &l->items[id];
	struct stack_place *p;

	if (f->places[id] != 0)
		return f->places[id] - 1;
	p = &VEC_ADD(f->place_items, f->out->place_count, f->place_cap);
	*p = (struct stack_place){
		.name = report_place_name(f->r, id), .line = report_str(f->r, loc->line),
		.offset = hides_address(f, loc) ? 0 : loc->offset,
		.dso = id == LOCATION_CUT ? cut_number(f) : dso_number(f, loc->dso),
		.is_function = loc->kind == LOCATION_FUNCTION, .is_inlined = loc->is_inlined,
	};
	if (*p->name == '\0')
		p->name = "[unknown]";
	p->raw = raw_name(f, loc, p->name);
	f->places[id] = (uint32_t)f->out->place_count;
	return f->places[id] - 1;
}

static uint32_t
add_node(struct filler *f, uint32_t parent, uint32_t item)
{
	vec_reserve(&f->node_items, &f->node_cap, f->out->node_count + 1, sizeof(*f->node_items));
	f->node_items[f->out->node_count] = (struct stack_node){ .parent = parent, .item = item };
	return (uint32_t)f->out->node_count++;
}

/* A hyphen says that it is in none. */
static const char *
group_name(const struct filler *f, uint32_t id)
{
	const char *name = report_str(f->r, id);

	return strcmp(name, "-") != 0 ? name : "";
}

static struct stack_top
describe_top(const struct filler *f, uint32_t event, const struct who *who)
{
	const struct profile *p = f->r->src->profile;
	const struct task *t = &p->model->tasks[who->task];
	uint32_t path = report_cgroup(p->model, who).path;
	struct container_names names = containers_of(p->containers, path);

	return (struct stack_top){
		.comm = report_str(f->r, who->comm),
		.pid = MAX(t->pid, -1), .tid = MAX(t->tid, -1), .event = event,
		.user = report_owner(f->r, t), .cgroup = report_str(f->r, path),
		.container = group_name(f, names.container), .pod = group_name(f, names.pod),
	};
}

static uint32_t
add_top(void *self, uint32_t event, uint32_t who)
{
	struct filler *f = self;
	const struct model *m = f->r->src->profile->model;
	uint32_t *top = &f->tops[who];

	if (*top != 0 && f->top_items[f->node_items[*top].item].event == event)
		return *top;
	vec_reserve(&f->top_items, &f->top_cap, f->out->top_count + 1, sizeof(*f->top_items));
	f->top_items[f->out->top_count] = describe_top(f, event, &m->whos[who]);
	*top = add_node(f, 0, (uint32_t)f->out->top_count++);
	return *top;
}

static uint32_t
add_place(void *self, uint32_t parent, uint32_t location)
{
	struct filler *f = self;

	return add_node(f, parent, place_number(f, location));
}

static void
add_cost(void *self, uint32_t node, const struct cost *cost)
{
	struct filler *f = self;

	f->node_items[node].samples += cost->samples;
	f->node_items[node].period += cost->period;
}

static void
finish(struct filler *f)
{
	struct stacks *s = f->out;
	struct arena *a = &f->r->out->arena;

	s->dsos = arena_adopt(a, f->dso_items, s->dso_count * sizeof(*s->dsos));
	s->places = arena_adopt(a, f->place_items, s->place_count * sizeof(*s->places));
	s->tops = arena_adopt(a, f->top_items, s->top_count * sizeof(*s->tops));
	s->nodes = arena_adopt(a, f->node_items, s->node_count * sizeof(*s->nodes));
	f->r->out->stacks = s;
}

void
report_fill_stacks(struct report *r)
{
	const struct profile *p = r->src->profile;
	static const struct stack_maker maker = { add_top, add_place, add_cost };
	struct filler f = { .r = r };
	struct stack_walk walk;

	f.out = arena_alloc(&r->out->arena, sizeof(*f.out));
	f.places = mem_calloc(p->locations->len, sizeof(*f.places));
	f.dsos = mem_calloc(p->model->dsos.len, sizeof(*f.dsos));
	f.tops = mem_calloc(p->model->who_len, sizeof(*f.tops));
	add_node(&f, 0, 0);
	stack_walk_init(&walk, r);
	stack_walk(&walk, WALK_ALL, &maker, &f);
	stack_walk_release(&walk);
	find_maps(&f);
	finish(&f);
	free(f.places);
	free(f.dsos);
	free(f.tops);
	buf_release(&f.scratch);
}
