/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_OWN_FOLDER_H
#define PTOP_BASE_OWN_FOLDER_H
/*
 * Folders of this user, in which something is kept from one run to the next.  Nothing is taken from
 * where another user can have put it.  May block.  Any thread, one at a time.
 */
#include "base/buf.h"

#include <sys/types.h>

/* Whether it is of @type and of this user, and others have none of the rights @others. */
bool own_folder_is(int fd, mode_t type, mode_t others);

/*
 * Adds the path of ptop's folder in $@variable, as XDG_CACHE_HOME, else in @in_home, as ".cache",
 * below $HOME; root's, where that is not below folders of root's alone.  false: neither is set.
 */
bool own_folder_path(struct buf *b, const char *variable, const char *in_home);

/*
 * A descriptor of @path, no link, the caller's; it is made 0700 if it is not there, and so are
 * the folders above it.  @others as above.  -1: nothing can be kept there.
 */
int own_folder_open(int at, const char *path, mode_t others);

/*
 * A descriptor to read the file @name, which is of this user, @others as above.  @flags:
 * O_NOFOLLOW, if it may be no link.  -1: errno says why, EPERM: another user can have put it there.
 */
int own_folder_file(int dir, const char *name, int flags, mode_t others);

/* Replaces the file @name, whole or not at all, 0600.  false: errno says why. */
bool own_folder_save(int dir, const char *name, const struct buf *content);

#endif
