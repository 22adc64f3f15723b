/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_END_SIGNALS_H
#define PTOP_BASE_END_SIGNALS_H
/* The signals that ask ptop to end, as a descriptor.  Main thread. */
#include <signal.h>

/*
 * SIGINT and SIGTERM are blocked from here on, and so is SIGHUP unless it is ignored: who uses
 * nohup(1) wants ptop to go on.  A signalfd(2) that brings them, -1: errno.  @old: the mask before.
 */
int end_signals_watch(sigset_t *old);

#endif
