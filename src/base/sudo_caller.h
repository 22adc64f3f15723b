/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_SUDO_CALLER_H
#define PTOP_BASE_SUDO_CALLER_H
#include "base/util.h"

#include <sys/types.h>

/* Who called sudo.  false: nobody is told of.  Any thread. */
bool sudo_caller(uid_t *uid, gid_t *gid);

/*
 * The home folder of who called sudo, whatever sudo made of $HOME; else $HOME.  NULL: none is known.
 * May block.  free().  One thread at a time.
 */
char *sudo_caller_home(void);

#endif
