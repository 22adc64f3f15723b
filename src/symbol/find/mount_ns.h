/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_MOUNT_NS_H
#define PTOP_SYMBOL_FIND_MOUNT_NS_H
/* Whether a process lives in ptop's mount namespace.  Any thread; reads below /proc. */
#include "symbol/ask/ask.h"

/* @proc: "/proc".  SYMBOL_NS_UNKNOWN: it has ended, or ptop has no right to look. */
enum symbol_ns mount_ns_of(const char *proc, int pid);

#endif
