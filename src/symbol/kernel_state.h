/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_STATE_H
#define PTOP_SYMBOL_KERNEL_STATE_H
/*
 * What the running kernel's list of functions depends on, as a few numbers: the boot, the kernel,
 * its modules and their addresses, the BPF programs.  Taking it is a thousand times cheaper than
 * reading the list.  Any thread.
 */
#include "base/util.h"

struct kernel_state {
	uint64_t one, two; /* @one is never 0 */
	bool knows_bpf;    /* without the right to ask, programs come and go unseen */
};

/* @proc is "/proc". */
void kernel_state_take(struct kernel_state *s, const char *proc);

#endif
