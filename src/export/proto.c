/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/proto.h"

#include "base/text.h"

#include <endian.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

/* Seven bits a byte, the lowest first; all but the last have the highest bit set. */
static void
add_varint(struct buf *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_add_char(b, (char)(value | 0x80));
	buf_add_char(b, (char)value);
}

static size_t
varint_len(uint64_t value)
{
	size_t n = 1;

	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

static void
add_tag(struct buf *b, unsigned field, unsigned wire)
{
	add_varint(b, (uint64_t)field << 3 | wire);
}

void
proto_add_number(struct buf *b, unsigned field, uint64_t value)
{
	if (value != 0)
		proto_add_choice(b, field, value);
}

void
proto_add_choice(struct buf *b, unsigned field, uint64_t value)
{
	add_tag(b, field, WIRE_VARINT);
	add_varint(b, value);
}

void
proto_add_fixed64(struct buf *b, unsigned field, uint64_t value)
{
	add_tag(b, field, WIRE_FIXED64);
	buf_add_raw64(b, htole64(value));
}

void
proto_add_bytes(struct buf *b, unsigned field, const void *data, size_t len)
{
	add_tag(b, field, WIRE_BYTES);
	add_varint(b, len);
	if (len > 0)
		buf_add(b, data, len);
}

void
proto_add_numbers(struct buf *b, unsigned field, const uint64_t *values, size_t count)
{
	size_t len = 0;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		len += varint_len(values[i]);
	add_tag(b, field, WIRE_BYTES);
	add_varint(b, len);
	for (size_t i = 0; i < count; i++)
		add_varint(b, values[i]);
}

uint64_t
proto_add_string(struct buf *b, unsigned field, struct strs *table, struct buf *scratch, const char *text)
{
	size_t before = table->len;
	uint32_t id;

	buf_reset(scratch);
	text_add_safe(scratch, text, strlen(text));
	id = strs_add(table, buf_str(scratch), scratch->len);
	if (table->len != before)
		proto_add_bytes(b, field, scratch->data, scratch->len);
	return id;
}
