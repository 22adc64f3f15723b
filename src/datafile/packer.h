/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_PACKER_H
#define PTOP_DATAFILE_PACKER_H
/*
 * Compresses records into perf's COMPRESSED records: pieces of one zstd stream, each of which can
 * be decompressed without those behind it.  One thread.
 */
#include "base/buf.h"

struct packer;

/* NULL: this ptop is built without zstd. */
struct packer *packer_new(void);
void packer_free(struct packer *p);

/* Compresses whole records; adds what is finished to @out. */
void packer_add(struct packer *p, const void *records, size_t len, struct buf *out);

/* Adds the rest. */
void packer_flush(struct packer *p, struct buf *out);

/* Adds the content of perf's feature COMPRESSED. */
void packer_put_feature(const struct packer *p, struct buf *b);

#endif
