/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_time.h"

#include "base/clock.h"
#include "live/wait/wait_read.h"

enum {
	AWAKE_MS = 1000,  /* so often what is missing of a thread that runs is looked at, */
	STOLEN_LEAST_MS = 10, /* and is stolen from so much on: less is late */
};

int64_t
wait_time_owed_ns(const struct wait_thread *t, const struct procfs_schedstat *sched,
		  uint64_t now_ns)
{
	uint64_t on_cpu = sched->run_ns - t->since.run_ns + sched->queue_ns - t->since.queue_ns;

	return (int64_t)(now_ns - t->since_ns - on_cpu - t->given_ns);
}

void
wait_time_give(struct wait_thread *t, uint64_t ns)
{
	t->untold_ns += ns;
	t->given_ns += ns;
}

void
wait_time_note_busy(struct wait_thread *t, const struct procfs_schedstat *sched)
{
	uint64_t on_cpu = sched->run_ns - t->sched.run_ns + sched->queue_ns - t->sched.queue_ns;

	if (t->before_ns != 0 && t->seen_ns > t->before_ns)
		t->busy = MIN((double)on_cpu / (double)(t->seen_ns - t->before_ns), 1);
}

void
wait_time_presume(struct wait_thread *t, uint64_t now_ns)
{
	double on_cpu = t->busy * (double)(now_ns - t->seen_ns);
	int64_t owed = wait_time_owed_ns(t, &t->sched, now_ns) - (int64_t)on_cpu;

	if (owed > 0)
		wait_time_give(t, (uint64_t)owed);
	t->presumed_ns = now_ns;
}

/* Its time is missing since @a->base was, though it has not slept. */
static void
steal(struct wait_thread *t, struct wait_awake *a)
{
	uint64_t stolen_ns;

	if (!a->has_base || (a->stolen_ns == 0 && a->least < a->base)) {
		a->base = a->least;
		a->has_base = true;
	}
	if (a->least < a->base + STOLEN_LEAST_MS * (int64_t)NSEC_PER_MSEC)
		return;
	stolen_ns = (uint64_t)(a->least - a->base);
	a->stolen_ns += stolen_ns;
	a->untold_ns += stolen_ns;
	t->given_ns += stolen_ns;
}

/*
 * Whether it has been on a CPU since @t->sched was read: it has got one once more than it has left
 * one.  Else its turn in the run queue is missing there, which is added only when that ends.
 */
static bool
has_cpu(const struct wait_thread *t, const struct procfs_switches *switches)
{
	return t->sched.turns > switches->sleeps + switches->yielded;
}

/*
 * It runs, or could.  Its schedstat is late then, by a tick or by its turn in the run queue: of all
 * looks since a second ago, up to one at which it has a CPU, the one counts at which the least was
 * missing.
 */
void
wait_time_find_stolen(struct wait_thread *t, const struct wait_env *env)
{
	struct wait_awake *a = &t->awake;
	struct procfs_switches switches;
	bool is_first = a->since_ns == 0;

	if (!env->has_queue)
		return;
	a->least = MIN(is_first ? INT64_MAX : a->least,
		       wait_time_owed_ns(t, &t->sched, t->seen_ns));
	if (!is_first && t->seen_ns - a->since_ns < AWAKE_MS * NSEC_PER_MSEC)
		return;
	if (!wait_read_switches(t, env, &switches)) {
		a->since_ns = 0;
		return;
	}
	if (is_first || switches.sleeps != a->sleeps) {
		*a = (struct wait_awake){ .sleeps = switches.sleeps, .untold_ns = a->untold_ns,
					  .least = INT64_MAX };
	} else if (has_cpu(t, &switches)) {
		steal(t, a);
		a->least = INT64_MAX;
	}
	a->since_ns = t->seen_ns;
}
