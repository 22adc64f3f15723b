/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_IBERTY_H
#define PTOP_SYMBOL_ELF_IBERTY_H
/*
 * libiberty's demanglers.  Apart from the rest because its headers declare functions of the names
 * that base/util.h has, with other arguments: neither this header nor iberty.c includes that.
 */
#include <stdbool.h>
#include <stddef.h>

/*
 * @put gets the name piece by piece, and may leave by longjmp().  false: not such a name; pieces
 * may have been given all the same.
 */
bool iberty_rust(const char *raw, void (*put)(const char *, size_t, void *), void *arg);
bool iberty_cplus(const char *raw, void (*put)(const char *, size_t, void *), void *arg);

/* A new string, NULL: not such a name. */
char *iberty_d(const char *raw);

#endif
