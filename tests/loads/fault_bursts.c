/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page faults as most programs have them: after two seconds many at once, then few, 65 of them each
 * tenth of a second.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { PAGE = 4096, FIRST = 3000, EACH = 65, BEFORE_S = 2, PAUSE_US = 100000 };

void touch_some(int pages);

KEEP void
touch_some(int pages)
{
	size_t len = (size_t)pages * PAGE;
	char *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(EXIT_FAILURE);
	madvise(at, len, MADV_NOHUGEPAGE);
	for (int i = 0; i < pages; i++)
		*(volatile char *)(at + (size_t)i * PAGE) = 1;
	munmap(at, len);
}

int
main(void)
{
	sleep(BEFORE_S);
	touch_some(FIRST);
	for (;;) {
		touch_some(EACH);
		usleep(PAUSE_US);
	}
}
