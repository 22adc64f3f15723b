/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes below those that forked them; below the next one above that is shown, if that one is not. */
#include "profile/report/report_impl.h"

#include <stdlib.h>

enum { STEPS_MAX = 255 };

/* Of living processes. */
struct by_pid {
	int pid;
	uint32_t row;
};

static int
compare_pids(const void *a, const void *b)
{
	const struct by_pid *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Its row plus one, 0: none of those above it has a row. */
static uint32_t
parent_of(const struct report *r, const struct by_pid *list, size_t len, int pid)
{
	const struct task_facts *f = report_process_facts(r, pid);

	for (int steps = 0; f != NULL && f->stat.ppid > 0 && steps < STEPS_MAX; steps++) {
		const struct by_pid key = { .pid = f->stat.ppid };
		const struct by_pid *p = bsearch(&key, list, len, sizeof(*list), compare_pids);

		if (p != NULL)
			return p->row + 1;
		f = report_process_facts(r, f->stat.ppid);
	}
	return 0;
}

void
report_make_process_tree(struct report *r)
{
	uint32_t *parents = mem_calloc(r->row_len + 1, sizeof(*parents));
	struct by_pid *list = mem_calloc(r->row_len + 1, sizeof(*list));
	size_t len = 0;

	for (size_t i = 0; i < r->row_len; i++)
		if (r->rows[i].pid > 0 && (r->rows[i].flags & ROW_DEAD) == 0)
			list[len++] = (struct by_pid){ r->rows[i].pid, (uint32_t)i };
	qsort(list, len, sizeof(*list), compare_pids);
	for (size_t i = 0; i < len; i++)
		parents[list[i].row] = parent_of(r, list, len, list[i].pid);
	report_make_tree(r, parents);
	free(list);
}
