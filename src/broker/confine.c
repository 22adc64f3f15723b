/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "broker/broker_impl.h"

#include "base/call_filter.h"
#include "base/process.h"
#include "live/sys/capabilities.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS

enum {
	D = 1 << 0, /* where processes are held by descriptors */
	N = 1 << 1, /* where they have numbers alone */
	DN = D | N,
};

/* Files can be read, and nothing else be done than what the table names. */
static const struct call_rule rules[] = {
	{ SYS_recvfrom, DN },
	{ SYS_sendto, DN },
	{ SYS_openat, DN, { { O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY, 2 } } },
	{ SYS_read, DN },
	{ SYS_lseek, DN },
	{ SYS_getdents64, DN },
	{ SYS_fstat, DN },
	{ SYS_newfstatat, DN, { { AT_EMPTY_PATH, AT_EMPTY_PATH, 3 } } },
	{ SYS_close, DN },
#ifdef SYS_poll
	{ SYS_poll, DN },
#endif
	{ SYS_ppoll, DN },
#ifdef SYS_pidfd_open
	{ SYS_pidfd_open, DN },
#endif
#ifdef SYS_pidfd_send_signal
	{ SYS_pidfd_send_signal, D },
#endif
	{ SYS_kill, N, { { UINT32_C(1) << 31, 0, 0 } } }, /* no groups, and not all */
	{ SYS_tgkill, N, { { UINT32_MAX, 0, 2 } } },
	{ SYS_getpriority, DN, { { UINT32_MAX, 0 /* PRIO_PROCESS */, 0 } } },
	{ SYS_setpriority, DN, { { UINT32_MAX, 0, 0 } } },
	{ SYS_sched_getaffinity, DN },
	{ SYS_sched_setaffinity, DN },
	{ SYS_getpid, DN },
	{ SYS_brk, DN },
	{ SYS_mmap, DN, { { PROT_EXEC, 0, 2 }, { MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE, 3 } } },
	{ SYS_munmap, DN },
	{ SYS_mremap, DN },
	{ SYS_madvise, DN },
	{ SYS_futex, DN },
	{ SYS_getrandom, DN },
	{ SYS_rt_sigreturn, DN },
	{ SYS_restart_syscall, DN },
	{ SYS_exit_group, DN },
};

static void
filter_calls(void)
{
	call_filter_enter(rules, ARRAY_SIZE(rules), held_has_pidfds() ? D : N);
}

#else

static void
filter_calls(void)
{
}

#endif

/*
 * Handlers of ptop's are not for this process.  What a terminal sends is ptop's to take: this one
 * ends with it.
 */
static void
settle_signals(void)
{
	static const int of_terminal[] = { SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	for (size_t i = 0; i < ARRAY_SIZE(of_terminal); i++)
		signal(of_terminal[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int
broker_settle(int socket, bool runs_commands)
{
	prctl(PR_SET_NAME, "ptop-broker", 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	settle_signals();
	socket = process_keep_only(socket);
	fcntl(socket, F_SETFD, FD_CLOEXEC);
	/* A command is run where ptop was started. */
	if (!runs_commands && chdir("/") < 0)
		return socket; /* some folder stays in use */
	return socket;
}

void
broker_confine(void)
{
	capabilities_keep(broker_capabilities());
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_calls();
}
