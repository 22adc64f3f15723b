/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_COPY_H
#define PTOP_RECORD_COPY_H
/*
 * What samples with a copy of the stack have in common is not told by all of their bytes: most
 * registers, and most of the stack, lead to no caller.  So here are the parts of such a record.
 */
#include "record/record.h"

struct record_copy {
	uint64_t tag; /* record_sample_tag() of the sample without what follows */
	uint32_t pid;
	struct record_regs regs; /* words NULL: it has none, and no stack */
	struct bytes stack;      /* as much as was copied; from the stack pointer on */
};

/*
 * Takes @bytes, one whole sample record, apart without decoding it.  false: its layout has no copy,
 * or more than an event of profiles carries, or it is broken.
 */
bool record_find_copy(const struct record_layout *layout, struct bytes bytes,
		      struct record_copy *out);

#endif
