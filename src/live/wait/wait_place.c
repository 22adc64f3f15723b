/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "live/wait/call_32.h"
#include "live/wait/wait_read.h"

enum {
	ASKS_MAX = 64,      /* tops of stacks that are read at once */
	THREADS_MANY = 512, /* a stack of the kernel for each costs more than all else */
	STACK_LEAST = 8 << 10, /* of a stack that nobody knows, */
	STACK_FEW = 2 << 10, /* and where there is no room for so much of each */
	CACHE_LINE = 64,
	ROOM_PART = 8,       /* of the room for places: it is for new ones */
};

void
wait_place_forget(struct wait_thread *t, struct wait_env *env)
{
	if (t->place == NULL)
		return;
	env->place_bytes -= wait_place_bytes(t->place);
	told_record_put(t->place->told);
	free(t->place);
	t->place = NULL;
}

size_t
wait_place_bytes(const struct wait_place *p)
{
	return sizeof(*p) + p->stack_len + (p->told != NULL ? told_record_bytes(p->told).len : 0);
}

/* Not where it would make others be forgotten.  The record goes where a place of another was. */
void
wait_place_keep_record(struct wait_thread *t, struct wait_env *env, struct bytes record)
{
	const size_t len = MIN(t->place->stack_len, (size_t)WAIT_TOP_BYTES);
	struct wait_place *p;

	if (env->place_bytes + record.len > env->place_max - env->place_max / ROOM_PART)
		return;
	env->place_bytes -= wait_place_bytes(t->place);
	t->place->told = told_record_new(record);
	p = mem_realloc(NULL, 1, sizeof(*p) + len);
	memcpy(p, t->place, sizeof(*p) + len);
	p->stack_len = len;
	free(t->place);
	t->place = p;
	env->place_bytes += wait_place_bytes(p);
}

bool
wait_place_is_same_point(const struct procfs_syscall *a, const struct procfs_syscall *b)
{
	return a->number == b->number && a->sp == b->sp && a->pc == b->pc && a->args[0] == b->args[0];
}

bool
wait_place_is_same_call(const struct procfs_syscall *a, const struct procfs_syscall *b)
{
	return wait_place_is_same_point(a, b) && memcmp(a->args, b->args, sizeof(a->args)) == 0;
}

bool
wait_place_may_be_known(struct wait_thread *t, const struct wait_env *env,
			const struct procfs_syscall *call, struct wait_ask *ask)
{
	const struct wait_place *p = t->place;

	if (p == NULL || p->is_torn || !wait_place_is_same_call(&p->call, call) ||
	    !wait_object_is_same_file(&p->object, t, env))
		return false;
	*ask = (struct wait_ask){ .thread = t, .call = *call,
				  .len = MIN(p->stack_len, sizeof(ask->top)) };
	return true;
}

bool
wait_place_is_known(const struct wait_ask *ask)
{
	return ask->got == ask->len && memcmp(ask->top, ask->thread->place->stack, ask->len) == 0;
}

/* Of thousands of threads what is known of one is in no cache any more: it comes while the kernel reads. */
void
wait_place_fetch(const struct wait_place *p)
{
	if (p == NULL)
		return;
	__builtin_prefetch(&p->call);
	__builtin_prefetch(&p->call.sp);
	__builtin_prefetch(&p->object.socket);
	__builtin_prefetch(&p->stack_len);
}

static void
fetch_top(const struct wait_place *p)
{
	for (size_t at = 0; at < MIN(p->stack_len, (size_t)WAIT_TOP_BYTES); at += CACHE_LINE)
		__builtin_prefetch(&p->stack[at]);
}

/* Those of one process, up to one that cannot be read; how many.  @count: at least one. */
static size_t
read_some_tops(struct wait_ask *asks, size_t count)
{
	struct iovec local[ASKS_MAX], remote[ASKS_MAX];
	size_t n = 0, done = 0;
	ssize_t len;

	do {
		fetch_top(asks[n].thread->place);
		local[n] = (struct iovec){ asks[n].top, asks[n].len };
		remote[n] = (struct iovec){ (void *)(uintptr_t)asks[n].call.sp, asks[n].len };
		n++;
	} while (n < MIN(count, (size_t)ASKS_MAX) && asks[n].thread->pid == asks[0].thread->pid);
	len = process_vm_readv(asks[0].thread->tid, local, n, remote, n, 0);
	while (done < n && len >= (ssize_t)asks[done].len) {
		asks[done].got = asks[done].len;
		len -= (ssize_t)asks[done++].len;
	}
	return done;
}

void
wait_place_read_tops(struct wait_ask *asks, size_t count)
{
	for (size_t i = 0; i < count;) {
		size_t done = read_some_tops(asks + i, count - i);

		/* What cannot be read is another place. */
		i += MAX(done, 1);
	}
}

/* How much of a stack that begins at @sp is wanted. */
static size_t
wanted_bytes(const struct wait_thread *t, uint64_t sp)
{
	uint64_t left = t->stack_top - sp;

	return sp < t->stack_top && left < t->stack_max ? (size_t)left : t->stack_max;
}

