/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_LIST_H
#define PTOP_APP_LIST_H
/* --list: the events of this machine.  Main thread; blocks until all were tried. */
#include "app/config.h"

/*
 * Prints class, name, whether it can be opened now, and what it counts or why it cannot, of each
 * event that the config's pattern (a glob, or a part of the name) fits.  -1: none does.
 */
int list_run(const struct config *config, struct err *err);

#endif
