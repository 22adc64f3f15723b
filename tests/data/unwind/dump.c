/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes its own registers and a copy of its stack, as perf numbers them, and the return addresses
 * that it should be unwound to.  Argument: calls, qsort or signal.  Linked statically.
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noipa))

enum { RETURNS = 64, STACK = 32 << 10 };

static struct {
	uint64_t mask, regs[64], restorer, trampoline;
	uint64_t len, returns[RETURNS]; /* from the outermost on */
	uint64_t stack_len;
	uint8_t stack[STACK];
} out;
static uint64_t top;
static volatile int sink; /* no call is the last thing that its function does */

void own_restorer(void);

/* What the kernel's own one does, without call frame information. */
#ifdef __aarch64__
#define SIGRETURN "mov x8, #139\n svc #0\n"
#else
#define SIGRETURN "mov $15, %rax\n syscall\n"
#endif
__asm__(".text\n"
	" .balign 4\n"
	" nop\n"
	" .globl own_restorer\n"
	" .type own_restorer, %function\n"
	"own_restorer: " SIGRETURN
	" nop\n");

static inline __attribute__((always_inline)) void
note(void)
{
	out.returns[out.len++] = (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static void
take_regs(const ucontext_t *uc)
{
#ifdef __aarch64__
	memcpy(out.regs, uc->uc_mcontext.regs, 31 * 8);
	out.regs[31] = uc->uc_mcontext.sp;
	out.regs[32] = uc->uc_mcontext.pc;
	out.mask = (UINT64_C(1) << 33) - 1;
#else
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_RIP, REG_R8,	 REG_R9,  REG_R10,
				     REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		out.regs[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
	out.mask = 0xff01ff;
#endif
}

static uint64_t
stack_pointer(void)
{
#ifdef __aarch64__
	return out.regs[31];
#else
	return out.regs[7];
#endif
}

static NOINLINE void
dump(void)
{
	uint64_t at;
	ucontext_t uc;
	const char *p = (const char *)&out;
	size_t left = sizeof(out);

	note();
	getcontext(&uc);
	take_regs(&uc);
	at = stack_pointer();
	out.restorer = (uint64_t)(uintptr_t)own_restorer;
	out.stack_len = top - at < STACK ? top - at : STACK;
	memcpy(out.stack, (const void *)(uintptr_t)at, out.stack_len);
	while (left > 0) {
		ssize_t n = write(1, p, left);

		if (n <= 0)
			_exit(1);
		p += n;
		left -= (size_t)n;
	}
	_exit(0);
}

static NOINLINE int
calls(int n)
{
	volatile char room[100];

	note();
	memset((char *)room, n, sizeof(room));
	if (n == 0)
		dump();
	else
		n += calls(n - 1);
	return n + room[n & 63];
}

static int
compare(const void *a, const void *b)
{
	note();
	return calls(2) + *(const int *)a - *(const int *)b;
}

static void
handler(int n)
{
	out.trampoline = (uint64_t)(uintptr_t)__builtin_return_address(0);
	out.returns[out.len++] = out.trampoline;
	sink = calls(n & 1);
}

static NOINLINE int
interrupted(void)
{
	volatile int n = 1;

	note();
	raise(SIGUSR1);
	return n;
}

int
main(int argc, char **argv)
{
	int v[40] = { 2, 1, 3 };

	/* The environment lies above. */
	top = (uint64_t)(uintptr_t)argv & ~UINT64_C(7);
	note();
	signal(SIGUSR1, handler);
	if (argc > 1 && argv[1][0] == 'q')
		qsort(v, 40, sizeof(v[0]), compare);
	if (argc > 1 && argv[1][0] == 's')
		sink = interrupted();
	sink = calls(20);
	return 0;
}
