/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/put.h"

#include "base/text.h"
#include "record/abi.h"

#include <inttypes.h>

#define PUT_NUMBER(name, number, fmt) \
	void \
	name(struct buf *b, const struct record_layout *layout, const void *member) \
	{ \
		(void)layout; \
		buf_addf(b, fmt, *(const number *)member); \
	}

PUT_NUMBER(put_dec32, uint32_t, "%" PRIu32)
PUT_NUMBER(put_dec64, uint64_t, "%" PRIu64)
PUT_NUMBER(put_hex16, uint16_t, "0x%" PRIx16)
PUT_NUMBER(put_hex32, uint32_t, "0x%" PRIx32)
PUT_NUMBER(put_hex64, uint64_t, "0x%" PRIx64)

/* A pid_t: -1 is the kernel itself, or a task that has no number any more. */
PUT_NUMBER(put_pid, int32_t, "%" PRId32)

/* Seconds. */
void
put_time(struct buf *b, const struct record_layout *layout, const void *member)
{
	uint64_t ns = *(const uint64_t *)member;

	(void)layout;
	buf_addf(b, "%" PRIu64 ".%09" PRIu64, ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

void
put_flag(struct buf *b, const struct record_layout *layout, const void *member)
{
	(void)layout;
	buf_add_char(b, *(const bool *)member ? '1' : '0');
}

void
put_text(struct buf *b, const struct record_layout *layout, const void *member)
{
	const char *text = *(const char *const *)member;

	(void)layout;
	buf_add_char(b, '"');
	text_add_safe(b, text, strlen(text));
	buf_add_char(b, '"');
}

void
put_hex_bytes(struct buf *b, const struct record_layout *layout, const void *member)
{
	static const char digits[] = "0123456789abcdef";
	const struct bytes *bytes = member;

	(void)layout;
	for (size_t i = 0; i < bytes->len; i++) {
		buf_add_char(b, digits[bytes->data[i] >> 4]);
		buf_add_char(b, digits[bytes->data[i] & 15]);
	}
}

void
put_read(struct buf *b, const struct record_layout *layout, const void *member)
{
	const struct bytes *read = member;
	struct record_values v = record_read_begin(layout->read_format, *read);

	buf_add_char(b, '[');
	if (layout->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		buf_addf(b, "enabled:%" PRIu64 " ", v.time_enabled);
	if (layout->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		buf_addf(b, "running:%" PRIu64 " ", v.time_running);
	while (record_read_next(&v)) {
		buf_addf(b, "%" PRIu64 ":%" PRIu64, v.id, v.value);
		if (layout->read_format & ABI_FORMAT_LOST)
			buf_addf(b, "/%" PRIu64, v.lost);
		buf_add_char(b, ' ');
	}
	if (b->data[b->len - 1] == ' ')
		b->len--;
	buf_add_char(b, ']');
}

/* The word for a marker in a chain, NULL for an address. */
static const char *
context_name(uint64_t word)
{
	static const struct {
		uint64_t word;
		const char *name;
	} contexts[] = {
		{ PERF_CONTEXT_HV, "hv" },
		{ PERF_CONTEXT_KERNEL, "kernel" },
		{ PERF_CONTEXT_USER, "user" },
		{ ABI_CONTEXT_USER_DEFERRED, "user-deferred" },
		{ PERF_CONTEXT_GUEST, "guest" },
		{ PERF_CONTEXT_GUEST_KERNEL, "guest-kernel" },
		{ PERF_CONTEXT_GUEST_USER, "guest-user" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(contexts); i++)
		if (contexts[i].word == word)
			return contexts[i].name;
	return NULL;
}

void
put_chain_words(struct buf *b, const uint64_t *chain, uint64_t len)
{
	buf_add_char(b, '[');
	for (uint64_t i = 0; i < len; i++) {
		const char *name = context_name(chain[i]);

		if (i > 0)
			buf_add_char(b, ' ');
		if (name != NULL)
			buf_add_str(b, name);
		else
			put_hex64(b, NULL, &chain[i]);
	}
	buf_add_char(b, ']');
}
