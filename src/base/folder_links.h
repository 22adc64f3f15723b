/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_FOLDER_LINKS_H
#define PTOP_BASE_FOLDER_LINKS_H
/*
 * Where a path to be written to leads: fs.protected_symlinks (proc_sys_fs(5)) guards its last part
 * alone, in sticky folders.  May block.
 */
#include "base/err.h"

/*
 * The folder of @path, O_PATH: what is done in it cannot be led elsewhere.  -1, see @err: it cannot be
 * opened, @path ends in it and names nothing there ("folder/"), or a folder in @path is a link, and
 * neither root's nor of this user, who under sudo is its caller, too.
 */
int folder_links_open(const char *path, struct err *err);

#endif
