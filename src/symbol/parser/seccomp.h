/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_SECCOMP_H
#define PTOP_SYMBOL_PARSER_SECCOMP_H
/*
 * The system calls that are left to the process that parses symbol files, to who forks it, and to
 * that one's keeper.
 */
#include <stdbool.h>

enum seccomp_who {
	SECCOMP_PARSER = 1 << 0,
	SECCOMP_HOST = 1 << 1, /* may do all that a parser may, which it becomes */
	SECCOMP_KEEPER = 1 << 2, /* waits for its host, and ends */
};

/*
 * From here on every other call of this process fails with EPERM; it must have one thread.  false:
 * there is no filter, on a kernel or machine that has none.
 */
bool seccomp_enter(enum seccomp_who who);

#endif
