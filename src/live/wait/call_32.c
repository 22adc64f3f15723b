/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/call_32.h"

#include <sys/syscall.h>

struct pair {
	int from, to;
};

#if defined(__x86_64__)
/* Those that may wait: arch/x86/entry/syscalls/syscall_32.tbl, here in its order. */
static const struct pair numbers[] = {
	{ 0, SYS_restart_syscall },
	{ 3, SYS_read },
	{ 4, SYS_write },
	{ 5, SYS_open },
	{ 7, SYS_wait4 },             /* waitpid */
	{ 10, SYS_unlink },
	{ 29, SYS_pause },
	{ 36, SYS_sync },
	{ 55, SYS_fcntl },
	{ 72, SYS_rt_sigsuspend },    /* sigsuspend */
	{ 82, SYS_select },
	{ 93, SYS_ftruncate },
	{ 114, SYS_wait4 },
	{ 118, SYS_fsync },
	{ 141, SYS_getdents64 },      /* getdents */
	{ 142, SYS_select },          /* _newselect */
	{ 143, SYS_flock },
	{ 144, SYS_msync },
	{ 145, SYS_readv },
	{ 146, SYS_writev },
	{ 148, SYS_fdatasync },
	{ 162, SYS_nanosleep },
	{ 168, SYS_poll },
	{ 177, SYS_rt_sigtimedwait },
	{ 179, SYS_rt_sigsuspend },
	{ 180, SYS_pread64 },
	{ 181, SYS_pwrite64 },
	{ 187, SYS_sendfile },
	{ 194, SYS_ftruncate },       /* ftruncate64 */
	{ 195, SYS_stat },            /* stat64 */
	{ 220, SYS_getdents64 },
	{ 221, SYS_fcntl },           /* fcntl64 */
	{ 239, SYS_sendfile },        /* sendfile64 */
	{ 240, SYS_futex },
	{ 247, SYS_io_getevents },
	{ 256, SYS_epoll_wait },
	{ 267, SYS_clock_nanosleep },
	{ 284, SYS_waitid },
	{ 295, SYS_openat },
	{ 301, SYS_unlinkat },
	{ 308, SYS_pselect6 },
	{ 309, SYS_ppoll },
	{ 313, SYS_splice },
	{ 314, SYS_sync_file_range },
	{ 319, SYS_epoll_pwait },
	{ 324, SYS_fallocate },
	{ 337, SYS_recvmmsg },
	{ 362, SYS_connect },
	{ 364, SYS_accept4 },
	{ 369, SYS_sendto },
	{ 370, SYS_sendmsg },
	{ 371, SYS_recvfrom },
	{ 372, SYS_recvmsg },
	{ 400, SYS_msgsnd },
	{ 401, SYS_msgrcv },
	{ 407, SYS_clock_nanosleep }, /* these have times of 64 bits */
	{ 413, SYS_pselect6 },
	{ 414, SYS_ppoll },
	{ 417, SYS_recvmmsg },
	{ 420, SYS_semtimedop },
	{ 421, SYS_rt_sigtimedwait },
	{ 422, SYS_futex },
	{ 426, 426 },                 /* io_uring_enter */
	{ 441, 441 },                 /* epoll_pwait2 */
};
enum { SOCKETCALL = 102, IPC = 117 };
#else
/* No table yet: that it waits is all that is known. */
static const struct pair numbers[] = { { -1, -1 } };
enum { SOCKETCALL = -2, IPC = -3 };
#endif

/* The first argument of socketcall(2) and ipc(2). */
static const struct pair sockets[] = {
	{ 3, SYS_connect },   { 5, SYS_accept },   { 9, SYS_sendto },   { 10, SYS_recvfrom },
	{ 11, SYS_sendto },   { 12, SYS_recvfrom }, { 16, SYS_sendmsg }, { 17, SYS_recvmsg },
	{ 18, SYS_accept4 },  { 19, SYS_recvmmsg }, { 20, SYS_sendmsg },
};
static const struct pair ipcs[] = {
	{ 1, SYS_semop }, { 4, SYS_semtimedop }, { 11, SYS_msgsnd }, { 12, SYS_msgrcv },
};

bool
call_32_is(const struct procfs_syscall *call)
{
	return !call->is_running && call->sp >> 32 == 0 && call->pc >> 32 == 0;
}

static int
find(const struct pair *pairs, size_t count, uint64_t from, int otherwise)
{
	for (size_t i = 0; i < count; i++)
		if ((uint64_t)pairs[i].from == from)
			return pairs[i].to;
	return otherwise;
}

void
call_32_translate(struct procfs_syscall *call,
		  bool (*words_at)(void *ctx, uint64_t address, uint32_t words[CALL_32_ARGS]), void *ctx)
{
	const int other = call->number < CALL_32_OTHER ? CALL_32_OTHER + call->number : CALL_32_OTHER;
	uint32_t words[CALL_32_ARGS] = { 0 };

	if (call->number < 0)
		return;
	if (call->number == IPC) {
		call->number = find(ipcs, ARRAY_SIZE(ipcs), call->args[0] & 0xffff, other);
	} else if (call->number == SOCKETCALL) {
		call->number = find(sockets, ARRAY_SIZE(sockets), call->args[0], other);
		if (!words_at(ctx, call->args[1], words)) {
			call->number = other;
			return;
		}
		for (size_t i = 0; i < CALL_32_ARGS; i++)
			call->args[i] = words[i];
	} else {
		call->number = find(numbers, ARRAY_SIZE(numbers), (uint64_t)call->number, other);
	}
}
