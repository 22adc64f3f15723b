/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that runs in the handler is async-signal-safe, but for the walk of the stack, which takes a
 * library that is loaded for it: a child does it, which may hang or crash.
 */
#include <config.h>

#include "app/crash.h"

#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/process.h"
#include "base/thread.h"

enum { FRAMES_MAX = 64, LINE_MAX_BYTES = 512, BUILD_ID_MAX = 32, WALK_MS = 15000, KILL_MS = 1000 };

static const struct ending {
	int sig;
	const char *bug; /* its name, if it is a bug that is to be reported */
} endings[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" },
	{ SIGABRT, "SIGABRT" }, { SIGSYS, "SIGSYS" }, { SIGTRAP, "SIGTRAP" },
	{ SIGQUIT, NULL }, { SIGXCPU, NULL }, { SIGALRM, NULL }, { SIGVTALRM, NULL },
	{ SIGPROF, NULL }, { SIGUSR1, NULL }, { SIGUSR2, NULL }, { SIGPIPE, NULL },
};

/* File scope because handlers get no argument; written by crash_catch() alone, but for is_reported. */
static struct {
	pid_t pid; /* not a child's that has not executed anything yet */
	struct crash_place place;
	char name[64]; /* of the report */
	char build_id[2 * BUILD_ID_MAX + 1];
	struct sigaction old[NSIG];
	volatile sig_atomic_t is_reported; /* threads may crash together */
} crash;

/* A line in the making: snprintf() is not for handlers. */
struct line {
	char text[LINE_MAX_BYTES];
	size_t len;
};

static void
add(struct line *l, const char *s)
{
	while (*s != '\0' && l->len < sizeof(l->text))
		l->text[l->len++] = *s++;
}

static void
add_number(struct line *l, uint64_t n, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n != 0);
	add(l, base == 16 ? "0x" : "");
	add(l, digits + at);
}

static void
put(int fd, struct line *l)
{
	if (write(fd, l->text, l->len) < 0)
		errno = 0; /* there is nobody else to be told */
	l->len = 0;
}

static uint64_t
pc_of(const ucontext_t *uc)
{
#if defined(__x86_64__)
	return (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return uc->uc_mcontext.pc;
#else
	(void)uc;
	return 0;
#endif
}

static void
put_facts(int fd, const struct ending *end, const siginfo_t *info, const ucontext_t *uc)
{
	char thread[16] = "";
	struct line l = { .len = 0 };

	prctl(PR_GET_NAME, thread);
	add(&l, "ptop " PACKAGE_VERSION ", build-id ");
	add(&l, crash.build_id);
	add(&l, "\nsignal ");
	add(&l, end->bug);
	add(&l, ", code ");
	add_number(&l, (uint64_t)(info->si_code < 0 ? -info->si_code : info->si_code), 10);
	add(&l, info->si_code < 0 ? " (sent)" : "");
	add(&l, ", address ");
	add_number(&l, (uint64_t)(uintptr_t)info->si_addr, 16);
	add(&l, "\nthread ");
	add(&l, thread);
	add(&l, ", at ");
	add_number(&l, pc_of(uc), 16);
	add(&l, "\n");
	put(fd, &l);
}

/* Of a call that led nowhere, the walk begins with who made it: there is no code to look at. */
static void
return_from_nowhere(const siginfo_t *info, ucontext_t *uc)
{
	if (info->si_code <= 0 || (uintptr_t)info->si_addr != pc_of(uc))
		return;
#if defined(__x86_64__)
	greg_t *regs = uc->uc_mcontext.gregs;

	memcpy(&regs[REG_RIP], (const void *)(uintptr_t)regs[REG_RSP], sizeof(greg_t));
	regs[REG_RSP] += (greg_t)sizeof(greg_t);
#elif defined(__aarch64__)
	uc->uc_mcontext.pc = uc->uc_mcontext.regs[30];
#endif
}

static void
walk(int fd, const siginfo_t *info, ucontext_t *uc)
{
	void *frames[FRAMES_MAX];

	return_from_nowhere(info, uc);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		signal(endings[i].sig, SIG_DFL);
	backtrace_symbols_fd(frames, backtrace(frames, FRAMES_MAX), fd);
	_exit(0);
}

/*
 * fork() would wait for locks that the thread which crashed may hold; who walks may wait for them,
 * too, which is told from a machine that is busy by the time that it takes.
 */
static void
put_stack(int fd, const siginfo_t *info, ucontext_t *uc)
{
	struct line l = { .len = 0 };
	pid_t self = getpid(), pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0) {
		process_end_with(self);
		walk(fd, info, uc);
	}
	if (pid < 0 || process_reap(pid, WALK_MS, NULL, NULL))
		return;
	/* One that hangs in the kernel, as of a dead file system, is left behind. */
	kill(pid, SIGKILL);
	process_reap(pid, KILL_MS, NULL, NULL);
	add(&l, "the stack is not known: the walk through it did not end\n");
	put(fd, &l);
}

