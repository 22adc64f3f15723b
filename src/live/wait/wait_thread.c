/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/wait/wait_read.h"
#include "live/wait/wait_tell.h"
#include "live/wait/wait_time.h"

enum {
	STACK_MORE = 4,   /* times as much is copied of a stack that was longer than its copy */
	STAYS_LEAST = 3,  /* of a thread that waits at the same place again and again, the times are */
	SHORT_LOOKS = 5,  /* looked at after so many looks at its place alone, */
	SHORT_LEAST = 3,  /* or so many where a record is due; */
	STAYS_FAR = 1,    /* where looks are far apart, so few times are enough; */
	BEHIND_MOST_US = 50, /* a thread may have been woken so long before the looker, at the same interrupt */
	EARLY_PART = 4,   /* what is known of a time before is told by that part of the hold earlier */
};

static const double behind_most = 0.5; /* who is busier than that is found running for a reason */
static const double busy_most = 0.1; /* of who is busier than that it is not known for how long it stays so */

void
wait_thread_init(struct wait_thread *t, int pid, int tid, struct wait_env *env, uint64_t now_ns)
{
	*t = (struct wait_thread){ .pid = pid, .tid = tid, .sched_fd = -1, .call_fd = -1,
				   .told_until_ns = now_ns };
	env->told_sum_ns += now_ns - env->begun_ns;
}

void
wait_thread_release(struct wait_thread *t, struct wait_env *env)
{
	env->files -= (t->sched_fd >= 0) + (t->call_fd >= 0);
	env->scheds -= t->sched_fd >= 0;
	env->told_sum_ns -= t->told_until_ns - env->begun_ns;
	if (t->sched_fd >= 0)
		close(t->sched_fd);
	if (t->call_fd >= 0)
		close(t->call_fd);
	wait_place_forget(t, env);
}

static bool
is_same(const struct procfs_schedstat *a, const struct procfs_schedstat *b)
{
	return a->run_ns == b->run_ns && a->queue_ns == b->queue_ns && a->turns == b->turns;
}

void
wait_thread_renew(struct wait_thread *t, struct wait_env *env)
{
	wait_tell_and_leave(t, env);
	t->state = LOOK_UNKNOWN;
}

void
wait_thread_copy_more(struct wait_thread *t, struct wait_env *env)
{
	/* Words that two copies have not in common cut a chain, too. */
	if (t->stack_max == RECORD_LOOK_STACK_MAX || (t->place != NULL && t->place->is_joined))
		return;
	t->stack_max = MIN(STACK_MORE * t->stack_max, (uint32_t)RECORD_LOOK_STACK_MAX);
	t->stack_top = 0;
	wait_thread_renew(t, env);
}

/* It waits on, but for somebody else: what it has waited was for who held the lock before. */
static void
follow_lock(struct wait_thread *t, struct wait_env *env)
{
	struct wait_place *p = t->place;
	struct wait_object before, now;

	if (p == NULL || t->is_denied || !t->is_at_lock)
		return;
	before = p->object;
	if (!wait_place_read_lock(t, env, p) || t->untold_ns == 0)
		return;
	now = p->object;
	p->object = before;
	wait_tell_place(t, env, true);
	p->object = now;
}

/* It waited at the last look, and does no more: what it has waited since was there. */
static void
end_wait(struct wait_thread *t)
{
	int64_t owed = wait_time_owed_ns(t, &t->sched, t->seen_ns);

	if (owed > 0 && t->place != NULL)
		wait_time_give(t, (uint64_t)owed);
}

/* Of what it has waited since the look before: it may have been at its last place a while longer. */
static uint64_t
share_of_last(const struct wait_thread *t, uint64_t owed)
{
	uint64_t from_ns = MIN(MAX(t->presumed_ns, t->before_ns), t->seen_ns);
	uint64_t last_ns = MIN(MAX(t->stays_ns, from_ns), t->seen_ns);
	double all = (double)MAX(t->seen_ns - from_ns, 1);

	return (uint64_t)((double)owed * (1 - (double)(t->seen_ns - last_ns) / 2 / all));
}

/*
 * It has run since the last look, and waits: half of what it has waited was where it waited then, if
 * it did, and half is here.
 */
