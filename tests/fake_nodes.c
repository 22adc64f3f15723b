/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_nodes.h"

#include <string.h>

#include "base/util.h"

struct canned {
	uint32_t depth;
	const char *name, *dso;
	enum node_kind kind;
	unsigned self; /* per mille */
};

static const struct canned tree[] = {
	{ 0, "all", "", NODE_ALL, 0 },
	{ 1, "nginx", "", NODE_COMM, 0 },
	{ 2, "aaa_comes_and_goes", "nginx", NODE_OWN, 10 },
	{ 2, "main", "nginx", NODE_OWN, 10 },
	{ 3, "handle_request", "nginx", NODE_OWN, 100 },
	{ 4, "memcpy", "libc.so.6", NODE_LIBRARY, 250 },
	{ 4, "parse_header", "nginx", NODE_OWN, 200 },
	{ 5, "memcpy", "libc.so.6", NODE_LIBRARY, 100 },
	{ 3, "write", "libc.so.6", NODE_LIBRARY, 30 },
	{ 4, "do_syscall_64", "[kernel]", NODE_KERNEL, 50 },
	{ 5, "tcp_sendmsg", "[kernel]", NODE_KERNEL, 150 },
	{ 1, "node", "", NODE_COMM, 0 },
	{ 2, "LazyCompile:*tick", "[anon]", NODE_JIT, 100 },
};

static const struct canned sandwich[] = {
	{ 0, "memcpy", "libc.so.6", NODE_LIBRARY, 350 },
	{ 1, "handle_request", "nginx", NODE_OWN, 250 },
	{ 2, "main", "nginx", NODE_OWN, 250 },
	{ 1, "parse_header", "nginx", NODE_OWN, 100 },
	{ 0, "memcpy", "libc.so.6", NODE_LIBRARY, 350 },
	{ 1, "page_fault", "[kernel]", NODE_KERNEL, 20 },
};

static void
add_node(struct snapshot *s, struct snapshot_node *nodes, const struct canned *c, uint64_t self,
	 const char *name)
{
	uint32_t i = (uint32_t)s->node_count++, parent = i;

	while (parent > 0 && nodes[--parent].depth >= c->depth)
		;
	nodes[i] = (struct snapshot_node){
		.name = name, .dso = c->dso, .kind = c->kind, .depth = c->depth, .end = i + 1,
		.parent = c->depth > 0 ? parent : i, .location = c->depth > 0 ? 100 + c->self : 0,
		.self = { self, self * 1000 },
		.is_irq_on = strcmp(c->name, "do_syscall_64") == 0,
	};
	nodes[i].id = hash_mix(c->depth > 0 ? nodes[parent].id : i, hash_bytes(name, strlen(name)));
	if (*c->dso != '\0')
		nodes[i].place = hash_mix(c->depth > 0 ? 0 : i,
					  hash_bytes(c->name, strlen(c->name)));
	/* All above have it in their totals; of callers, all of it goes to each above. */
	for (uint32_t up = i;; up = nodes[up].parent) {
		nodes[up].total.samples += self;
		nodes[up].total.period += self * 1000;
		nodes[up].end = i + 1;
		if (nodes[up].depth == 0)
			break;
	}
}

/* THEN all was as it is NOW. */
static void
compare(struct snapshot *s, struct snapshot_node *nodes)
{
	static const struct difference same = { 0 };

	for (size_t i = 0; i < s->node_count; i++)
		nodes[i].difference = query_compares(&s->query) ? &same : NULL;
}

/* As if a function "seldom", below none of the others, were too small for a node. */
static void
find(struct snapshot *s)
{
	const char *text = s->query.find;

	if (*text == '\0')
		return;
	if (strcasestr("seldom", text) != NULL)
		s->found = (struct cost){ 1, 1000 };
	for (uint32_t i = 0, next; i < s->node_count; i = next) {
		const struct snapshot_node *n = &s->nodes[i];
		bool is_found = n->kind != NODE_ALL && strcasestr(n->name, text) != NULL;

		if (n->depth == 0 && i > 0)
			s->found = (struct cost){ 0 };
		s->found.samples += is_found ? n->total.samples : 0;
		s->found.period += is_found ? n->total.period : 0;
		next = is_found ? n->end : i + 1;
	}
}

void
fake_nodes(struct snapshot *s, const char *hostile, bool shuffle, bool late)
{
	bool callers = s->query.view == VIEW_CALLERS;
	const struct canned *list = callers ? sandwich : tree;
	size_t len = callers ? ARRAY_SIZE(sandwich) : ARRAY_SIZE(tree);
	struct snapshot_node *nodes = arena_alloc(&s->arena, len * sizeof(*nodes));

	s->events = arena_alloc(&s->arena, sizeof(*s->events));
	s->events[0] = (struct snapshot_event){ .name = "cycles:P", .shown = true, .open = true,
						 .samples = 1000, .period = 1000000,
						 .base = 1000000, .counts_time = true,
						 .window_s = 10 };
	s->event_count = 1;
	s->nodes = nodes;
	for (size_t i = 0; i < len; i++) {
		const char *name = list[i].name;
		uint64_t self = list[i].self;

		if (strcmp(name, "aaa_comes_and_goes") == 0 && (!shuffle || s->seq % 2 == 0))
			continue;
		if (shuffle)
			self += (s->seq * 37 + i * 11) % 60;
		if (hostile != NULL && strcmp(name, "memcpy") == 0)
			name = hostile;
		if (late && *list[i].dso != '\0' && s->seq / 10 % 2 != 0)
			name = arena_printf(&s->arena, "_Z%zu%s", strlen(name), name);
		add_node(s, nodes, &list[i], self, name);
	}
	find(s);
	compare(s, nodes);
}
