/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/code/disasm.h"

enum { LENGTH_MAX = 15 };

struct cursor {
	const uint8_t *code;
	size_t len, at;
};

/* The next byte, 0 behind the end: the length is checked at last. */
static uint8_t
next(struct cursor *c)
{
	uint8_t b = c->at < c->len ? c->code[c->at] : 0;

	c->at++;
	return b;
}

static void
skip_modrm(struct cursor *c)
{
	uint8_t modrm = next(c), mod = modrm >> 6, rm = modrm & 7;

	if (mod == 3)
		return;
	if (rm == 4) {
		uint8_t sib = next(c);

		if (mod == 0 && (sib & 7) == 5)
			c->at += 4;
	} else if (mod == 0 && rm == 5) {
		c->at += 4;
	}
	c->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
}

/* Opcodes of the map 0f that have a byte behind their operands. */
static bool
has_immediate(uint8_t opcode)
{
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xac ||
	       opcode == 0xba || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

static bool
is_prefix(uint8_t b)
{
	return b == 0x66 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e ||
	       b == 0x26 || b == 0x64 || b == 0x65 || b == 0x67 || b == 0xf0;
}

/* What follows the opcode, by the map that it is of: 1 is 0f, 2 is 0f 38, 3 is 0f 3a. */
static bool
skip_operands(struct cursor *c, unsigned map, uint8_t opcode)
{
	if (map == 0 || (map > 3 && map != 5 && map != 6))
		return false;
	/* vzeroupper alone has none. */
	if (map == 1 && opcode == 0x77)
		return true;
	skip_modrm(c);
	if (map == 3 || (map == 1 && has_immediate(opcode)))
		c->at++;
	return true;
}

static bool
skip_legacy(struct cursor *c)
{
	uint8_t opcode = next(c);

	if (opcode == 0x38 || opcode == 0x3a)
		return skip_operands(c, opcode == 0x38 ? 2 : 3, next(c));
	return skip_operands(c, 1, opcode);
}

unsigned
x86_length(const uint8_t *code, size_t len)
{
	struct cursor c = { code, len, 0 };
	uint8_t b = next(&c), map;
	bool known = false;

	while (is_prefix(b) && c.at < LENGTH_MAX)
		b = next(&c);
	if ((b & 0xf0) == 0x40)
		b = next(&c);
	switch (b) {
	case 0x62: /* EVEX: P0 has the map */
		map = next(&c) & 7;
		c.at += 2;
		known = skip_operands(&c, map, next(&c));
		break;
	case 0xc4:
		map = next(&c) & 0x1f;
		c.at++;
		known = skip_operands(&c, map, next(&c));
		break;
	case 0xc5:
		c.at++;
		known = skip_operands(&c, 1, next(&c));
		break;
	case 0x0f:
		known = skip_legacy(&c);
		break;
	default:
		break;
	}
	return known && c.at <= len && c.at <= LENGTH_MAX ? (unsigned)c.at : 0;
}
