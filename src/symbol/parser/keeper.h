/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_KEEPER_H
#define PTOP_SYMBOL_PARSER_KEEPER_H
/*
 * A process between ptop and a child that becomes another user.  Any process of that user may stop
 * the child for ever, and ptop, which gives up CAP_KILL, could neither end it nor leave it to be
 * ended with itself: PR_SET_PDEATHSIG takes the same right.  The keeper is ptop's user, so that
 * ptop may end it, and does nothing; when it ends, however that comes, the kernel kills the child
 * with all that it has forked, since the keeper is process 1 of their pid namespace.  Where there
 * can be none, it keeps CAP_KILL and they end by PR_SET_PDEATHSIG.
 */
#include <stdbool.h>

/*
 * As fork(), of a process with one thread: returns in ptop, with the keeper's pid, -1: errno; and
 * with 0 in the child, whose parent is @keeper by its own numbers.  Of the two ends of a socket
 * ends[0] stays ptop's, and the keeper has neither.  It ends with the thread that calls this.
 */
int keeper_fork(const int ends[2], int *keeper);

#endif
