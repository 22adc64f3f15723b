/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_ANNOTATE_IMPL_H
#define PTOP_VIEW_ANNOTATE_IMPL_H
/*
 * What the files of annotate share; nobody else includes it.  annotate.c follows snapshots and
 * folds, annotate_make.c makes lines, annotate_costs.c sums up what they have, annotate_text.c
 * puts them.
 */
#include "view/annotate.h"

/* annotate_make.c: lines of the mode and the listing that are set, and jumps to instructions. */
void annotate_make_lines(struct annotate *a);

/* The function's own line that an instruction is of, whatever is inlined there; NULL: not known. */
const struct listing_frame *annotate_own_line(const struct annotate *a, uint32_t instruction);

/* annotate_costs.c: what the lines have in the snapshot, of each event. */
void annotate_sum_up(struct annotate *a, const struct snapshot *s);

#endif
