/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/group.h"

#include "base/buf.h"
#include "profile/place/dso_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Functions of one name in one dso are one row; places without a name are told apart. */
static uint64_t
symbol_part(const struct profile *p, uint32_t location)
{
	const struct location *loc = &p->locations->items[location];

	return loc->name != 0 ? loc->name : UINT64_C(1) << 32 | location;
}

/* Texts stand for themselves: what is shown alike is one row. */
static uint64_t
text_part(const struct profile *p, const struct buf *b)
{
	return strs_add(&p->model->strs, b->data, b->len);
}

static uint64_t
cgroup_part(const struct profile *p, const struct label *label)
{
	struct buf b = { 0 };
	uint32_t path;
	uint64_t part;

	if (cgroups_find(&p->model->cgroups, label->cgroup, &path))
		return path;
	if (label->cgroup != 0)
		buf_addf(&b, "cgroup:%" PRIu64, label->cgroup);
	else
		buf_add_char(&b, '-');
	part = text_part(p, &b);
	buf_release(&b);
	return part;
}

static uint64_t
srcline_part(const struct profile *p, uint32_t dso, const struct label *label)
{
	uint32_t text = label->address != 0 ? srclines_find(&p->lines, dso, label->address - 1) : 0;

	return text != 0 ? text : strs_add_str(&p->model->strs, "-");
}

static void
put_branch_end(struct buf *b, const struct profile *p, uint32_t location, uint64_t addr)
{
	const struct locations *l = p->locations;
	const struct location *loc = &l->items[locations_resolve(l, location)];

	if (loc->kind == LOCATION_FUNCTION)
		buf_add_str(b, strs_get(&p->model->strs, loc->name));
	else
		buf_addf(b, "0x%" PRIx64, addr);
}

static uint64_t
branch_part(const struct profile *p, const struct label *label)
{
	struct buf b = { 0 };
	uint64_t part;

	if (label->from == 0) {
		buf_add_char(&b, '-');
	} else {
		put_branch_end(&b, p, label->from, label->from_addr);
		buf_add_str(&b, " > ");
		put_branch_end(&b, p, label->to, label->to_addr);
	}
	part = text_part(p, &b);
	buf_release(&b);
	return part;
}

uint64_t
group_part(const struct grouping *g, enum key key, uint32_t id)
{
	const struct profile *p = g->profile;
	const struct model *m = p->model;
	const struct hot_key *hot = &p->tables.hot[id];
	const struct label *label = &p->labels.items[hot->label];
	const struct who *who = &m->whos[hot->who];
	const struct task *task = &m->tasks[who->task];
	uint32_t location = locations_resolve(p->locations, hot->location);

	switch (key) {
	case KEY_EVENT:
		return hot->event;
	case KEY_COMM:
		/* All that ended and were merged are one task: told apart by name alone. */
		if (g->whole_process && task->tid != TASK_ENDED_TID)
			return m->tasks[task->process].comm;
		return who->comm;
	case KEY_PID:
		return task->process;
	case KEY_TID:
		return who->task;
	case KEY_DSO:
		return dsos_get(&m->dsos, p->locations->items[location].dso)->name;
	case KEY_SYMBOL:
		return symbol_part(p, location);
	case KEY_ADDRESS:
		return label->address;
	case KEY_CPU:
		return label->cpu;
	case KEY_USER:
		return m->tasks[task->process].uid;
	case KEY_TIME:
		return label->time;
	case KEY_CGROUP:
		return cgroup_part(p, label);
	case KEY_DATA_SRC:
		return label->data_src;
	case KEY_WEIGHT:
		return label->weight;
	case KEY_BRANCH:
		return branch_part(p, label);
	case KEY_SRCLINE:
		return srcline_part(p, p->locations->items[location].dso, label);
	case KEY_PATH:
		return dsos_get(&m->dsos, p->locations->items[location].dso)->path;
	case KEY_BUILD_ID:
		return dso_source_build_id(p->locations, p->locations->items[location].dso);
	case KEY_SOURCE:
		return dso_source_names(p->locations, p->locations->items[location].dso);
	case KEY_REASON:
		return dso_source_reason(p->locations, location);
	case KEY_REMEDY:
		return dso_source_remedy(p->locations, location);
	case KEY_COUNT:
		break;
	}
	return 0;
}

struct group *
group_find(struct grouping *g, uint32_t id)
{
	size_t bytes = g->key_count * sizeof(*g->parts);
	uint64_t parts[KEYS_MAX], hash;
	uint32_t n, pos;

	for (size_t i = 0; i < g->key_count; i++)
		parts[i] = group_part(g, g->keys[i], id);
	hash = hash_bytes(parts, bytes);
	for (n = index_first(&g->index, hash, &pos); n != 0; n = index_next(&g->index, hash, &pos))
		if (memcmp(group_parts(g, &g->items[n - 1]), parts, bytes) == 0)
			return &g->items[n - 1];
	vec_reserve(&g->items, &g->cap, g->len + 1, sizeof(*g->items));
	/* There may be no keys. */
	vec_reserve(&g->parts, &g->part_cap, (g->len + 1) * g->key_count + 1, sizeof(*g->parts));
	memcpy(&g->parts[g->len * g->key_count], parts, bytes);
	g->items[g->len++] = (struct group){ .first = id };
	index_add(&g->index, hash, (uint32_t)g->len);
	return &g->items[g->len - 1];
}

void
grouping_release(struct grouping *g)
{
	free(g->items);
	free(g->parts);
	index_release(&g->index);
	*g = (struct grouping){ 0 };
}
