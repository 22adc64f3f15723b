/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_RECORD_FILE_H
#define PTOP_SERVE_RECORD_FILE_H
/*
 * A perf.data file of the flight recorder, in a folder of its own that is gone when it is open: the
 * engine writes to a name, and it is read by descriptor.  One at a time.
 */
#include "base/buf.h"
#include "base/err.h"

struct record_file {
	struct buf dir, path;
};

/* A name to write to.  -1: see @err. */
int record_file_begin(struct record_file *f, struct err *err);

/* The file, to be read.  -1: see @err. */
int record_file_open(const struct record_file *f, struct err *err);

/* Nothing is left of it. */
void record_file_end(struct record_file *f);

#endif
