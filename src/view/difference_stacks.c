/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of what is made of whole stacks: nodes, frames, stacks for exports. */
#include "view/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As lines of text: a frame that ends one comes before those that go on. */
static int
compare_frames(const struct snapshot_frame *a, const struct snapshot_frame *b)
{
	const char *s = a->name, *t = b->name;
	int c, d;

	for (; *s != '\0' && *s == *t; s++)
		t++;
	c = *s != '\0' ? (unsigned char)*s : a->samples == 0 ? ';' : 0;
	d = *t != '\0' ? (unsigned char)*t : b->samples == 0 ? ';' : 0;
	return c - d;
}

/*
 * Both are in order, and what is above frames of the same depth is the same: what is deeper is below
 * what was taken last, and comes first.
 */
void
difference_of_frames(struct snapshot *now, const struct snapshot *then)
{
	size_t i = 0, k = 0, n = 0, count = now->frame_count + then->frame_count;
	struct snapshot_frame *out = arena_alloc(&now->arena, (count + 1) * sizeof(*out));
	/* They are compared, whatever they are called. */
	bool have_one_event = now->event_count == 1 && then->event_count == 1;

	while (i < now->frame_count || k < then->frame_count) {
		const struct snapshot_frame *a = i < now->frame_count ? &now->frames[i] : NULL;
		const struct snapshot_frame *b = k < then->frame_count ? &then->frames[k] : NULL;
		int order = a == NULL ? 1 : b == NULL ? -1 : 0;

		if (order == 0 && a->depth != b->depth)
			order = a->depth > b->depth ? -1 : 1;
		else if (order == 0 && !(a->depth == 0 && have_one_event))
			order = compare_frames(a, b);
		out[n] = order <= 0 ? *a : *b;
		if (order > 0)
			out[n].samples = out[n].period = 0;
		if (order >= 0) {
			out[n].then_samples = b->samples;
			out[n].then_period = b->period;
		}
		i += order <= 0;
		k += order >= 0;
		n++;
	}
	now->frames = out;
	now->frame_count = n;
}

/* Two trees that become one, in pre-order. */
struct merging {
	struct snapshot *now;
	const struct snapshot *then;
	const int *events;
	struct snapshot_node *out;
	size_t len;
	bool by_name;  /* siblings are ordered by name */
	struct share_change **changes; /* of nodes of which both sides are known */
	size_t change_len, change_cap;
};

static bool
is_same_node(const struct snapshot_node *a, const struct snapshot_node *b)
{
	return a->kind == b->kind && a->is_inlined == b->is_inlined &&
	       strcmp(a->name, b->name) == 0 && strcmp(a->dso, b->dso) == 0;
}

static const struct snapshot_event *
then_event(const struct merging *m, uint32_t event)
{
	for (size_t i = 0; i < m->then->event_count; i++)
		if (m->events[i] == (int)event)
			return &m->then->events[i];
	return NULL;
}

static double
share_in(const struct snapshot_event *event, uint64_t period)
{
	return event != NULL && event->base > 0 ? (double)period / (double)event->base : 0;
}

/* What the event has in all: each root's sums say it. */
static const struct share_sums *
all_of(const struct snapshot *s, const char *event)
{
	for (uint32_t i = 0; i < s->node_count; i = s->nodes[i].end)
		if (s->nodes[i].sums != NULL && strcmp(s->events[s->nodes[i].event].name, event) == 0)
			return s->nodes[i].sums;
	return NULL;
}

/* The sums of a side's node, of nothing if it has none; false: nothing is known. */
static bool
sums_of(const struct snapshot_node *n, const struct snapshot *s, const char *event,
	struct share_sums *sums)
{
	const struct share_sums *all = n == NULL ? all_of(s, event) : NULL;

	if (n != NULL && n->sums != NULL)
		*sums = *n->sums;
	else if (all != NULL)
		*sums = share_of_nothing(all);
	else
		return false;
	return true;
}

/* Whether it is chance, where both sides are known; the rest of a node is of other things each time. */
static void
compare(struct merging *m, struct share_change *c, const struct snapshot_node *now,
	const struct snapshot_node *then, const struct snapshot_event *e,
	const struct snapshot_event *f)
{
	struct share_sums a, b;

	*c = (struct share_change){ .low = NAN, .high = NAN, .p = NAN, .q = NAN };
	if ((now != NULL ? now : then)->kind == NODE_REST ||
	    !sums_of(now, m->now, e->name, &a) || !sums_of(then, m->then, f->name, &b))
		return;
	share_compare(c, &a, &b);
	VEC_ADD(m->changes, m->change_len, m->change_cap) = c;
}

