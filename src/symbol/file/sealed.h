/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FILE_SEALED_H
#define PTOP_SYMBOL_FILE_SEALED_H
/* Files in memory that can be sealed: nobody, the writer included, changes them any more. */
#include "base/err.h"

struct stat;

int sealed_new(const char *name, struct err *err); /* -1: see @err */
int sealed_write(int fd, const void *data, size_t len); /* -1: errno */
int sealed_seal(int fd);                                /* -1: errno */

/* Whether what is checked once stays: it is sealed, or a file that only this user may change. */
bool sealed_stays(int fd, const struct stat *st);

#endif