static void
report(const struct ending *end, const siginfo_t *info, ucontext_t *uc)
{
	struct line l = { .len = 0 };
	const char *dir;
	int fd = crash_place_open(&crash.place, crash.name, &dir);

	if (fd >= 0) {
		put_facts(fd, end, info, uc);
		put_stack(fd, info, uc);
		close(fd);
	}
	add(&l, "ptop: a bug of ptop ends it (");
	add(&l, end->bug);
	add(&l, fd >= 0 ? "): the report is in "
		: *dir != '\0' ? "): no report could be written to " : "): a copy leaves no report");
	add(&l, dir);
	if (fd >= 0) {
		add(&l, "/");
		add(&l, crash.name);
	}
	add(&l, "\n");
	put(STDERR_FILENO, &l);
}

/*
 * What was there before then has the signal: a fault happens again on return, a signal that was
 * sent must be sent again.
 */
static void
on_ending(int sig, siginfo_t *info, void *context)
{
	const struct ending *end = endings;

	while (end->sig != sig)
		end++;
	if (getpid() == crash.pid && !crash.is_reported) {
		crash.is_reported = 1;
		die_run_hook();
		if (end->bug != NULL)
			report(end, info, context);
	}
	sigaction(sig, &crash.old[sig], NULL);
	if (info->si_code <= 0)
		raise(sig);
}

/* The notes are of our own program: what they say of their sizes is right. */
static void
take_build_id(const char *notes, size_t len)
{
	for (size_t at = 0; at + sizeof(ElfW(Nhdr)) < len;) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)(notes + at);
		const char *name = (const char *)(note + 1);
		const char *id = name + ((note->n_namesz + 3) & ~3U);

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    memcmp(name, "GNU", sizeof("GNU")) == 0 && note->n_descsz <= BUILD_ID_MAX)
			for (unsigned i = 0; i < note->n_descsz; i++)
				snprintf(crash.build_id + 2 * (size_t)i, 3, "%02x",
					 (unsigned char)id[i]);
		at = (size_t)(id - notes) + ((note->n_descsz + 3) & ~3U);
	}
}

/* Of the notes that the linker has put into the program, which is in memory: the first that is asked for. */
static int
find_build_id(struct dl_phdr_info *program, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (unsigned i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &program->dlpi_phdr[i];

		if (p->p_type == PT_NOTE)
			take_build_id((const char *)(program->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
	return 1;
}

void
crash_catch(void)
{
	struct sigaction act = { .sa_sigaction = on_ending, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	crash.pid = getpid();
	crash_place_choose(&crash.place);
	snprintf(crash.name, sizeof(crash.name), "crash-%lld-%d.txt", (long long)time(NULL),
		 (int)crash.pid);
	dl_iterate_phdr(find_build_id, NULL);
	thread_give_handler_stack();
	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		sigaction(endings[i].sig, &act, &crash.old[endings[i].sig]);
		if (crash.old[endings[i].sig].sa_handler == SIG_IGN)
			sigaction(endings[i].sig, &crash.old[endings[i].sig], NULL);
	}
}

void
crash_prepare_walk(void)
{
	void *frame;

	backtrace(&frame, 1);
}
