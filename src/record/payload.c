/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/payload.h"

#include "base/text.h"
#include "record/payload_formats.h"
#include "record/value_name.h"

#include <inttypes.h>

enum { ELEMENTS_MAX = 64 }; /* of an array that are shown */

/* Behind the number, what it is called, too. */
static void
put_called(const struct payload_field *field, int64_t value, struct buf *out)
{
	const struct payload_formats *p = field->of;

	for (size_t i = 0; i < p->called_len; i++) {
		if (p->called[i].value != value || strcmp(p->called[i].field, field->field.name) != 0)
			continue;
		buf_add_char(out, ' ');
		text_add_safe(out, p->called[i].name, strlen(p->called[i].name));
		return;
	}
}

static uint64_t
take_number(struct reader *r, uint32_t size)
{
	const uint8_t *byte;

	switch (size) {
	case 8:
		return reader_u64(r);
	case 4:
		return reader_u32(r);
	case 2:
		return reader_u16(r);
	}
	byte = reader_bytes(r, 1);
	return byte != NULL ? *byte : 0;
}

/* With its sign, if it has one. */
static uint64_t
take_signed(const struct field *f, struct reader *r, uint32_t size)
{
	uint64_t n = take_number(r, size);
	unsigned unused = 64 - 8 * (size == 2 || size == 4 || size == 8 ? size : 1);

	return f->is_signed && f->kind != FIELD_ADDRESS ? (uint64_t)((int64_t)(n << unused) >> unused)
							 : n;
}

static void
put_number(const struct field *f, struct reader *r, uint32_t size, struct buf *out)
{
	uint64_t n = take_signed(f, r, size);

	if (r->failed)
		return;
	if (f->kind == FIELD_ADDRESS || (f->kind == FIELD_WORD && (int64_t)n != (int32_t)n))
		buf_addf(out, "0x%" PRIx64, n);
	else if (f->is_signed)
		buf_addf(out, "%" PRId64, (int64_t)n);
	else
		buf_addf(out, "%" PRIu64, n);
}

static void
put_numbers(const struct field *f, struct reader *r, struct buf *out)
{
	buf_add_char(out, '{');
	for (unsigned i = 0; reader_left(r) > 0; i++) {
		if (i > 0)
			buf_add_char(out, ',');
		if (i == ELEMENTS_MAX) {
			buf_add_str(out, "...");
			break;
		}
		put_number(f, r, f->element_size, out);
	}
	buf_add_char(out, '}');
}

static void
put_value(const struct field *f, struct reader *r, struct buf *out)
{
	if (f->kind == FIELD_NUMBERS)
		put_numbers(f, r, out);
	else
		put_number(f, r, f->size, out);
}

/* As the kernel calls what a probe could not read: a text that is there has its NUL at least. */
static const char unread_text[] = "(fault)";

/* How long a field is that says where its content is; UINT32_MAX: it does not, or is not in @raw. */
static uint32_t
located_len(const struct field *f, struct bytes raw, bool is_swapped)
{
	struct reader r = reader_over_swapped(raw, is_swapped);
	uint32_t where;

	reader_bytes(&r, f->offset);
	where = reader_u32(&r);
	return f->is_located && !r.failed ? where >> 16 : UINT32_MAX;
}

static bool
is_unread(const struct field *f, struct bytes raw, bool is_swapped)
{
	return located_len(f, raw, is_swapped) == 0;
}

/* Behind a text of which @raw has @content alone, and no end: some have more room than text. */
static void
put_cut(const struct field *f, struct bytes raw, bool is_swapped, struct bytes content,
	struct buf *out)
{
	uint32_t whole = located_len(f, raw, is_swapped);

	if (whole != UINT32_MAX && whole > content.len &&
	    (content.len == 0 || memchr(content.data, '\0', content.len) == NULL))
		buf_add_str(out, "...");
}

static void
put_text(struct reader *r, struct buf *out)
{
	const char *text = (const char *)r->pos;

	buf_add_char(out, '"');
	text_add_safe(out, text, strnlen(text, reader_left(r)));
	buf_add_char(out, '"');
}

