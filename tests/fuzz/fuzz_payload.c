/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of tracepoints and a payload that is read by one: the first two bytes part them. */
#include "tests/fuzz/fuzz.h"

#include "record/payload.h"

#include <stdlib.h>
#include <string.h>

int
FUZZ_TARGET(payload)(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "id", "vec", "sig", "dev", "flags", "prev_state", "a" };
	struct payload_formats *f;
	struct buf b = { 0 };
	uint16_t raw_len;
	uint8_t *raw;

	if (size < sizeof(raw_len))
		return 0;
	memcpy(&raw_len, data, sizeof(raw_len));
	data += sizeof(raw_len);
	size -= sizeof(raw_len);
	raw_len = (uint16_t)MIN(raw_len, size);
	/* A copy of just that length, so that one byte too far is seen. */
	raw = malloc(raw_len > 0 ? raw_len : 1);
	memcpy(raw, data, raw_len);
	f = payload_formats_new((struct bytes){ data + raw_len, size - raw_len });
	for (uint64_t id = 0; id < 10; id++) {
		payload_put(f, id, (struct bytes){ raw, raw_len }, &b);
		for (size_t i = 0; i < ARRAY_SIZE(names) && payload_name(f, id) != NULL; i++) {
			const struct payload_field *field =
				payload_field(f, payload_name(f, id), names[i]);

			if (field != NULL)
				payload_field_put(field, (struct bytes){ raw, raw_len }, &b);
		}
	}
	buf_release(&b);
	payload_formats_free(f);
	free(raw);
	return 0;
}
