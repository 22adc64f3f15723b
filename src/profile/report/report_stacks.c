/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole stacks.  The trees tell places apart, a reader sees names: the trees are made anew by
 * names, with the event and the comm on top, their branches sorted, and walked.  Every step is
 * one pass over the nodes: reports of a busy machine have a hundred thousand of them.
 */
#include "profile/report/report_impl.h"

#include "base/text.h"
#include "profile/report/call_tree.h"
#include "profile/place/dso_source.h"

#include <stdlib.h>
#include <string.h>

struct folding {
	struct report *r;
	struct strs names;      /* as they are shown */
	struct buf scratch;
	uint32_t *place_names;  /* by location; 0: not asked for yet */
	struct call_tree tree;  /* of names; its root is above the events */
	bool has_tree[EVENTS_MAX]; /* by event: stacks are kept of it */
};

/* A line that ends in a node, or all that go through it. */
struct branch {
	uint32_t keys[2]; /* BY_RANK, BY_PARENT */
	uint32_t node;
	bool leads;
};

enum { BY_RANK, BY_PARENT };

/* Of inlined functions with the ending that flame graph tools know them by. */
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

/* The node of a place below @parent. */
static uint32_t
place_node(struct folding *st, uint32_t parent, uint32_t location)
{
	uint32_t frames[INLINED_FRAMES_MAX];
	size_t len = inlined_frames(st->r->src->profile->locations, location, frames);

	for (size_t i = 0; i < len; i++)
		parent = call_tree_child(&st->tree, parent, place_name(st, frames[i]));
	return parent;
}

static uint32_t
who_node(struct folding *st, uint32_t event, uint32_t who)
{
	const struct profile *p = st->r->src->profile;
	uint32_t comm = intern(st, report_str(st->r, p->model->whos[who].comm), false);
	uint32_t top = call_tree_child(&st->tree, 0, intern(st, p->events[event].name, false));

	return call_tree_child(&st->tree, top, comm);
}

bool
report_filters_functions(const struct report *r)
{
	const struct query *q = r->query;

	return q->by_view && (q->view == VIEW_CALLERS || q->view == VIEW_CALLEES) &&
	       q->all_events && !q->stacks && r->src->filter != NULL &&
	       (filter_keys(r->src->filter) & ~FUNCTION_KEYS) == 0;
}

static bool
passes(struct report *r, uint32_t event, uint32_t who, uint32_t leaf)
{
	const struct profile *p = r->src->profile;
	const struct who *w = &p->model->whos[who];
	struct row row = report_row_blank();

	if (r->src->filter == NULL || report_filters_functions(r))
		return true;
	row.event = p->events[event].name;
	row.comm = report_str(r, w->comm);
	report_row_task(r, &row, w->task, true);
	if (leaf != 0) {
		const struct location *loc = &p->locations->items[leaf];

		report_row_symbol(r, &row, leaf);
		row.dso = report_str(r, dsos_get(&p->model->dsos, loc->dso)->name);
	}
	return filter_keeps(r->src->filter, &row);
}

static bool
is_of_dso(const struct report *r, uint32_t leaf)
{
	const struct locations *l = r->src->profile->locations;

	return r->query->dso == 0 || dso_source_alike(l, r->query->dso, l->items[leaf].dso);
}

bool
report_has_stack(struct report *r, uint32_t event, uint32_t who, uint32_t leaf)
{
	leaf = locations_resolve(r->src->profile->locations, leaf);
	return report_has_event(r, event) && report_has_who(r, who) && !report_hides(r, who, leaf) &&
	       is_of_dso(r, leaf) && passes(r, event, who, leaf);
}

static void
add_counts(struct folding *st, uint32_t node, const struct cell *c)
{
	uint64_t samples, period;

	profile_window(st->r->src->profile, c, &samples, &period);
	st->tree.nodes[node].self.samples += samples;
	st->tree.nodes[node].self.period += period;
}

/* Whether the report shows stacks that end in the node @id, which is below the root @top. */
static bool
ends_stack(struct report *r, bool *has_tree, uint32_t id, uint32_t top)
{
	const struct profile *p = r->src->profile;
	const struct tree_key *tree = p->tables.tree;
	uint32_t event = tree[top].location >> TREE_EVENT_SHIFT;
	uint64_t samples, period;

	profile_window(p, &p->tables.cells[TABLE_TREE].items[id], &samples, &period);
	if (samples == 0)
		return false;
	has_tree[event] = true;
	return report_has_stack(r, event, tree[top].location & TREE_WHO_MASK,
				id != top ? tree[id].location : 0);
}

uint8_t *
report_mark_stacks(struct report *r, bool *has_tree)
{
	const struct tree_key *tree = r->src->profile->tables.tree;
	size_t len = r->src->profile->tables.cells[TABLE_TREE].len;
	uint32_t *tops = mem_calloc(len, sizeof(*tops));
	uint8_t *marks = mem_calloc(len, sizeof(*marks));

	for (uint32_t id = 1; id < len; id++)
		tops[id] = tree[id].parent != 0 ? tops[tree[id].parent] : id;
	for (size_t id = len - 1; id > 0; id--) {
		if (ends_stack(r, has_tree, (uint32_t)id, tops[id]))
			marks[id] |= STACK_ENDS;
		if (marks[id] != 0)
			marks[tree[id].parent] |= STACK_LEADS;
	}
	free(tops);
	return marks;
}

static void
add_tree(struct folding *st)
{
	const struct tables *t = &st->r->src->profile->tables;
	size_t len = t->cells[TABLE_TREE].len;
	uint32_t *map = mem_calloc(len, sizeof(*map));
	uint8_t *marks = report_mark_stacks(st->r, st->has_tree);

	for (uint32_t id = 1; id < len; id++) {
		const struct tree_key *key = &t->tree[id];

		if (marks[id] == 0)
			continue;
		if (key->parent != 0)
			map[id] = place_node(st, map[key->parent], key->location);
		else
			map[id] = who_node(st, key->location >> TREE_EVENT_SHIFT,
					   key->location & TREE_WHO_MASK);
		if (marks[id] & STACK_ENDS)
			add_counts(st, map[id], &t->cells[TABLE_TREE].items[id]);
	}
	free(marks);
	free(map);
}

/* Of events without call chains, the functions alone. */
static void
add_hot(struct folding *st)
{
	const struct tables *t = &st->r->src->profile->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct cell *c = &t->cells[TABLE_HOT].items[id];
		const struct hot_key *key = &t->hot[id];

		profile_window(st->r->src->profile, c, &samples, &period);
		if (samples > 0 && !st->has_tree[key->event] &&
		    report_has_stack(st->r, key->event, key->who, key->location))
			add_counts(st, call_tree_child(&st->tree, who_node(st, key->event, key->who),
					     place_name(st, key->location)), c);
	}
}

/* Names twice: 2 * id as the end of a line, 2 * id + 1 as that before a semicolon. */
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

/* The place of each name in the order of lines, by the numbers of compare_names(). */
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

/* Sorts by a key that is below @range; what is equal stays in order.  Takes @from. */
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

/* All branches, those of one parent together and in the order of lines.  The last one is none. */
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
	struct folding st = { .r = r };

	call_tree_root(&st.tree, 0);
	st.place_names = mem_calloc(r->src->profile->locations->len, sizeof(*st.place_names));
	add_tree(&st);
	add_hot(&st);
	fill_frames(&st);
	free(st.place_names);
	call_tree_release(&st.tree);
	strs_release(&st.names);
	buf_release(&st.scratch);
}
