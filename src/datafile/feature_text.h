/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_FEATURE_TEXT_H
#define PTOP_DATAFILE_FEATURE_TEXT_H
/*
 * What the features of a recording say, in one line each: "pmu_mappings 1 software, 6 breakpoint".
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt of the kernel's sources.
 */
#include "base/buf.h"
#include "base/reader.h"

bool feature_has_text(uint64_t bit);

/*
 * Adds the line, without its end: at most some 4 KiB, printable whatever the recording holds, and
 * with "..." at its end if there should be more.  Nothing for a feature that is no text, or not
 * perf's.  @cpus: as the recording says, 0: not yet.
 */
void feature_put_text(struct buf *b, uint64_t bit, struct bytes bytes, bool swapped, uint32_t cpus);

#endif
