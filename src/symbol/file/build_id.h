/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FILE_BUILD_ID_H
#define PTOP_SYMBOL_FILE_BUILD_ID_H
/*
 * The build-id of an ELF file, of any class and byte order, for who must not parse more than that:
 * a few reads of bounded size, no library.  Any thread.
 */
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_BYTES = 20 };

/* Its length, the first BUILD_ID_BYTES at most in @id; 0: it has none.  -1: no ELF file. */
int build_id_read(int fd, uint8_t id[BUILD_ID_BYTES]);

#endif
