/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/ends.h"

#include <stdlib.h>

void
ends_watch(struct ends *e, const struct model *m, uint32_t task)
{
	for (size_t i = 0; i < e->len; i++)
		if (e->tasks[i] == task)
			return;
	if (model_task_at(m, task)->died_ns != 0)
		return;
	VEC_ADD(e->tasks, e->len, e->cap) = task;
}

void
ends_tell(struct ends *e, const struct model *m, struct notes *notes, bool rows_stay)
{
	for (size_t i = e->len; i-- > 0;) {
		const struct task *t = model_task_at(m, e->tasks[i]);

		if (t->died_ns == 0)
			continue;
		notes_news(notes, "%s %d %s has ended: its rows stay%s",
			   t->pid == t->tid ? "process" : "thread", t->tid,
			   strs_get(&m->strs, t->comm),
			   rows_stay ? "" : " while the window holds its samples");
		e->tasks[i] = e->tasks[--e->len];
	}
}

void
ends_release(struct ends *e)
{
	free(e->tasks);
}
