/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_CLOSE_TOGETHER_H
#define PTOP_LIVE_SYS_CLOSE_TOGETHER_H
/*
 * Closes probes at once.  Each close waits some 70 ms for the kernel, and its instruction is probed
 * until the last of them begins: so they wait side by side.
 */
#include "base/util.h"

/* Returns when all are closed; those that are -1 are left out. */
void close_together(const int *fds, size_t count);

#endif
