/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BREAKPOINT_H
#define PTOP_TESTS_BREAKPOINT_H
#include <stdbool.h>

/*
 * Whether the kernel opens a breakpoint on a variable of the caller, and counts that it is written.  In some
 * virtual machines it opens one and counts nothing.
 */
bool breakpoints_work(void);

/* Ends the test as skipped, with the reason, where they do not. */
void need_breakpoints(void);

#endif
