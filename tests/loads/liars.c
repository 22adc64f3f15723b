/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that nobody can unwind, each spinning in a function of its own, and named as it: stack
 * pointers that point to nothing, to the kernel, around the end of the address space; unwind tables
 * that lead in a circle, up the stack without an end, or into expressions that never end.
 */
#include <pthread.h>
#include <unistd.h>

void to_nothing(void);
void to_kernel(void);
void to_the_end(void);
void circle(void);
void climb(void);
void endless(void);

#ifdef __x86_64__
#define FUNCTION(name, tables, body) \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" \
		tables body "1: addq $1, %rax\njmp 1b\n.cfi_endproc\n.size " name ", . - " name "\n")

FUNCTION("to_nothing", "", "movq $0x10000, %rsp\nmovq %rsp, %rbp\n");
FUNCTION("to_kernel", "", "movabsq $0xffffffff81000000, %rsp\nmovq %rsp, %rbp\n");
FUNCTION("to_the_end", "", "movq $-8, %rsp\nmovq %rsp, %rbp\n");
/* The caller's frame is this one, and it is called from where it is. */
FUNCTION("circle", ".cfi_def_cfa %rsp, 0\n.cfi_same_value %rip\n", "");
FUNCTION("climb", ".cfi_def_cfa %rsp, 1\n.cfi_same_value %rip\n", "");
/* DW_CFA_def_cfa_expression: DW_OP_skip back to itself. */
FUNCTION("endless", ".cfi_escape 0x0f, 3, 0x2f, 0xfd, 0xff\n", "");
#else
#define FUNCTION(name) \
	void name(void) { for (;;) __asm__ volatile(""); }

FUNCTION(to_nothing) FUNCTION(to_kernel) FUNCTION(to_the_end) FUNCTION(circle) FUNCTION(climb)
FUNCTION(endless)
#endif

static const struct liar {
	const char *name;
	void (*run)(void);
} liars[] = {
	{ "to_nothing", to_nothing }, { "to_kernel", to_kernel }, { "to_the_end", to_the_end },
	{ "circle", circle }, { "climb", climb }, { "endless", endless },
};

static void *
lie(void *arg)
{
	const struct liar *l = arg;

	pthread_setname_np(pthread_self(), l->name);
	l->run();
	return NULL;
}

int
main(void)
{
	for (unsigned i = 0; i < sizeof(liars) / sizeof(*liars); i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, lie, (void *)&liars[i]);
	}
	for (;;)
		pause();
}
