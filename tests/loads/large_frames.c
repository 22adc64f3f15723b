/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns CPU below ten calls, each with 3 KiB of local variables: a copy of 8 KiB of the stack ends there. */
#include <stddef.h>

#include "tests/loads/keep.h"

enum { CALLS = 10, BYTES = 3072, ROUNDS = 50000 };

static volatile unsigned sink;

void burn_below(int calls);

KEEP void
burn_below(int calls)
{
	volatile char room[BYTES];

	room[0] = room[BYTES - 1] = (char)calls;
	if (calls > 0)
		burn_below(calls - 1);
	else
		for (unsigned i = 0; i < ROUNDS; i++)
			sink += i;
	sink += (unsigned char)room[0];
}

int
main(void)
{
	for (;;)
		burn_below(CALLS);
}
