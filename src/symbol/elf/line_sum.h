/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_LINE_SUM_H
#define PTOP_SYMBOL_ELF_LINE_SUM_H
/* What debug data tell of the text of a source file. */
#include "base/reader.h"
#include "symbol/file/md5.h"

struct line_sum {
	bool has_md5;
	uint8_t md5[MD5_BYTES];
	struct bytes text; /* itself, in the file's memory; none: it is not there */
};

#endif
