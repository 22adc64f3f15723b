/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Burns CPU in a function made by hand: data that are no instructions lie between those that are,
 * and a loop jumps over them.  Where there is no such code for the machine, it is plain C.
 */
unsigned long islands(unsigned long rounds);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl islands\n"
	".type islands, @function\n"
	".p2align 4\n"
	"islands:\n"
	"	xor	%eax, %eax\n"
	"1:	add	%rdi, %rax\n"
	"	jmp	2f\n"
	"	.byte	0x06, 0x0e, 0x16, 0x1e, 0x27, 0x2f\n" /* of 32-bit programs alone */
	"2:	rol	$3, %rax\n"
	"	jmp	3f\n"
	"	.ascii	\"an island of text\"\n"
	"3:	dec	%rdi\n"
	"	jne	1b\n"
	"	ret\n"
	".size islands, .-islands\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl islands\n"
	".type islands, %function\n"
	".p2align 4\n"
	"islands:\n"
	"	mov	x1, #0\n"
	"1:	add	x1, x1, x0\n"
	"	b	2f\n"
	"	.word	0x00000000, 0xffffffff\n"
	"2:	ror	x1, x1, #61\n"
	"	b	3f\n"
	"	.ascii	\"an island, text.\"\n"
	"3:	subs	x0, x0, #1\n"
	"	b.ne	1b\n"
	"	mov	x0, x1\n"
	"	ret\n"
	".size islands, .-islands\n");
#else
#include "tests/loads/keep.h"

KEEP unsigned long
islands(unsigned long rounds)
{
	unsigned long sum = 0;

	for (; rounds > 0; rounds--)
		sum = (sum + rounds) << 3 | sum >> 61;
	return sum;
}
#endif

static volatile unsigned long sink;

int
main(void)
{
	for (;;)
		sink = islands(1000000);
}
