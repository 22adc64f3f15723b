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
	ASKS_MAX = 64,    /* tops of stacks that are read at once */
	STAYS_LEAST = 3,  /* of a thread that waits at the same place again and again, the times are */
	SHORT_LOOKS = 3,  /* looked at after so many looks at its place alone */
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

/* One of these is the cause where a file is not there for want of descriptors. */
static bool
is_starved(int error)
{
	return error == EMFILE || error == ENFILE;
}

static int
open_file(const struct wait_thread *t, const struct wait_env *env, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/task/%d/%s", t->pid, t->tid, name);
	return openat(env->proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/*
 * The length of what one read gives, -1: errno.  @kept_fd: stays open if there are no more than
 * @kept_max such files.
 */
static ssize_t
read_file(const struct wait_thread *t, struct wait_env *env, int *kept_fd, size_t kept_max,
	  const char *name, char text[TEXT_MAX])
{
	ssize_t n;
	int fd, saved;

	errno = 0;
	fd = *kept_fd >= 0 ? *kept_fd : open_file(t, env, name);
	if (fd < 0)
		return -1;
	n = pread(fd, text, TEXT_MAX, 0);
	saved = errno;
	if (n > 0 && fd != *kept_fd && env->files < kept_max) {
		*kept_fd = fd;
		env->files++;
	}
	if (fd != *kept_fd)
		close(fd);
	errno = saved;
	return n;
}

/* Up to when all it has waited is told. */
static void
note_told(struct wait_thread *t, struct wait_env *env)
{
	uint64_t until = t->told_until_ns;

	if (t->since_ns != 0)
		until = t->since_ns + t->sched.run_ns - t->since.run_ns + t->sched.queue_ns -
			t->since.queue_ns + t->given_ns - t->untold_ns;
	env->told_sum_ns += until - t->told_until_ns;
	t->told_until_ns = until;
}

void
wait_thread_init(struct wait_thread *t, int pid, int tid, struct wait_env *env, uint64_t now_ns)
{
	*t = (struct wait_thread){ .pid = pid, .tid = tid, .sched_fd = -1, .call_fd = -1,
				   .stack_max = STACK_LEAST, .told_until_ns = now_ns };
	env->told_sum_ns += now_ns - env->begun_ns;
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
	env->files -= (t->sched_fd >= 0) + (t->call_fd >= 0);
	env->scheds -= t->sched_fd >= 0;
	env->told_sum_ns -= t->told_until_ns - env->begun_ns;
	if (t->sched_fd >= 0)
		close(t->sched_fd);
	if (t->call_fd >= 0)
		close(t->call_fd);
	forget_place(t, env);
}

static bool
read_sched(struct wait_thread *t, struct wait_env *env, struct procfs_schedstat *out)
{
	const bool is_kept = t->sched_fd >= 0;
	char text[TEXT_MAX];
	ssize_t n = read_file(t, env, &t->sched_fd, env->files_max, "schedstat", text);

	env->scheds += !is_kept && t->sched_fd >= 0;
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

/* Functions of the kernel have no addresses yet, and are soon to have them. */
static bool
is_early(const struct wait_thread *t, const struct wait_env *env)
{
	uint64_t addrs[KERNEL_STACK_MAX];
	const struct wait_place *p = t->place;

	return p->kernel_len > 0 && kernel_stacks_is_soon(env->kernel, t->seen_ns) &&
	       kernel_stacks_addresses(env->kernel, p->kernel, p->kernel_len, addrs) == 0;
}

static void
tell_wait(struct wait_thread *t, const struct wait_env *env, bool is_over)
{
	if (t->place == NULL || t->untold_ns == 0 || env->out->len >= env->out_max ||
	    (!is_over && is_early(t, env)))
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
	tell_wait(t, env, false);
	note_told(t, env);
}

/* It is somewhere else now.  What could not be told is given to another place. */
static void
leave_place(struct wait_thread *t, struct wait_env *env)
{
	tell_wait(t, env, true);
	t->given_ns -= t->untold_ns;
	t->untold_ns = 0;
	note_told(t, env);
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

/* Whether it may wait where it did: the same call.  What called that its stack tells: @ask. */
static bool
may_be_known(struct wait_thread *t, const struct wait_env *env, const struct procfs_syscall *call,
	     struct wait_ask *ask)
{
	const struct wait_place *p = t->place;

	if (p == NULL || !is_same_call(&p->call, call) ||
	    !wait_object_is_same_file(&p->object, t, env))
		return false;
	*ask = (struct wait_ask){ .thread = t, .call = *call,
				  .len = MIN(p->stack_len, sizeof(ask->top)) };
	return true;
}

static bool
is_known_place(const struct wait_ask *ask)
{
	return ask->got == ask->len && memcmp(ask->top, ask->thread->place->stack, ask->len) == 0;
}

/* Those of one process, up to one that cannot be read; how many. */
static size_t
read_some_tops(struct wait_ask *asks, size_t count)
{
	struct iovec local[ASKS_MAX], remote[ASKS_MAX];
	size_t n = 0, done = 0;
	ssize_t len;

	for (; n < MIN(count, (size_t)ASKS_MAX) && asks[n].thread->pid == asks[0].thread->pid; n++) {
		local[n] = (struct iovec){ asks[n].top, asks[n].len };
		remote[n] = (struct iovec){ (void *)(uintptr_t)asks[n].call.sp, asks[n].len };
	}
	len = process_vm_readv(asks[0].thread->tid, local, n, remote, n, 0);
	while (done < n && len >= (ssize_t)asks[done].len) {
		asks[done].got = asks[done].len;
		len -= (ssize_t)asks[done++].len;
	}
	return done;
}

void
wait_thread_read_tops(struct wait_ask *asks, size_t count)
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
	tell_wait(t, env, true);
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
read_call(struct wait_thread *t, struct wait_env *env, struct procfs_syscall *call)
{
	/* The other file is read at each look, and comes first. */
	size_t wanted = env->threads > env->scheds ? env->threads - env->scheds : 0;
	size_t max = env->files_max > wanted ? env->files_max - wanted : 0;
	char text[TEXT_MAX];
	ssize_t n = read_file(t, env, &t->call_fd, max, "syscall", text);

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

/* Of what it has waited since the look before: it may have been at its last place a while longer. */
static uint64_t
share_of_last(const struct wait_thread *t, uint64_t owed)
{
	uint64_t last_ns = MIN(MAX(t->stays_ns, t->before_ns), t->seen_ns);
	double all = (double)MAX(t->seen_ns - t->before_ns, 1);

	return (uint64_t)((double)owed * (1 - (double)(t->seen_ns - last_ns) / 2 / all));
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
		uint64_t last = share_of_last(t, (uint64_t)owed);

		give(t, last);
		owed -= (int64_t)last;
	}
	t->stays = place == NULL ? t->stays + 1 : 0;
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

/* It waits, at @place, NULL: where it did. */
static void
arrive(struct wait_thread *t, struct wait_env *env, struct wait_place *place, bool waited)
{
	t->state = LOOK_WAITS;
	move_to(t, env, place, waited);
}

/* It waits elsewhere.  The call was read in one piece; its stack was not. */
static void
find_place(struct wait_thread *t, struct wait_env *env, const struct procfs_syscall *call)
{
	const bool waited = t->state == LOOK_WAITS;
	struct wait_place *place = take_place(t, env, call);
	struct procfs_schedstat after;

	if (!read_sched(t, env, &after) || !is_same(&after, &t->sched)) {
		t->state = LOOK_UNKNOWN;
		env->thrown++;
		free(place);
		return;
	}
	arrive(t, env, place, waited);
}

/* true: @ask is to be answered. */
static bool
look_anew(struct wait_thread *t, struct wait_env *env, struct wait_ask *ask)
{
	const bool waited = t->state == LOOK_WAITS;
	struct procfs_syscall call;

	if (!read_call(t, env, &call)) {
		bool is_unknown = t->call_fd < 0 && is_starved(errno);

		t->state = is_unknown ? LOOK_UNKNOWN : LOOK_RUNS;
		env->starved += is_unknown;
		if (is_unknown)
			return false;
		if (waited)
			end_wait(t);
		find_stolen(t, env);
		return false;
	}
	t->awake.since_ns = 0;
	if (may_be_known(t, env, &call, ask))
		return true;
	find_place(t, env, &call);
	return false;
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
		tell_wait(t, env, false);
	}
	tell_queue(t, env, env->hold_ns);
	tell_stolen(t, env);
	note_told(t, env);
}

static int
end_look(struct wait_thread *t, struct wait_env *env)
{
	tell_what_is_due(t, env);
	return t->is_others || t->is_over ? -1 : t->still == 0;
}

/* What it has waited since the first look counts, wherever it is found. */
static void
begin_sums(struct wait_thread *t, const struct procfs_schedstat *sched)
{
	if (t->since_ns != 0)
		return;
	t->since_ns = t->seen_ns;
	t->since = *sched;
	t->sched = *sched;
}

/*
 * Of a thread that runs and waits at the same place again and again, that is all that its times would
 * tell: they are looked at now and then.  Of one that waits for a lock they are wanted.
 */
static bool
begin_short_look(struct wait_thread *t, struct wait_env *env, struct wait_ask *ask)
{
	struct procfs_syscall call;

	if (env->wants_times || t->stays < STAYS_LEAST || t->short_looks == SHORT_LOOKS ||
	    t->state != LOOK_WAITS || t->is_denied || t->owner != 0)
		return false;
	t->short_looks++;
	if (!read_call(t, env, &call) || t->is_denied || !may_be_known(t, env, &call, ask) ||
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

	env->looks++;
	if (!is_short && begin_short_look(t, env, ask))
		return WAIT_ASKS;
	t->short_looks = 0;
	if (!read_sched(t, env, &sched)) {
		bool is_unknown = t->sched_fd < 0 && is_starved(errno);

		env->starved += is_unknown;
		if (!is_unknown)
			leave_place(t, env);
		return is_unknown ? WAIT_PUT_OFF : -1;
	}
	is_again = !is_first && t->state != LOOK_UNKNOWN && is_same(&sched, &t->sched);
	t->ran = is_first || is_again ? 0 : t->ran + 1;
	if (is_short && !is_again) {
		t->seen_ns = is_first ? clock_mono_ns() : t->seen_ns;
		begin_sums(t, &sched);
		note_told(t, env);
		t->still = 0;
		return WAIT_PUT_OFF;
	}
	t->before_ns = t->seen_ns;
	t->seen_ns = clock_mono_ns();
	t->still = is_again ? t->still + 1 : 0;
	t->still_ns = is_again ? t->still_ns : t->seen_ns;
	t->stays = is_again ? 0 : t->stays;
	t->sched = sched;
	begin_sums(t, &sched);
	if (is_again)
		look_again(t, env);
	else if (look_anew(t, env, ask))
		return WAIT_ASKS;
	return end_look(t, env);
}

int
wait_thread_end_look(struct wait_ask *ask, struct wait_env *env)
{
	struct wait_thread *t = ask->thread;
	const bool waited = t->state == LOOK_WAITS;

	if (ask->is_place_alone && is_known_place(ask)) {
		t->stays_ns = clock_mono_ns();
		return 1;
	}
	if (ask->is_place_alone) {
		t->stays = 0;
		return wait_thread_look(t, env);
	}
	if (is_known_place(ask)) {
		follow_lock(t, env);
		arrive(t, env, NULL, waited);
	} else {
		find_place(t, env, &ask->call);
	}
	return end_look(t, env);
}

int
wait_thread_look(struct wait_thread *t, struct wait_env *env)
{
	struct wait_ask ask;
	int res = wait_thread_begin_look(t, env, false, &ask);

	if (res != WAIT_ASKS)
		return res == WAIT_PUT_OFF ? 1 : res;
	wait_thread_read_tops(&ask, 1);
	return wait_thread_end_look(&ask, env);
}
