/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_PROCESS_H
#define PTOP_SERVE_PROCESS_H
/* Whether what a client asks for is there.  Reads /proc.  Any thread. */
#include <stdbool.h>

/* @name: the number of a process, or a glob of its name. */
bool process_is_here(const char *name);

/* @path: a glob of a control group's path.  Where nothing tells which there are, each is there. */
bool cgroup_is_here(const char *path);

#endif
