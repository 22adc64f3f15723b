/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any layout, any bytes as one record of it: decoded and printed. */
#include "fuzz.h"

#include "base/buf.h"
#include "record/layouts.h"
#include "record/put.h"

#include <stdlib.h>
#include <string.h>

enum { LAYOUT_BYTES = 5 * 8 + 1, RECORD_MAX = UINT16_MAX };

static void
decode(const struct record_layout *layout, const uint8_t *data, size_t size)
{
	/* A copy of just that length, so that one byte too far is seen; swapped ones are changed. */
	uint8_t *copy = malloc(size);
	struct bytes bytes = { copy, size };
	struct record rec;
	struct buf b = { 0 };

	memcpy(copy, data, size);
	record_time(layout, bytes);
	record_sample_tag(layout, bytes);
	if (record_decode(layout, bytes, &rec) >= 0)
		record_put(&b, layout, &rec);
	buf_release(&b);
	free(copy);
}

int
FUZZ_TARGET(record)(const uint8_t *data, size_t size)
{
	struct event_attr attr = { .size = sizeof(attr) };
	struct record_layout layout;
	uint64_t words[5];

	if (size < LAYOUT_BYTES + 8 || size - LAYOUT_BYTES > RECORD_MAX)
		return 0;
	memcpy(words, data, sizeof(words));
	attr.sample_type = words[0] & ((1 << 25) - 1);
	attr.read_format = words[1];
	attr.branch_sample_type = words[2];
	attr.sample_regs_user = words[3];
	attr.sample_regs_intr = words[4];
	attr.sample_id_all = data[40] & 1;
	layout = record_layout_of(&attr, data[40] & 2);
	decode(&layout, data + LAYOUT_BYTES, size - LAYOUT_BYTES);
	return 0;
}