/* Its content; empty if that is not all within @raw, of a text what is. */
static struct bytes
find_content(const struct field *f, struct bytes raw, bool is_swapped)
{
	uint64_t at = f->offset, len = f->size;
	struct reader r = reader_over_swapped(raw, is_swapped);

	reader_bytes(&r, f->offset);
	if (f->is_located) {
		uint32_t where = reader_u32(&r);

		at = (where & UINT16_MAX) + (f->is_relative ? at + len : 0);
		len = where >> 16;
	}
	if (f->is_located && f->kind == FIELD_TEXT && !r.failed && at <= raw.len)
		len = MIN(len, raw.len - at);
	if (r.failed || at > raw.len || len > raw.len - at)
		return (struct bytes){ raw.data, 0 };
	return (struct bytes){ raw.data + at, (size_t)len };
}

static void
put_field(const struct payload_formats *p, const struct field *f, struct bytes raw, struct buf *out)
{
	struct bytes content = find_content(f, raw, p->is_swapped);
	struct reader r = reader_over_swapped(content, p->is_swapped);

	text_add_safe(out, f->name, strlen(f->name));
	buf_add_char(out, '=');
	if (f->kind == FIELD_TEXT && is_unread(f, raw, p->is_swapped))
		buf_add_str(out, unread_text);
	else if (f->kind == FIELD_TEXT)
		put_text(&r, out);
	else
		put_value(f, &r, out);
	if (f->kind == FIELD_TEXT)
		put_cut(f, raw, p->is_swapped, content, out);
}

bool
payload_put(const struct payload_formats *p, uint64_t id, struct bytes raw, struct buf *out)
{
	const struct format *f = payload_format_by_id(p, id);

	if (f == NULL)
		return false;
	for (size_t i = 0; i < f->field_count; i++) {
		if (i > 0)
			buf_add_char(out, ' ');
		put_field(p, &f->fields[i], raw, out);
	}
	return true;
}

bool
payload_field_number(const struct payload_field *field, struct bytes raw, int64_t *out)
{
	const struct field *f = &field->field;
	struct bytes content = find_content(f, raw, field->of->is_swapped);
	struct reader r = reader_over_swapped(content, field->of->is_swapped);

	if (f->kind >= FIELD_TEXT || f->is_located)
		return false;
	*out = (int64_t)take_signed(f, &r, f->size);
	return !r.failed;
}

/* Its bytes, of which quotes are no part; a probe's text that is empty is seen to be, not one cut off. */
static void
put_bare_text(const struct field *f, struct reader *r, struct buf *out)
{
	size_t left = reader_left(r), len = strnlen((const char *)r->pos, left);

	if (len == 0 && left > 0 && f->is_located)
		buf_add_str(out, "\"\"");
	else
		text_add_safe(out, (const char *)r->pos, len);
}

void
payload_field_put(const struct payload_field *field, struct bytes raw, struct buf *out)
{
	const struct field *f = &field->field;
	struct bytes content = find_content(f, raw, field->of->is_swapped);
	struct reader r = reader_over_swapped(content, field->of->is_swapped);
	int64_t n;

	if (f->kind == FIELD_TEXT && is_unread(f, raw, field->of->is_swapped)) {
		buf_add_str(out, unread_text);
		return;
	}
	if (f->kind == FIELD_TEXT) {
		put_bare_text(f, &r, out);
		put_cut(f, raw, field->of->is_swapped, content, out);
		return;
	}
	if (!payload_field_number(field, raw, &n)) {
		put_value(f, &r, out);
		return;
	}
	if (!print_names_put(&field->names, (uint64_t)n, out) &&
	    (f->also != NULL || !value_name_put(field->event, f->name, n, out)))
		put_value(f, &r, out);
	put_called(field, n, out);
}

bool
payload_field_is_plain(const struct payload_field *field)
{
	const struct field *f = &field->field;

	return (f->kind == FIELD_NUMBER || f->kind == FIELD_WORD) && !f->is_located &&
	       field->names.len == 0 &&
	       (f->also != NULL || !value_has_name(field->event, f->name));
}
