/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/wait_kind.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#define DEF(text, group) { text, "[" text "]", group, false }
#define IDLE(text) { text, "[" text "]", "idle", true }

const struct wait_kind_def wait_kind_defs[WAIT_KINDS] = {
	[WAIT_LOCK] = DEF("lock", "lock"),
	[WAIT_CONDITION] = DEF("condition", "cond"),
	[WAIT_FUTEX] = DEF("futex", "other"),
	[WAIT_SEMAPHORE] = DEF("semaphore", "lock"),
	[WAIT_FILE_LOCK] = DEF("file lock", "lock"),
	[WAIT_DISK] = DEF("disk", "disk"),
	[WAIT_FILE] = DEF("file", "disk"),
	[WAIT_FAULT] = DEF("page fault", "fault"),
	[WAIT_NETWORK] = DEF("network", "net"),
	[WAIT_PIPE] = DEF("pipe", "pipe"),
	[WAIT_TERMINAL] = DEF("terminal", "other"),
	[WAIT_CHILD] = DEF("child", "child"),
	[WAIT_SLEEP] = DEF("sleep", "sleep"),
	[WAIT_EVENT] = DEF("event", "other"),
	[WAIT_LOOP] = IDLE("event loop"),
	[WAIT_ACCEPT] = IDLE("accept"),
	[WAIT_SIGNAL] = IDLE("signal"),
	[WAIT_POOL] = IDLE("worker pool"),
	[WAIT_CALL] = DEF("other call", "other"),
	[WAIT_UNKNOWN] = DEF("not to be seen", "other"),
	[WAIT_QUEUE] = DEF("run queue", "queue"),
	[WAIT_STOLEN] = DEF("stolen", "stolen"),
	[WAIT_OWN_LOCK] = DEF("program lock", "lock"),
};

/* The latter ones are not on all machines.  In order of their use, not of their numbers. */
static const struct wait_call calls[] = {
	{ SYS_futex, WAIT_ON_NONE, WAIT_FUTEX },
	{ SYS_epoll_pwait, WAIT_ON_NONE, WAIT_LOOP },
	{ SYS_ppoll, WAIT_ON_POLL, WAIT_LOOP },
	{ SYS_pselect6, WAIT_ON_SELECT, WAIT_LOOP },
	{ SYS_read, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_write, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_readv, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_writev, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_pread64, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_pwrite64, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_fsync, WAIT_ON_FD, WAIT_DISK, true },
	{ SYS_fdatasync, WAIT_ON_FD, WAIT_DISK, true },
	{ SYS_sync_file_range, WAIT_ON_FD, WAIT_DISK, true },
	{ SYS_fallocate, WAIT_ON_FD, WAIT_DISK, true },
	{ SYS_ftruncate, WAIT_ON_FD, WAIT_DISK, true },
	{ SYS_getdents64, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_sync, WAIT_ON_NONE, WAIT_DISK, true },
	{ SYS_openat, WAIT_ON_NONE, WAIT_FILE, true },
	{ SYS_unlinkat, WAIT_ON_NONE, WAIT_FILE, true },
	{ SYS_msync, WAIT_ON_NONE, WAIT_DISK, true },
	{ SYS_sendfile, WAIT_ON_FD, WAIT_FILE, true },
	{ SYS_splice, WAIT_ON_FD, WAIT_PIPE },
	{ SYS_recvfrom, WAIT_ON_FD, WAIT_NETWORK },
	{ SYS_recvmsg, WAIT_ON_FD, WAIT_NETWORK },
	{ SYS_recvmmsg, WAIT_ON_FD, WAIT_NETWORK },
	{ SYS_sendto, WAIT_ON_FD, WAIT_NETWORK },
	{ SYS_sendmsg, WAIT_ON_FD, WAIT_NETWORK },
	{ SYS_connect, WAIT_ON_FD, WAIT_NETWORK },
	{ SYS_accept, WAIT_ON_NONE, WAIT_ACCEPT },
	{ SYS_accept4, WAIT_ON_NONE, WAIT_ACCEPT },
	{ SYS_nanosleep, WAIT_ON_NONE, WAIT_SLEEP },
	{ SYS_clock_nanosleep, WAIT_ON_NONE, WAIT_SLEEP },
	{ SYS_restart_syscall, WAIT_ON_NONE, WAIT_SLEEP },
	{ SYS_wait4, WAIT_ON_NONE, WAIT_CHILD },
	{ SYS_waitid, WAIT_ON_NONE, WAIT_CHILD },
	{ SYS_rt_sigtimedwait, WAIT_ON_NONE, WAIT_SIGNAL },
	{ SYS_rt_sigsuspend, WAIT_ON_NONE, WAIT_SIGNAL },
	{ SYS_flock, WAIT_ON_FD, WAIT_FILE_LOCK },
	{ SYS_fcntl, WAIT_ON_FD, WAIT_FILE_LOCK },
	{ SYS_semop, WAIT_ON_NONE, WAIT_SEMAPHORE },
	{ SYS_semtimedop, WAIT_ON_NONE, WAIT_SEMAPHORE },
	{ SYS_msgrcv, WAIT_ON_NONE, WAIT_PIPE },
	{ SYS_msgsnd, WAIT_ON_NONE, WAIT_PIPE },
	{ SYS_io_getevents, WAIT_ON_NONE, WAIT_DISK },
	{ 426, WAIT_ON_NONE, WAIT_LOOP }, /* io_uring_enter */
	{ 441, WAIT_ON_NONE, WAIT_LOOP }, /* epoll_pwait2 */
#ifdef SYS_poll
	{ SYS_poll, WAIT_ON_POLL, WAIT_LOOP },
	{ SYS_select, WAIT_ON_SELECT, WAIT_LOOP },
	{ SYS_epoll_wait, WAIT_ON_NONE, WAIT_LOOP },
	{ SYS_pause, WAIT_ON_NONE, WAIT_SIGNAL },
	{ SYS_open, WAIT_ON_NONE, WAIT_FILE, true },
	{ SYS_stat, WAIT_ON_NONE, WAIT_FILE, true },
	{ SYS_unlink, WAIT_ON_NONE, WAIT_FILE, true },
#endif
};

