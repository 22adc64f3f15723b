/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks (snapshot.frames).  The tables tell places apart, readers see names: makes one tree
 * by names, with event and comm on top, sorts its branches and walks it.  Every step is one pass
 * over the nodes: reports of a busy machine have a hundred thousand of them.
 */
#include "profile/report/stack_walk.h"

#include "base/text.h"
#include "profile/report/call_tree.h"

#include <stdlib.h>
#include <string.h>

struct folding {
	struct report *r;
	struct strs names;      /* as they are shown */
	struct buf scratch;
	uint32_t *place_names;  /* by location; 0: not asked for yet */
	struct call_tree tree;  /* of names; its root is above the events */
};

/* The line that ends in a node, or all lines that go on from it. */
struct branch {
	uint32_t keys[2]; /* BY_RANK, BY_PARENT */
	uint32_t node;
	bool leads;
};

enum { BY_RANK, BY_PARENT };

/* Inlined functions end in "_[i]", as flame graph tools know them. */
static uint32_t
intern(struct folding *st, const char *name, bool is_inlined)
{
	buf_reset(&st->scratch);
	text_add_safe(&st->scratch, name, strlen(name));
	if (st->scratch.len == 0)
		buf_add_str(&st->scratch, "[unknown]");
	for (char *c = st->scratch.data; (c = strchr(c, ';')) != NULL;)
		*c = ':';
	if (is_inlined)
		buf_add_str(&st->scratch, "_[i]");
	return strs_add(&st->names, st->scratch.data, st->scratch.len);
}

static uint32_t
place_name(struct folding *st, uint32_t location)
{
	uint32_t id = locations_resolve(st->r->src->profile->locations, location);

	if (st->place_names[id] == 0)
		st->place_names[id] = intern(st, report_place_name(st->r, id),
					     st->r->src->profile->locations->items[id].is_inlined);
	return st->place_names[id];
}

static uint32_t
place_node(void *self, uint32_t parent, uint32_t location)
{
	struct folding *st = self;

	return call_tree_child(&st->tree, parent, place_name(st, location));
}

static uint32_t
who_node(void *self, uint32_t event, uint32_t who)
{
	struct folding *st = self;
	const struct profile *p = st->r->src->profile;
	uint32_t comm = intern(st, report_str(st->r, p->model->whos[who].comm), false);
	uint32_t top = call_tree_child(&st->tree, 0, intern(st, p->events[event].name, false));

	return call_tree_child(&st->tree, top, comm);
}

static void
add_cost(void *self, uint32_t node, const struct cost *cost)
{
	struct folding *st = self;

	cost_add(&st->tree.nodes[node].self, cost);
}

/* Each name has two numbers: 2 * id at the end of a line, 2 * id + 1 before a semicolon. */
static int
compare_names(const void *a, const void *b, void *arg)
{
	uint32_t x, y;
	const char *s, *t;
	int c, d;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	s = strs_get(arg, x / 2);
	t = strs_get(arg, y / 2);
	for (; *s != '\0' && *s == *t; s++)
		t++;
	c = *s != '\0' ? (unsigned char)*s : (x & 1) != 0 ? ';' : 0;
	d = *t != '\0' ? (unsigned char)*t : (y & 1) != 0 ? ';' : 0;
	return c - d;
}

/* The rank of each number of compare_names() in the order of lines. */
static uint32_t *
rank_names(struct strs *names)
{
	size_t len = 2 * (names->len + 1);
	uint32_t *order = mem_calloc(len, sizeof(*order));
	uint32_t *ranks = mem_calloc(len, sizeof(*ranks));

	for (size_t i = 0; i < len; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, len, sizeof(*order), compare_names, names);
	for (size_t i = 0; i < len; i++)
		ranks[order[i]] = (uint32_t)i;
	free(order);
	return ranks;
}

