/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as one feature section of a file that is well formed else: the first byte says which,
 * so that what is behind the header is reached at once.
 */
#include "fuzz.h"
#include "recording.h"

#include "record/abi.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 104, ATTR_BYTES = 64 + 16, FEATURES = 160, DATA_MAX = 1 << 20 };

static void
put_u64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

int
FUZZ_TARGET(feature)(const uint8_t *data, size_t size)
{
	const size_t attrs = HEADER_BYTES, sections = attrs + ATTR_BYTES, section = sections + 16;
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = 64,
				   .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	uint8_t *file;

	if (size < 1 || size > DATA_MAX)
		return 0;
	file = calloc(1, section + size);
	memcpy(file, "PERFILE2", 8);
	put_u64(file + 8, HEADER_BYTES);
	put_u64(file + 16, ATTR_BYTES);
	put_u64(file + 24, attrs);
	put_u64(file + 32, ATTR_BYTES);
	put_u64(file + 40, sections);
	put_u64(file + 72 + data[0] % FEATURES / 64 * 8, UINT64_C(1) << data[0] % FEATURES % 64);
	memcpy(file + attrs, &attr, 64);
	put_u64(file + sections, section);
	put_u64(file + sections + 8, size - 1);
	memcpy(file + section, data + 1, size - 1);
	recording_read(file, section + size - 1);
	free(file);
	return 0;
}
