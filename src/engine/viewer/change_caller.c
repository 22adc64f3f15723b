/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes of the call trees are summed over the time before and after; then each stack is climbed once.
 * Functions are told apart by name: of all threads and processes of the program.
 */
#include "engine/viewer/change_caller.h"

#include <math.h>
#include <stdlib.h>

#include "profile/place/location.h"

#define MOST_PART 0.6      /* of a change: what so much of it came through is its caller; chains may lack it */
#define TOGETHER_TIMES 1.5 /* of a change: a caller that gained so much has others that changed */
#define PROGRAM_PART 0.1   /* of a caller's change: less is between that and the program's, which are one */
#define INSTEAD_PART 0.25  /* of a change: a caller that gained less calls others less */

enum { LEAST_S = 10, MOST_S = 60 };

enum side { BEFORE, AFTER, SIDES };

struct part {
	double of[SIDES]; /* periods */
};

/* What is known of a function: samples in it or in what it calls, those that end in the one that changed. */
struct function {
	uint32_t name;
	uint32_t place;        /* the location of code without a name, else 0 */
	struct part total, through;
	struct part in_caller; /* that end in it and pass the caller */
	uint32_t last_node;    /* the last stack that passed it: recursion counts once */
};

struct search {
	const struct profile *p;
	const struct change_of *what;
	double all[SIDES];
	enum table_id table;
	struct part *nodes; /* by node of the tree table, or by id of another one */
	struct part program;
	size_t node_len;
	struct function *functions;
	size_t len, cap;
	struct index index; /* of functions, counted from 1 */
};

static double
share(const struct search *s, const struct part *part, enum side side)
{
	return s->all[side] > 0 ? part->of[side] / s->all[side] : 0;
}

static double
gain(const struct search *s, const struct part *part)
{
	return share(s, part, AFTER) - share(s, part, BEFORE);
}

static void
add_interval(struct search *s, const struct interval *iv)
{
	enum side side = iv->start_ns < s->what->at_ns ? BEFORE : AFTER;
	struct log_pos pos = { 0 };
	struct delta d;

	s->all[side] += (double)iv->period;
	while (log_next(&s->p->log, iv, &pos, &d))
		if (d.table == s->table && d.id < s->node_len)
			s->nodes[d.id].of[side] += (double)d.period;
}

/* As much time before as after, but no more than tells what was usual. */
static void
sum_nodes(struct search *s)
{
	uint64_t after_ns = s->what->end_ns - MIN(s->what->end_ns, s->what->at_ns);
	uint64_t length_ns = MIN(MAX(after_ns, LEAST_S * NSEC_PER_SEC), MOST_S * NSEC_PER_SEC);
	const struct interval *iv;
	struct log_walk walk;

	log_walk_begin(&walk, &s->p->log, s->what->event, s->what->at_ns - MIN(s->what->at_ns, length_ns),
		       s->what->end_ns);
	while ((iv = log_walk_next(&walk)) != NULL)
		add_interval(s, iv);
}

/* The string of a node's function, 0: it is not known, or is the root. */
static uint32_t
name_of(const struct search *s, uint32_t node)
{
	const struct tree_key *key = &s->p->tables.tree[node];
	const struct location *loc;

	if (key->parent == 0)
		return 0;
	loc = &s->p->locations->items[locations_resolve(s->p->locations, key->location)];
	return location_is_function(loc) ? loc->name : 0;
}

static uint32_t
root_of(const struct search *s, uint32_t node)
{
	while (s->p->tables.tree[node].parent != 0)
		node = s->p->tables.tree[node].parent;
	return node;
}

static bool
is_of_program(const struct search *s, uint32_t node)
{
	uint32_t who = s->p->tables.tree[root_of(s, node)].location & TREE_WHO_MASK;

	return s->p->model->whos[who].comm == s->what->comm;
}

static struct function *
function_of(struct search *s, uint32_t name, uint32_t place)
{
	uint64_t hash = hash_mix(name, place);
	uint32_t n, pos;

	for (n = index_first(&s->index, hash, &pos); n != 0; n = index_next(&s->index, hash, &pos))
		if (s->functions[n - 1].name == name && s->functions[n - 1].place == place)
			return &s->functions[n - 1];
	VEC_ADD(s->functions, s->len, s->cap) = (struct function){ .name = name, .place = place };
	index_add(&s->index, hash, (uint32_t)s->len);
	return &s->functions[s->len - 1];
}

static void
add(struct part *to, const struct part *part)
{
	to->of[BEFORE] += part->of[BEFORE];
	to->of[AFTER] += part->of[AFTER];
}

static void
climb(struct search *s, uint32_t node)
{
	bool is_of_function = name_of(s, node) == s->what->function;

	for (uint32_t at = node; at != 0; at = s->p->tables.tree[at].parent) {
		uint32_t name = name_of(s, at);
		struct function *f = name != 0 ? function_of(s, name, 0) : NULL;

		if (f == NULL || f->last_node == node)
			continue;
		f->last_node = node;
		add(&f->total, &s->nodes[node]);
		if (is_of_function)
			add(&f->through, &s->nodes[node]);
	}
}

