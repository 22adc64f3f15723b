/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Burns CPU in a function of nearly 1 MB, made by hand: instructions one after the other.  Where
 * there is no such code for the machine, it is a short one in C.
 */
unsigned long vast(unsigned long start);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl vast\n"
	".type vast, @function\n"
	".p2align 4\n"
	"vast:\n"
	"	mov	%rdi, %rax\n"
	".rept 140000\n"
	"	add	%rdi, %rax\n"
	"	rol	$3, %rax\n"
	".endr\n"
	"	ret\n"
	".size vast, .-vast\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl vast\n"
	".type vast, %function\n"
	".p2align 4\n"
	"vast:\n"
	"	mov	x1, x0\n"
	".rept 125000\n"
	"	add	x1, x1, x0\n"
	"	ror	x1, x1, #61\n"
	".endr\n"
	"	mov	x0, x1\n"
	"	ret\n"
	".size vast, .-vast\n");
#else
#include "tests/loads/keep.h"

KEEP unsigned long
vast(unsigned long start)
{
	unsigned long sum = start;

	for (int i = 0; i < 100000; i++)
		sum = (sum + start) << 3 | sum >> 61;
	return sum;
}
#endif

static volatile unsigned long sink;

int
main(void)
{
	for (;;)
		sink = vast(1);
}