static void
move_to(struct wait_thread *t, struct wait_env *env, struct wait_place *place, bool waited)
{
	int64_t owed = wait_time_owed_ns(t, &t->sched, t->seen_ns);

	if (owed > 0 && waited && t->place != NULL) {
		uint64_t last = share_of_last(t, (uint64_t)owed);

		wait_time_give(t, last);
		owed -= (int64_t)last;
	}
	t->stays = place == NULL ? t->stays + 1 : 0;
	if (place != NULL) {
		wait_tell_and_leave(t, env);
		t->place = place;
		t->is_at_lock = wait_lock_of(place->call.number, place->call.args) != WAIT_LOCK_NONE;
		env->place_bytes += wait_place_bytes(place);
	}
	if (owed > 0)
		wait_time_give(t, (uint64_t)owed);
}

/* It waits, at @place, NULL: where it did. */
static void
arrive(struct wait_thread *t, struct wait_env *env, struct wait_place *place, bool waited)
{
	t->state = LOOK_WAITS;
	move_to(t, env, place, waited);
}

/* Whether it has run since @sched was read, which is then read anew.  False: it cannot be. */
static bool
find_run(struct wait_thread *t, struct wait_env *env, struct procfs_schedstat *sched, bool *ran)
{
	struct procfs_schedstat before = *sched;

	if (!wait_read_sched(t, env, sched))
		return false;
	*ran = !is_same(sched, &before);
	return true;
}

static bool
is_back(struct wait_thread *t, struct wait_env *env, const struct procfs_syscall *call)
{
	struct procfs_syscall now;

	return wait_read_call(t, env, &now) && wait_place_is_same_call(&now, call);
}

/*
 * Where it waits in @call.  That was read in one piece; its stack was not, and is read again if the thread
 * has run meanwhile and is back.  If it has run once more, what both copies have in common counts if it is
 * back again; else the place is torn, without a stack.  NULL: its times cannot be read any more; or it ran
 * and waits for a lock, of which all is to be of one moment.
 */
static struct wait_place *
read_place(struct wait_thread *t, struct wait_env *env, const struct procfs_syscall *call)
{
	struct wait_place *place = wait_place_new(t, env, call), *first = NULL;
	const bool may_be_lock = wait_lock_of(call->number, call->args) != WAIT_LOCK_NONE;
	struct procfs_schedstat sched = t->sched;
	bool ran = true, is_known = find_run(t, env, &sched, &ran);

	if (is_known && ran && is_back(t, env, call)) {
		first = place;
		place = wait_place_new(t, env, call);
		is_known = find_run(t, env, &sched, &ran);
	}
	if (!is_known || (ran && may_be_lock)) {
		env->torn += is_known;
		free(place);
		place = NULL;
	} else if (ran) {
		if (first != NULL)
			wait_place_join(place, first);
		if (first == NULL || !is_back(t, env, call)) {
			env->torn++;
			place = wait_place_tear(place);
		}
	}
	free(first);
	return place;
}

/* Whether its place before is the same point of its program, and what is known of its stack no less. */
static bool
is_known_better(const struct wait_thread *t, const struct wait_place *p)
{
	if (t->place == NULL || !wait_place_is_same_point(&t->place->call, &p->call))
		return false;
	return p->is_torn || (p->is_joined && !t->place->is_torn);
}

/*
 * It waits elsewhere.  Of a torn place the call alone is told: waits that are as short as a look would
 * never be seen.  What a futex is for its stack alone tells.
 */
static void
find_place(struct wait_thread *t, struct wait_env *env, const struct procfs_syscall *call)
{
	const bool waited = t->state == LOOK_WAITS;
	struct wait_place *place = read_place(t, env, call);

	if (place == NULL) {
		t->state = LOOK_UNKNOWN;
		return;
	}
	if (is_known_better(t, place)) {
		free(place);
		place = NULL;
	} else if (place->is_torn && call->number == SYS_futex) {
		t->state = LOOK_UNKNOWN;
		free(place);
		return;
	}
	arrive(t, env, place, waited);
}

static void
run(struct wait_thread *t, struct wait_env *env)
{
	if (t->state == LOOK_WAITS)
		end_wait(t);
	t->state = LOOK_RUNS;
	wait_time_find_stolen(t, env);
}

/* The looker may be what it waits for. */
static bool
may_be_behind(const struct wait_thread *t, const struct wait_env *env)
{
	return t->busy <= behind_most && !env->is_far;
}

