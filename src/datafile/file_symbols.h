/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_FILE_SYMBOLS_H
#define PTOP_DATAFILE_FILE_SYMBOLS_H
/*
 * What simpleperf's files tell of the symbols that were hit: features "file" (structs one after
 * another) and "file2" (a protobuf message each).  Whoever looks at the recording seldom has the
 * phone's files.
 */
#include "datafile/contents.h"

/* Take the whole of the feature; a reader that failed has no more. */
void file_symbols_read(struct contents *c, struct reader *r);
void file_symbols_read_messages(struct contents *c, struct reader *r);

#endif
