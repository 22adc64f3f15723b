/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/nodetext.h"

#include "view/column.h"
#include "view/name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct node_look node_looks[NODE_KIND_COUNT] = {
	[NODE_ALL]     = { '=', NULL, STYLE_FLAME_OTHER },
	[NODE_COMM]    = { '@', "thread", STYLE_FLAME_OTHER },
	[NODE_OWN]     = { '|', "program", STYLE_FLAME_OWN },
	[NODE_LIBRARY] = { ':', "library", STYLE_FLAME_LIBRARY },
	[NODE_KERNEL]  = { '#', "kernel", STYLE_FLAME_KERNEL },
	[NODE_JIT]     = { '*', "JIT", STYLE_FLAME_JIT },
	[NODE_WAITS]   = { '-', "waits", STYLE_FLAME_OTHER },
	[NODE_UNKNOWN] = { '?', "unknown", STYLE_FLAME_OTHER },
	[NODE_CUT]     = { '~', "cut", STYLE_FLAME_OTHER },
	[NODE_REST]    = { '.', NULL, STYLE_FLAME_OTHER },
};

enum { LOOK_MORE, LOOK_LESS, LOOK_SAME, LOOK_GONE };

const struct node_look difference_looks[DIFFERENCE_LOOKS] = {
	[LOOK_MORE] = { '+', "more", STYLE_FLAME_KERNEL },
	[LOOK_LESS] = { '-', "less", STYLE_FLAME_JIT },
	[LOOK_SAME] = { '=', "the same", STYLE_FLAME_OTHER },
	[LOOK_GONE] = { 'x', "gone", STYLE_DIM },
};

#define LEAST_DELTA 0.005 /* half a point, or */
#define LEAST_PART 0.1    /* of the larger of the two */

struct node_look
nodetext_look(const struct snapshot_node *n)
{
	const struct share_change *c;
	double least;

	if (n->difference == NULL)
		return node_looks[n->kind];
	c = &n->difference->change;
	least = MAX(MIN(LEAST_DELTA, LEAST_PART * MAX(c->now, c->then)), 1e-9);
	/* What may be chance is no change, also where time may tell; without a test what differs is shown. */
	if (fabs(c->delta) < least || (difference_is_tested(n->difference) && !c->is_significant))
		return difference_looks[LOOK_SAME];
	if (n->difference->is_gone)
		return difference_looks[LOOK_GONE];
	return difference_looks[c->delta > 0 ? LOOK_MORE : LOOK_LESS];
}

void
nodetext_name(struct buf *b, const struct canvas *c, const struct snapshot_node *n)
{
	struct buf brief = { 0 };

	brief_add(&brief, n->name);
	canvas_add_safe(c, b, buf_str(&brief));
	if (n->is_inlined)
		buf_add_str(b, " (inlined)");
	buf_release(&brief);
}

bool
nodetext_is_outermost(const struct snapshot_node *n)
{
	static const char *const names[] = {
		"_start", "_dl_start", "__libc_start_call_main", "__libc_start_main",
		"__libc_start_main_impl", "main", "start_thread", "clone", "clone3", "__clone",
		"__clone3", "runtime.goexit", "runtime.mstart",
	};

	/* The kernel keeps its own chains whole. */
	if (n->kind == NODE_KERNEL || n->kind == NODE_WAITS)
		return true;
	/* "NAME@@GLIBC_2.34", "NAME.abi0" */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strncmp(n->name, names[i], strlen(names[i])) == 0 &&
		    strchr("@.", n->name[strlen(names[i])]) != NULL)
			return true;
	return false;
}

/* In a tree of callers what is further out stands below, else above. */
static bool
is_of_callers(const struct snapshot *s, uint32_t node)
{
	return s->query.view == VIEW_CALLERS ? node < s->nodes[0].end : s->query.bottom_up;
}

bool
nodetext_lacks_callers(const struct snapshot *s, uint32_t node)
{
	const struct snapshot_node *n = &s->nodes[node], *near = &s->nodes[n->parent];
	const bool is_nowhere = n->kind == NODE_UNKNOWN || n->kind == NODE_CUT;

	if (s->head.chain_ends == NULL || n->depth == 0)
		return false;
	if (!is_of_callers(s, node))
		return is_nowhere && s->query.view != VIEW_CALLERS &&
		       (near->kind == NODE_COMM || near->kind == NODE_ALL);
	if (is_nowhere)
		return true; /* garbage: no code is there */
	return n->kind == NODE_COMM && near->kind != NODE_UNKNOWN && near->kind != NODE_CUT &&
	       !nodetext_is_outermost(near);
}

void
nodetext_put_lack(struct buf *b, const char *before, const struct snapshot *s)
{
	buf_addf(b, "%scallers unknown: %s", before, s->head.chain_ends);
}

double
nodetext_share(const struct snapshot *s, const struct snapshot_node *n, const struct cost *cost)
{
	return snapshot_share(s, &s->events[n->event], cost->period);
}

const char *
nodetext_unit(const struct snapshot *s, const struct snapshot_node *n)
{
	return snapshot_share_unit(s, &s->events[n->event]);
}

static bool
holds(const struct snapshot_node *n, const char *text)
{
	return n->kind != NODE_ALL && n->kind != NODE_REST && strcasestr(n->name, text) != NULL;
}

/* Of a node that lacks callers its words hold the text, too. */
static bool
words_hold(const struct snapshot *s, const char *text)
{
	struct buf b = { 0 };
	bool res;

	if (s->head.chain_ends == NULL)
		return false;
	nodetext_put_lack(&b, "", s);
	res = strcasestr(buf_str(&b), text) != NULL;
	buf_release(&b);
	return res;
}

void
nodefound_search(struct nodefound *f, const struct snapshot *s, const char *text)
{
	uint32_t counted = 0; /* all before it is part of the sum, or has nothing to add */
	bool is_summed = strcmp(s->query.find, text) == 0, in_words;

	f->count = 0;
	f->share = 0;
	if (*text == '\0' || s->node_count == 0)
		return;
	in_words = words_hold(s, text);
	f->is_least = !is_summed;
	f->unit = nodetext_unit(s, &s->nodes[0]);
	vec_reserve(&f->is, &f->cap, s->node_count + 1, sizeof(*f->is));
	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];
		bool in_name = holds(n, text);

		/* Of more trees than one, which show the same stacks, the last one is counted. */
		if (n->depth == 0)
			f->share = 0;
		f->is[i] = in_name || (in_words && nodetext_lacks_callers(s, i));
		if (!f->is[i])
			continue;
		f->count++;
		f->is_least |= !in_name;
		if (i < counted)
			continue;
		f->share += nodetext_share(s, n, &n->total);
		counted = n->end;
	}
	/* The engine looks at names alone. */
	if (is_summed)
		f->share = MAX(f->share, nodetext_share(s, &s->nodes[0], &s->found));
}

void
nodefound_put(const struct nodefound *f, struct buf *b, const struct canvas *c, const char *text)
{
	if (*text == '\0')
		return;
	buf_add_char(b, '\'');
	canvas_add_safe(c, b, text);
	if (f->count > 0)
		buf_addf(b, "' %s%.2f%s in %zu", f->is_least ? "at least " : "", f->share, f->unit,
			 f->count);
	else if (f->share > 0)
		buf_addf(b, "' %.2f%s in smaller ones", f->share, f->unit);
	else
		buf_add_str(b, "' not found");
}

void
nodefound_release(struct nodefound *f)
{
	free(f->is);
	*f = (struct nodefound){ 0 };
}
