/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of tasks that live and have no samples: /proc tells of them. */
#include "profile/report/report_impl.h"

#include <stdlib.h>

bool
report_lists_tasks(const struct report *r, enum view_id view)
{
	/* Of the past /proc tells nothing. */
	return is_screen(r->query) && r->query->end_ns == 0 && r->query->by_view && r->query->view == view &&
	       r->query->dso == 0 && !r->query->unnamed && !r->query->locks;
}

/* Adds the row of a living task without samples in the window; beyond those that are shown it counts. */
static void
row_of_facts(struct report *r, const struct task_facts *f, bool is_thread)
{
	struct model *m = r->src->profile->model;
	struct row row;
	uint32_t id;

	if (r->cut_groups > 0 && r->src->filter == NULL) {
		r->cut_quiet++;
		return;
	}
	id = model_task(m, f->pid, f->tid);
	row = report_row_blank();
	model_learn_comm(m, id, f->comm);
	report_row_task(r, &row, id, is_thread);
	report_row_facts(r, &row, f);
	row.comm = report_str(r, m->tasks[id].comm);
	if (!report_keeps_task(r, &row, id))
		return;
	if (r->cut_groups > 0)
		r->cut_quiet++;
	else
		VEC_ADD(r->rows, r->row_len, r->row_cap) = row;
}

/* Those that are sampled, and that one went into. */
static bool
is_in_groups(const struct report *r, const struct task_facts *f)
{
	struct model *m = r->src->profile->model;
	uint32_t task;

	if (r->query->within_count == 0 && m->cgroups.pattern_count == 0)
		return true;
	/* In which group one is that was never heard of, the next reading tells. */
	task = model_task(m, f->pid, f->tid);
	return model_wants_cgroup(m, task) && report_is_task_within(r, task);
}

/* Whether it has samples, and is in the row that sums up the rest. */
static bool
is_cut(const struct report *r, uint32_t task)
{
	return task < r->cut_task_len && r->cut_tasks[task];
}

static void
add_quiet_tasks(struct report *r, const struct task_facts *facts, size_t count, bool is_thread)
{
	size_t sampled = r->row_len, ended_count;
	uint64_t *ids = mem_calloc(sampled + 1, sizeof(*ids));
	int *ended = model_ended(r->src->profile->model, &ended_count);

	for (size_t i = 0; i < sampled; i++)
		ids[i] = r->rows[i].id;
	qsort(ids, sampled, sizeof(*ids), compare_u64);
	for (size_t i = 0; i < count; i++) {
		const struct model *m = r->src->profile->model;
		uint32_t task = model_find_task(m, facts[i].tid);
		uint64_t id = report_task_row_id(m, task);

		/* /proc may be older than the records: the tid may be another task's by now. */
		if (task != 0 && m->tasks[task].pid != facts[i].pid)
			continue;
		if (!r->query->frozen && model_has_ended(m, task, facts[i].tid, ended, ended_count))
			continue;
		/* When the screen was frozen all were known: it has ended since. */
		if (task == 0 && r->query->frozen)
			continue;
		if (r->query->hide_self && (facts[i].is_helper || facts[i].pid == r->src->self_pid))
			continue;
		if (r->src->targets_only && (task == 0 || !m->tasks[task].is_target))
			continue;
		if (!is_in_groups(r, &facts[i]))
			continue;
		if (task == 0 || (!is_cut(r, task) &&
				  bsearch(&id, ids, sampled, sizeof(*ids), compare_u64) == NULL))
			row_of_facts(r, &facts[i], is_thread);
	}
	free(ended);
	free(ids);
}

void
report_add_quiet(struct report *r)
{
	const struct report_source *src = r->src;

	if (report_lists_tasks(r, VIEW_PROCESSES) && r->query->process == 0)
		add_quiet_tasks(r, src->processes, src->process_count, false);
	if (report_lists_tasks(r, VIEW_THREADS) && r->query->process != 0)
		add_quiet_tasks(r, src->threads, src->thread_count, true);
}