const struct wait_call *
wait_call_find(int number)
{
	static const struct wait_call other = { -1, WAIT_ON_NONE, WAIT_CALL, true };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].number == number)
			return &calls[i];
	return &other;
}

/* What restart_syscall(2) goes on with it does not tell. */
bool
wait_call_is_one_way(int number)
{
	static const bool ways[WAIT_KINDS] = {
		[WAIT_FUTEX] = true, [WAIT_LOOP] = true, [WAIT_SLEEP] = true, [WAIT_SIGNAL] = true,
		[WAIT_CHILD] = true,
	};

	return number != SYS_restart_syscall && ways[wait_call_find(number)->kind];
}

/* What a file is, by how its link begins. */
static const struct {
	const char *prefix;
	enum wait_kind kind;
} files[] = {
	{ "socket:", WAIT_NETWORK },
	{ "pipe:", WAIT_PIPE },
	{ "anon_inode:inotify", WAIT_LOOP },
	{ "anon_inode:", WAIT_EVENT },
	{ "/dev/pts/", WAIT_TERMINAL },
	{ "/dev/tty", WAIT_TERMINAL },
	{ "/dev/console", WAIT_TERMINAL },
	{ "/", WAIT_FILE },
};

static enum wait_kind
kind_of_file(struct bytes file, enum wait_kind otherwise)
{
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		size_t len = strlen(files[i].prefix);

		if (file.len >= len && memcmp(file.data, files[i].prefix, len) == 0)
			return files[i].kind;
	}
	return otherwise;
}

/* What the words of glibc's locks are that are waited for. */
enum {
	MUTEX_HAS_WAITERS = 2,
	RWLOCK_WAITS = 3, /* of the phase, or of the writers: one, and PTHREAD_RWLOCK_FUTEX_USED */
};

/* A robust mutex of glibc, one of musl: with FUTEX_WAITERS beside the tid of the owner. */
static bool
is_tid_word(const uint64_t args[])
{
	return ((uint32_t)args[2] & FUTEX_WAITERS) != 0 && ((uint32_t)args[2] & FUTEX_TID_MASK) != 0;
}

/*
 * Of libc: a mutex waits with FUTEX_WAIT while its word is 2 or has a tid; condition variables, and
 * what is made of them, with FUTEX_WAIT_BITSET.  Others' words are not known: they are no locks.
 */
