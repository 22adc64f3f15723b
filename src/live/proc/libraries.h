/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_LIBRARIES_H
#define PTOP_LIVE_PROC_LIBRARIES_H
/* What a process that stands at its exec is about to map.  Any thread that may wait. */
#include "base/util.h"

enum { LIBRARIES_MAX = 256 };

/*
 * The program of @pid and its libraries, in the order in which they are looked through for a name.
 * The program's own interpreter is asked (ld.so(8), --list), with the process's environment: so
 * @pid must be a child of this process, with the same files.  How many; each is to be freed.  None
 * if it is static, or its interpreter does not answer.
 */
size_t libraries_list(int pid, char *files[LIBRARIES_MAX]);

#endif
