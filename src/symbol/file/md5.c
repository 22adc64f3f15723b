/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/md5.h"

#include <endian.h>
#include <string.h>

enum { STEPS = 64, LENGTH_BYTES = 8 };

/* The first 32 bits behind the point of |sin(i + 1)|. */
static const uint32_t sines[STEPS] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

/* How far each step of a round turns, in turn; and which word of the block it takes. */
static const struct round {
	uint8_t turns[4];
	uint8_t first, step;
} rounds[] = {
	{ { 7, 12, 17, 22 }, 0, 1 },
	{ { 5, 9, 14, 20 }, 1, 5 },
	{ { 4, 11, 16, 23 }, 5, 3 },
	{ { 6, 10, 15, 21 }, 0, 7 },
};

static uint32_t
mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	switch (round) {
	case 0:
		return (b & c) | (~b & d);
	case 1:
		return (b & d) | (c & ~d);
	case 2:
		return b ^ c ^ d;
	default:
		return c ^ (b | ~d);
	}
}

static void
take_block(struct md5 *m, const uint8_t *block)
{
	uint32_t a = m->state[0], b = m->state[1], c = m->state[2], d = m->state[3];
	uint32_t words[16];

	memcpy(words, block, sizeof(words));
	for (unsigned i = 0; i < STEPS; i++) {
		const struct round *r = &rounds[i / 16];
		uint32_t word = le32toh(words[(r->first + r->step * i) % 16]);
		uint32_t sum = a + mix(i / 16, b, c, d) + word + sines[i];
		unsigned turn = r->turns[i % 4];

		a = d;
		d = c;
		c = b;
		b += sum << turn | sum >> (32 - turn);
	}
	m->state[0] += a;
	m->state[1] += b;
	m->state[2] += c;
	m->state[3] += d;
}

void
md5_begin(struct md5 *m)
{
	*m = (struct md5){ .state = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 } };
}

void
md5_add(struct md5 *m, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t had = (size_t)(m->len % MD5_BLOCK);

	m->len += len;
	while (had + len >= MD5_BLOCK) {
		size_t n = MD5_BLOCK - had;

		if (had == 0) {
			take_block(m, p);
		} else {
			memcpy(m->block + had, p, n);
			take_block(m, m->block);
		}
		p += n;
		len -= n;
		had = 0;
	}
	if (len > 0)
		memcpy(m->block + had, p, len);
}

void
md5_end(struct md5 *m, uint8_t out[MD5_BYTES])
{
	static const uint8_t fill[MD5_BLOCK] = { 0x80 };
	uint64_t bits = htole64(m->len * 8);
	size_t had = (size_t)(m->len % MD5_BLOCK);
	size_t room = had < MD5_BLOCK - LENGTH_BYTES ? MD5_BLOCK : 2 * MD5_BLOCK;

	md5_add(m, fill, room - LENGTH_BYTES - had);
	md5_add(m, &bits, sizeof(bits));
	for (unsigned i = 0; i < ARRAY_SIZE(m->state); i++) {
		uint32_t word = htole32(m->state[i]);

		memcpy(out + i * sizeof(word), &word, sizeof(word));
	}
}
