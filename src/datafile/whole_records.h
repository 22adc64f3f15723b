/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WHOLE_RECORDS_H
#define PTOP_DATAFILE_WHOLE_RECORDS_H
/*
 * Where records end that lie one after another, each with a header that gives its size, in native
 * byte order.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * How many of the @len bytes are whole records.  One that gives no size that can be is taken for a
 * header alone.
 */
size_t whole_records(const void *records, size_t len);

/* How many of the whole ones are samples. */
uint64_t whole_records_samples(const void *records, size_t len);

#endif
