/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "serve/server_confine.h"

#include "base/call_filter.h"
#include "base/util.h"

#include <errno.h>
#include <sys/resource.h>

#ifdef PTOP_CONFINE
enum { MEMORY_MB = 128 };
#endif

static void
limit(int what, rlim_t most)
{
	const struct rlimit r = { most, most };

	setrlimit(what, &r);
}

#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { SERVER = 1 };

/*
 * Connections are those that come, never one that it makes: MSG_FASTOPEN is a connect(2), of the
 * socket to listen at, too, once that was shut down.
 */
static const struct call_rule rules[] = {
	{ SYS_accept4, SERVER },
	{ SYS_epoll_ctl, SERVER },
	{ SYS_epoll_pwait, SERVER },
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, SERVER },
#endif
#ifdef SYS_poll
	{ SYS_poll, SERVER },
#endif
	{ SYS_ppoll, SERVER },
	{ SYS_read, SERVER },
	{ SYS_pread64, SERVER },
	{ SYS_write, SERVER },
	{ SYS_writev, SERVER },
	{ SYS_lseek, SERVER },
	{ SYS_recvfrom, SERVER },
	{ SYS_recvmsg, SERVER },
	{ SYS_sendto, SERVER, { { MSG_FASTOPEN, 0, 3 }, { UINT32_MAX, 0, 4 } } },
	{ SYS_sendmsg, SERVER, { { MSG_FASTOPEN, 0, 2 } } },
	{ SYS_sendfile, SERVER },
	{ SYS_setsockopt, SERVER },
	/* Who is at the other end: asker.c. */
	{ SYS_getsockname, SERVER },
	{ SYS_getpeername, SERVER },
	{ SYS_getsockopt, SERVER, { { UINT32_MAX, SOL_SOCKET, 1 }, { UINT32_MAX, SO_PEERCRED, 2 } } },
	{ SYS_shutdown, SERVER },
	{ SYS_close, SERVER },
	{ SYS_fstat, SERVER },
	/* The C library's fstat(). */
	{ SYS_newfstatat, SERVER, { { AT_EMPTY_PATH, AT_EMPTY_PATH, 3 } } },
	{ SYS_fcntl, SERVER, { { UINT32_MAX, F_GETFD, 1 } } },
	{ SYS_fcntl, SERVER, { { UINT32_MAX, F_SETFD, 1 } } },
	{ SYS_fcntl, SERVER, { { UINT32_MAX, F_GETFL, 1 } } },
	{ SYS_fcntl, SERVER, { { UINT32_MAX, F_SETFL, 1 } } },
	/* No code, and nothing shared. */
	{ SYS_mmap, SERVER, { { PROT_EXEC, 0, 2 }, { MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE, 3 } } },
	{ SYS_mprotect, SERVER, { { PROT_EXEC, 0, 2 } } },
	{ SYS_munmap, SERVER },
	{ SYS_mremap, SERVER },
	{ SYS_madvise, SERVER },
	{ SYS_brk, SERVER },
	{ SYS_futex, SERVER },
	{ SYS_getrandom, SERVER },
	{ SYS_clock_gettime, SERVER },
	{ SYS_rt_sigreturn, SERVER },
	{ SYS_restart_syscall, SERVER },
	{ SYS_exit, SERVER },
	{ SYS_exit_group, SERVER },
};

static bool
filter_calls(void)
{
	return call_filter_enter(rules, ARRAY_SIZE(rules), SERVER);
}

#else

/* None is wanted with a sanitizer, or none can be. */
static bool
filter_calls(void)
{
#ifdef PTOP_CONFINE
	errno = ENOSYS;
	return false;
#else
	return true;
#endif
}

#endif

bool
server_confine(void)
{
	limit(RLIMIT_NPROC, 0);
#ifdef PTOP_CONFINE
	limit(RLIMIT_DATA, (rlim_t)MEMORY_MB << 20);
#endif
	return filter_calls();
}
