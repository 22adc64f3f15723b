/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_FEATURE_H
#define PTOP_DATAFILE_FEATURE_H
/* perf's features: what it tells of the machine and of how it was called. */
#include "base/buf.h"
#include "base/reader.h"
#include "datafile/contents.h"

/* Whether anything is taken of feature @bit. */
bool feature_is_taken(uint64_t bit);

/* Takes what @bytes, the whole of feature @bit, tells; false: it contradicts itself. */
bool feature_read(struct contents *c, uint64_t bit, struct bytes bytes);

/*
 * What the features of a recording say, in one line each: "pmu_mappings 1 software, 6 breakpoint".
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt of the kernel's sources.
 */
bool feature_has_text(uint64_t bit);

/*
 * Adds the line, without its end: at most some 4 KiB, printable whatever the recording holds, and
 * with "..." at its end if there should be more.  Nothing for a feature that is no text, or not
 * perf's.  @cpus: as the recording says, 0: not yet.
 */
void feature_put_text(struct buf *b, uint64_t bit, struct bytes bytes, bool swapped, uint32_t cpus);

/*
 * What simpleperf's files tell of the symbols that were hit: features "file" (structs one after
 * another) and "file2" (a protobuf message each).  Whoever looks at the recording seldom has the
 * phone's files.  Take the whole of the feature; a reader that failed has no more.
 */
void file_symbols_read(struct contents *c, struct reader *r);
void file_symbols_read_messages(struct contents *c, struct reader *r);

#endif
