/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_NAMES_H
#define PTOP_EVENT_NAMES_H
/* The names in a folder of sysfs or tracefs.  Reads: not for threads that must not block. */
#include "base/util.h"

struct names {
	char **items;
	size_t len, cap;
};

/*
 * Adds what is in @path, in order of the alphabet and at most @max in all; without its hidden
 * files, and unless @files without any plain file.  Nothing if it cannot be read.
 */
void names_read(struct names *n, const char *path, bool files, size_t max);

/* Adds a copy. */
void names_add(struct names *n, const char *name);

/*
 * The name nearest to @word, if that is near enough to be meant; else NULL.  Valid as long as @n.
 */
const char *names_nearest(const struct names *n, const char *word);

void names_release(struct names *n);

#endif
