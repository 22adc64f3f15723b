/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page faults without end, all in one function.  With an argument it sleeps between them, and uses
 * as many percent of a CPU.
 *
 * usage: faults [PERCENT]
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/loads/keep.h"
#include "tests/loads/rest.h"

enum { PAGE = 4096, PAGES = 64 };

void touch_pages(volatile char *at);

KEEP void
touch_pages(volatile char *at)
{
	for (int i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

int
main(int argc, char *argv[])
{
	int percent = argc > 1 ? atoi(argv[1]) : 0;

	for (;;) {
		char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return EXIT_FAILURE;
		touch_pages(at);
		munmap(at, PAGES * PAGE);
		rest(percent);
	}
}
