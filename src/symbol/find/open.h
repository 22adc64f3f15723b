/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_OPEN_H
#define PTOP_SYMBOL_FIND_OPEN_H
/*
 * Opens the file behind a map of another process: the very file if it can be had, else the one at
 * that path if it still is the same, else, if its build-id is known, a copy kept by that.  May hang
 * on a dead file system: see file_opener.h.
 */
#include "base/err.h"
#include "symbol/ask/ask.h"

enum { OPEN_PATH_BYTES = 4096 + 64 };

/* A readable descriptor of a regular file.  -1: see @err and its hint. */
int open_target(const struct symbol_ask *ask, const char *proc, struct err *err);

/* A path by which this process reaches what is open as @fd; the asked one may have another root. */
void open_path_to(const struct symbol_ask *ask, const char *proc, int fd,
		  char path[OPEN_PATH_BYTES]);

/* What is to be said where the file is not of the build that was asked for. */
void open_explain_build(const struct symbol_ask *ask, struct err *err);

/*
 * Whether a process lives in ptop's mount namespace.  Any thread; reads below /proc.  @proc:
 * "/proc".  SYMBOL_NS_UNKNOWN: it has ended, or ptop has no right to look.
 */
enum symbol_ns mount_ns_of(const char *proc, int pid);

#endif
