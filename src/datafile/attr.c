/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/contents.h"

#include "datafile/swap.h"

/* The members that must be swapped: wider than a byte and no bit-field. */
#define MEMBER(m) { offsetof(struct event_attr, m), sizeof(((struct event_attr *)0)->m) }
static const struct {
	uint16_t at, size;
} members[] = {
	MEMBER(type), MEMBER(size), MEMBER(config), MEMBER(sample_period), MEMBER(sample_type),
	MEMBER(read_format), MEMBER(wakeup_watermark), MEMBER(bp_type), MEMBER(config1),
	MEMBER(config2), MEMBER(branch_sample_type), MEMBER(sample_regs_user),
	MEMBER(sample_stack_user), MEMBER(clockid), MEMBER(sample_regs_intr),
	MEMBER(aux_watermark), MEMBER(sample_max_stack), MEMBER(aux_sample_size),
	MEMBER(aux_action), MEMBER(sig_data), MEMBER(config3), MEMBER(config4),
};

enum { FLAGS_AT = offsetof(struct event_attr, read_format) + 8 };

static void
swap_member(uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = byte;
	}
}

static uint8_t
mirror(uint8_t byte)
{
	unsigned out = 0;

	for (unsigned bit = 0; bit < 8; bit++)
		out |= ((unsigned)byte >> bit & 1u) << (7 - bit);
	return (uint8_t)out;
}

/*
 * Bit-fields begin at the highest bit of the first byte on big-endian machines, at the lowest on
 * little-endian ones: the bytes stay, the bits of each byte are reversed.
 */
static void
swap_attr(struct event_attr *attr)
{
	uint8_t *p = (uint8_t *)attr;
	unsigned precise;

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		swap_member(p + members[i].at, members[i].size);
	for (size_t i = FLAGS_AT; i < FLAGS_AT + 8; i++)
		p[i] = mirror(p[i]);
	/* A field of several bits is reversed in itself. */
	precise = attr->precise_ip;
	attr->precise_ip = (precise >> 1 | precise << 1) & 3;
}

int
attr_decode(struct bytes bytes, bool swapped, struct event_attr *attr)
{
	uint32_t size;

	if (bytes.len < ABI_ATTR_SIZE_MIN)
		return -1;
	memcpy(&size, bytes.data + offsetof(struct event_attr, size), sizeof(size));
	size = swap_u32(size, swapped);
	if (size == 0) /* as the first kernels left it */
		size = ABI_ATTR_SIZE_MIN;
	if (size < ABI_ATTR_SIZE_MIN || size > bytes.len)
		size = (uint32_t)MIN(bytes.len, UINT16_MAX);
	*attr = (struct event_attr){ 0 };
	memcpy(attr, bytes.data, MIN(size, sizeof(*attr)));
	if (swapped)
		swap_attr(attr);
	attr->size = size;
	return 0;
}
