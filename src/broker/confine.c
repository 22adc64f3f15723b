/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "broker/broker_impl.h"

#include "base/call_filter.h"
#include "base/process.h"
#include "live/sys/capabilities.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS

enum {
	D = 1 << 0, /* where processes are held by descriptors */
	N = 1 << 1, /* where they have numbers alone */
	A = 1 << 2, /* the namer, which asks runtimes, and its child that becomes their user */
	B = 1 << 3, /* the same where processes have numbers alone */
	DN = D | N,
	DNA = DN | A,
};

#define NEW_FILE (O_CREAT | O_EXCL)
/* What a fork is not to be: another thread, or one in namespaces of its own. */
#define NO_FORK (CLONE_VM | CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET)

/* Files can be read, and nothing else be done than what the table names. */
static const struct call_rule rules[] = {
	{ SYS_recvfrom, DNA },
	{ SYS_sendto, DNA },
	{ SYS_openat, DNA, { { O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY, 2 } } },
	{ SYS_read, DNA },
	{ SYS_lseek, DNA },
	{ SYS_getdents64, DNA },
	{ SYS_fstat, DNA },
	{ SYS_newfstatat, DNA, { { AT_EMPTY_PATH, AT_EMPTY_PATH, 3 } } },
	{ SYS_close, DNA },
#ifdef SYS_poll
	{ SYS_poll, DNA },
#endif
	{ SYS_ppoll, DNA },
#ifdef SYS_pidfd_open
	{ SYS_pidfd_open, DNA },
#endif
#ifdef SYS_pidfd_send_signal
	{ SYS_pidfd_send_signal, D | A },
#endif
	{ SYS_kill, N | B, { { UINT32_C(1) << 31, 0, 0 } } }, /* no groups, and not all */
	{ SYS_tgkill, N | B, { { UINT32_MAX, 0, 2 } } },
	{ SYS_getpriority, DN, { { UINT32_MAX, 0 /* PRIO_PROCESS */, 0 } } },
	{ SYS_setpriority, DN, { { UINT32_MAX, 0, 0 } } },
	{ SYS_sched_getaffinity, DN },
	{ SYS_sched_setaffinity, DN },
	{ SYS_getpid, DNA },
	{ SYS_brk, DNA },
	{ SYS_mmap, DNA, { { PROT_EXEC, 0, 2 }, { MAP_SHARED | MAP_PRIVATE, MAP_PRIVATE, 3 } } },
	{ SYS_munmap, DNA },
	{ SYS_mremap, DNA },
	{ SYS_madvise, DNA },
	{ SYS_futex, DNA },
	{ SYS_getrandom, DNA },
	{ SYS_rt_sigreturn, DNA },
	{ SYS_restart_syscall, DNA },
	{ SYS_exit_group, DNA },

	{ SYS_pipe2, A },
	{ SYS_clone, A, { { NO_FORK, 0, 0 } } },
	{ SYS_wait4, A },
	{ SYS_write, A },
	/* Of the child's beginning, in libc. */
	{ SYS_set_robust_list, A },
	{ SYS_rt_sigprocmask, A },
	{ SYS_gettid, A },
	{ SYS_getppid, A },
	{ SYS_prctl, A, { { UINT32_MAX, PR_SET_PDEATHSIG, 0 } } },
	{ SYS_prctl, A, { { UINT32_MAX, PR_SET_KEEPCAPS, 0 } } },
	{ SYS_geteuid, A },
	{ SYS_getegid, A },
	{ SYS_setgroups, A },
	{ SYS_setresgid, A },
	{ SYS_setresuid, A },
	{ SYS_capget, A },
	{ SYS_capset, A },
	{ SYS_fchdir, A },
	/* .attach_pidN, a script: a new file, never one that is there. */
	{ SYS_openat, A, { { NEW_FILE | O_ACCMODE | O_TRUNC, NEW_FILE | O_WRONLY, 2 } } },
	{ SYS_unlinkat, A },
	{ SYS_socket, A, { { UINT32_MAX, AF_UNIX, 0 } } },
	{ SYS_connect, A },
	{ SYS_getsockopt, A },
	{ SYS_clock_nanosleep, A },
	{ SYS_nanosleep, A },
	{ SYS_clock_gettime, A },
	/* Python's switch is in its memory. */
	{ SYS_openat, A, { { O_ACCMODE | O_CREAT | O_TRUNC, O_RDWR, 2 } } },
	{ SYS_pread64, A },
	{ SYS_pwrite64, A },
};

static void
filter_calls(bool is_namer)
{
	const bool has_pidfds = held_has_pidfds();

	if (is_namer)
		call_filter_enter(rules, ARRAY_SIZE(rules), has_pidfds ? A : A | B);
	else
		call_filter_enter(rules, ARRAY_SIZE(rules), has_pidfds ? D : N);
}

#else

static void
filter_calls(bool is_namer)
{
	(void)is_namer;
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

static void
confine(uint64_t capabilities, bool is_namer)
{
	capabilities_keep(capabilities);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	filter_calls(is_namer);
}

void
broker_confine(void)
{
	confine(broker_capabilities(), false);
}

/* Maps, root and memory of others' processes; to become their users, and to end the child that did. */
void
namer_confine(void)
{
	confine(UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_SETUID |
			UINT64_C(1) << CAP_SETGID | UINT64_C(1) << CAP_KILL, true);
}
