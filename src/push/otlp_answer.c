/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/otlp_answer.h"

#include "base/text.h"

/* The fields as collector/profiles/v1development/profiles_service.proto numbers them. */
enum { PARTIAL_SUCCESS = 1, REJECTED_PROFILES = 1, ERROR_MESSAGE = 2 };

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, VARINT_BYTES_MAX = 10 };

struct field {
	uint64_t number, value; /* value: of numbers */
	struct bytes bytes;
};

static uint64_t
get_varint(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < VARINT_BYTES_MAX; i++) {
		const uint8_t *byte = reader_bytes(r, 1);

		if (byte == NULL)
			return 0;
		value |= (uint64_t)(*byte & 0x7f) << 7 * i;
		if ((*byte & 0x80) == 0)
			return value;
	}
	reader_fail(r);
	return 0;
}

/* The next field; those of other kinds end it. */
static bool
next(struct reader *r, struct field *f)
{
	uint64_t tag;

	if (reader_left(r) == 0)
		return false;
	tag = get_varint(r);
	*f = (struct field){ .number = tag >> 3 };
	if ((tag & 7) == WIRE_VARINT) {
		f->value = get_varint(r);
	} else if ((tag & 7) == WIRE_BYTES) {
		f->bytes.len = get_varint(r);
		f->bytes.data = reader_bytes(r, f->bytes.len);
	} else {
		reader_fail(r);
	}
	return !r->failed;
}

static bool
put_partial(struct bytes message, struct buf *b)
{
	struct reader r = reader_over(message);
	struct field f, text = { 0 };
	uint64_t rejected = 0;

	while (next(&r, &f)) {
		if (f.number == REJECTED_PROFILES)
			rejected = f.value;
		else if (f.number == ERROR_MESSAGE)
			text = f;
	}
	if (rejected == 0 && text.bytes.len == 0)
		return false;
	buf_addf(b, "%llu refused", (unsigned long long)rejected);
	if (text.bytes.len > 0) {
		buf_add_str(b, ", ");
		text_add_safe(b, (const char *)text.bytes.data, text.bytes.len);
	}
	return true;
}

bool
otlp_answer_put(struct bytes answer, struct buf *b)
{
	struct reader r = reader_over(answer);
	struct field f;

	while (next(&r, &f))
		if (f.number == PARTIAL_SUCCESS && f.bytes.data != NULL)
			return put_partial(f.bytes, b);
	return false;
}
