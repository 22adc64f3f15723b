/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_STATIC_PROGRAM_H
#define PTOP_TESTS_STATIC_PROGRAM_H
/* A static program, as --copy wants one, where this ptop is none. */
#include <stdbool.h>

/*
 * Writes @path, some 300 KB: all that it does is to become the program @becomes, a whole path, with its
 * own arguments and environment.  false: no code of this machine is known here.
 */
bool static_program_write(const char *path, const char *becomes);

#endif
