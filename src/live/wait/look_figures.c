/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/look_figures.h"

#include "base/clock.h"
#include "live/sys/limits.h"

enum { STEP_MS = 1000 };

void
look_figures_show(struct look_figures *f, const struct look_round *r, uint64_t turn_ns)
{
	const struct wait_env *env = &r->env;

	atomic_store(&f->threads, r->list.len);
	atomic_store(&f->unseen, r->unseen);
	atomic_store(&f->is_first_turn, r->is_first_turn);
	atomic_store(&f->cpu_ns, r->pace.cpu_ns - r->pace.free_ns);
	atomic_store(&f->interval_ns, turn_ns);
	atomic_store(&f->planned_ns, r->pace.base_ns);
	atomic_store(&f->is_dear, MAX(r->pace.interval_ns, r->pace.late_turn_ns) > r->pace.base_ns);
	atomic_store(&f->told_sum_ns, env->told_sum_ns);
	atomic_store(&f->is_listed, r->list.is_listed);
	atomic_store(&f->looks, env->looks);
	atomic_store(&f->same, env->same);
	atomic_store(&f->stayed, env->stayed);
	atomic_store(&f->presumed, env->presumed);
	atomic_store(&f->hold_ns, env->hold_ns);
	atomic_store(&f->torn, env->torn);
	atomic_store(&f->is_full, r->list.is_full);
	atomic_store(&f->lacks_kernel, env->kernel != NULL && kernel_stacks_is_denied(env->kernel));
}

static size_t
count_denied(const struct wait_list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->len; i++)
		n += l->items[i].is_denied;
	return n;
}

/* A cycle that is the same twice, a second apart, is one. */
static void
look_for_deadlock(struct look_figures *f, const struct wait_list *l)
{
	int tids[WAIT_CYCLE_MAX];
	size_t n = wait_cycle_find(l, tids);
	bool is_same = n == f->cycle_len && memcmp(tids, f->cycle, n * sizeof(*tids)) == 0;

	for (size_t i = 0; i < n && is_same; i++)
		atomic_store(&f->deadlock[i], tids[i]);
	atomic_store(&f->deadlock_len, is_same ? n : 0);
	memcpy(f->cycle, tids, n * sizeof(*tids));
	f->cycle_len = n;
}

/* How far apart looks at a thread have been since the last time, on average. */
static void
measure_pace(struct look_figures *f, const struct look_round *r, uint64_t now_ns)
{
	uint64_t looks = r->env.looks - f->paced.looks, same = r->env.same - f->paced.same;

	/* Where there is no thread, time is no pace; it is measured anew from the first look on. */
	if (r->list.len == 0) {
		f->paced.at_ns = 0;
		atomic_store(&f->reached_ns, 0);
		return;
	}
	if (looks == 0)
		return;
	if (f->paced.at_ns != 0) {
		atomic_store(&f->reached_ns, (now_ns - f->paced.at_ns) * r->list.len / looks);
		atomic_store(&f->behind_ns, (r->behind_ns - f->paced.behind_ns) / looks);
		atomic_store(&f->is_still, same > looks / 2);
	}
	f->paced.at_ns = now_ns;
	f->paced.looks = r->env.looks;
	f->paced.same = r->env.same;
	f->paced.behind_ns = r->behind_ns;
}

void
look_figures_step(struct look_figures *f, const struct look_round *r, bool has_locks)
{
	uint64_t now = clock_mono_ns();

	if (now - f->stepped_ns < STEP_MS * NSEC_PER_MSEC)
		return;
	f->stepped_ns = now;
	measure_pace(f, r, now);
	/* To go through all that is known of thousands of threads costs what hundreds of looks do. */
	if (has_locks)
		look_for_deadlock(f, &r->list);
	if (r->env.has_denied) {
		atomic_store(&f->has_yama, limits_ptrace_scope("") > 0);
		atomic_store(&f->denied, count_denied(&r->list));
	}
	atomic_store(&f->lacks_files, r->env.starved > f->starved);
	f->starved = r->env.starved;
}

void
look_figures_read(const struct look_figures *f, struct looker_figures *out)
{
	*out = (struct looker_figures){
		.threads = atomic_load(&f->threads),
		.unseen = atomic_load(&f->unseen),
		.is_first_turn = atomic_load(&f->is_first_turn),
		.interval_ns = atomic_load(&f->interval_ns),
		.planned_ns = atomic_load(&f->planned_ns),
		.reached_ns = atomic_load(&f->reached_ns),
		.behind_ns = atomic_load(&f->behind_ns),
		.is_dear = atomic_load(&f->is_dear),
		.is_still = atomic_load(&f->is_still),
		.looks = atomic_load(&f->looks),
		.same = atomic_load(&f->same),
		.stayed = atomic_load(&f->stayed),
		.presumed = atomic_load(&f->presumed),
		.hold_ns = atomic_load(&f->hold_ns),
		.torn = atomic_load(&f->torn),
		.denied = atomic_load(&f->denied),
		.has_yama = atomic_load(&f->has_yama),
		.cpu_ns = atomic_load(&f->cpu_ns),
		.told_sum_ns = atomic_load(&f->told_sum_ns),
		.is_listed = atomic_load(&f->is_listed),
		.is_full = atomic_load(&f->is_full),
		.lacks_kernel = atomic_load(&f->lacks_kernel),
		.lacks_files = atomic_load(&f->lacks_files),
		.deadlock_len = atomic_load(&f->deadlock_len),
	};
	for (size_t i = 0; i < out->deadlock_len; i++)
		out->deadlock[i] = atomic_load(&f->deadlock[i]);
}
