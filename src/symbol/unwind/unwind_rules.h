/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_UNWIND_RULES_H
#define PTOP_SYMBOL_UNWIND_UNWIND_RULES_H
/*
 * The rules by which one dso's frames are unwound, as cfi_compile() made them: addresses and
 * numbers of rules, in a sealed file in memory or one that is kept.  Position-independent: an
 * address is a file offset, as in symbol images.  Every number in it is checked once, when it is
 * opened.  Immutable from then on: any thread may read it.
 */
#include "base/err.h"

struct unwind_rule; /* unwind_format.h */
struct unwind_rules;

/* Maps the block in @fd (taken, also on failure).  NULL: not a valid block, see @err. */
struct unwind_rules *unwind_rules_open(int fd, struct err *err);
void unwind_rules_free(struct unwind_rules *r); /* NULL is allowed */

/* The rule that holds at a file offset, NULL: none does. */
const struct unwind_rule *unwind_rules_find(const struct unwind_rules *r, uint64_t offset);

/* How many changes of rules it has. */
size_t unwind_rules_rows(const struct unwind_rules *r);

/* The build-id of the file that they were made of: its length, at most 20; 0: none. */
size_t unwind_rules_build_id(const struct unwind_rules *r, uint8_t id[20]);

/* Bytes of the block, resident or not. */
size_t unwind_rules_bytes(const struct unwind_rules *r);

#endif