static enum wait_kind
kind_of_futex(const uint64_t args[])
{
	switch ((int)args[1] & FUTEX_CMD_MASK) {
	case FUTEX_LOCK_PI:
	case 13: /* FUTEX_LOCK_PI2 */
		return WAIT_LOCK;
	case FUTEX_WAIT:
		return (uint32_t)args[2] == MUTEX_HAS_WAITERS || is_tid_word(args) ? WAIT_LOCK
										  : WAIT_FUTEX;
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		return WAIT_CONDITION;
	default:
		return WAIT_FUTEX;
	}
}

/* With a timeout a mutex waits as condition variables do, and a rwlock always does. */
enum wait_lock
wait_lock_of(int call, const uint64_t args[])
{
	const uint32_t word = (uint32_t)args[2];
	int op = (int)args[1] & FUTEX_CMD_MASK;

	if (call != SYS_futex)
		return WAIT_LOCK_NONE;
	if (op == FUTEX_LOCK_PI || op == 13)
		return WAIT_LOCK_TID;
	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return WAIT_LOCK_NONE;
	if (word == MUTEX_HAS_WAITERS)
		return WAIT_LOCK_MUTEX;
	if (is_tid_word(args))
		return WAIT_LOCK_TID;
	return op == FUTEX_WAIT_BITSET && word == RWLOCK_WAITS ? WAIT_LOCK_RWLOCK : WAIT_LOCK_NONE;
}

/* Of bits/struct_rwlock.h: readers and writers, then the two words that are waited for. */
uint64_t
wait_lock_address(enum wait_lock lock, const uint64_t args[])
{
	const uint64_t phase_at = 8, writers_at = 12;

	if (lock != WAIT_LOCK_RWLOCK)
		return args[0];
	return args[0] - (args[0] % 8 == 0 ? phase_at : writers_at);
}

/* Many files are waited for by who has nothing to do; without one it is to pass the time. */
static enum wait_kind
kind_of_count(uint64_t count)
{
	return (int)count == 0 ? WAIT_SLEEP : WAIT_LOOP;
}

/* Up to how many, and three sets of them. */
static enum wait_kind
kind_of_select(const uint64_t args[])
{
	return kind_of_count((args[1] | args[2] | args[3]) != 0 ? args[0] : 0);
}

/* One file is waited for in the middle of work. */
static enum wait_kind
kind_of_poll(uint64_t count, struct bytes file)
{
	enum wait_kind kind = (int)count == 1 ? kind_of_file(file, WAIT_LOOP) : kind_of_count(count);

	/* A thread that is told by an eventfd that there is work again. */
	return kind == WAIT_EVENT ? WAIT_LOOP : kind;
}

/* What is told to be written waits for the disk, and a lock is one, whatever the file is called. */
static bool
is_of_any_file(enum wait_kind kind)
{
	return kind == WAIT_DISK || kind == WAIT_FILE_LOCK;
}

enum wait_kind
wait_kind_of(int call, const uint64_t args[], char state, struct bytes file)
{
	const struct wait_call *row = wait_call_find(call);

	if (state == 'R')
		return WAIT_QUEUE;
	if (state == WAIT_STATE_STOLEN)
		return WAIT_STOLEN;
	if (call < 0)
		return WAIT_FAULT;
	if (row->kind == WAIT_FUTEX)
		return kind_of_futex(args);
	if (row->on == WAIT_ON_POLL)
		return kind_of_poll(args[1], file);
	if (state == 'D')
		return WAIT_DISK;
	if (row->on == WAIT_ON_SELECT)
		return kind_of_select(args);
	return row->on == WAIT_ON_FD && !is_of_any_file(row->kind) ? kind_of_file(file, row->kind)
								   : row->kind;
}

/*
 * Functions of the kernel in which threads wait, by what they wait for there: the innermost of a
 * stack counts.  Names are those of kernels 5.4 to 6.18.
 */
