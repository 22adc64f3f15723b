/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_NODETEXT_H
#define PTOP_UI_NODETEXT_H
/* What is told of a node of a call tree on the screen, and the search in their names. */
#include "ui/canvas.h"
#include "view/snapshot.h"

/* Colour and mark of a kind: nothing is told by colour alone. */
struct node_look {
	char mark;
	const char *name; /* for the legend; NULL: it needs none */
	enum style style;
};

extern const struct node_look node_looks[NODE_KIND_COUNT];

/* The same of what is compared: more, less, the same, gone. */
enum { DIFFERENCE_LOOKS = 4 };
extern const struct node_look difference_looks[DIFFERENCE_LOOKS];

/* By its kind, or by what has become of it where it is compared. */
struct node_look nodetext_look(const struct snapshot_node *n);

/* Adds the name, without long lists of arguments, as @c can show it. */
void nodetext_name(struct buf *b, const struct canvas *c, const struct snapshot_node *n);

/* Nobody calls it: a chain that ends with it is whole. */
bool nodetext_is_outermost(const struct snapshot_node *n);

/* Whether chains end at @node before they should: who called it is not known, head.chain_ends says why. */
bool nodetext_lacks_callers(const struct snapshot *s, uint32_t node);
/* Adds what is said of these, behind @before. */
void nodetext_put_lack(struct buf *b, const char *before, const struct snapshot *s);

/* Of the node's event: see snapshot_share(). */
double nodetext_share(const struct snapshot *s, const struct snapshot_node *n,
		      const struct cost *cost);
const char *nodetext_unit(const struct snapshot *s, const struct snapshot_node *n);

/* Which nodes a search finds. */
struct nodefound {
	uint8_t *is; /* by node: its name holds the text, or what is said of its callers does */
	size_t cap, count;
	double share; /* what stacks with such a node are together, each counted once */
	bool is_least; /* nodes that are too small to be there may be missing in it */
	const char *unit; /* of the share */
};

/* "": none. */
void nodefound_search(struct nodefound *f, const struct snapshot *s, const char *text);
void nodefound_release(struct nodefound *f);

/* Adds, for the header, what was found of @text; nothing for "". */
void nodefound_put(const struct nodefound *f, struct buf *b, const struct canvas *c,
		   const char *text);

/*
 * Which node of a snapshot's trees is meant, whatever comes and goes around it, and though
 * functions get their names late: the ids and places of all from its root down to it.
 * Zero-initialise to begin.
 */
struct nodepath {
	struct nodepath_step {
		uint64_t id;
		uint64_t place;
	} *steps;
	size_t len, cap; /* len 0: none */
};

void nodepath_set(struct nodepath *p, const struct snapshot *s, uint32_t node);
void nodepath_release(struct nodepath *p);

/*
 * The node, or the nearest one above it that is still there; the first one of all.  From now on it
 * is known by what it is called in @s.
 */
uint32_t nodepath_find(struct nodepath *p, const struct snapshot *s);

#endif
