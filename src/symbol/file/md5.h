/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FILE_MD5_H
#define PTOP_SYMBOL_FILE_MD5_H
/*
 * MD5 (RFC 1321), by which compilers say which text they read.  It tells what was changed by
 * accident, not by intent.  One thread.
 */
#include "base/util.h"

enum { MD5_BYTES = 16, MD5_BLOCK = 64 };

struct md5 {
	uint32_t state[4];
	uint64_t len; /* of all that was added */
	uint8_t block[MD5_BLOCK];
};

void md5_begin(struct md5 *m);
void md5_add(struct md5 *m, const void *data, size_t len);
void md5_end(struct md5 *m, uint8_t out[MD5_BYTES]);

#endif
