/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/parser/confine.h"

#include "base/call_filter.h"
#include "base/util.h"

#if CALL_FILTER_WORKS

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define P (SECCOMP_PARSER | SECCOMP_HOST)
#define H SECCOMP_HOST
#define K SECCOMP_KEEPER

/*
 * Who may call what.  Reading is of descriptors that were handed in; the only thing that can be
 * made is a file in memory.  What is not here fails with EPERM, which libraries bear: a parser is
 * not to die because a C library looks for something new.
 */
static const struct call_rule rules[] = {
	{ SYS_read, P },
	{ SYS_pread64, P },
	{ SYS_write, P },
	{ SYS_pwrite64, P },
	{ SYS_lseek, P },
	{ SYS_ftruncate, P },
	{ SYS_close, P },
	{ SYS_fstat, P },
	/* The C library's fstat(). */
	{ SYS_newfstatat, P, { { AT_EMPTY_PATH, AT_EMPTY_PATH, 3 } } },
	{ SYS_fcntl, P, { { UINT32_MAX, F_GETFD, 1 } } },
	{ SYS_fcntl, P, { { UINT32_MAX, F_GETFL, 1 } } },
	{ SYS_fcntl, P, { { UINT32_MAX, F_DUPFD_CLOEXEC, 1 } } },
	{ SYS_fcntl, P, { { UINT32_MAX, F_ADD_SEALS, 1 } } },
	{ SYS_fcntl, P, { { UINT32_MAX, F_GET_SEALS, 1 } } },
	{ SYS_memfd_create, P, { { ~(uint32_t)(MFD_CLOEXEC | MFD_ALLOW_SEALING), 0, 1 } } },
	/* No code, and nothing shared: that would be memory beyond RLIMIT_DATA. */
	{ SYS_mmap, P, { { PROT_EXEC, 0, 2 }, { MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE, 3 } } },
	{ SYS_mprotect, P, { { PROT_EXEC, 0, 2 } } },
	{ SYS_munmap, P },
	{ SYS_mremap, P },
	{ SYS_madvise, P },
	{ SYS_brk, P },
	{ SYS_sendmsg, P },
	{ SYS_recvmsg, P },
	{ SYS_futex, P },
	{ SYS_getrandom, P },
	{ SYS_clock_gettime, P },
	{ SYS_rt_sigreturn, P },
	{ SYS_restart_syscall, P },
	{ SYS_exit, P },
	{ SYS_exit_group, P | K },
	/* Its own time, anew for each file. */
	{ SYS_prlimit64, P, { { UINT32_MAX, 0, 0 }, { UINT32_MAX, RLIMIT_CPU, 1 } } },
	/* To load what lists code, before it becomes a parser: files that anybody may read. */
	{ SYS_openat, H, { { UINT32_MAX, O_RDONLY | O_CLOEXEC, 2 } } },
	{ SYS_mmap, H, { { PROT_EXEC | PROT_WRITE, PROT_EXEC, 2 },
			 { MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE, 3 } } },
	/* To fork a parser, to end it, and for that to go on as one. */
	{ SYS_clone, H, { { ~(uint32_t)(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID), SIGCHLD, 0 } } },
	{ SYS_set_robust_list, H },
	{ SYS_kill, H },
	{ SYS_wait4, H | K },
	{ SYS_clock_nanosleep, H },
#ifdef SYS_pidfd_open
	{ SYS_pidfd_open, H },
#endif
	{ SYS_getppid, H },
	{ SYS_getpid, H },
	{ SYS_prctl, H },
	{ SYS_prlimit64, H, { { UINT32_MAX, 0, 0 } } },
	{ SYS_dup3, H },
#ifdef SYS_dup2
	{ SYS_dup2, H },
#endif
#ifdef SYS_close_range
	{ SYS_close_range, H },
#endif
};

bool
seccomp_enter(enum seccomp_who who)
{
	return call_filter_enter(rules, ARRAY_SIZE(rules), who);
}

#else

bool
seccomp_enter(enum seccomp_who who)
{
	(void)who;
	return false;
}

#endif
