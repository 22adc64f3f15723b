/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/parser/confine.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#ifdef HAVE_LINUX_LANDLOCK_H
#include <linux/landlock.h>
#endif
#include <linux/oom.h>
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
	FETCH_FILES_MAX = 64,     /* its socket, a file, connections, what the libraries read */
	SERVE_FILES_MAX = 1024,   /* connections, a file for each answer */
	CPU_ALL_S = 3600,         /* in a whole life, which is short */
};

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

/* A sanitizer tells on descriptor 2. */
static void
close_all_from(int first)
{
#ifdef PTOP_CONFINE
	process_close_from(first);
#else
	process_close_from(MAX(first, 3));
#endif
}

static void
keep_only(int fd)
{
	if (fd != STDIN_FILENO)
		dup2(fd, STDIN_FILENO);
	close_all_from(STDOUT_FILENO);
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

/* What a library wants to say must not get to whoever has the next descriptor. */
static void
open_null_output(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDOUT_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (null != fd)
			dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
}

/*
 * Nothing of the file system can be changed or executed any more, nor another process be looked
 * into; what is open stays so.  Where the kernel does not have it (before 5.13), the user and the
 * capabilities alone are gone.
 */
static void
forbid_writing(void)
{
#if defined(HAVE_LINUX_LANDLOCK_H) && defined(SYS_landlock_create_ruleset)
	struct landlock_ruleset_attr rules = {
		.handled_access_fs =
			LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
			LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			LANDLOCK_ACCESS_FS_MAKE_SYM,
	};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

	if (fd < 0)
		return;
	if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		errno = 0; /* it was worth a try */
	close(fd);
#endif
}

bool
confine_changes_user(void)
{
	return geteuid() == 0 || getuid() == 0;
}

static bool
become_nobody(void)
{
	if (!confine_changes_user())
		return true;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0)
		return false;
	return setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

/* In a user namespace the user may be missing, and setgroups() be refused to who has them. */
static bool
may_change_user(void)
{
	const uint32_t needed = 1u << CAP_SETUID | 1u << CAP_SETGID;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, sets) == 0 && (sets[0].effective & needed) == needed;
}

static void
empty_bounding_set(void)
{
	for (unsigned long cap = 0; cap < CAPABILITIES_MAX; cap++)
		prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

/* All but @keep, bits of the first 32.  false: one of them is not there, or this is refused. */
static bool
drop_capabilities(uint32_t keep)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {
		{ .permitted = keep, .effective = keep },
	};

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, sets) == 0;
}

void
confine_keeper(bool may_kill)
{
	prctl(PR_SET_NAME, "ptop-keeper", 0, 0, 0);
	reset_signals();
	setsid();
	if (chdir("/") < 0)
		errno = 0; /* some folder stays in use */
	close_all_from(STDIN_FILENO);
	empty_bounding_set();
	if (!may_kill || !drop_capabilities(1 << CAP_KILL))
		drop_capabilities(0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	limit(RLIMIT_CORE, 0);
#ifdef PTOP_CONFINE
	seccomp_enter(SECCOMP_KEEPER);
#endif
}

static const struct {
	const char *name;
	rlim_t files;
	bool parses;
	bool is_spare; /* it can be had again at once */
} works[] = {
	[CONFINE_PARSE] = { "ptop-symbols", FILES_MAX, true, true },
	[CONFINE_FETCH] = { "ptop-download", FETCH_FILES_MAX, false, true },
	[CONFINE_PUSH] = { "ptop-push", FETCH_FILES_MAX, false, true },
	[CONFINE_SERVE] = { "ptop-http", SERVE_FILES_MAX, false, false },
};

int
confine_host(int keep, int parent, const struct confine_limits *limits, enum confine_work work)
{
	bool is_parsing = works[work].parses;
	int lacks = 0;

	prctl(PR_SET_NAME, works[work].name, 0, 0, 0);
	reset_signals();
	setsid();
	if (chdir("/") < 0)
		return -1;
	keep_only(keep);
	if (!is_parsing)
		open_null_output();
	if (works[work].is_spare)
		process_offer_to_oom_killer(OOM_SCORE_ADJ_MAX);
	/* Before the user: it takes a capability. */
	empty_bounding_set();
	if (!become_nobody())
		lacks |= may_change_user() ? CONFINE_SAME_USER : CONFINE_KEPT_ROOT;
	/* A change of user forgets it, and lets others stop this process from here on. */
	process_end_with(parent);
	if (!drop_capabilities(0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, works[work].files);
	limit(RLIMIT_FSIZE, limits->file);
	if (!is_parsing)
		forbid_writing();
#ifdef PTOP_CONFINE
	if (is_parsing && !seccomp_enter(SECCOMP_HOST))
		lacks |= CONFINE_NO_FILTER;
#endif
	return lacks;
}

bool
confine_parser(int keep, int parent, const struct confine_limits *limits, int lacks)
{
	process_end_with(parent);
	keep_only(keep);
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
confine_fetcher(int keep, int parent, const struct confine_limits *limits)
{
	process_end_with(parent);
	/* 1 and 2 lead nowhere, as the host left them. */
	if (keep != STDIN_FILENO)
		dup2(keep, STDIN_FILENO);
	process_close_from(3);
	limit(RLIMIT_CPU, limits->cpu_s);
#ifdef PTOP_CONFINE
	limit(RLIMIT_DATA, limits->memory);
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
