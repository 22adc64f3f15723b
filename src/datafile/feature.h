/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_FEATURE_H
#define PTOP_DATAFILE_FEATURE_H
/* perf's features: what it tells of the machine and of how it was called. */
#include "datafile/contents.h"

/* Whether anything is taken of feature @bit. */
bool feature_is_taken(uint64_t bit);

/* Takes what @bytes, the whole of feature @bit, tells; false: it contradicts itself. */
bool feature_read(struct contents *c, uint64_t bit, struct bytes bytes);

#endif