/* Calls @step for each node of the program where samples ended. */
static void
each_stack(struct search *s, void (*step)(struct search *s, uint32_t node, uint32_t caller),
	   uint32_t caller)
{
	for (uint32_t id = 1; id < s->node_len; id++)
		if (s->nodes[id].of[BEFORE] + s->nodes[id].of[AFTER] > 0 && is_of_program(s, id))
			step(s, id, caller);
}

static void
climb_stack(struct search *s, uint32_t node, uint32_t caller)
{
	(void)caller;
	add(&s->program, &s->nodes[node]);
	climb(s, node);
}

static void
add_in_caller(struct search *s, uint32_t node, uint32_t caller)
{
	uint32_t leaf = name_of(s, node);

	for (uint32_t at = node; leaf != 0 && at != 0; at = s->p->tables.tree[at].parent) {
		if (name_of(s, at) != caller)
			continue;
		add(&function_of(s, leaf, 0)->in_caller, &s->nodes[node]);
		return;
	}
}

/* Of those that most of the change came through the one that has least else: the nearest. */
static const struct function *
find_caller(const struct search *s, double change)
{
	const struct function *best = NULL;
	double best_share = 2;

	for (size_t i = 0; i < s->len; i++) {
		const struct function *f = &s->functions[i];
		double most = MAX(share(s, &f->total, BEFORE), share(s, &f->total, AFTER));

		if (f->name == s->what->function || gain(s, &f->through) / change < MOST_PART ||
		    most >= best_share)
			continue;
		best = f;
		best_share = most;
	}
	return best;
}

/* What the caller calls that has lost what the function gained, or the other way round. */
static uint32_t
find_instead(const struct search *s, double change)
{
	uint32_t best = 0;
	double most = -INSTEAD_PART;

	for (size_t i = 0; i < s->len; i++) {
		double part = gain(s, &s->functions[i].in_caller) / change;

		if (part < most) {
			most = part;
			best = s->functions[i].name;
		}
	}
	return best;
}

static void
tell(struct search *s, struct change_caller *out)
{
	const struct function *caller;
	double change, of_caller, rest;

	each_stack(s, climb_stack, 0);
	change = gain(s, &function_of(s, s->what->function, 0)->through);
	caller = change != 0 ? find_caller(s, change) : NULL;
	if (caller == NULL)
		return;
	out->name = caller->name;
	out->before = share(s, &caller->total, BEFORE);
	out->after = share(s, &caller->total, AFTER);
	of_caller = (out->after - out->before) / change;
	out->is_together = of_caller >= TOGETHER_TIMES;
	rest = gain(s, &s->program) / (out->after - out->before) - 1;
	out->is_program = out->is_together && fabs(rest) < PROGRAM_PART;
	if (out->is_program) {
		out->before = share(s, &s->program, BEFORE);
		out->after = share(s, &s->program, AFTER);
	}
	if (fabs(of_caller) >= INSTEAD_PART)
		return;
	each_stack(s, add_in_caller, out->name);
	out->instead = find_instead(s, change);
}

static void
search_release(struct search *s)
{
	free(s->nodes);
	free(s->functions);
	index_release(&s->index);
}

void
change_caller_find(const struct profile *p, const struct change_of *what, struct change_caller *out)
{
	struct search s = { .p = p, .what = what, .table = TABLE_TREE,
			    .node_len = p->tables.cells[TABLE_TREE].len };

	*out = (struct change_caller){ 0 };
	if (s.node_len <= 1)
		return;
	s.nodes = mem_calloc(s.node_len, sizeof(*s.nodes));
	sum_nodes(&s);
	tell(&s, out);
	search_release(&s);
}

/* An id of the table of functions: what the program has there, callees left out. */
static void
add_code(struct search *s, uint32_t id)
{
	const struct hot_key *hot = &s->p->tables.hot[id];
	const struct location *loc;
	uint32_t place;

	if (s->nodes[id].of[BEFORE] + s->nodes[id].of[AFTER] <= 0 ||
	    s->p->model->whos[hot->who].comm != s->what->comm)
		return;
	place = locations_resolve(s->p->locations, hot->location);
	loc = &s->p->locations->items[place];
	if (loc->kind == LOCATION_FUNCTION)
		add(&function_of(s, loc->name, 0)->total, &s->nodes[id]);
	else
		add(&function_of(s, 0, place)->total, &s->nodes[id]);
}

static void
put_code(const struct search *s, const struct function *f, struct buf *out)
{
	const struct locations *l = s->p->locations;

	if (f->place == 0)
		buf_add_str(out, strs_get(&s->p->model->strs, f->name));
	else
		locations_put_address(l, &l->items[f->place], true, out);
}

void
change_caller_put_most(const struct profile *p, const struct change_of *what, double change,
		       struct buf *out)
{
	struct search s = { .p = p, .what = what, .table = TABLE_HOT,
			    .node_len = p->tables.cells[TABLE_HOT].len };
	const struct function *most = NULL;
	double most_part = CHANGE_MOST_PART;

	s.nodes = mem_calloc(s.node_len + 1, sizeof(*s.nodes));
	sum_nodes(&s);
	for (uint32_t id = 0; id < s.node_len; id++)
		add_code(&s, id);
	for (size_t i = 0; i < s.len; i++) {
		double part = gain(&s, &s.functions[i].total) / change;

		if (part < most_part)
			continue;
		most = &s.functions[i];
		most_part = part;
	}
	if (most != NULL)
		put_code(&s, most, out);
	search_release(&s);
}