void
wait_place_set_top(struct wait_thread *t, struct wait_env *env, uint64_t top)
{
	struct wait_place *p = t->place;
	size_t len;

	t->stack_top = top;
	if (p == NULL || p->call.sp >= top || p->told != NULL)
		return;
	len = MIN(p->stack_len, wanted_bytes(t, p->call.sp));
	/* With another copy it is no more known by what it was before: not for little. */
	if (len > p->stack_len / 2)
		return;
	env->place_bytes -= p->stack_len - len;
	p->stack_len = len;
}

bool
wait_place_read_lock(struct wait_thread *t, const struct wait_env *env, struct wait_place *p)
{
	bool is_new = wait_object_find_lock(&p->object, t, env, &p->call, &t->owner);

	t->holder = p->is_trusted ? t->owner : 0;
	return is_new;
}

void
wait_place_trust(struct wait_thread *t, uint64_t address)
{
	if (t->place == NULL || t->place->call.args[0] != address)
		return;
	t->place->is_trusted = true;
	t->holder = t->owner;
}

void
wait_place_meet(struct wait_thread *t, struct wait_thread *owner)
{
	if (t->place == NULL || t->state != LOOK_WAITS)
		return;
	if (owner->state == LOOK_RUNS)
		t->place->owner_state = 'R';
	if (owner->state != LOOK_WAITS || owner->place == NULL)
		return;
	t->place->owner_state = 'S';
	owner->place->is_holding = true;
}

bool
wait_place_has_met(const struct wait_thread *t, const struct wait_thread *owner)
{
	return t->still > 0 && owner->still > 0 && owner->place != NULL &&
	       owner->place->is_holding && t->place != NULL && t->place->owner_state == 'S';
}

/* What it waits for, where the call alone does not tell. */
static void
ask_more(struct wait_thread *t, struct wait_env *env, struct wait_place *p)
{
	const struct wait_call *row = wait_call_find(p->call.number);

	wait_object_find_file(&p->object, t, env, &p->call);
	wait_place_read_lock(t, env, p);
	if (row->may_block && p->call.number >= 0)
		p->state = wait_read_state(t, env);
}

/*
 * Where there are many threads, those in one call share what the kernel does for it.  That one waits
 * for a page of its arguments is not seen then.
 */
static uint64_t
common_of(const struct wait_env *env, const struct procfs_syscall *call)
{
	uint64_t op = call->number == SYS_futex ? call->args[1] : 0;

	if (env->threads < THREADS_MANY || !wait_call_is_one_way(call->number))
		return 0;
	return MAX(hash_mix((uint64_t)call->number << 1 | call_32_is(call), op), 1);
}

struct wait_place *
wait_place_new(struct wait_thread *t, struct wait_env *env, const struct procfs_syscall *call)
{
	uint8_t stack[RECORD_LOOK_STACK_MAX];
	struct wait_place *p;
	size_t want, len;

	if (t->stack_max == 0)
		t->stack_max = env->threads * STACK_LEAST > env->place_max ? STACK_FEW : STACK_LEAST;
	want = env->has_stacks ? wanted_bytes(t, call->sp) : 0;
	len = want > 0 ? wait_read_stack(t, call->sp, stack, want) : 0;
	p = mem_calloc(1, sizeof(*p) + len);

	p->call = *call;
	p->stack_len = len;
	memcpy(p->stack, stack, len);
	if (!t->is_denied)
		ask_more(t, env, p);
	if (!t->is_denied && env->kernel != NULL) {
		const struct kernel_reader who = { env->proc_fd, t->pid, t->tid,
						   common_of(env, call) };

		p->kernel_len = kernel_stacks_read(env->kernel, &who, p->kernel);
	}
	return p;
}

/* That it could run was so a moment later: it is told of what it waited for before. */
static void
forget_run(struct wait_place *p)
{
	if (p->state == 'R')
		p->state = 'S';
}

/* The kernel's part is of one moment, and changes with each wait. */
void
wait_place_join(struct wait_place *p, const struct wait_place *other)
{
	const uint64_t nowhere = 1; /* no address, and no frame begins there */
	const size_t word = sizeof(nowhere);

	p->stack_len = MIN(p->stack_len, other->stack_len) / word * word;
	for (size_t at = 0; at < p->stack_len; at += word)
		if (memcmp(p->stack + at, other->stack + at, word) != 0)
			memcpy(p->stack + at, &nowhere, word);
	p->kernel_len = 0;
	p->is_joined = true;
	if (other->state == 'D')
		p->state = 'D';
	forget_run(p);
}

struct wait_place *
wait_place_tear(struct wait_place *p)
{
	p->is_torn = true;
	p->is_joined = false;
	forget_run(p);
	p->stack_len = 0;
	p->kernel_len = 0;
	return mem_realloc(p, 1, sizeof(*p));
}
