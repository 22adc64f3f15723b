/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FAMILY_H
#define PTOP_TESTS_FAMILY_H
/* The processes that a program has forked, and whether they are gone with it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FAMILY_MAX = 32 };

/* The process, first, and all that it and its children have forked.  Returns how many. */
size_t family_find(pid_t pid, pid_t pids[FAMILY_MAX]);

/* 0: it has ended, though who is its parent by now may not have asked for its status. */
pid_t family_parent(pid_t pid);

char family_state(pid_t pid); /* as in /proc/PID/stat, 0: there is no such process */
bool family_is_called(pid_t pid, const char *name);

/* The number behind @name, as "\nUid:", in /proc/PID/status; UINT64_MAX: it is not there. */
uint64_t family_status_field(pid_t pid, const char *name, int base);

/*
 * Whether a parser has come so far as to end with its host: nothing can be asked of one that is
 * stopped before, where there is no pid namespace.
 */
bool family_parser_is_ready(pid_t pid);

/*
 * Stops a process that parses, or its host, as any other of their user may and no more: of the user
 * 65534, if this is root.
 */
void family_stop(pid_t pid);
bool family_try_to_stop(pid_t pid); /* false: it has ended before that */

/* Waits for the end of all; what is left fails the test, and is killed. */
void family_assert_gone(const pid_t *pids, size_t n);

#endif
