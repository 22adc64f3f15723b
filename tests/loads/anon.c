/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spins in memory without a file behind it, as the code of JIT compilers does. */
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__) || defined(__i386__)
static const unsigned char loop[] = { 0xeb, 0xfe }; /* jmp to itself */
#elif defined(__aarch64__)
static const unsigned char loop[] = { 0x00, 0x00, 0x00, 0x14 }; /* b to itself */
#elif defined(__riscv)
static const unsigned char loop[] = { 0x6f, 0x00, 0x00, 0x00 }; /* jal x0 to itself */
#else
#error "the code of a loop is wanted here"
#endif

int
main(void)
{
	void *code = mmap(NULL, sizeof(loop), PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(void);

	if (code == MAP_FAILED)
		return 1;
	memcpy(code, loop, sizeof(loop));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(loop));
	memcpy(&run, &code, sizeof(run));
	run();
	return 0;
}
