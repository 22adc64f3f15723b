/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The true length of a record.  For each further event that it writes the record for, the kernel
 * adds the trailer's size once more to the size in the header (perf_event_ksymbol_output() and its
 * kin); what is behind the first trailer is stale content of the ring.
 */
#include "record/record.h"
#include "record/abi.h"

enum {
	KSYMBOL_NAME_AT = 24,
	BPF_EVENT_BYTES = 24,
	POKE_LENGTHS_AT = 16, /* two of 16 bits, then as many bytes */
	POKE_BYTES_AT = 20,
};

static size_t
words(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

static size_t
ksymbol_bytes(struct bytes b)
{
	const uint8_t *nul = NULL;

	if (b.len > KSYMBOL_NAME_AT)
		nul = memchr(b.data + KSYMBOL_NAME_AT, 0, b.len - KSYMBOL_NAME_AT);
	return nul != NULL ? words((size_t)(nul - b.data) + 1) : b.len;
}

static size_t
text_poke_bytes(struct bytes b, bool swapped)
{
	uint16_t lens[2];

	if (b.len < POKE_BYTES_AT)
		return b.len;
	memcpy(lens, b.data + POKE_LENGTHS_AT, sizeof(lens));
	for (int i = 0; swapped && i < 2; i++)
		lens[i] = __builtin_bswap16(lens[i]);
	return words((size_t)POKE_BYTES_AT + lens[0] + lens[1]);
}

size_t
record_true_len(const struct record_layout *layout, struct bytes bytes)
{
	size_t len = bytes.len;

	switch (record_type(bytes)) {
	case ABI_RECORD_KSYMBOL:
		len = ksymbol_bytes(bytes);
		break;
	case ABI_RECORD_BPF_EVENT:
		len = BPF_EVENT_BYTES;
		break;
	case ABI_RECORD_TEXT_POKE:
		len = text_poke_bytes(bytes, layout->swapped);
		break;
	default:
		return bytes.len;
	}
	return MIN(len + layout->trailer_bytes, bytes.len);
}
