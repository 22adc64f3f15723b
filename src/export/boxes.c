/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/boxes.h"

#include "base/text.h"
#include "export/report.h"

#include <stdlib.h>
#include <string.h>

struct maker {
	struct stack_boxes *f;
	const struct stacks *st;
	const struct snapshot *s;
	uint32_t *names, *dsos; /* of f->strs, by place and dso; 0: not asked for yet */
	struct buf scratch;
	bool has_events;        /* boxes of several */
};

static uint32_t
intern(struct maker *m, const char *text, bool is_inlined)
{
	buf_reset(&m->scratch);
	text_add_safe(&m->scratch, text, strlen(text));
	if (m->scratch.len == 0)
		buf_add_str(&m->scratch, "[unknown]");
	buf_add_str(&m->scratch, report_inlined_mark(is_inlined));
	return strs_add(&m->f->strs, m->scratch.data, m->scratch.len);
}

static uint32_t
add_box(struct stack_boxes *f, const struct stack_box *box)
{
	vec_reserve(&f->boxes, &f->cap, f->len + 1, sizeof(*f->boxes));
	f->boxes[f->len] = *box;
	return (uint32_t)f->len++;
}

/* The box like @want below its parent, made if it is not there. */
static uint32_t
find_box(struct maker *m, struct stack_box want)
{
	struct stack_boxes *f = m->f;
	uint64_t hash = hash_mix((uint64_t)want.parent << 8 | want.kind, want.name);
	uint32_t id, pos;

	for (id = index_first(&f->index, hash, &pos); id != 0;
	     id = index_next(&f->index, hash, &pos))
		if (f->boxes[id].parent == want.parent && f->boxes[id].name == want.name &&
		    f->boxes[id].kind == want.kind)
			return id;
	want.depth = f->boxes[want.parent].depth + 1;
	f->depth = MAX(f->depth, want.depth);
	id = add_box(f, &want);
	index_add(&f->index, hash, id);
	return id;
}

static uint32_t
top_box(struct maker *m, const struct stack_top *top)
{
	uint32_t above = 0;

	if (m->has_events)
		above = find_box(m, (struct stack_box){
			.name = intern(m, m->s->events[top->event].name, false) });
	return find_box(m, (struct stack_box){ .parent = above,
					       .name = intern(m, top->comm, false) });
}

static uint32_t
place_box(struct maker *m, uint32_t parent, uint32_t place)
{
	const struct stack_place *p = &m->st->places[place];
	const struct stack_dso *dso = &m->st->dsos[p->dso];

	if (m->names[place] == 0)
		m->names[place] = intern(m, p->name, p->is_inlined);
	if (m->dsos[p->dso] == 0)
		m->dsos[p->dso] = intern(m, dso->name, false);
	return find_box(m, (struct stack_box){ .parent = parent, .name = m->names[place],
					       .dso = m->dsos[p->dso], .kind = dso->kind });
}

static void
add_counts(struct stack_box *box, const struct stack_node *n)
{
	*(n->is_then ? &box->then_samples : &box->samples) += n->samples;
	*(n->is_then ? &box->then_period : &box->period) += n->period;
}

static void
add_nodes(struct maker *m)
{
	uint32_t *map = mem_calloc(m->st->node_count + 1, sizeof(*map));

	for (uint32_t id = 1; id < m->st->node_count; id++) {
		const struct stack_node *n = &m->st->nodes[id];

		map[id] = n->parent == 0 ? top_box(m, &m->st->tops[n->item])
					 : place_box(m, map[n->parent], n->item);
		add_counts(&m->f->boxes[map[id]], n);
	}
	free(map);
}

/* From the last box back: parents have lower numbers. */
static void
add_up(struct stack_boxes *f)
{
	for (size_t id = f->len - 1; id > 0; id--) {
		struct stack_box *parent = &f->boxes[f->boxes[id].parent];

		parent->samples += f->boxes[id].samples;
		parent->period += f->boxes[id].period;
		parent->then_samples += f->boxes[id].then_samples;
		parent->then_period += f->boxes[id].then_period;
		parent->weight += f->boxes[id].weight;
	}
}

