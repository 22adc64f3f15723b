/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/wait/call_32.h"
#include "live/wait/wait_object.h"
#include "record/look.h"

enum {
	TEXT_MAX = 256,
	STACK_LEAST = 8 << 10,
	STACK_PARTS = 16, /* pages, of which one may be missing: a read ends before it */
	TOP_BYTES = 256,  /* of a stack, by which one is known again */
	STATUS_MAX = 4096,
	AWAKE_MS = 1000,  /* so often what is missing of a thread that runs is looked at, */
	STOLEN_LEAST_MS = 10, /* and is stolen from so much on: less is late */
};

struct wait_place {
	struct procfs_syscall call;
	char state;   /* see struct record_look */
	char owner_state;
	bool is_holding;
	bool is_trusted; /* see wait_thread_trust() */
	struct wait_object object; /* that it waits for */
	size_t kernel_len;
	struct kernel_frame kernel[KERNEL_STACK_MAX];
	size_t stack_len;
	uint8_t stack[];
};

static int
open_file(const struct wait_thread *t, const struct wait_env *env, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/task/%d/%s", t->pid, t->tid, name);
	return openat(env->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/* The length of what one read gives, -1: errno. */
static ssize_t
read_file(const struct wait_thread *t, const struct wait_env *env, int kept_fd, const char *name,
	  char text[TEXT_MAX])
{
	int fd = kept_fd >= 0 ? kept_fd : open_file(t, env, name);
	ssize_t n;
	int saved;

	if (fd < 0)
		return -1;
	n = pread(fd, text, TEXT_MAX, 0);
	saved = errno;
	if (fd != kept_fd)
		close(fd);
	errno = saved;
	return n;
}

void
wait_thread_init(struct wait_thread *t, int pid, int tid, bool keeps, const struct wait_env *env)
{
	*t = (struct wait_thread){ .pid = pid, .tid = tid, .sched_fd = -1, .call_fd = -1,
				   .stack_max = STACK_LEAST };
	if (!keeps)
		return;
	t->sched_fd = open_file(t, env, "schedstat");
	t->call_fd = open_file(t, env, "syscall");
}

static void
forget_place(struct wait_thread *t, struct wait_env *env)
{
	if (t->place == NULL)
		return;
	env->place_bytes -= sizeof(*t->place) + t->place->stack_len;
	free(t->place);
	t->place = NULL;
}

void
wait_thread_release(struct wait_thread *t, struct wait_env *env)
{
	if (t->sched_fd >= 0)
		close(t->sched_fd);
	if (t->call_fd >= 0)
		close(t->call_fd);
	forget_place(t, env);
}

static bool
read_sched(const struct wait_thread *t, const struct wait_env *env, struct procfs_schedstat *out)
{
	char text[TEXT_MAX];
	ssize_t n = read_file(t, env, t->sched_fd, "schedstat", text);

	return n > 0 && procfs_schedstat(text, (size_t)n, out);
}

static bool
is_same(const struct procfs_schedstat *a, const struct procfs_schedstat *b)
{
	return a->run_ns == b->run_ns && a->queue_ns == b->queue_ns && a->turns == b->turns;
}

int64_t
wait_thread_owed_ns(const struct wait_thread *t, const struct procfs_schedstat *sched,
		    uint64_t now_ns)
{
	uint64_t on_cpu = sched->run_ns - t->since.run_ns + sched->queue_ns - t->since.queue_ns;

	return (int64_t)(now_ns - t->since_ns - on_cpu - t->given_ns);
}

static void
give(struct wait_thread *t, uint64_t ns)
{
	t->untold_ns += ns;
	t->given_ns += ns;
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
		look.file = (struct bytes){ (const uint8_t *)p->object.text, p->object.len };
		look.stack = (struct bytes){ p->stack, p->stack_len };
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

static void
tell_wait(struct wait_thread *t, const struct wait_env *env)
{
	if (t->place == NULL || t->untold_ns == 0 || env->out->len >= env->out_max)
		return;
	put_look(t, env, t->untold_ns, 0);
	t->untold_ns = 0;
	t->told_ns = t->seen_ns;
}

void
wait_thread_tell(struct wait_thread *t, struct wait_env *env)
{
	tell_queue(t, env, 0);
	tell_stolen(t, env);
	tell_wait(t, env);
}

/* It is somewhere else now.  What could not be told is given to another place. */
static void
leave_place(struct wait_thread *t, struct wait_env *env)
{
	tell_wait(t, env);
	t->given_ns -= t->untold_ns;
	t->untold_ns = 0;
	forget_place(t, env);
}

/* As much of the stack as there is from @sp on: up to a page that is not there. */
static size_t
read_stack(const struct wait_thread *t, uint64_t sp, uint8_t *to, size_t len)
{
	const size_t page = page_size();
	struct iovec local = { to, len }, parts[STACK_PARTS];
	size_t count = 0, at = 0;
	ssize_t n;

	for (; at < len && count < STACK_PARTS; count++) {
		size_t part = MIN(page - (sp + at) % page, len - at);

		parts[count] = (struct iovec){ (void *)(uintptr_t)(sp + at), part };
		at += part;
	}
	local.iov_len = at;
	n = process_vm_readv(t->tid, &local, 1, parts, count, 0);
	return n > 0 ? (size_t)n & ~(size_t)7 : 0;
}

static bool
is_same_call(const struct procfs_syscall *a, const struct procfs_syscall *b)
{
	return a->number == b->number && a->sp == b->sp && a->pc == b->pc &&
	       memcmp(a->args, b->args, sizeof(a->args)) == 0;
}

/* Whether it waits where it did: the same call, and what called that. */
static bool
is_known_place(const struct wait_thread *t, const struct wait_env *env,
	       const struct procfs_syscall *call)
{
	const struct wait_place *p = t->place;
	uint8_t top[TOP_BYTES];
	size_t len;

	if (p == NULL || !is_same_call(&p->call, call) ||
	    !wait_object_is_same_file(&p->object, t, env))
		return false;
	len = MIN(p->stack_len, sizeof(top));
	return read_stack(t, call->sp, top, len) == len && memcmp(top, p->stack, len) == 0;
}

/* How much of a stack that begins at @sp is wanted. */
static size_t
wanted_bytes(const struct wait_thread *t, uint64_t sp)
{
	uint64_t left = t->stack_top - sp;

	return sp < t->stack_top && left < t->stack_max ? (size_t)left : t->stack_max;
}

void
wait_thread_copy_more(struct wait_thread *t, struct wait_env *env)
{
	if (t->stack_max == RECORD_LOOK_STACK_MAX)
		return;
	t->stack_max = MIN(2 * t->stack_max, (uint32_t)RECORD_LOOK_STACK_MAX);
	t->stack_top = 0;
	/* So that it is looked at anew. */
	leave_place(t, env);
	t->state = LOOK_UNKNOWN;
}

void
wait_thread_set_top(struct wait_thread *t, struct wait_env *env, uint64_t top)
{
	struct wait_place *p = t->place;
	size_t len;

	t->stack_top = top;
	if (p == NULL || p->call.sp >= top)
		return;
	len = MIN(p->stack_len, wanted_bytes(t, p->call.sp));
	env->place_bytes -= p->stack_len - len;
	p->stack_len = len;
}

/* Names the lock, and who holds it now.  true: that is another than it was. */
static bool
read_lock(struct wait_thread *t, const struct wait_env *env, struct wait_place *p)
{
	bool is_new = wait_object_find_lock(&p->object, t, env, &p->call, &t->owner);

	t->holder = p->is_trusted ? t->owner : 0;
	return is_new;
}

/* It waits on, but for somebody else: what it has waited was for who held the lock before. */
static void
follow_lock(struct wait_thread *t, struct wait_env *env)
{
	struct wait_place *p = t->place;
	struct wait_object before, now;

	if (p == NULL || t->is_denied ||
	    wait_lock_of(p->call.number, p->call.args) == WAIT_LOCK_NONE)
		return;
	before = p->object;
	if (!read_lock(t, env, p) || t->untold_ns == 0)
		return;
	now = p->object;
	p->object = before;
	tell_wait(t, env);
	p->object = now;
}

void
wait_thread_trust(struct wait_thread *t, uint64_t address)
{
	if (t->place == NULL || t->place->call.args[0] != address)
		return;
	t->place->is_trusted = true;
	t->holder = t->owner;
}

void
wait_thread_meet(struct wait_thread *t, struct wait_thread *owner)
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
wait_thread_has_met(const struct wait_thread *t, const struct wait_thread *owner)
{
	return t->still > 0 && owner->still > 0 && owner->place != NULL &&
	       owner->place->is_holding && t->place != NULL && t->place->owner_state == 'S';
}

static char
read_state(const struct wait_thread *t, const struct wait_env *env)
{
	char path[64], text[PROC_FILE_SMALL];
	struct procfs_stat stat;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/task/%d/stat", t->pid, t->tid);
	n = proc_file_read(env->proc_fd, path, text, sizeof(text));
	return n > 0 && procfs_stat(text, (size_t)n, &stat) ? stat.state : 0;
}

/* What it waits for, where the call alone does not tell. */
static void
ask_more(struct wait_thread *t, struct wait_env *env, struct wait_place *p)
{
	const struct wait_call *row = wait_call_find(p->call.number);

	wait_object_find_file(&p->object, t, env, &p->call);
	read_lock(t, env, p);
	if (row->may_block && p->call.number >= 0)
		p->state = read_state(t, env);
}

static struct wait_place *
take_place(struct wait_thread *t, struct wait_env *env, const struct procfs_syscall *call)
{
	uint8_t stack[RECORD_LOOK_STACK_MAX];
	size_t want = env->has_stacks ? wanted_bytes(t, call->sp) : 0;
	size_t len = want > 0 ? read_stack(t, call->sp, stack, want) : 0;
	struct wait_place *p = mem_calloc(1, sizeof(*p) + len);

	p->call = *call;
	p->stack_len = len;
	memcpy(p->stack, stack, len);
	if (!t->is_denied)
		ask_more(t, env, p);
	if (!t->is_denied && env->kernel != NULL)
		p->kernel_len = kernel_stacks_read(env->kernel, env->proc_fd, t->pid, t->tid,
						   p->kernel);
	return p;
}

/* Some of them may be of no use, and not be there. */
static bool
read_words(void *thread, uint64_t address, uint32_t words[CALL_32_ARGS])
{
	const size_t len = CALL_32_ARGS * sizeof(*words);

	return read_stack(thread, address, (uint8_t *)words, len) >= 2 * sizeof(*words);
}

/* Where it waits; false: it runs, or could. */
static bool
read_call(struct wait_thread *t, const struct wait_env *env, struct procfs_syscall *call)
{
	char text[TEXT_MAX];
	ssize_t n = read_file(t, env, t->call_fd, "syscall", text);

	*call = (struct procfs_syscall){ .number = PROCFS_NO_CALL };
	t->is_others = n < 0 && errno == EACCES; /* the file is its owner's alone */
	t->is_denied = n < 0 && errno == EPERM;  /* ptrace(2) is denied */
	if (t->is_denied)
		return true;
	if (n <= 0 || !procfs_syscall(text, (size_t)n, call))
		return false;
	t->is_over = !call->is_running && call->pc == 0;
	if (call_32_is(call))
		call_32_translate(call, read_words, t);
	return !call->is_running;
}

/* It waited at the last look, and does no more: what it has waited since was there. */
static void
end_wait(struct wait_thread *t)
{
	int64_t owed = wait_thread_owed_ns(t, &t->sched, t->seen_ns);

	if (owed > 0 && t->place != NULL)
		give(t, (uint64_t)owed);
}

/*
 * It has run since the last look, and waits: half of what it has waited was where it waited then, if
 * it did, and half is here.
 */
static void
move_to(struct wait_thread *t, struct wait_env *env, struct wait_place *place, bool waited)
{
	int64_t owed = wait_thread_owed_ns(t, &t->sched, t->seen_ns);

	if (owed > 0 && waited && t->place != NULL) {
		give(t, (uint64_t)owed / 2);
		owed -= owed / 2;
	}
	if (place != NULL) {
		leave_place(t, env);
		t->place = place;
		env->place_bytes += sizeof(*place) + place->stack_len;
	}
	if (owed > 0)
		give(t, (uint64_t)owed);
}

static bool
read_sleeps(const struct wait_thread *t, const struct wait_env *env, uint64_t *sleeps)
{
	char path[64], text[STATUS_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%d/task/%d/status", t->pid, t->tid);
	n = proc_file_read(env->proc_fd, path, text, sizeof(text));
	return n > 0 && procfs_sleeps(text, (size_t)n, sleeps);
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
 * It runs, or could.  Its schedstat is late then, by a tick or by its turn in the run queue: of all
 * looks since a second ago the one counts at which the least was missing.
 */
static void
find_stolen(struct wait_thread *t, const struct wait_env *env)
{
	struct wait_awake *a = &t->awake;
	uint64_t sleeps = 0;
	bool is_first = a->since_ns == 0;

	if (!env->has_queue)
		return;
	a->least = MIN(is_first ? INT64_MAX : a->least,
		       wait_thread_owed_ns(t, &t->sched, t->seen_ns));
	if (!is_first && t->seen_ns - a->since_ns < AWAKE_MS * NSEC_PER_MSEC)
		return;
	if (!read_sleeps(t, env, &sleeps)) {
		a->since_ns = 0;
		return;
	}
	if (is_first || sleeps != a->sleeps)
		*a = (struct wait_awake){ .sleeps = sleeps, .untold_ns = a->untold_ns };
	else
		steal(t, a);
	a->since_ns = t->seen_ns;
	a->least = INT64_MAX;
}

static void
look_anew(struct wait_thread *t, struct wait_env *env)
{
	const bool waited = t->state == LOOK_WAITS;
	struct procfs_schedstat after;
	struct wait_place *place = NULL;
	struct procfs_syscall call;

	t->state = LOOK_RUNS;
	if (!read_call(t, env, &call)) {
		if (waited)
			end_wait(t);
		find_stolen(t, env);
		return;
	}
	t->awake.since_ns = 0;
	/* The call was read in one piece; its stack was not. */
	if (is_known_place(t, env, &call)) {
		follow_lock(t, env);
	} else {
		place = take_place(t, env, &call);
		if (!read_sched(t, env, &after) || !is_same(&after, &t->sched)) {
			t->state = LOOK_UNKNOWN;
			env->thrown++;
			free(place);
			return;
		}
	}
	t->state = LOOK_WAITS;
	move_to(t, env, place, waited);
}

/* It has not run since the last look. */
static void
look_again(struct wait_thread *t, struct wait_env *env)
{
	int64_t owed = wait_thread_owed_ns(t, &t->sched, t->seen_ns);

	env->same++;
	if (t->state == LOOK_WAITS && owed > 0)
		give(t, (uint64_t)owed);
	if (t->state == LOOK_WAITS)
		follow_lock(t, env);
}

static void
tell_what_is_due(struct wait_thread *t, struct wait_env *env)
{
	if (env->place_bytes > env->place_max) {
		leave_place(t, env);
		t->state = LOOK_UNKNOWN;
	} else if (t->seen_ns - t->told_ns >= env->hold_ns) {
		tell_wait(t, env);
	}
	tell_queue(t, env, env->hold_ns);
	tell_stolen(t, env);
}

int
wait_thread_look(struct wait_thread *t, struct wait_env *env)
{
	struct procfs_schedstat sched;
	bool is_again;

	env->looks++;
	if (!read_sched(t, env, &sched)) {
		leave_place(t, env);
		return -1;
	}
	t->seen_ns = clock_mono_ns();
	is_again = t->since_ns != 0 && t->state != LOOK_UNKNOWN && is_same(&sched, &t->sched);
	t->still = is_again ? t->still + 1 : 0;
	t->still_ns = is_again ? t->still_ns : t->seen_ns;
	t->sched = sched;
	if (t->since_ns == 0) {
		t->since_ns = t->seen_ns;
		t->since = sched;
	}
	if (is_again)
		look_again(t, env);
	else
		look_anew(t, env);
	tell_what_is_due(t, env);
	return t->is_others || t->is_over ? -1 : !is_again;
}
