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

uint64_t
whole_records_samples(const void *records, size_t len)
{
	struct perf_event_header h;
	uint64_t samples = 0;
	size_t at = 0;

	while (next(records, len, &at, &h))
		samples += h.type == PERF_RECORD_SAMPLE;
	return samples;
}
