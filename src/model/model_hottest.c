/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes are busy, by their samples: the others can wait. */
#include "model/model.h"

#include <stdlib.h>

struct hot_process {
	int pid;
	uint32_t heat;
};

static int
by_heat(const void *a, const void *b)
{
	const struct hot_process *x = a, *y = b;

	return (x->heat < y->heat) - (x->heat > y->heat);
}

size_t
model_hottest(struct model *m, uint64_t since_ns, int *pids, size_t max)
{
	struct hot_process *hot = NULL;
	size_t len = 0, cap = 0;

	for (uint32_t i = 1; i < m->task_len; i++) {
		struct task *t = &m->tasks[i];
		const uint32_t heat = t->heat;

		t->heat /= 2;
		if (t->is_used && t->process == i && t->died_ns == 0 && t->pid > 0 &&
		    (t->seen_ns > since_ns || t->is_target))
			VEC_ADD(hot, len, cap) = (struct hot_process){ t->pid, heat };
	}
	if (len > 0)
		qsort(hot, len, sizeof(*hot), by_heat);
	for (size_t i = 0; i < MIN(len, max); i++)
		pids[i] = hot[i].pid;
	free(hot);
	return len;
}
