/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CRASH_H
#define PTOP_APP_CRASH_H
/*
 * What is left to do when a bug, or a signal that nobody waits for, ends ptop: the terminal is put
 * back (die_set_hook()), a report of the bug is written, and ptop dies of that signal all the same,
 * so that who started it sees why and a core is made.
 */
#include "base/util.h"

#include <sys/types.h>

/* Before any other thread is started. */
void crash_catch(void);

/*
 * The first walk through a stack loads libgcc_s, which takes memory, and a thread may hold malloc's
 * lock when another one crashes (see the notes of backtrace(3)): so that is done before, on
 * the screen right after the first picture.  Takes a millisecond.
 */
void crash_prepare_walk(void);

/*
 * Where the report of a bug is written: in the user's folder for states, under sudo its caller's.
 * Folders that are missing on the way are made, each for one user alone, who is the one that has the
 * folder it is in.  No link is followed that others made.
 */
struct crash_place {
	char dirs[2][256]; /* the second, if the first takes no file; empty: there is none */
	bool is_sudo;
	uid_t caller; /* of sudo */
	gid_t group;
};

/* What the environment says.  Before any handler. */
void crash_place_choose(struct crash_place *p);

/*
 * Opens the new file @name there, 0600, under sudo its caller's; *@dir is where it is.  -1: nowhere; of a
 * copy, which leaves none, *@dir is "".
 * What is effective of capabilities is changed for good.  Async-signal-safe.
 */
int crash_place_open(const struct crash_place *p, const char *name, const char **dir);

#endif
