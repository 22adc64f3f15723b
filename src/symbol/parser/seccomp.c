/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/parser/confine.h"

#include "base/util.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define P (SECCOMP_PARSER | SECCOMP_HOST)
#define H SECCOMP_HOST
#define K SECCOMP_KEEPER

enum { CONDITIONS = 2, PROGRAM_MAX = 256 };

/* Holds if the lower half of the argument, seen through the mask, is the value. */
struct condition {
	uint32_t mask, value; /* mask 0: no condition */
	unsigned arg;
};

/*
 * Who may call what.  Reading is of descriptors that were handed in; the only thing that can be
 * made is a file in memory.  What is not here fails with EPERM, which libraries bear: a parser is
 * not to die because a C library looks for something new.
 */
static const struct row {
	long nr;
	unsigned who;
	struct condition when[CONDITIONS]; /* all of them */
} rows[] = {
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

struct program {
	struct sock_filter code[PROGRAM_MAX];
	unsigned short len;
};

static void
add(struct program *p, struct sock_filter op)
{
	if (p->len < PROGRAM_MAX)
		p->code[p->len] = op;
	p->len++;
}

static void
add_load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* Both machines are little endian: the lower half of an argument comes first. */
static void
add_conditions(struct program *p, const struct row *row, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct condition *c = &row->when[i];

		add_load(p, offsetof(struct seccomp_data, args) + c->arg * sizeof(uint64_t));
		add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, c->mask));
		/* If not: past the other conditions and the "allow". */
		add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c->value, 0,
						    (uint8_t)((count - i - 1) * 3 + 1)));
	}
}

static void
add_row(struct program *p, const struct row *row)
{
	unsigned count = 0;

	while (count < CONDITIONS && row->when[count].mask != 0)
		count++;
	add_load(p, offsetof(struct seccomp_data, nr));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->nr, 0,
					    (uint8_t)(count * 3 + 1)));
	add_conditions(p, row, count);
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

static void
build(struct program *p, enum seccomp_who who)
{
	add_load(p, offsetof(struct seccomp_data, arch));
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].who & who)
			add_row(p, &rows[i]);
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */));
}

bool
seccomp_enter(enum seccomp_who who)
{
	struct program p = { .len = 0 };
	struct sock_fprog prog = { .filter = p.code };

	build(&p, who);
	prog.len = p.len;
	return p.len <= PROGRAM_MAX && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

#else

bool
seccomp_enter(enum seccomp_who who)
{
	(void)who;
	return false;
}

#endif
