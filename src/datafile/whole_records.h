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

struct records_sum {
	size_t bytes;     /* of whole records */
	uint64_t samples; /* among them */
};

/* Of all; and in *@first (NULL: it is not wanted) of those that end within @first_len bytes. */
struct records_sum whole_records_sum(const void *records, size_t len, size_t first_len,
				     struct records_sum *first);

#endif
