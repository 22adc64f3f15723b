/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_CALL_32_H
#define PTOP_LIVE_WAIT_CALL_32_H
/*
 * System calls of 32-bit programs on a 64-bit kernel: their numbers are others, and what they name
 * is that of a 64-bit program with these arguments.  Any thread.
 */
#include "live/sys/procfs.h"

enum {
	CALL_32_ARGS = 6,
	CALL_32_OTHER = 1 << 20, /* numbers from here on are calls that no table knows */
};

/* By where its stack and code are: 64-bit programs have one of the two above what 32 bits reach. */
bool call_32_is(const struct procfs_syscall *call);

/*
 * Gives the call its 64-bit number.  @words_at: the words at an address of the thread, for calls that
 * have their arguments in memory; false: they are not there.
 */
void call_32_translate(struct procfs_syscall *call,
		       bool (*words_at)(void *ctx, uint64_t address, uint32_t words[CALL_32_ARGS]),
		       void *ctx);

#endif
