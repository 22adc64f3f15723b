/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_MODEL_KSYMBOL_H
#define PTOP_MODEL_KSYMBOL_H
/*
 * Kernel code that came and went while records were written: BPF programs and trampolines, slots
 * of kprobes.  No file has its names, and a list that was read before may have those of what has
 * gone.  Zero-initialise to begin.  Engine thread only.
 */
#include "base/strs.h"

struct ksymbol {
	uint64_t start, end;
	uint64_t time_ns; /* time of its record */
	uint32_t name;    /* string; 0: what was here has gone */
	uint32_t since;   /* number of the change: rises */
	uint32_t bpf_id;  /* the program's, 0: not known */
	bool is_bpf;
};

struct ksymbols {
	struct ksymbol *items; /* rising, without overlap */
	size_t len, cap;
	bool are_told;  /* there is a record of each that comes and goes, */
	bool are_missed; /* but some may have been lost since this was cleared */
};

/* What was there before is gone, all of it. */
void ksymbols_add(struct ksymbols *k, struct ksymbol what);

/* @what has gone.  If something else is there already, the record is old, and changes nothing. */
void ksymbols_remove(struct ksymbols *k, struct ksymbol what);

/* What is there now, NULL: no record names it.  Valid until the next change. */
const struct ksymbol *ksymbols_find(const struct ksymbols *k, uint64_t addr);

/* The same, but also an entry that says that what was here has gone. */
const struct ksymbol *ksymbols_at(const struct ksymbols *k, uint64_t addr);

/* The program @id, whose functions' names begin with "bpf_prog_" and its @tag in hexadecimal. */
void ksymbols_name_program(struct ksymbols *k, const struct strs *strs, const uint8_t tag[8],
			   uint32_t id);

/* A list was read that knows of all that had gone up to change @last. */
void ksymbols_forget_gone(struct ksymbols *k, uint32_t last);
void ksymbols_release(struct ksymbols *k);

#endif