/* Counting sort by a key below @range; stable.  Frees @from. */
static struct branch *
sort_by(struct branch *from, size_t len, int key, size_t range)
{
	struct branch *to = mem_calloc(len + 1, sizeof(*to));
	size_t *next = mem_calloc(range + 1, sizeof(*next));

	for (size_t i = 0; i < len; i++)
		next[from[i].keys[key] + 1]++;
	for (size_t i = 0; i < range; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < len; i++)
		to[next[from[i].keys[key]]++] = from[i];
	free(next);
	free(from);
	return to;
}

/* All branches, those of one parent together, in the order of lines; then a sentinel. */
static struct branch *
sort_branches(const struct folding *st, const uint32_t *ranks, size_t *count)
{
	struct branch *branches = mem_calloc(2 * st->tree.len + 1, sizeof(*branches));
	bool *leads = mem_calloc(st->tree.len, sizeof(*leads)); /* has children */
	size_t len = 0;

	for (uint32_t id = 1; id < st->tree.len; id++)
		leads[st->tree.nodes[id].parent] = true;
	for (uint32_t id = 1; id < st->tree.len; id++) {
		const struct call_node *n = &st->tree.nodes[id];

		if (n->self.samples > 0)
			branches[len++] = (struct branch){ { ranks[2 * n->fn], n->parent }, id,
							   false };
		if (leads[id])
			branches[len++] = (struct branch){ { ranks[2 * n->fn + 1], n->parent },
							   id, true };
	}
	free(leads);
	branches = sort_by(branches, len, BY_RANK, 2 * (st->names.len + 1));
	branches = sort_by(branches, len, BY_PARENT, st->tree.len);
	branches[len].keys[BY_PARENT] = UINT32_MAX;
	*count = len;
	return branches;
}

/* Depth first, as the lines are printed. */
static void
walk(const struct folding *st, const struct branch *branches, size_t *next, const char **texts)
{
	struct snapshot *s = st->r->out;
	struct snapshot_frame *frames = (struct snapshot_frame *)s->frames;
	uint32_t at = 0, depth = 0;

	for (;;) {
		const struct branch *b = &branches[next[at]];

		if (b->keys[BY_PARENT] == at) {
			const struct call_node *n = &st->tree.nodes[b->node];

			next[at]++;
			frames[s->frame_count++] = (struct snapshot_frame){
				.name = texts[n->fn], .depth = depth,
				.samples = b->leads ? 0 : n->self.samples,
				.period = b->leads ? 0 : n->self.period,
			};
			at = b->leads ? b->node : at;
			depth += b->leads;
		} else if (at != 0) {
			at = st->tree.nodes[at].parent;
			depth--;
		} else {
			return;
		}
	}
}

static void
fill_frames(struct folding *st)
{
	struct snapshot *s = st->r->out;
	size_t len, *next = mem_calloc(st->tree.len, sizeof(*next));
	const char **texts = mem_calloc(st->names.len + 1, sizeof(*texts)); /* 0: none */
	uint32_t *ranks = rank_names(&st->names);
	struct branch *branches = sort_branches(st, ranks, &len);

	for (size_t i = 1; i <= st->names.len; i++)
		texts[i] = arena_strdup(&s->arena, strs_get(&st->names, (uint32_t)i));
	for (size_t i = 0; i < st->tree.len; i++)
		next[i] = len;
	for (size_t i = len; i-- > 0;)
		next[branches[i].keys[BY_PARENT]] = i;
	s->frames = arena_alloc(&s->arena, (len + 1) * sizeof(*s->frames));
	walk(st, branches, next, texts);
	free(branches);
	free(ranks);
	free(texts);
	free(next);
}

void
report_fill_frames(struct report *r)
{
	static const struct stack_maker maker = { who_node, place_node, add_cost };
	struct folding st = { .r = r };
	struct stack_walk walk;

	call_tree_root(&st.tree, 0);
	st.place_names = mem_calloc(r->src->profile->locations->len, sizeof(*st.place_names));
	stack_walk_init(&walk, r);
	stack_walk(&walk, WALK_ALL, &maker, &st);
	stack_walk_release(&walk);
	fill_frames(&st);
	free(st.place_names);
	call_tree_release(&st.tree);
	strs_release(&st.names);
	buf_release(&st.scratch);
}
