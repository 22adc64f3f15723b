/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_FOLDER_LINKS_H
#define PTOP_BASE_FOLDER_LINKS_H
/*
 * Where a path to be written to leads: fs.protected_symlinks (proc_sys_fs(5)) guards its last part
 * alone, in sticky folders.  May block.
 */
#include "base/err.h"

/*
 * -1, see @err: a folder in @path is a link, and neither root's nor of this user, who under sudo is
 * its caller, too.  What cannot be looked at is left to whoever opens it.
 */
int folder_links_check(const char *path, struct err *err);

/* The same, and the folder of @path itself, O_PATH: what is done in it cannot be led elsewhere. */
int folder_links_open(const char *path, struct err *err);

#endif
