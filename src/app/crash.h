/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CRASH_H
#define PTOP_APP_CRASH_H
/*
 * What is left to do when a bug, or a signal that nobody waits for, ends ptop: the terminal is put
 * back (die_set_hook()), a report of the bug is written, and ptop dies of that signal all the same,
 * so that who started it sees why and a core is made.
 */
#include "base/util.h"

/* Before any other thread is started. */
void crash_catch(void);

#endif