/* None, where the event is not compared. */
static void
set_difference(struct merging *m, struct snapshot_node *n, const struct snapshot_node *then,
	       bool is_gone)
{
	const struct snapshot_event *e = &m->now->events[n->event], *f = then_event(m, n->event);
	struct difference *d;
	struct share_change *c;

	if (f == NULL)
		return;
	d = arena_alloc(&m->now->arena, sizeof(*d));
	c = &d->change;
	*d = (struct difference){ .is_new = then == NULL, .is_gone = is_gone };
	compare(m, c, is_gone ? NULL : n, then, e, f);
	if (then != NULL) {
		d->then_samples = then->total.samples;
		d->then_period = then->total.period;
	}
	d->now_per_s = snapshot_period_per_second(e, n->total.period);
	d->then_per_s = snapshot_period_per_second(f, d->then_period) / MAX(m->then->hosts, 1u);
	c->now = share_in(e, n->total.period);
	c->then = share_in(f, d->then_period);
	c->delta = c->now - c->then;
	n->difference = d;
}

static struct snapshot_node *
push(struct merging *m, const struct snapshot_node *like, uint32_t parent)
{
	struct snapshot_node *n = &m->out[m->len];

	*n = *like;
	n->parent = parent != UINT32_MAX ? parent : (uint32_t)m->len;
	m->len++;
	return n;
}

/* A tree of THEN alone: ghosts, with nothing of NOW. */
static void
push_gone(struct merging *m, uint32_t root, uint32_t parent, uint32_t event)
{
	const struct snapshot_node *nodes = m->then->nodes;
	uint32_t shift = (uint32_t)m->len - root;

	for (uint32_t i = root; i < nodes[root].end; i++) {
		struct snapshot_node *n = push(m, &nodes[i], i == root ? parent
								       : nodes[i].parent + shift);

		n->event = event;
		n->end = nodes[i].end + shift;
		n->location = 0;
		n->self = n->total = (struct cost){ 0 };
		set_difference(m, n, &nodes[i], true);
	}
}

static void
push_new(struct merging *m, uint32_t root, uint32_t parent)
{
	const struct snapshot_node *nodes = m->now->nodes;
	uint32_t shift = (uint32_t)m->len - root;

	for (uint32_t i = root; i < nodes[root].end; i++) {
		struct snapshot_node *n = push(m, &nodes[i], i == root ? parent
								       : nodes[i].parent + shift);

		n->end = nodes[i].end + shift;
		set_difference(m, n, NULL, false);
	}
}

/* The child of THEN's node like @n; 0: none. */
static uint32_t
find_child(const struct snapshot_node *nodes, uint32_t parent, const struct snapshot_node *n)
{
	for (uint32_t k = parent + 1; k < nodes[parent].end; k = nodes[k].end)
		if (is_same_node(n, &nodes[k]))
			return k;
	return 0;
}

/* Whether a ghost goes before @n. */
static bool
is_before(const struct merging *m, const struct snapshot_node *ghost, const struct snapshot_node *n)
{
	return m->by_name && n->kind != NODE_REST &&
	       (ghost->kind != NODE_REST && strcmp(ghost->name, n->name) < 0);
}

/* Ghosts among the children of @b from @k on that go before @n, NULL: all. */
static uint32_t
push_ghosts(struct merging *m, uint32_t a, uint32_t b, uint32_t k, const struct snapshot_node *n,
	    uint32_t parent)
{
	const struct snapshot_node *then = m->then->nodes;

	for (; k < then[b].end; k = then[k].end) {
		if (find_child(m->now->nodes, a, &then[k]) != 0)
			continue;
		if (n != NULL && !is_before(m, &then[k], n))
			break;
		push_gone(m, k, parent, m->now->nodes[a].event);
	}
	return k;
}

/* As deep as the deepest stack. */
static void
merge(struct merging *m, uint32_t a, uint32_t b, uint32_t parent)
{
	const struct snapshot_node *now = m->now->nodes, *then = m->then->nodes;
	uint32_t own = (uint32_t)m->len, k = b + 1;

	set_difference(m, push(m, &now[a], parent), &then[b], false);
	for (uint32_t i = a + 1; i < now[a].end; i = now[i].end) {
		uint32_t like = find_child(then, b, &now[i]);

		if (m->by_name)
			k = push_ghosts(m, a, b, k, &now[i], own);
		if (like != 0)
			merge(m, i, like, own);
		else
			push_new(m, i, own);
	}
	push_ghosts(m, a, b, k, NULL, own);
	m->out[own].end = (uint32_t)m->len;
}

