/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults without end, all in one function. */
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/loads/keep.h"

enum { PAGE = 4096, PAGES = 64 };

void touch_pages(volatile char *at);

KEEP void
touch_pages(volatile char *at)
{
	for (int i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

int
main(void)
{
	for (;;) {
		char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return EXIT_FAILURE;
		touch_pages(at);
		munmap(at, PAGES * PAGE);
	}
}
