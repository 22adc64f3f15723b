/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/whole_records.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Passes the record at *@at; false: it is not whole. */
static bool
next(const uint8_t *records, size_t len, size_t *at, struct perf_event_header *h)
{
	if (len - *at < sizeof(*h))
		return false;
	memcpy(h, records + *at, sizeof(*h));
	if (h->size < sizeof(*h))
		h->size = sizeof(*h);
	if (h->size > len - *at)
		return false;
	*at += h->size;
	return true;
}

size_t
whole_records(const void *records, size_t len)
{
	struct perf_event_header h;
	size_t at = 0;

	while (next(records, len, &at, &h))
		;
	return at;
}

struct records_sum
whole_records_sum(const void *records, size_t len, size_t first_len, struct records_sum *first)
{
	struct records_sum sum = { 0 }, within = { 0 };
	struct perf_event_header h;

	while (next(records, len, &sum.bytes, &h)) {
		sum.samples += h.type == PERF_RECORD_SAMPLE;
		if (sum.bytes <= first_len)
			within = sum;
	}
	if (first != NULL)
		*first = within;
	return sum;
}