/* WAIT_ASKS: @ask is to be answered; WAIT_BEHIND, or 0. */
static int
look_anew(struct wait_thread *t, struct wait_env *env, struct wait_ask *ask)
{
	struct procfs_syscall call;

	if (!wait_read_call(t, env, &call)) {
		if (t->call_fd < 0 && wait_read_is_starved(errno)) {
			t->state = LOOK_UNKNOWN;
			env->starved++;
			return 0;
		}
		if (call.is_running && may_be_behind(t, env))
			return WAIT_BEHIND;
		run(t, env);
		return 0;
	}
	t->awake.since_ns = 0;
	if (wait_place_may_be_known(t, env, &call, ask))
		return WAIT_ASKS;
	find_place(t, env, &call);
	return 0;
}

/* It has not run since the last look. */
static void
look_again(struct wait_thread *t, struct wait_env *env)
{
	int64_t owed = wait_time_owed_ns(t, &t->sched, t->seen_ns);

	env->same++;
	if (t->state == LOOK_WAITS && owed > 0)
		wait_time_give(t, (uint64_t)owed);
	if (t->state == LOOK_WAITS)
		follow_lock(t, env);
}

static int
end_look(struct wait_thread *t, struct wait_env *env)
{
	wait_tell_due(t, env, env->hold_ns);
	return t->is_others || t->is_over ? -1 : t->still == 0;
}

/* What it has waited since the first look counts, wherever it is found. */
static void
begin_sums(struct wait_thread *t, const struct wait_env *env, const struct procfs_schedstat *sched)
{
	if (t->since_ns != 0)
		return;
	t->since_ns = t->seen_ns;
	t->since = *sched;
	t->sched = *sched;
	wait_tell_begin(t, env);
}

/*
 * Its times can be another's, which are less: a thread that calls exec(2) becomes the first of its
 * process, and a number is given again.  What it has waited goes on from there.
 */
static void
follow_task(struct wait_thread *t, struct wait_env *env, const struct procfs_schedstat *sched)
{
	if (sched->run_ns >= t->sched.run_ns && sched->queue_ns >= t->sched.queue_ns &&
	    sched->turns >= t->sched.turns)
		return;
	wait_thread_renew(t, env);
	/* Below zero, too: only differences count. */
	t->since.run_ns += sched->run_ns - t->sched.run_ns;
	t->since.queue_ns += sched->queue_ns - t->sched.queue_ns;
	t->since.turns += sched->turns - t->sched.turns;
	t->sched = *sched;
}

/* Whether it is known well enough where it waits, again and again. */
static bool
is_steady(const struct wait_thread *t, const struct wait_env *env)
{
	if (env->is_far)
		return t->stays >= STAYS_FAR && t->busy <= busy_most;
	return t->stays >= STAYS_LEAST;
}

static bool
has_short_looks(const struct wait_thread *t, const struct wait_env *env)
{
	return t->short_looks == SHORT_LOOKS ||
	       (t->short_looks >= SHORT_LEAST && t->stays_ns >= t->told_ns + env->hold_ns);
}

/*
 * Of a thread that runs and waits at the same place again and again, that is all that its times would
 * tell: they are looked at now and then.  Of one that waits for a lock they are wanted.
 */
static bool
begin_short_look(struct wait_thread *t, struct wait_env *env, struct wait_ask *ask)
{
	struct procfs_syscall call;

	if (env->wants_times || !is_steady(t, env) || has_short_looks(t, env) ||
	    t->state != LOOK_WAITS || t->is_denied || t->owner != 0)
		return false;
	t->short_looks++;
	if (!wait_read_call(t, env, &call) || t->is_denied ||
	    !wait_place_may_be_known(t, env, &call, ask) ||
	    wait_lock_of(call.number, call.args) != WAIT_LOCK_NONE)
		return false;
	ask->is_place_alone = true;
	return true;
}

int
wait_thread_begin_look(struct wait_thread *t, struct wait_env *env, bool is_short,
		       struct wait_ask *ask)
{
	bool is_first = t->since_ns == 0, is_again;
	struct procfs_schedstat sched;
	int result = 0;

