/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_tell.h"

#include "base/clock.h"
#include "live/wait/wait_place.h"
#include "record/look.h"

void
wait_tell_note(struct wait_thread *t, struct wait_env *env)
{
	uint64_t until = t->told_until_ns;

	if (t->since_ns != 0)
		until = t->since_ns + t->sched.run_ns - t->since.run_ns + t->sched.queue_ns -
			t->since.queue_ns + t->given_ns - t->untold_ns;
	env->told_sum_ns += until - t->told_until_ns;
	t->told_until_ns = until;
}

enum {
	LONG_MS = 3000,        /* who is seen to wait for so long will wait on */
	SPREAD_MORE = 2000,    /* threads beyond so many are told the later for the first time, */
	SPREAD_EACH_US = 3000, /* by up to so much for each: that is dear, who counts them has not met them */
};

void
wait_tell_begin(struct wait_thread *t, const struct wait_env *env)
{
	uint64_t more = env->threads > SPREAD_MORE ? env->threads - SPREAD_MORE : 0;
	uint64_t spread_ns = more * SPREAD_EACH_US * NSEC_PER_MSEC / 1000;

	t->told_ns = t->seen_ns - MIN(env->hold_ns, t->seen_ns);
	if (spread_ns > 0)
		t->told_ns += hash_mix((unsigned)t->tid, 0) % spread_ns;
}

/* When it was known to be at its place last. */
static uint64_t
there_ns(const struct wait_thread *t)
{
	return MAX(t->seen_ns, t->stays_ns);
}

static struct bytes
stack_of(const struct wait_place *p)
{
	return p->told != NULL ? record_look_stack(told_record_bytes(p->told))
			       : (struct bytes){ p->stack, p->stack_len };
}

/* @state 0: that of the place. */
static void
put_look(const struct wait_thread *t, const struct wait_env *env, uint64_t period_ns, char state)
{
	const struct wait_place *p = t->place;
	struct record_look look = {
		.pid = (uint32_t)t->pid, .tid = (uint32_t)t->tid, .id = env->id,
		.time_ns = t->seen_ns, .period_ns = period_ns, .state = state,
	};
	uint64_t kernel[KERNEL_STACK_MAX];

	if (p != NULL && !t->is_denied && state != WAIT_STATE_STOLEN) {
		look.has_place = true;
		look.call = p->call.number;
		memcpy(look.args, p->call.args, sizeof(look.args));
		look.sp = p->call.sp;
		look.pc = p->call.pc;
		look.state = state != 0 ? state : p->state;
		look.owner_state = p->owner_state;
		look.is_holding = p->is_holding;
		look.is_over = t->state == LOOK_RUNS;
		look.has_run = t->ran > 0;
		look.file = (struct bytes){ (const uint8_t *)p->object.text, p->object.len };
		look.stack = stack_of(p);
		look.kernel = kernel;
		if (p->kernel_len > 0)
			look.kernel_len = kernel_stacks_addresses(env->kernel, p->kernel,
								  p->kernel_len, kernel);
	}
	record_encode_look(env->out, &look);
}

/* All its time in the run queue, at the place where it waited last: its wait there was over. */
static void
tell_queue(struct wait_thread *t, const struct wait_env *env, uint64_t hold_ns)
{
	uint64_t in_queue = t->sched.queue_ns - t->since.queue_ns;

	if (!env->has_queue || in_queue <= t->queue_told_ns ||
	    t->seen_ns - t->queue_at_ns < hold_ns || env->out->len >= env->out_max)
		return;
	put_look(t, env, in_queue - t->queue_told_ns, 'R');
	t->queue_told_ns = in_queue;
	t->queue_at_ns = t->seen_ns;
}

static void
tell_stolen(struct wait_thread *t, const struct wait_env *env)
{
	if (t->awake.untold_ns == 0 || env->out->len >= env->out_max)
		return;
	put_look(t, env, t->awake.untold_ns, WAIT_STATE_STOLEN);
	t->awake.untold_ns = 0;
}

/* Functions of the kernel have no addresses yet, and are soon to have them. */
static bool
is_early(const struct wait_thread *t, const struct wait_env *env)
{
	uint64_t addrs[KERNEL_STACK_MAX];
	const struct wait_place *p = t->place;

	return p->kernel_len > 0 && kernel_stacks_is_soon(env->kernel, t->seen_ns) &&
	       kernel_stacks_addresses(env->kernel, p->kernel, p->kernel_len, addrs) == 0;
}

/*
 * Whether the next record of its place will be the same: not of a lock, nor of who holds one, and
 * functions of the kernel have their addresses.
 */
static bool
is_settled(const struct wait_thread *t, const struct wait_env *env)
{
	uint64_t addrs[KERNEL_STACK_MAX];
	const struct wait_place *p = t->place;

	return !t->is_denied && !p->is_holding && !t->is_at_lock &&
	       (p->kernel_len == 0 ||
		kernel_stacks_addresses(env->kernel, p->kernel, p->kernel_len, addrs) > 0);
}

/* What was told twice is kept, or of who has waited there for long: it will be told for long. */
static void
put_place(struct wait_thread *t, struct wait_env *env)
{
	const size_t at = env->out->len;

	if (t->place->told != NULL) {
		told_record_again(t->place->told, env->out, t->untold_ns);
		return;
	}
	put_look(t, env, t->untold_ns, 0);
	if ((t->place->is_told || t->seen_ns - t->still_ns >= LONG_MS * NSEC_PER_MSEC) &&
	    is_settled(t, env))
		wait_place_keep_record(t, env, (struct bytes){
			(const uint8_t *)env->out->data + at, env->out->len - at });
	t->place->is_told = true;
}

void
wait_tell_place(struct wait_thread *t, struct wait_env *env, bool is_over)
{
	if (t->place == NULL || t->untold_ns == 0 || env->out->len >= env->out_max ||
	    (!is_over && is_early(t, env)))
		return;
	put_place(t, env);
	t->untold_ns = 0;
	t->was_told = true;
	t->told_ns = there_ns(t);
}

void
wait_tell_all(struct wait_thread *t, struct wait_env *env)
{
	tell_queue(t, env, 0);
	tell_stolen(t, env);
	wait_tell_place(t, env, false);
	wait_tell_note(t, env);
}

void
wait_tell_and_leave(struct wait_thread *t, struct wait_env *env)
{
	wait_tell_place(t, env, true);
	t->given_ns -= t->untold_ns;
	t->untold_ns = 0;
	wait_tell_note(t, env);
	wait_place_forget(t, env);
}

/* Who runs has its looks in turn: first ones are spread enough. */
static bool
is_due(const struct wait_thread *t, uint64_t hold_ns)
{
	return there_ns(t) >= t->told_ns + hold_ns || (!t->was_told && t->ran > 0);
}

void
wait_tell_due(struct wait_thread *t, struct wait_env *env, uint64_t hold_ns)
{
	if (env->place_bytes > env->place_max) {
		wait_tell_and_leave(t, env);
		t->state = LOOK_UNKNOWN;
	} else if (is_due(t, hold_ns)) {
		wait_tell_place(t, env, false);
	}
	tell_queue(t, env, env->hold_ns);
	tell_stolen(t, env);
	wait_tell_note(t, env);
}
