/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WHOLE_RECORDS_H
#define PTOP_DATAFILE_WHOLE_RECORDS_H
/*
 * Walks records that lie one after another in memory, in native byte order.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * How many of the @len bytes are whole records.  A record of an impossible size is taken for a
 * header alone.
 */
size_t whole_records(const void *records, size_t len);

/* How many of the whole records are samples. */
uint64_t whole_records_samples(const void *records, size_t len);

#endif