	env->looks++;
	wait_place_fetch(t->place);
	if (!is_short && begin_short_look(t, env, ask))
		return WAIT_ASKS;
	t->short_looks = 0;
	if (!wait_read_sched(t, env, &sched)) {
		bool is_unknown = t->sched_fd < 0 && wait_read_is_starved(errno);

		env->starved += is_unknown;
		if (!is_unknown)
			wait_tell_and_leave(t, env);
		return is_unknown ? WAIT_PUT_OFF : -1;
	}
	follow_task(t, env, &sched);
	is_again = !is_first && t->state != LOOK_UNKNOWN && is_same(&sched, &t->sched);
	t->ran = is_first || is_again ? 0 : t->ran + 1;
	if (is_short && !is_again) {
		t->seen_ns = is_first ? clock_mono_ns() : t->seen_ns;
		begin_sums(t, env, &sched);
		wait_tell_note(t, env);
		t->still = 0;
		return WAIT_PUT_OFF;
	}
	t->before_ns = t->seen_ns;
	t->seen_ns = clock_mono_ns();
	t->still = is_again ? t->still + 1 : 0;
	t->still_ns = is_again ? t->still_ns : t->seen_ns;
	t->stays = is_again ? 0 : t->stays;
	wait_time_note_busy(t, &sched);
	t->sched = sched;
	begin_sums(t, env, &sched);
	if (is_again)
		look_again(t, env);
	else
		result = look_anew(t, env, ask);
	return result != 0 ? result : end_look(t, env);
}

bool
wait_thread_stays(const struct wait_thread *t, uint64_t clock_ns)
{
	return clock_ns != 0 && t->clock_ns == clock_ns && t->state == LOOK_WAITS &&
	       t->place != NULL && !t->is_at_lock;
}

void
wait_thread_stay(struct wait_thread *t, struct wait_env *env, uint64_t now_ns)
{
	env->looks++;
	env->stayed++;
	t->ran = t->short_looks = t->stays = 0;
	t->still++;
	t->before_ns = t->seen_ns;
	t->seen_ns = now_ns;
	look_again(t, env);
	wait_tell_due(t, env, env->hold_ns - env->hold_ns / EARLY_PART);
}

int
wait_thread_end_look(struct wait_ask *ask, struct wait_env *env)
{
	struct wait_thread *t = ask->thread;
	const bool waited = t->state == LOOK_WAITS;

	if (ask->is_place_alone && wait_place_is_known(ask)) {
		t->stays_ns = clock_mono_ns();
		if (!env->is_far)
			return 1;
		wait_time_presume(t, t->stays_ns);
		env->presumed++;
		return end_look(t, env);
	}
	if (ask->is_place_alone) {
		t->stays = 0;
		return wait_thread_look(t, env);
	}
	if (wait_place_is_known(ask)) {
		follow_lock(t, env);
		arrive(t, env, NULL, waited);
	} else {
		find_place(t, env, &ask->call);
	}
	return end_look(t, env);
}

/* As @result says, with @ask. */
static int
finish_look(struct wait_thread *t, struct wait_env *env, int result, struct wait_ask *ask)
{
	switch (result) {
	case WAIT_ASKS:
		wait_place_read_tops(ask, 1);
		return wait_thread_end_look(ask, env);
	case WAIT_BEHIND:
		run(t, env);
		return end_look(t, env);
	default:
		return result == WAIT_PUT_OFF ? 1 : result;
	}
}

/*
 * Whether it has waited for a CPU from its look on until @slept_ns, but not since before the looker woke.
 * The kernel adds what a thread has waited for a CPU when it gets one: of one that ran, or waits on,
 * there is nothing new.
 */
static bool
was_behind(const struct wait_thread *t, const struct wait_env *env,
	   const struct procfs_schedstat *sched, uint64_t slept_ns)
{
	uint64_t queue_ns = sched->queue_ns - t->sched.queue_ns;

	return queue_ns >= slept_ns - t->seen_ns &&
	       queue_ns <= slept_ns - env->woken_ns + BEHIND_MOST_US * NSEC_PER_MSEC / 1000;
}

int
wait_thread_look_behind(struct wait_thread *t, struct wait_env *env, uint64_t slept_ns)
{
	struct procfs_schedstat sched;
	struct wait_ask ask;
	int result;

	if (!wait_read_sched(t, env, &sched) || !was_behind(t, env, &sched, slept_ns))
		return finish_look(t, env, WAIT_BEHIND, &ask);
	t->sched = sched;
	t->seen_ns = clock_mono_ns();
	result = look_anew(t, env, &ask);
	return result != 0 ? finish_look(t, env, result, &ask) : end_look(t, env);
}

int
wait_thread_look(struct wait_thread *t, struct wait_env *env)
{
	struct wait_ask ask;

	return finish_look(t, env, wait_thread_begin_look(t, env, false, &ask), &ask);
}
