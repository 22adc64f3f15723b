/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_KSYMBOL_H
#define PTOP_MODEL_KSYMBOL_H
/*
 * Kernel code that came while records were written, BPF programs above all: no file and no list
 * read before has its names.  Zero-initialise to begin.  Engine thread only.
 */
#include "base/util.h"

struct ksymbol {
	uint64_t start, end;
	uint32_t name; /* string */
	bool is_bpf;
};

struct ksymbols {
	struct ksymbol *items; /* rising, without overlap */
	size_t len, cap;
};

/* What was there before is gone. */
void ksymbols_add(struct ksymbols *k, struct ksymbol what);
void ksymbols_remove(struct ksymbols *k, uint64_t start);

/* NULL: no record told of it.  Valid until the next change. */
const struct ksymbol *ksymbols_find(const struct ksymbols *k, uint64_t addr);
void ksymbols_release(struct ksymbols *k);

#endif