static uint64_t
now_of(const struct stack_boxes *f, const struct stack_box *box)
{
	return f->by_samples ? box->samples : box->period;
}

static uint64_t
then_of(const struct stack_boxes *f, const struct stack_box *box)
{
	return f->by_samples ? box->then_samples : box->then_period;
}

double
boxes_now(const struct stack_boxes *f, const struct stack_box *box)
{
	uint64_t all = now_of(f, &f->boxes[0]);

	return all > 0 ? (double)now_of(f, box) / (double)all : 0;
}

double
boxes_then(const struct stack_boxes *f, const struct stack_box *box)
{
	uint64_t all = then_of(f, &f->boxes[0]);

	return all > 0 ? (double)then_of(f, box) / (double)all : 0;
}

/* Of what ends in each box, before it is added up: THEN as if both were as much in all. */
static void
weigh(struct stack_boxes *f)
{
	uint64_t now = 0, then = 0;
	double scale;

	for (size_t id = 0; id < f->len; id++) {
		now += now_of(f, &f->boxes[id]);
		then += then_of(f, &f->boxes[id]);
	}
	scale = now > 0 && then > 0 ? (double)now / (double)then : 1;
	for (size_t id = 0; id < f->len; id++)
		f->boxes[id].weight = MAX(now_of(f, &f->boxes[id]),
					  (uint64_t)((double)then_of(f, &f->boxes[id]) * scale));
}

static int
compare_boxes(const void *a, const void *b, void *arg)
{
	const struct stack_boxes *f = arg;
	uint32_t x, y;
	int order;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	if (f->boxes[x].parent != f->boxes[y].parent)
		return f->boxes[x].parent < f->boxes[y].parent ? -1 : 1;
	order = strcmp(strs_get(&f->strs, f->boxes[x].name), strs_get(&f->strs, f->boxes[y].name));
	return order != 0 ? order : (int)f->boxes[x].kind - (int)f->boxes[y].kind;
}

/* In the order of parents: the left edge of a box is known before its children's. */
static void
lay_out(struct stack_boxes *f)
{
	uint32_t *order = mem_calloc(f->len, sizeof(*order));
	uint64_t at = 0;

	for (uint32_t id = 1; id < f->len; id++)
		order[id - 1] = id;
	qsort_r(order, f->len - 1, sizeof(*order), compare_boxes, f);
	for (size_t i = 0; i + 1 < f->len; i++) {
		struct stack_box *box = &f->boxes[order[i]];

		if (i == 0 || f->boxes[order[i - 1]].parent != box->parent)
			at = f->boxes[box->parent].left;
		box->left = at;
		at += box->weight;
	}
	free(order);
}

static size_t
count_events(const struct stacks *st)
{
	size_t n = 0;

	for (size_t i = 0; i < st->top_count && n < 2; i++)
		n += i == 0 || st->tops[i].event != st->tops[0].event;
	return n;
}

void
boxes_init(struct stack_boxes *f, const struct snapshot *s)
{
	struct maker m = { .f = f, .s = s, .st = s->stacks };

	*f = (struct stack_boxes){ 0 };
	m.has_events = f->by_samples = count_events(s->stacks) > 1;
	m.names = mem_calloc(s->stacks->place_count + 1, sizeof(*m.names));
	m.dsos = mem_calloc(s->stacks->dso_count + 1, sizeof(*m.dsos));
	add_box(f, &(struct stack_box){ .name = intern(&m, "all", false) });
	add_nodes(&m);
	weigh(f);
	add_up(f);
	lay_out(f);
	free(m.names);
	free(m.dsos);
	buf_release(&m.scratch);
}

void
boxes_release(struct stack_boxes *f)
{
	free(f->boxes);
	strs_release(&f->strs);
	index_release(&f->index);
}
