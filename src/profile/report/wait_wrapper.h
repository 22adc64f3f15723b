/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_REPORT_WAIT_WRAPPER_H
#define PTOP_PROFILE_REPORT_WAIT_WRAPPER_H
/*
 * Functions by which programs and runtimes wait, whatever they wait for: all of a program's waits go
 * through them, so that who called them is what tells one wait from another.  A table.
 */
#include <stdbool.h>

/* @name: as it is shown, or as the file has it. */
bool wait_wrapper_is(const char *name);

#endif
