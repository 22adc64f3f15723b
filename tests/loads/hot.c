/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns CPU in two functions, three parts in one and one part in the other. */
#include "tests/loads/keep.h"

static volatile unsigned sink;

void warm_loop(unsigned rounds);
void hot_loop(unsigned rounds);

KEEP void
warm_loop(unsigned rounds)
{
	while (rounds-- > 0)
		sink += rounds;
}

KEEP void
hot_loop(unsigned rounds)
{
	while (rounds-- > 0)
		sink -= rounds;
}

int
main(void)
{
	for (;;) {
		warm_loop(500000);
		hot_loop(1500000);
	}
}
