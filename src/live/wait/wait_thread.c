/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/look.h"

enum {
	TEXT_MAX = 256,
	STACK_LEAST = 8 << 10,
	STACK_PARTS = 16, /* pages, of which one may be missing: a read ends before it */
	TOP_BYTES = 256,  /* of a stack, by which one is known again */
};

struct wait_place {
	struct procfs_syscall call;
	char state;   /* see struct record_look */
	char owner_state;
	bool is_holding;
	bool is_trusted; /* see wait_thread_trust() */
	uint8_t file_len;
	char file[RECORD_LOOK_FILE_MAX - 1];
	int fd;           /* that it waits for */
	uint64_t socket;  /* its number, 0: it is none */
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

	if (p != NULL && !t->is_denied) {
		look.has_place = true;
		look.call = p->call.number;
		memcpy(look.args, p->call.args, sizeof(look.args));
		look.sp = p->call.sp;
		look.pc = p->call.pc;
		look.state = state != 0 ? state : p->state;
		look.owner_state = p->owner_state;
		look.is_holding = p->is_holding;
		look.file = (struct bytes){ (const uint8_t *)p->file, p->file_len };
		look.stack = (struct bytes){ p->stack, p->stack_len };
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

static size_t
read_link(const struct wait_thread *t, const struct wait_env *env, int fd, char *to, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "%d/task/%d/fd/%d", t->pid, t->tid, fd);
	n = readlinkat(env->proc_fd, path, to, size);
	return n > 0 ? (size_t)n : 0;
}

/* Of a link "socket:[123]": 123, else 0. */
static uint64_t
socket_number(const char *link, size_t len)
{
	char text[64] = "";
	unsigned long long number;

	memcpy(text, link, MIN(len, sizeof(text) - 1));
	return sscanf(text, RECORD_LOOK_SOCKET "[%llu]", &number) == 1 ? number : 0;
}

/* A descriptor can be another connection by now, whose number tells. */
static bool
is_same_socket(const struct wait_thread *t, const struct wait_env *env)
{
	const struct wait_place *p = t->place;
	char link[64];

	return p->socket == 0 ||
	       socket_number(link, read_link(t, env, p->fd, link, sizeof(link))) ==
	       p->socket;
}

/* Whether it waits where it did: the same call, and what called that. */
static bool
is_known_place(const struct wait_thread *t, const struct wait_env *env,
	       const struct procfs_syscall *call)
{
	const struct wait_place *p = t->place;
	uint8_t top[TOP_BYTES];
	size_t len;

	if (p == NULL || !is_same_call(&p->call, call) || !is_same_socket(t, env))
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

/* The descriptor that the call waits for, -1: none. */
static int
waited_fd(const struct wait_thread *t, const struct procfs_syscall *call, enum wait_on on)
{
	struct pollfd first = { .fd = -1 };
	struct iovec local = { &first, sizeof(first) };
	struct iovec remote = { (void *)(uintptr_t)call->args[0], sizeof(first) };

	switch (on) {
	case WAIT_ON_NONE:
		return -1;
	case WAIT_ON_FD:
		return (int)call->args[0];
	case WAIT_ON_POLL:
		if (call->args[1] != 1 || process_vm_readv(t->tid, &local, 1, &remote, 1, 0) < 0)
			return -1;
		return first.fd;
	}
	return -1;
}

/* Where a connection is still on its way to, the socket does not tell: the call does. */
static bool
connect_address(const struct wait_thread *t, const struct wait_place *p, char text[SOCKET_PEER_MAX])
{
	struct sockaddr_storage address = { 0 };
	struct iovec local = { &address, MIN(p->call.args[2], sizeof(address)) };
	struct iovec remote = { (void *)(uintptr_t)p->call.args[1], local.iov_len };
	ssize_t n;

	if (p->call.number != SYS_connect)
		return false;
	n = process_vm_readv(t->tid, &local, 1, &remote, 1, 0);
	return n > 0 && socket_address(&address, (size_t)n, text);
}

/* Peers of sockets are remembered: their number is given to no other for long. */
static bool
find_peer(const struct wait_thread *t, struct wait_env *env, int fd, const struct wait_place *p,
	  char text[SOCKET_PEER_MAX])
{
	struct wait_peer *known = &env->peers[p->socket % ARRAY_SIZE(env->peers)];

	if (connect_address(t, p, text))
		return true;
	if (known->socket == p->socket) {
		memcpy(text, known->text, sizeof(known->text));
		return true;
	}
	if (!socket_peer(t->pid, fd, p->socket, text))
		return false;
	known->socket = p->socket;
	memcpy(known->text, text, sizeof(known->text));
	return true;
}

/* The file behind a descriptor, of a socket what it leads to. */
static void
name_file(const struct wait_thread *t, struct wait_env *env, int fd, struct wait_place *p)
{
	char text[SOCKET_PEER_MAX];

	if (fd < 0)
		return;
	p->fd = fd;
	p->file_len = (uint8_t)read_link(t, env, fd, p->file, sizeof(p->file));
	p->socket = socket_number(p->file, p->file_len);
	if (p->socket != 0 && find_peer(t, env, fd, p, text))
		p->file_len = (uint8_t)snprintf(p->file, sizeof(p->file), RECORD_LOOK_SOCKET "%s",
						text);
}

static void
swap_file(struct wait_place *a, struct wait_place *b)
{
	char file[sizeof(a->file)];
	uint8_t len = a->file_len;

	memcpy(file, a->file, sizeof(file));
	memcpy(a->file, b->file, sizeof(file));
	memcpy(b->file, file, sizeof(file));
	a->file_len = b->file_len;
	b->file_len = len;
}

/* Where a lock says who holds it. */
static const struct {
	const char *word; /* what it is called */
	size_t owner_at;
	uint32_t tid_mask;
	uint32_t is_locked; /* the first word has this value while somebody waits, 0: any */
	uint32_t nobody;    /* this is no tid */
} owners[WAIT_LOCKS] = {
	/* lock, count, owner: as glibc begins pthread_mutex_t */
	[WAIT_LOCK_MUTEX] = { "mutex", 8, UINT32_MAX, 2, 0 },
	/* EBUSY in normal ones of musl */
	[WAIT_LOCK_TID] = { "mutex", 0, FUTEX_TID_MASK, 0, 16 },
	/* __cur_writer in bits/struct_rwlock.h */
	[WAIT_LOCK_RWLOCK] = { "rwlock", 24, UINT32_MAX, 0, 0 },
};

/*
 * Of the tid in the lock that the call waits for, which is of its own pid namespace; 0: it is not
 * locked any more, or names no thread.
 */
static int
lock_owner(const struct wait_thread *t, const struct wait_env *env,
	   const struct procfs_syscall *call, enum wait_lock lock)
{
	const size_t at = owners[lock].owner_at / sizeof(uint32_t);
	uint32_t words[8], owner;
	struct iovec local = { words, (at + 1) * sizeof(*words) };
	struct iovec remote = { (void *)(uintptr_t)wait_lock_address(lock, call->args),
				local.iov_len };
	char path[64];

	if (process_vm_readv(t->tid, &local, 1, &remote, 1, 0) != (ssize_t)local.iov_len)
		return 0;
	owner = words[at] & owners[lock].tid_mask;
	if ((owners[lock].is_locked != 0 && words[0] != owners[lock].is_locked) ||
	    owner == owners[lock].nobody || owner == 0 || owner >= PROCFS_PID_MAX)
		return 0;
	if (t->ns_tid != 0)
		return env->find_in_ns(env->list, t->pid, (int)owner);
	snprintf(path, sizeof(path), "%d/task/%u", t->pid, owner);
	return faccessat(env->proc_fd, path, F_OK, 0) == 0 ? (int)owner : 0;
}

/* Names the lock, and who holds it now.  true: that is another than it was. */
static bool
read_lock(struct wait_thread *t, const struct wait_env *env, struct wait_place *p)
{
	enum wait_lock lock = wait_lock_of(p->call.number, p->call.args);
	char text[sizeof(p->file)];
	bool is_new;
	int owner, len;

	t->owner = t->holder = 0;
	if (lock == WAIT_LOCK_NONE)
		return false;
	t->owner = owner = lock_owner(t, env, &p->call, lock);
	t->holder = p->is_trusted ? owner : 0;
	len = snprintf(text, sizeof(text), "%s 0x%llx", owners[lock].word,
		       (unsigned long long)wait_lock_address(lock, p->call.args));
	if (owner != 0)
		len += snprintf(text + len, sizeof(text) - (size_t)len, RECORD_LOOK_HELD_BY "%d",
				owner);
	is_new = p->file_len != len || memcmp(p->file, text, (size_t)len) != 0;
	memcpy(p->file, text, (size_t)len);
	p->file_len = (uint8_t)len;
	return is_new;
}

/* It waits on, but for somebody else: what it has waited was for who held the lock before. */
static void
follow_lock(struct wait_thread *t, struct wait_env *env)
{
	struct wait_place *p = t->place, before;

	if (p == NULL || t->is_denied ||
	    wait_lock_of(p->call.number, p->call.args) == WAIT_LOCK_NONE)
		return;
	before = *p;
	if (!read_lock(t, env, p) || t->untold_ns == 0)
		return;
	swap_file(p, &before);
	tell_wait(t, env);
	swap_file(p, &before);
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

	name_file(t, env, waited_fd(t, &p->call, row->on), p);
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
	return p;
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
		return;
	}
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
