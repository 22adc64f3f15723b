/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/confine.h"
#include "symbol/seccomp.h"

#include "base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	CAPABILITIES_MAX = 64,
	FILES_MAX = 32,           /* its socket, a file and those beside it, a few open for lines */
	CPU_ALL_S = 3600,         /* in a whole life, which is short */
	DESCRIPTORS_MAX = 1 << 16, /* looked at without close_range(2), kernel 5.9 */
};

#define IMAGE_BYTES_MAX (UINT64_C(512) << 20)
#define ADDRESS_SPACE (UINT64_C(64) << 30) /* files are mapped, so much more than memory */

static void
limit(int what, uint64_t most)
{
	struct rlimit old, r = { most, most };

	if (getrlimit(what, &old) == 0) {
		r.rlim_max = MIN(r.rlim_max, old.rlim_max);
		r.rlim_cur = r.rlim_max;
	}
	setrlimit(what, &r);
}

static void
close_from(unsigned first)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, UINT32_MAX, 0) == 0)
		return;
#endif
	for (unsigned fd = first; fd < DESCRIPTORS_MAX; fd++)
		close((int)fd);
}

/* A sanitizer tells on descriptor 2. */
static void
keep_only(int fd)
{
	if (fd != STDIN_FILENO)
		dup2(fd, STDIN_FILENO);
#ifdef PTOP_CONFINE
	close_from(1);
#else
	close_from(3);
#endif
}

/* Handlers of ptop's are not for this process, and nothing is blocked. */
static void
reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* When memory is short, this is what can be had again. */
static void
offer_to_the_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0; /* it was worth a try */
	close(fd);
}

static bool
become_nobody(void)
{
	if (geteuid() != 0 && getuid() != 0)
		return true;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0)
		return false;
	return setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

static bool
drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, none) == 0;
}

/* Left behind when the other has ended in the meantime: then there is nobody to tell. */
static void
end_with(int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(0);
}

int
confine_host(int keep, int parent)
{
	int lacks = 0;

	prctl(PR_SET_NAME, "ptop-symbols", 0, 0, 0);
	reset_signals();
	setsid();
	if (chdir("/") < 0)
		return -1;
	keep_only(keep);
	offer_to_the_oom_killer();
	/* Before the user: it takes a capability. */
	for (unsigned long cap = 0; cap < CAPABILITIES_MAX; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (!become_nobody())
		lacks |= CONFINE_SAME_USER;
	if (!drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* A change of user forgets it. */
	end_with(parent);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, FILES_MAX);
	limit(RLIMIT_FSIZE, IMAGE_BYTES_MAX);
#ifdef PTOP_CONFINE
	if (!seccomp_enter(SECCOMP_HOST))
		lacks |= CONFINE_NO_FILTER;
#endif
	return lacks;
}

bool
confine_parser(int keep, int parent, const struct confine_limits *limits, int lacks)
{
	keep_only(keep);
	end_with(parent);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_CPU, CPU_ALL_S);
#ifdef PTOP_CONFINE
	limit(RLIMIT_AS, ADDRESS_SPACE);
	limit(RLIMIT_DATA, limits->memory);
	return seccomp_enter(SECCOMP_PARSER) || (lacks & CONFINE_NO_FILTER) != 0;
#else
	(void)limits;
	(void)lacks;
	return true;
#endif
}

void
confine_start_time(const struct confine_limits *limits)
{
	struct timespec used;
	struct rlimit r;

	if (getrlimit(RLIMIT_CPU, &r) < 0 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) < 0)
		return;
	r.rlim_cur = MIN((rlim_t)used.tv_sec + 1 + limits->cpu_s, r.rlim_max);
	setrlimit(RLIMIT_CPU, &r);
}
