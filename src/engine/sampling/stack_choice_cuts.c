/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto, for whom the copies that all have are too short: chains that end with them are counted by
 * process, until there are enough to judge by.
 */
#include "engine/sampling/stack_choice.h"

#include <stdlib.h>

enum { CUT_IDLE_LOOKS = 30 }; /* after so long without one what was cut is forgotten */

void
stack_choice_note_copy(struct stack_choice *a, int pid, bool is_cut)
{
	struct cut_list *l = &a->cuts;
	size_t i = 0, least = 0;

	for (; i < l->len && l->items[i].pid != pid; i++)
		if (l->items[i].cut < l->items[least].cut)
			least = i;
	if (i == l->len && !is_cut)
		return;
	if (i == CUT_MAX) {
		i = least;
		l->items[i] = (struct cut_process){ .pid = pid };
	} else if (i == l->len) {
		l->items[l->len++] = (struct cut_process){ .pid = pid };
	}
	l->items[i].filed++;
	l->items[i].cut += is_cut;
	if (is_cut)
		l->items[i].idle = 0;
}

static int
compare_cuts(const void *a, const void *b)
{
	const struct cut_process *x = a, *y = b;

	return (x->cut < y->cut) - (x->cut > y->cut);
}

/*
 * Who has many in one look has them seen to.  What needs longer is worth it where samples are few, not
 * where few of many are cut.
 */
static bool
are_many(const struct cut_process *c)
{
	return c->looks == 1 || c->cut * CUT_PART >= c->filed;
}

void
stack_choice_judge_cuts(struct stack_choice *a)
{
	struct cut_list *l = &a->cuts;
	size_t left = 0;

	a->judged.len = 0;
	for (size_t i = 0; i < l->len; i++) {
		struct cut_process *c = &l->items[i];

		c->looks++;
		if (c->cut < CUT_LEAST && c->idle++ < CUT_IDLE_LOOKS)
			l->items[left++] = *c;
		else if (c->cut >= CUT_LEAST && are_many(c))
			a->judged.items[a->judged.len++] = *c;
	}
	l->len = left;
	qsort(a->judged.items, a->judged.len, sizeof(*a->judged.items), compare_cuts);
}
