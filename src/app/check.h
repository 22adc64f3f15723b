/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CHECK_H
#define PTOP_APP_CHECK_H
/*
 * --check: what this user may measure on this machine.  Each is tried, and undone.  Main thread;
 * blocks for some tenths of a second.
 */
#include "app/config.h"
#include "live/sys/sys.h"

struct event_env;

/*
 * Adds a line for each of what is wanted: "yes", or "no" with the reason, and what would grant it.
 * true: the user's own processes can be sampled.
 */
bool check_put(struct buf *b, const struct sys *sys, const struct event_env *env,
	       const struct config *config);

/* Prints it.  *@status: 0 if own processes can be sampled, else 1.  -1: it could not be printed. */
int check_run(const struct config *config, int *status, struct err *err);

#endif
