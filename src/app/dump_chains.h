/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_DUMP_CHAINS_H
#define PTOP_APP_DUMP_CHAINS_H
/*
 * The call chains that samples of a recording hold as copies of the stack, for --dump.  Waits for
 * the files that they need.  One thread.
 */
#include "app/config.h"
#include "base/buf.h"
#include "datafile/datafile.h"
#include "record/record.h"

struct dump_chains;

/* Both are borrowed.  The process has one thread yet. */
struct dump_chains *dump_chains_new(const struct config *config, const struct datafile *file);
void dump_chains_free(struct dump_chains *c); /* NULL is allowed */

/* Takes any record, in order.  Of a sample with such a copy its chain is added to @b. */
void dump_chains_add(struct dump_chains *c, const struct record *rec, struct buf *b);

#endif