/* The tree of THEN that has the same root and event; UINT32_MAX: none. */
static uint32_t
find_root(const struct merging *m, const struct snapshot_node *root, const bool *is_met)
{
	const struct snapshot_node *nodes = m->then->nodes;

	for (uint32_t k = 0; k < m->then->node_count; k = nodes[k].end)
		if (!is_met[k] && m->events[nodes[k].event] == (int)root->event &&
		    is_same_node(root, &nodes[k]))
			return k;
	return UINT32_MAX;
}

double
difference_of_nodes(struct snapshot *now, const struct snapshot *then, const int *events)
{
	struct merging m = { .now = now, .then = then, .events = events,
			     .by_name = now->query.view == VIEW_FLAME };
	bool *is_met = mem_calloc(then->node_count + 1, sizeof(*is_met));
	double needs_s = INFINITY;

	m.out = arena_alloc(&now->arena, (now->node_count + then->node_count + 1) * sizeof(*m.out));
	for (uint32_t i = 0; i < now->node_count; i = now->nodes[i].end) {
		uint32_t k = find_root(&m, &now->nodes[i], is_met);

		if (k == UINT32_MAX) {
			push_new(&m, i, UINT32_MAX);
			continue;
		}
		is_met[k] = true;
		merge(&m, i, k, UINT32_MAX);
	}
	for (uint32_t k = 0; k < then->node_count; k = then->nodes[k].end)
		if (!is_met[k] && events[then->nodes[k].event] >= 0)
			push_gone(&m, k, UINT32_MAX, (uint32_t)events[then->nodes[k].event]);
	share_judge(m.changes, m.change_len);
	for (size_t i = 0; i < m.change_len; i++)
		needs_s = MIN(needs_s, m.changes[i]->needs_s);
	now->nodes = m.out;
	now->node_count = m.len;
	free(m.changes);
	free(is_met);
	return needs_s;
}

/* One behind the other: who draws them merges what has the same names. */
void
difference_of_stacks(struct snapshot *now, const struct snapshot *then, const int *events)
{
	const struct stacks *a = now->stacks, *b = then->stacks;
	struct stacks *s = arena_alloc(&now->arena, sizeof(*s));
	bool *is_left_out = mem_calloc(b->node_count + 1, sizeof(*is_left_out));
	size_t n = a->node_count;

	*s = (struct stacks){
		.dso_count = a->dso_count + b->dso_count,
		.place_count = a->place_count + b->place_count,
		.top_count = a->top_count, .node_count = n,
	};
	s->dsos = arena_alloc(&now->arena, (s->dso_count + 1) * sizeof(*s->dsos));
	s->places = arena_alloc(&now->arena, (s->place_count + 1) * sizeof(*s->places));
	s->tops = arena_alloc(&now->arena, (a->top_count + b->top_count + 1) * sizeof(*s->tops));
	s->nodes = arena_alloc(&now->arena, (n + b->node_count + 1) * sizeof(*s->nodes));
	memcpy(s->dsos, a->dsos, a->dso_count * sizeof(*s->dsos));
	memcpy(s->dsos + a->dso_count, b->dsos, b->dso_count * sizeof(*s->dsos));
	memcpy(s->places, a->places, a->place_count * sizeof(*s->places));
	memcpy(s->tops, a->tops, a->top_count * sizeof(*s->tops));
	memcpy(s->nodes, a->nodes, n * sizeof(*s->nodes));
	for (size_t i = 0; i < b->place_count; i++) {
		s->places[a->place_count + i] = b->places[i];
		s->places[a->place_count + i].dso += (uint32_t)a->dso_count;
	}
	for (size_t i = 0; i < b->top_count; i++) {
		int event = events[b->tops[i].event];

		s->tops[s->top_count] = b->tops[i];
		s->tops[s->top_count++].event = (uint32_t)MAX(event, 0);
	}
	/* Node 0 of both is not used. */
	for (size_t i = 1; i < b->node_count; i++) {
		struct stack_node node = b->nodes[i];
		bool is_top = node.parent == 0;

		/* Of an event that NOW has not nothing is left but the tree's shape. */
		is_left_out[i] = is_top ? events[b->tops[node.item].event] < 0
					: is_left_out[node.parent];
		if (is_left_out[i])
			node.samples = node.period = 0;
		node.item += (uint32_t)(node.parent == 0 ? a->top_count : a->place_count);
		node.parent = node.parent != 0 ? node.parent + (uint32_t)n - 1 : 0;
		node.is_then = true;
		s->nodes[s->node_count++] = node;
	}
	now->stacks = s;
	free(is_left_out);
}
