/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CARRIER_COPY_FILE_H
#define PTOP_LIVE_CARRIER_COPY_FILE_H
/*
 * A program that is sent to hosts which have none: one file that needs no other.  It is looked at
 * once, and stays open, so that what is sent is what was looked at.
 */
#include "base/err.h"

struct copy_file {
	int fd;
	const char *machine; /* that it runs on, as uname(1) calls it there */
	uint64_t size;
	uint32_t sum; /* as cksum(1) has it */
};

/* Opens @path with the user's own rights.  NULL: see @err.  Free with copy_file_free(). */
struct copy_file *copy_file_open(const char *path, struct err *err);
void copy_file_free(struct copy_file *f); /* NULL is allowed */

/* A descriptor of its own, at its begin, for a program to read.  -1: errno says why. */
int copy_file_again(const struct copy_file *f);

#endif