static const struct {
	const char *name;
	enum wait_kind kind;
} functions[] = {
	{ "futex_wait", WAIT_FUTEX },
	{ "__futex_wait", WAIT_FUTEX },
	{ "futex_wait_requeue_pi", WAIT_CONDITION },
	{ "futex_lock_pi", WAIT_LOCK },
	{ "do_epoll_wait", WAIT_LOOP },
	{ "ep_poll", WAIT_LOOP },
	{ "do_sys_poll", WAIT_POLL },
	{ "do_select", WAIT_SELECT },
	{ "io_cqring_wait", WAIT_LOOP },
	{ "inotify_read", WAIT_LOOP },
	{ "do_nanosleep", WAIT_SLEEP },
	{ "hrtimer_nanosleep", WAIT_SLEEP },
	{ "pipe_read", WAIT_PIPE },
	{ "anon_pipe_read", WAIT_PIPE },
	{ "fifo_pipe_read", WAIT_PIPE },
	{ "pipe_write", WAIT_PIPE },
	{ "anon_pipe_write", WAIT_PIPE },
	{ "fifo_pipe_write", WAIT_PIPE },
	{ "do_msgrcv", WAIT_PIPE },
	{ "do_msgsnd", WAIT_PIPE },
	{ "inet_csk_accept", WAIT_ACCEPT },
	{ "unix_accept", WAIT_ACCEPT },
	{ "do_accept", WAIT_ACCEPT },
	{ "sk_wait_data", WAIT_NETWORK },
	{ "sk_stream_wait_memory", WAIT_NETWORK },
	{ "sock_alloc_send_pskb", WAIT_NETWORK },
	{ "unix_stream_data_wait", WAIT_NETWORK },
	{ "unix_stream_read_generic", WAIT_NETWORK },
	{ "__skb_recv_datagram", WAIT_NETWORK },
	{ "sock_recvmsg", WAIT_NETWORK },
	{ "sock_sendmsg", WAIT_NETWORK },
	{ "sock_read_iter", WAIT_NETWORK },
	{ "inet_stream_connect", WAIT_NETWORK },
	{ "do_wait", WAIT_CHILD },
	{ "wait_for_vfork_done", WAIT_CHILD },
	{ "do_sigtimedwait", WAIT_SIGNAL },
	{ "sigsuspend", WAIT_SIGNAL },
	{ "__do_sys_pause", WAIT_SIGNAL },
	{ "__x64_sys_pause", WAIT_SIGNAL },
	{ "n_tty_read", WAIT_TERMINAL },
	{ "n_tty_write", WAIT_TERMINAL },
	{ "eventfd_read", WAIT_EVENT },
	{ "timerfd_read", WAIT_EVENT },
	{ "timerfd_read_iter", WAIT_EVENT },
	{ "signalfd_read", WAIT_EVENT },
	{ "signalfd_read_iter", WAIT_EVENT },
	{ "__do_semtimedop", WAIT_SEMAPHORE },
	{ "do_semtimedop", WAIT_SEMAPHORE },
	{ "flock_lock_inode_wait", WAIT_FILE_LOCK },
	{ "locks_lock_inode_wait", WAIT_FILE_LOCK },
	{ "posix_lock_inode_wait", WAIT_FILE_LOCK },
	{ "fcntl_setlk", WAIT_FILE_LOCK },
	{ "io_schedule", WAIT_DISK },
	{ "io_schedule_timeout", WAIT_DISK },
	{ "read_events", WAIT_DISK },
	{ "handle_mm_fault", WAIT_FAULT },
	{ "worker_thread", WAIT_LOOP },
	{ "smpboot_thread_fn", WAIT_LOOP },
	{ "kthread_worker_fn", WAIT_LOOP },
	{ "rescuer_thread", WAIT_LOOP },
};

enum wait_kind
wait_kind_of_function(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			return functions[i].kind;
	return WAIT_NO_KIND;
}

/* A page that comes from a disk is waited for as a page, a connection as a connection. */
enum wait_kind
wait_kind_join(enum wait_kind inner, enum wait_kind outer)
{
	if (inner == WAIT_NO_KIND || (inner == WAIT_DISK && outer == WAIT_FAULT) ||
	    (inner == WAIT_NETWORK && outer == WAIT_ACCEPT))
		return outer;
	return inner;
}

enum wait_kind
wait_kind_finish(enum wait_kind said, const uint64_t args[], char state)
{
	if (state == 'R')
		return WAIT_QUEUE;
	if (said == WAIT_FUTEX && args != NULL)
		return kind_of_futex(args);
	if (said == WAIT_POLL)
		said = args != NULL ? kind_of_count(args[1]) : WAIT_LOOP;
	if (said == WAIT_SELECT)
		said = args != NULL ? kind_of_select(args) : WAIT_LOOP;
	if (said == WAIT_NO_KIND && state == 'I')
		return WAIT_LOOP;
	if (said == WAIT_NO_KIND || (state == 'D' && said == WAIT_LOOP))
		return state == 'D' ? WAIT_DISK : WAIT_CALL;
	return said;
}
