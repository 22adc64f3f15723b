/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_object.h"

#include "live/wait/call_32.h"

#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

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

bool
wait_object_is_same_file(const struct wait_object *o, const struct wait_thread *t,
			 const struct wait_env *env)
{
	char link[64];

	return o->socket == 0 ||
	       socket_number(link, read_link(t, env, o->fd, link, sizeof(link))) == o->socket;
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
	case WAIT_ON_SELECT:
		return -1;
	case WAIT_ON_FD:
		return (int)call->args[0];
	case WAIT_ON_POLL:
		if ((int)call->args[1] != 1 || process_vm_readv(t->tid, &local, 1, &remote, 1, 0) < 0)
			return -1;
		return first.fd;
	}
	return -1;
}

/* Where a connection is still on its way to, the socket does not tell: the call does. */
static bool
connect_address(const struct wait_thread *t, const struct procfs_syscall *call,
		char text[SOCKET_PEER_MAX])
{
	struct sockaddr_storage address = { 0 };
	struct iovec local = { &address, MIN(call->args[2], sizeof(address)) };
	struct iovec remote = { (void *)(uintptr_t)call->args[1], local.iov_len };
	ssize_t n;

	if (call->number != SYS_connect)
		return false;
	n = process_vm_readv(t->tid, &local, 1, &remote, 1, 0);
	return n > 0 && socket_address(&address, (size_t)n, text);
}

/* Peers of sockets are remembered: their number is given to no other for long. */
static bool
find_peer(const struct wait_object *o, const struct wait_thread *t, struct wait_env *env,
	  const struct procfs_syscall *call, char text[SOCKET_PEER_MAX])
{
	struct wait_peer *known = &env->peers[o->socket % ARRAY_SIZE(env->peers)];

	if (connect_address(t, call, text))
		return true;
	if (known->socket == o->socket) {
		memcpy(text, known->text, sizeof(known->text));
		return true;
	}
	if (!socket_peer(t->pid, o->fd, o->socket, text))
		return false;
	known->socket = o->socket;
	memcpy(known->text, text, sizeof(known->text));
	return true;
}

void
wait_object_find_file(struct wait_object *o, const struct wait_thread *t, struct wait_env *env,
		      const struct procfs_syscall *call)
{
	int fd = waited_fd(t, call, wait_call_find(call->number)->on);
	char text[SOCKET_PEER_MAX];

	if (fd < 0)
		return;
	o->fd = fd;
	o->len = (uint8_t)read_link(t, env, fd, o->text, sizeof(o->text));
	o->socket = socket_number(o->text, o->len);
	if (o->socket != 0 && find_peer(o, t, env, call, text))
		o->len = (uint8_t)snprintf(o->text, sizeof(o->text), RECORD_LOOK_SOCKET "%s", text);
}

/* Where a lock says who holds it. */
static const struct {
	const char *word; /* what it is called */
	size_t owner_at[2]; /* of 64-bit programs, and of those of 32 bits */
	uint32_t tid_mask;
	uint32_t is_locked; /* the first word has this value while somebody waits, 0: any */
	uint32_t nobody;    /* this is no tid */
} owners[WAIT_LOCKS] = {
	/* lock, count, owner: as glibc begins pthread_mutex_t */
	[WAIT_LOCK_MUTEX] = { "mutex", { 8, 8 }, UINT32_MAX, 2, 0 },
	/* EBUSY in normal ones of musl */
	[WAIT_LOCK_TID] = { "mutex", { 0, 0 }, FUTEX_TID_MASK, 0, 16 },
	/* __cur_writer in bits/struct_rwlock.h */
	[WAIT_LOCK_RWLOCK] = { "rwlock", { 24, 28 }, UINT32_MAX, 0, 0 },
};

/*
 * Of the tid in the lock that the call waits for, which is of its own pid namespace; 0: it is not
 * locked any more, or names no thread.
 */
static int
lock_owner(const struct wait_thread *t, const struct wait_env *env,
	   const struct procfs_syscall *call, enum wait_lock lock)
{
	const size_t at = owners[lock].owner_at[call_32_is(call)] / sizeof(uint32_t);
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

bool
wait_object_find_lock(struct wait_object *o, const struct wait_thread *t, const struct wait_env *env,
		      const struct procfs_syscall *call, int *owner)
{
	enum wait_lock lock = wait_lock_of(call->number, call->args);
	char text[sizeof(o->text)];
	bool is_new;
	int len;

	*owner = 0;
	if (lock == WAIT_LOCK_NONE)
		return false;
	*owner = lock_owner(t, env, call, lock);
	len = snprintf(text, sizeof(text), "%s 0x%llx", owners[lock].word,
		       (unsigned long long)wait_lock_address(lock, call->args));
	if (*owner != 0)
		len += snprintf(text + len, sizeof(text) - (size_t)len, RECORD_LOOK_HELD_BY "%d",
				*owner);
	is_new = o->len != len || memcmp(o->text, text, (size_t)len) != 0;
	memcpy(o->text, text, (size_t)len);
	o->len = (uint8_t)len;
	return is_new;
}
