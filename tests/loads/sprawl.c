/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small functions all over 256 MiB of memory without a file behind it, called in no order: hardly a
 * sample is at an address that one was at before.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { SPRAWL = 256 << 20, STEP = 64 };

#if defined(__x86_64__) || defined(__i386__)
static const unsigned char code[] = { 0x90, 0x90, 0x90, 0xc3 }; /* nop; nop; nop; ret */
#elif defined(__aarch64__)
static const unsigned char code[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
#elif defined(__riscv)
static const unsigned char code[] = { 0x13, 0x00, 0x00, 0x00, 0x67, 0x80, 0x00, 0x00 };
#else
#error "the code of a function that returns is wanted here"
#endif

/* Different ones one after another: what is called next is not known long before. */
static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int
main(void)
{
	unsigned char *all = mmap(NULL, SPRAWL, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t state = 1;

	if (all == MAP_FAILED)
		return 1;
	for (size_t at = 0; at < SPRAWL; at += STEP)
		memcpy(all + at, code, sizeof(code));
	__builtin___clear_cache((char *)all, (char *)all + SPRAWL);
	for (;;) {
		unsigned char *at = all + next(&state) % (SPRAWL / STEP) * STEP;
		void (*run)(void);

		memcpy(&run, &at, sizeof(run));
		run();
	}
}
